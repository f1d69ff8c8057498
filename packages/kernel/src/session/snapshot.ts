// A cache of the fold. Each settled piece of a message has a row that is written once; the rest of the state is one small row.

import { READ_CHARS } from '@bridle/events/limits'
import type { Snapshot, SnapshotWrite, TakeTurns } from '../ports/log.ts'
import type { HarnessMessage } from '../projections/harness-state.ts'
import { emptyState, type SessionState } from '../projections/state.ts'
import { foldVersion } from './fold-version.ts'
import {
  contentOf,
  growingPieces,
  isSamePiece,
  joinPieces,
  type MessagePiece,
  type PieceContent,
  restOf,
  type StoredPiece,
  settledPieces,
} from './message-pieces.ts'

/** About the size of a store row. A snapshot rewrites less than this of a growing answer. */
export const PIECE_CHARS = 32_000

export interface RestoredSnapshot {
  readonly state: SessionState
  readonly pieces: readonly MessagePiece[]
}

/** Null if another fold version wrote the snapshot, so the log is folded again. `known`: pieces that the lease left out. */
export const restoreSnapshot = (
  snapshot: Snapshot | null,
  known: readonly MessagePiece[] = [],
): RestoredSnapshot | null => {
  const restoring = restoreInPages(snapshot, known)
  for (;;) {
    const page = restoring.next()
    if (page.done) return page.value
  }
}

/** Like `restoreSnapshot`, but takes turns with other sessions. */
export const restoreInTurns = async (
  snapshot: Snapshot | null,
  known: readonly MessagePiece[],
  takeTurns: TakeTurns = (step) => step(),
): Promise<RestoredSnapshot | null> => {
  const restoring = restoreInPages(snapshot, known)
  let page = restoring.next()
  while (!page.done) page = await takeTurns(async () => restoring.next())
  return page.value
}

function* restoreInPages(
  snapshot: Snapshot | null,
  known: readonly MessagePiece[],
): Generator<void, RestoredSnapshot | null> {
  if (!snapshot || snapshot.foldVersion !== foldVersion()) return null
  const rest = JSON.parse(snapshot.state) as SessionState
  const stored: StoredPiece[] = []
  let chars = 0
  for (const [index, text] of snapshot.pieces.entries()) {
    if (chars >= READ_CHARS) {
      yield
      chars = 0
    }
    const piece = known[index] as MessagePiece
    stored.push(
      text !== null
        ? { content: JSON.parse(text) as PieceContent, owner: null }
        : { content: contentOf(piece), owner: piece.owner },
    )
    chars += text?.length ?? 0
  }
  const { messages, pieces } = joinPieces(stored, rest.conversation.messages)
  return { state: { ...emptyState, ...rest, conversation: { ...rest.conversation, messages } }, pieces }
}

/** `written`: stored pieces, rewritten only if changed. Every `keepEvery` events a snapshot is kept for branches from old events. */
export const takeSnapshot = (
  state: SessionState,
  written: readonly MessagePiece[],
  lastSeq: number,
  keepEvery: number,
  pieceChars = PIECE_CHARS,
): { write: SnapshotWrite; pieces: readonly MessagePiece[] } => {
  const { pieces, rest } = settle(state, written, pieceChars)
  return {
    pieces,
    write: {
      seq: state.head,
      foldVersion: foldVersion(),
      state: JSON.stringify({ ...state, conversation: { ...state.conversation, messages: rest } }),
      settled: pieces.length,
      pieces: pieces.flatMap((piece, index) =>
        isSamePiece(written[index], piece) ? [] : [{ index, text: JSON.stringify(contentOf(piece)) }],
      ),
      keep: Math.floor(state.head / keepEvery) > Math.floor(lastSeq / keepEvery),
    },
  }
}

/** Finished messages become pieces. Of the first unfinished one, only the full pieces at its beginning do. */
const settle = (
  state: SessionState,
  written: readonly MessagePiece[],
  pieceChars: number,
): { pieces: MessagePiece[]; rest: HarnessMessage[] } => {
  const { messages } = state.conversation
  const pieces: MessagePiece[] = []
  for (const [index, message] of messages.entries()) {
    if (isSettled(state, message)) {
      pieces.push(...settledPieces(message, written, pieces.length))
      continue
    }
    const growing = growingPieces(message, written, pieces.length, pieceChars)
    pieces.push(...growing)
    return { pieces, rest: [restOf(message, growing), ...messages.slice(index + 1)] }
  }
  return { pieces, rest: [] }
}

/** The answer of an active run may change regardless of its status. */
const isSettled = ({ lifecycle }: SessionState, { role, status, runId }: HarnessMessage): boolean =>
  (status === 'complete' || status === 'error') &&
  (role === 'user' || runId === undefined || runId !== lifecycle.run?.runId)
