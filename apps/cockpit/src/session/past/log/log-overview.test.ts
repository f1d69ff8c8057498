import { emptyFrontendState, type TimelineEntry } from 'bridle/client'
import type { LogEntry } from 'bridle/history'
import { expect, test } from 'vitest'
import { GrowingOverview, liveOverview } from './log-overview.ts'

const entry = (
  seq: number,
  type: string,
  payload: LogEntry['payload'] = {},
  more: Partial<LogEntry> = {},
): LogEntry => ({
  seq,
  at: seq * 1_000,
  type,
  payload,
  ...more,
})

const entries = [
  entry(11, 'prompt_queued'),
  entry(12, 'token', { text: 'a' }),
  entry(13, 'tool_outcome', { status: 'timeout' }),
  entry(14, 'tool_outcome', { status: 'ok' }),
  entry(15, 'session_checkpoint', { checkpoint_type: 'step' }),
  entry(16, 'session_checkpoint', { checkpoint_type: 'turn' }),
  entry(17, 'approval_required', { request_id: 'one' }),
  entry(18, 'approval_required', { request_id: 'two' }),
  entry(19, 'error', { message: 'said by an engine' }, { hearsay: true }),
  entry(20, 'approval_decided', { request_id: 'two', decision: 'denied' }),
  entry(21, 'approval_applied', { request_id: 'two', decision: 'denied' }),
  entry(22, 'context_compacted'),
  entry(23, 'error', { message: 'failed' }),
  entry(24, 'tool_outcome', { status: 'error' }),
  // Work that stayed with the session that was branched or exported did not fail.
  entry(25, 'tool_outcome', { status: 'error', reason: 'branched' }),
  entry(26, 'tool_outcome', { status: 'error', reason: 'imported' }),
]

test('[C30] the overview of a log has a weight for each event, and marks for what somebody looks for', () => {
  const overview = new GrowingOverview(11)
  overview.add(entries.slice(0, 5))
  expect(overview.head).toBe(15)
  overview.add(entries.slice(5))
  expect(overview.head).toBe(26)
  expect(overview.weights.slice(0, 3)).toEqual([2, 1, 8])
  expect(overview.marks).toEqual([
    { seq: 13, kind: 'timeout' },
    { seq: 15, kind: 'checkpoint' },
    { seq: 17, kind: 'approval' },
    { seq: 18, kind: 'approval' },
    { seq: 22, kind: 'compaction' },
    { seq: 23, kind: 'error' },
    { seq: 24, kind: 'error' },
  ])
})

test('[C35] an approval leads to its question, and to the first event of its answer', () => {
  const overview = new GrowingOverview(11)
  overview.add(entries)
  expect(overview.questionOf('one')?.seq).toBe(17)
  expect(overview.answerOf('one')).toBe(undefined)
  expect(overview.answerOf('two')?.seq).toBe(20)
})

test('[C36] the overview has the score of health over time', () => {
  const overview = new GrowingOverview(1)
  overview.add([
    entry(1, 'session_created'),
    entry(2, 'health_changed', { score: 95, flags: [], reasons: [] }),
    entry(3, 'health_changed', { score: 1 }, { hearsay: true }),
    entry(4, 'health_changed', { score: 80, flags: [], reasons: [] }),
  ])
  expect(overview.scores).toEqual([
    { seq: 2, at: 2_000, score: 95 },
    { seq: 4, at: 4_000, score: 80 },
  ])
})

test('[C30] a live page has bars without the log: what it does not know is text', () => {
  const shown = (seq: number, type: TimelineEntry['type'], payload: object = {}): TimelineEntry => ({
    seq,
    type,
    timestamp: '2026-11-16T10:00:00.000Z',
    turnId: null,
    payload: payload as TimelineEntry['payload'],
  })
  const events = {
    ...emptyFrontendState,
    timeline: [shown(4, 'error', { message: 'no' }), shown(9, 'turn_end')],
    diagnostics: [shown(2, 'turn_start')],
  }
  expect(liveOverview(events, 5)).toEqual({
    first: 1,
    head: 5,
    weights: [1, 4, 1, 8, 1],
    marks: [{ seq: 4, kind: 'error' }],
  })
})
