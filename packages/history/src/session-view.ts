// The answer of `GET /chat/sessions/:id` as of an event, from the server's own views and the entries of the log.

import type { EngineIdentity } from '@bridle/kernel/engine-info'
import type { AnyEvent } from '@bridle/kernel/event'
import type { SessionState } from '@bridle/kernel/projections/state'
import type { ChatSession } from '@bridle/wire/frontend/wire'
import type { LogEntry } from '@bridle/wire/log-entry'
import { wholeSession } from '@bridle/wire/views/whole-session'
import type { FoldedLog } from './folded-state.ts'

type EntryReader = (seq: number) => LogEntry | undefined

/** Facts outside of the log are absent: the heartbeat, the agent's capabilities, artifacts of other sessions. */
export const sessionView = (
  { key, incarnations }: FoldedLog,
  state: SessionState,
  identity: EngineIdentity | undefined,
  entry: EntryReader,
): ChatSession => {
  const view = wholeSession({ key, state, incarnations, identity, heartbeatAt: null }, null)
  let step = view.next()
  while (!step.done) step = view.next(eventsAt(step.value, entry))
  return { ...step.value, background_artifacts: [] }
}

const eventsAt = (seqs: readonly number[], entry: EntryReader): readonly AnyEvent[] =>
  seqs.flatMap((seq) => {
    const found = entry(seq)
    return found ? [found as unknown as AnyEvent] : []
  })

export const identityIn = ({ type, payload, hearsay }: LogEntry): EngineIdentity | null => {
  if (type !== 'session_state' || hearsay) return null
  const { engine, runner_kind: runnerKind } = payload
  return typeof engine === 'string' && (runnerKind === 'in_process' || runnerKind === 'bridge')
    ? { engine, runnerKind }
    : null
}
