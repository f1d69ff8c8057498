// A session that the server of a command does not have. That server and its port go with the command, so the words are about the data
// folder, and about the sessions in it: there is no server that could list them.
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { ExitError, failure } from '../command/command.ts'
import { NAMES_SHOWN } from '../command/limits.ts'
import { isNotFound, NoSessionError, newestIds } from '../session-ids/session-prefix.ts'
import type { ServerConnection } from './server-connection.ts'

/** Throws the error; about a missing session, in words that are true after the command has ended. */
export const rethrowMissing = async (
  error: unknown,
  { plain, ownData }: Pick<ServerConnection, 'plain' | 'ownData'>,
  text: string,
): Promise<never> => {
  if (ownData === null || !(error instanceof NoSessionError)) throw error
  const ids = await newestIds(plain)
  throw new ExitError(error.code, `There is no session ${text} in the data folder ${ownData}. ${adviceFor(text, ids)}`)
}

/** The error; about a session that a command has watched and the server has no longer, in words that say so. */
export const asRemoval = (error: unknown, id: string): unknown =>
  isNotFound(error) ? failure(`The session ${id} is no longer there.`) : error

const adviceFor = (text: string, ids: readonly string[]): string => {
  const near = nearestName(text, ids)
  if (near !== null) return `Did you mean ${near}?`
  const shown = ids.slice(0, NAMES_SHOWN)
  const more = ids.length - shown.length
  const known = ids.length === 0 ? 'no sessions' : [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return `It has ${known}. Name another data folder with --data, or a server with --url.`
}
