// Importing: opens a session that does not exist, and has it write the log of a file as its first events.
import { type AnswerTo, type ImportCommand, isRefusal, type Refusal, refuse } from '../commands.ts'
import type { Key } from '../event.ts'
import { openChild } from './branching.ts'
import type { LiveSessions } from './live-sessions.ts'
import type { Removal } from './removal.ts'

/** All of it is written with one append, or nothing. */
export const importSession = async (
  { live, removal }: { readonly live: LiveSessions; readonly removal: Removal },
  key: Key,
  command: ImportCommand,
): Promise<AnswerTo<ImportCommand> | Refusal> => {
  const { parent: from } = command
  const source = from && (await live.find({ ...key, agent: from.agent, id: from.id }))
  if (from && !source) return refuse('session_not_found')
  const session = from && source ? await openChild(live, key, { from, source }) : await live.open(key)
  if (!session) return refuse('bad_branch_point')
  const outcome = await removal.unlessErased(session, () => session.send(command), source ?? undefined)
  if (isRefusal(outcome)) live.discardUnused(session)
  return outcome
}
