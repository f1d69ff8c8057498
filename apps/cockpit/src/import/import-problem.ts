// The reasons for which a server does not take a file, in words.
import { FabricError } from 'bridle/client'

export interface ImportProblem {
  readonly text: string
  /** Another session has the id: with another id the file can be imported. */
  readonly isTaken: boolean
}

export const importProblem = (error: Error): ImportProblem => {
  const { status, type } = error instanceof FabricError ? error : { status: 0, type: '' }
  const isTaken = type === 'conflict'
  if (isTaken) return { isTaken, text: withoutRename(error.message) }
  const hint = status === 413 ? ' Export fewer sessions at a time.' : ''
  return { isTaken, text: `${error.message}${hint}` }
}

/** The parameter of the route is a box on this page. */
const withoutRename = (message: string): string =>
  message
    .split(/(?<=\.) /u)
    .filter((sentence) => !sentence.includes(RENAME))
    .join(' ')

const RENAME = 'rename=1'
