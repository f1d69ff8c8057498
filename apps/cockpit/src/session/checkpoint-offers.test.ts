import { expect, test } from 'vitest'
import { checkpointOffers } from './checkpoint-offers.ts'

test('[C65] the first checkpoint is number 1, also where a session lists only the newest ones', () => {
  const checkpoint = (sequence: number) => ({
    ...{ session_id: 's', sequence, checkpoint_type: 'turn', status: 'completed', summary_text: `Step ${sequence}.` },
    ...{ resume_cursor: null, event_id: `ev-${sequence * 10}`, timestamp: '2026-01-01T00:00:00.000Z' },
  })
  expect(checkpointOffers([3, 2, 1].map(checkpoint))).toEqual([
    { words: 'Branch from checkpoint 3', detail: 'Step 3.', eventId: 'ev-30' },
    { words: 'Branch from checkpoint 2', detail: 'Step 2.', eventId: 'ev-20' },
    { words: 'Branch from checkpoint 1', detail: 'Step 1.', eventId: 'ev-10' },
  ])
  expect(checkpointOffers([41, 40].map(checkpoint)).map(({ words }) => words)).toEqual([
    'Branch from checkpoint 41',
    'Branch from checkpoint 40',
  ])
})
