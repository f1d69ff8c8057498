import { expect, test } from 'vitest'
import { settledEventLook } from './settled-look.ts'

test.each([
  [{}, 'Answered', 'done'],
  [{ decision: 'approved', reason: 'expired', actor: 'ann' }, 'Answered', 'done'],
  [{ decision: 'approved', reason: 'expired', actor: null }, 'Expired', 'needs'],
  [{ decision: 'expired', reason: 'expired' }, 'Expired', 'needs'],
  [{ decision: 'denied' }, 'Declined', ''],
  [{ decision: 'cancelled' }, 'Closed', ''],
] as const)('[C421] a question was settled: %j', (event, word, tone) =>
  expect(settledEventLook(event)).toMatchObject({ word, tone }),
)
