// The model and the effort of the next prompts of each session, while the page is open: a look at another session must not lose them.
import { type SessionName, sessionKey } from './drafts.ts'

export interface TurnChoice {
  /** Absent = the session's own. */
  readonly model?: string
  readonly effort?: string
}

const choices = new Map<string, TurnChoice>()
const listeners = new Set<() => void>()
const none: TurnChoice = {}

export const readTurnChoice = (session: SessionName): TurnChoice => choices.get(sessionKey(session)) ?? none

/** An empty text goes back to the session's own. */
export const keepTurnChoice = (session: SessionName, change: TurnChoice): void => {
  const chosen = Object.entries({ ...readTurnChoice(session), ...change }).filter(([, name]) => name !== '')
  choices.set(sessionKey(session), Object.fromEntries(chosen))
  for (const listener of listeners) listener()
}

export const subscribeTurnChoices = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
