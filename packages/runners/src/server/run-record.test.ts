import { expect, test } from 'vitest'
import { textDigest } from './run-history.ts'
import { RunRecord } from './run-record.ts'

const newRecord = (acknowledges: boolean) =>
  new RunRecord({
    ...{ requestId: 'req-1', token: null, acknowledges, approvals: null, bodyDigest: '', env: {}, epoch: 0 },
    ...{ digest: async (text) => textDigest(text), now: () => 0 },
  })
const report = (record: RunRecord, frames: number, text = 'a') => {
  for (let frame = 0; frame < frames; frame++) record.report({ type: 'assistant.delta', text })
}

test('frames that a caller has read stay until it acknowledges them', () => {
  const record = newRecord(true)
  report(record, 2_000)
  record.markRead({}, 2_000)
  expect(record.framesAfter(0)).toHaveLength(2_000)
  record.acknowledge(1_500)
  expect([record.framesAfter(1_399), record.framesAfter(1_400)?.length]).toEqual([null, 600])
})

test('[R42] the last frames stay, also where all are acknowledged', () => {
  const record = newRecord(true)
  report(record, 5_000)
  for (const frame of [1_000, 2_000, 3_000, 5_000]) record.acknowledge(frame)
  expect([record.framesAfter(4_899), record.framesAfter(4_900)?.length]).toEqual([null, 100])
})

test('frames that a caller without acknowledgements has read stay until there are too many characters', () => {
  const record = newRecord(false)
  report(record, 1_500, 'a'.repeat(4_000))
  record.markRead({}, 1_500)
  expect(record.framesAfter(0)).toHaveLength(1_500)
  report(record, 1_000, 'a'.repeat(4_000))
  expect([record.framesAfter(1_499), record.framesAfter(1_500)?.length]).toEqual([null, 1_000])
})
