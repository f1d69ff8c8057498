import { emptyFrontendState } from '@bridle/client/frontend/state'
import { emptyState } from '@bridle/kernel/projections/state'
import { expect, test } from 'vitest'
import type { FoldedState } from './folded-state.ts'
import { KEPT_EVERY, KEPT_STATES_MAX, KeptStates } from './kept-states.ts'

const stateOf = (seq: number): FoldedState => ({ session: { ...emptyState, head: seq }, events: emptyFrontendState })

test.each([
  ['a short log', 0, KEPT_EVERY - 1, KEPT_EVERY],
  ['100,000 events', 0, 100_000, KEPT_EVERY],
  ['a log whose numbers continue', 7_777, 50_000, KEPT_EVERY],
  ['a million events', 3, 1_000_000, KEPT_EVERY * 16],
])('[X31] %s: the state before any event is near, and few are kept', (_name, base, events, distance) => {
  const kept = new KeptStates(base, stateOf(base))
  for (let seq = base + 1; seq <= base + events; seq++) {
    kept.add(seq, stateOf(seq))
    if (kept.count > KEPT_STATES_MAX) expect(kept.count).toBeLessThanOrEqual(KEPT_STATES_MAX)
  }
  for (let seq = base + 1; seq <= base + events; seq += 97) {
    const nearest = kept.nearest(seq)
    if (nearest.state.session.head !== nearest.seq || nearest.seq > seq || seq - nearest.seq >= distance)
      expect({ seq, nearest: nearest.seq, of: nearest.state.session.head }).toBeNull()
  }
})
