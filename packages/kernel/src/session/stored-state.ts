// The state of a session as its store has it: the snapshot, and the fold of the events after it.
import { READ_PAGE } from '@bridle/events/limits'
import type { Lease, Log } from '../ports/log.ts'
import { StoreFault } from '../ports/store-fault.ts'
import { emptyState, evolveInPlace, type SessionState } from '../projections/state.ts'
import type { MessagePiece } from './message-pieces.ts'
import { PAGE_OPTIONS } from './reading/log-reader.ts'
import type { ReadScheduler } from './reading/read-scheduler.ts'
import { SessionSize } from './session-size.ts'
import { type RestoredSnapshot, restoreInTurns } from './snapshot.ts'

export interface StoredState {
  readonly state: SessionState
  /** The newest snapshot that this fold can read, of the session or of one that it branches from; null = there is none. */
  readonly snapshot: { readonly seq: number; readonly pieces: RestoredSnapshot['pieces'] } | null
  readonly size: SessionSize
}

/** The state of the parent of a branch that is not written yet, at the branch point. */
export interface KnownState {
  readonly state: SessionState
  /** The characters of the parent. */
  readonly chars: number
  /** The first append reaches this event and writes no snapshot: it would have the whole history of the parent again. */
  readonly upTo: number
}

/** History that the opener of a branch has in memory. */
export interface KnownHistory {
  /** Settled pieces of the parent, which the lease leaves out because the opener has them. */
  readonly pieces: readonly MessagePiece[]
  /** Null = the state is read. */
  readonly state: KnownState | null
}

export const NO_HISTORY: KnownHistory = { pieces: [], state: null }

export const loadState = async (
  { log, readScheduler }: { readonly log: Log; readonly readScheduler?: ReadScheduler },
  lease: Lease,
  known: KnownHistory,
): Promise<StoredState> => {
  if (known.state && !lease.exists) return branchState(known.state)
  const { parent, key, head, exists } = lease
  const snapshot = await restoreInTurns(lease.snapshot, known.pieces, readScheduler?.takeTurns)
  const size = new SessionSize(lease.snapshot)
  // A session that was removed and is made again starts empty, and its numbers continue.
  let state = snapshot?.state ?? { ...emptyState, head: exists || parent ? 0 : head }
  const owned = new Set<object>()
  // A branch that is not written yet is read from its parent.
  const source = exists || !parent ? key : { ...key, agent: parent.agent, id: parent.id }
  while (state.head < head) {
    const limit = Math.min(READ_PAGE, head - state.head)
    const from = state.head
    const read = () => log.read(source, from, limit, PAGE_OPTIONS)
    const page = await (readScheduler ? readScheduler.schedule(read) : read())
    // The first number may be far above 1, so that a page can reach beyond a branch point.
    const events = page.filter(({ seq }) => seq <= head)
    if (events.length === 0) {
      // Another caller may remove the parent at this very moment; nobody removes a session that this process owns.
      const code = exists ? 'corrupt' : 'refused'
      throw new StoreFault(code, `The log of ${source.id} ends at ${state.head}, not at ${head}.`)
    }
    for (const event of events) state = evolveInPlace(state, event, owned)
    size.add(events)
  }
  return { state, snapshot: snapshot && { seq: snapshot.state.head, pieces: snapshot.pieces }, size }
}

/** A branch costs nothing of its history where its opener has folded it already. */
const branchState = ({ state, chars, upTo }: KnownState): StoredState => ({
  state,
  snapshot: { seq: upTo, pieces: [] },
  size: new SessionSize(null, chars),
})
