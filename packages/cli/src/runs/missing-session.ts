// A missing session of a server that stops with the command. The message refers to the data folder, because no server
// will be there to list its sessions.
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { ExitError, failure } from '../command/command.ts'
import { NAMES_SHOWN } from '../command/limits.ts'
import { isNotFound, NoSessionError, newestIds } from '../session-ids/session-prefix.ts'
import type { ServerConnection } from './server-connection.ts'

export const rethrowMissing = async (
  error: unknown,
  { plain, ownData }: Pick<ServerConnection, 'plain' | 'ownData'>,
  text: string,
): Promise<never> => {
  if (ownData === null || !(error instanceof NoSessionError)) throw error
  const ids = await newestIds(plain)
  throw new ExitError(error.code, `There is no session ${text} in the data folder ${ownData}. ${adviceFor(text, ids)}`)
}

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
