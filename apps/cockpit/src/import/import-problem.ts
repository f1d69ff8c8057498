// The reasons for which a server does not take a file, in words.
import { FabricError } from 'bridle/client'

export interface ImportProblem {
  readonly text: string
  /** Another session has the id: with another id the file can be imported. */
  readonly isTaken: boolean
}

export const importProblem = (error: Error): ImportProblem => {
  const status = error instanceof FabricError ? error.status : 0
  if (status === 409) return { isTaken: true, text: TAKEN }
  const hint = status === 413 ? ' Export fewer sessions at a time.' : ''
  return { isTaken: false, text: `${error.message}${hint}` }
}

const TAKEN = 'This server has another session with the id of one in the file.'
