// The routes by which a runner shows the files of its work folder. The runner itself reads none: whoever starts it says how.
import type { ServerResponse } from 'node:http'
import { sendError, sendJson } from './runner-http.ts'

/** Shows the files of a runner's work folder. Each answer has the fields of the server's route of the same name, or is a refusal. */
export interface WorkFiles {
  /** The files that differ from the beginning. */
  compare(): Promise<WorkFilesAnswer>
  /** The entries of one folder. */
  list(path: string): Promise<WorkFilesAnswer>
  /** The text of one file. */
  read(path: string, version: 'current' | 'source'): Promise<WorkFilesAnswer>
}

/** An answer about files, or the reason why there is none. */
export type WorkFilesAnswer = object | { readonly refused: keyof typeof REFUSALS; readonly message: string }

const REFUSALS = { not_found: 404, bad_path: 400, busy: 429 } as const

/** `name` is the part of the path behind `/workspace`: empty, `files` or `file`. */
export const sendWorkFiles = async (
  files: WorkFiles,
  name: string,
  query: URLSearchParams,
  outgoing: ServerResponse,
): Promise<void> => {
  const answer = await answerOf(files, name, query)
  if (answer === null) return sendError(outgoing, 404, 'not_found', 'There is no such route.')
  if ('refused' in answer) return sendError(outgoing, REFUSALS[answer.refused], answer.refused, answer.message)
  sendJson(outgoing, 200, answer)
}

const answerOf = async (files: WorkFiles, name: string, query: URLSearchParams): Promise<WorkFilesAnswer | null> => {
  const path = query.get('path') ?? ''
  if (name === '') return files.compare()
  if (name === 'files') return files.list(path)
  if (name === 'file') return files.read(path, query.get('version') === 'source' ? 'source' : 'current')
  return null
}
