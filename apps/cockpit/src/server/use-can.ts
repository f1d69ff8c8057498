import type { CallerIdentity } from 'bridle/client'
import { createContext, use } from 'react'
import { useLive } from './server-context.tsx'

/** A part of the page that shows something as it was: nothing there can be changed, whoever looks at it. */
export interface ReadOnlyPart {
  /** The reason, as the hint of a control that is off. */
  readonly why: string
  /** A new session may begin there. */
  readonly canBranch: boolean
}

export const ReadOnlyContext = createContext<ReadOnlyPart | null>(null)

type Scope = CallerIdentity['scopes'][number]

/** Until the server has said who this is, the page does not forbid anything. */
const useScope = (scope: Scope): boolean => useLive(({ me }) => me === null || me.scopes.includes(scope))

/** Whether the server lets this person act so, and this part of the page is one to act in. */
export const useCan = (scope: Scope): boolean => {
  const isReadOnly = use(ReadOnlyContext) !== null
  return useScope(scope) && !isReadOnly
}

/** Whether a session may be branched here: the past stays as it is, and a branch changes nothing in it. */
export const useCanBranch = (): boolean => {
  const part = use(ReadOnlyContext)
  return useScope('operate') && (part?.canBranch ?? true)
}

export const CANNOT_OPERATE = 'Your credential may watch, not operate.'

/** The reason why a control of a session is off. */
export const useOffReason = (): string => use(ReadOnlyContext)?.why ?? CANNOT_OPERATE
