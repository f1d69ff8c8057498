// Snapshots are a cache of the fold. Each settled message has a row, which is written once; the rest of the state is one small row.

import type { Snapshot, SnapshotWrite } from '../ports/log.ts'
import type { HarnessMessage } from '../projections/harness-state.ts'
import { emptyState, type SessionState } from '../projections/state.ts'
import { foldVersion } from './fold-version.ts'

/** Null when another version of the fold made the snapshot: the log is folded again. `messages` are those that were not read again. */
export const restoreSnapshot = (
  snapshot: Snapshot | null,
  messages: readonly HarnessMessage[] = [],
): SessionState | null => {
  if (!snapshot || snapshot.foldVersion !== foldVersion()) return null
  const rest = JSON.parse(snapshot.state) as SessionState
  const settled = snapshot.pieces.map((text, index) =>
    text === null ? (messages[index] as HarnessMessage) : (JSON.parse(text) as HarnessMessage),
  )
  const conversation = { ...rest.conversation, messages: [...settled, ...rest.conversation.messages] }
  return { ...emptyState, ...rest, conversation }
}

/**
 * `written` are the messages that have rows already: a message that is still the same object is not written again. One snapshot
 * in `keepEvery` events is kept, so that a branch far back folds at most as many.
 */
export const takeSnapshot = (
  state: SessionState,
  written: readonly HarnessMessage[],
  lastSeq: number,
  keepEvery: number,
): { write: SnapshotWrite; written: readonly HarnessMessage[] } => {
  const { messages } = state.conversation
  const settled = messages.slice(0, settledCount(state))
  const firstChanged = settled.findIndex((message, index) => message !== written[index])
  const from = firstChanged < 0 ? settled.length : firstChanged
  const rest = { ...state, conversation: { ...state.conversation, messages: messages.slice(settled.length) } }
  return {
    written: settled,
    write: {
      seq: state.head,
      foldVersion: foldVersion(),
      state: JSON.stringify(rest),
      settled: settled.length,
      pieces: settled.slice(from).map((message, offset) => ({ index: from + offset, text: JSON.stringify(message) })),
      keep: Math.floor(state.head / keepEvery) > Math.floor(lastSeq / keepEvery),
    },
  }
}

/** The number of messages, from the start, that can no longer change. */
export const settledCount = (state: SessionState): number => {
  const { messages } = state.conversation
  const open = messages.findIndex(
    ({ status, runId }) =>
      status === 'pending' || status === 'streaming' || (runId !== undefined && runId === state.lifecycle.run?.runId),
  )
  return open < 0 ? messages.length : open
}
