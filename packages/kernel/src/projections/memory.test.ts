import { expect, test } from 'vitest'
import type { AnyEvent } from '../event.ts'
import { MEMORY_PROPOSAL, MEMORY_PROPOSALS_MAX, type Memory, memory } from './memory.ts'

const fold = (state: Memory, type: 'artifact_published' | 'memory_decided', payload: object): Memory => {
  const event = { type, run: 'r-1', seq: 1, at: 1, payload } as unknown as AnyEvent
  return (memory.on as Record<string, (state: Memory, event: AnyEvent) => Memory>)[type]!(state, event)
}
const proposed = (state: Memory, id: string) =>
  fold(state, 'artifact_published', {
    ...{ artifact_id: id, name: `key ${id}`, kind: MEMORY_PROPOSAL, content_type: 'application/json', size_bytes: 2 },
  })
const idsOf = ({ proposals }: Memory) => proposals.map(({ id }) => id)

test('[N153] where the list of proposals is full, the oldest decided one makes room, or else the oldest', () => {
  const ids = Array.from({ length: MEMORY_PROPOSALS_MAX }, (_, index) => `p${index}`)
  let state = ids.reduce(proposed, memory.initial)
  state = fold(state, 'memory_decided', { proposal_id: 'p7', decision: 'rejected', key: 'key p7' })
  state = proposed(state, 'more')
  expect(idsOf(state)).toEqual([...ids.filter((id) => id !== 'p7'), 'more'])
  state = proposed(state, 'last')
  expect(idsOf(state)).toEqual([...ids.filter((id) => id !== 'p7' && id !== 'p0'), 'more', 'last'])
})
