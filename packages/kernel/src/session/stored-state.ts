// The newest snapshot and the events after it.
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
  /** The newest snapshot that this fold can read, possibly an ancestor's. */
  readonly snapshot: { readonly seq: number; readonly pieces: RestoredSnapshot['pieces'] } | null
  readonly size: SessionSize
}

/** The parent's state at the branch point, for a branch that is not written yet. */
export interface KnownState {
  readonly state: SessionState
  readonly chars: number
  /** The last event of the first append, which writes no snapshot: it would repeat the parent's whole history. */
  readonly upTo: number
}

export interface KnownHistory {
  /** Settled pieces of the parent, which the lease leaves out. */
  readonly pieces: readonly MessagePiece[]
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
  // A removed and recreated session starts empty, but its numbers continue.
  let state = snapshot?.state ?? { ...emptyState, head: exists || parent ? 0 : head }
  const owned = new Set<object>()
  // A new branch is read from its parent.
  const source = exists || !parent ? key : { ...key, agent: parent.agent, id: parent.id }
  while (state.head < head) {
    const limit = Math.min(READ_PAGE, head - state.head)
    const from = state.head
    const read = () => log.read(source, from, limit, PAGE_OPTIONS)
    const page = await (readScheduler ? readScheduler.schedule(read) : read())
    // A page may reach beyond a branch point.
    const events = page.filter(({ seq }) => seq <= head)
    if (events.length === 0) {
      // Another caller may just have removed the parent. A session owned by this process cannot disappear.
      const code = exists ? 'corrupt' : 'refused'
      throw new StoreFault(code, `The log of ${source.id} ends at ${state.head}, not at ${head}.`)
    }
    for (const event of events) state = evolveInPlace(state, event, owned)
    size.add(events)
  }
  return { state, snapshot: snapshot && { seq: snapshot.state.head, pieces: snapshot.pieces }, size }
}

/** No replay: the opener has already folded the history. */
const branchState = ({ state, chars, upTo }: KnownState): StoredState => ({
  state,
  snapshot: { seq: upTo, pieces: [] },
  size: new SessionSize(null, chars),
})
