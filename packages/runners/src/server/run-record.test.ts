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
  expect([record.framesAfter(1_499), record.framesAfter(1_500)?.length]).toEqual([null, 500])
})

test('frames that a caller without acknowledgements has read stay until there are too many characters', () => {
  const record = newRecord(false)
  report(record, 1_500, 'a'.repeat(4_000))
  record.markRead({}, 1_500)
  expect(record.framesAfter(0)).toHaveLength(1_500)
  report(record, 1_000, 'a'.repeat(4_000))
  expect([record.framesAfter(1_499), record.framesAfter(1_500)?.length]).toEqual([null, 1_000])
})
