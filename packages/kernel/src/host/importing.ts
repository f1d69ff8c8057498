import { type AnswerTo, type ImportCommand, isRefusal, type Refusal, refuse } from '../commands.ts'
import type { Key } from '../event.ts'
import type { Log } from '../ports/log.ts'
import { hasFaultCode } from '../ports/store-fault.ts'
import type { SessionState } from '../projections/state.ts'
import { openChild } from './branching.ts'
import { evict } from './eviction.ts'
import type { LiveSessions } from './live-sessions.ts'
import type { Removal } from './removal.ts'

interface ImportParts {
  readonly live: LiveSessions
  readonly removal: Removal
  readonly log: Pick<Log, 'reserve'>
}

/** Atomic. `before`: the state at the branch point, if the caller has folded it. */
export const importSession = async (
  { live, removal, log }: ImportParts,
  key: Key,
  command: ImportCommand,
  before: SessionState | null,
): Promise<AnswerTo<ImportCommand> | Refusal> => {
  const { parent: from } = command
  const source = from && (await live.find({ ...key, agent: from.agent, id: from.id }))
  if (from && !source) return refuse('session_not_found')
  const startsAfter = (command.events[0]?.seq ?? 1) - 1
  if (!from && startsAfter > 0) await reserveNumbers({ live, log }, key, startsAfter)
  const session =
    from && source
      ? await openChild(live, key, {
          from,
          source,
          ...(before && { known: { state: before, upTo: command.events.at(-1)?.seq ?? from.seq } }),
        })
      : await live.open(key)
  if (!session) return refuse('bad_branch_point')
  const outcome = await removal.unlessErased(session, () => session.send(command), source ?? undefined)
  if (isRefusal(outcome)) live.discardUnused(session)
  return outcome
}

/** An imported log may start above 1, after the numbers of a removed session. If the session exists, `import` itself is refused. */
const reserveNumbers = async (
  { live, log }: Pick<ImportParts, 'live' | 'log'>,
  key: Key,
  head: number,
): Promise<void> => {
  const waiting = await live.open(key)
  if (waiting.exists || waiting.state.head >= head) return live.discardUnused(waiting)
  // A session that waits for its first event would start at 1. Evict it; its readers reconnect.
  if (waiting.quiet) evict(waiting)
  await log.reserve(key, head).catch((cause: unknown) => {
    if (!hasFaultCode(cause, 'refused')) throw cause
  })
}
