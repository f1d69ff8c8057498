import { emptyFrontendState, reduceFrontend, type StreamEnvelope, type TimelineEntry } from 'bridle/client'
import { describe, expect, test } from 'vitest'
import { callBrief, callWords } from '../../timeline/chart/call-words.ts'
import { callSpans, foldedAxis } from './axis.ts'
import { callsOf } from './call.ts'
import { callLook, callTitle } from './call-look.ts'
import { marksOf } from './marks.ts'
import { hasEvent, newestRows, timelineRows } from './rows.ts'

const start = Date.parse('2026-01-01T10:00:00Z')
let seq = 0
const entry = (type: string, payload: object, at = 0, turnId: string | null = 't1'): TimelineEntry =>
  ({ seq: ++seq, type, payload, timestamp: new Date(start + at).toISOString(), turnId }) as unknown as TimelineEntry
const call = (id: string, name: string, at = 0, more: object = {}) =>
  entry('tool_call', { tool_call_id: id, name, arguments: { id }, ...more }, at)
const outcome = (id: string, name: string, at = 0, more: object = {}) =>
  entry('tool_outcome', { tool_call_id: id, tool_name: name, status: 'ok', outcome_type: 'x', ...more }, at)
const fold = (timeline: TimelineEntry[], diagnostics: TimelineEntry[] = []) =>
  callsOf([...timeline, ...diagnostics].map(envelopeOf).reduce(reduceFrontend, emptyFrontendState))
const envelopeOf = ({ turnId, ...entry }: TimelineEntry) =>
  ({ ...entry, turn_id: turnId ?? undefined, attempt: 1, session_id: 's1' }) as unknown as StreamEnvelope

describe('calls', () => {
  test('calls of one name that run at once keep their own arguments and outcomes', () => {
    const calls = fold([
      call('a', 'read_file', 0),
      call('b', 'read_file', 10),
      outcome('b', 'read_file', 30, { status: 'error', error: 'gone' }),
      outcome('a', 'read_file', 90, { elapsed_ms: 85 }),
    ])
    expect(calls.map((each) => [each.toolCallId, each.status, each.durationMs, each.error])).toEqual([
      ['a', 'ok', 85, null],
      ['b', 'error', 20, 'gone'],
    ])
  })

  test('[C425] a question is one, with its answer, and the time until then is a wait', () => {
    const ids = { request_id: 'apr-1', tool_call_id: 'a', tool_name: 'ask' }
    const questions = [{ id: 'db', question: 'Which database?', options: [{ label: 'SQLite' }] }]
    const asked = [call('a', 'ask', 0), entry('approval_required', { ...ids, kind: 'question', questions }, 10)]
    const [open] = fold(asked)
    expect(open && [callTitle(open), callBrief([open]), callLook(open).icon]).toEqual([
      ...['Question', 'Which database?', 'circle-question-mark'],
    ])
    const answer = entry('approval_applied', { ...ids, answers: { db: 'SQLite' }, actor: 'ann' }, 2_010)
    const [answered] = fold([...asked, answer, outcome('a', 'ask', 2_020)])
    expect(answered && [callLook(answered).word, callWords([answered], 0).note]).toEqual([
      'answered',
      'after 2 s for ann, SQLite',
    ])
  })

  test('the bar of a call is as long as the time that its tool told', () => {
    const calls = fold([
      call('a', 'x', 0),
      outcome('a', 'x', 3, { elapsed_ms: 0 }),
      call('b', 'x', 10),
      outcome('b', 'x', 90, { elapsed_ms: 60 }),
      call('c', 'x', 100),
      outcome('c', 'x', 120, { elapsed_ms: 500 }),
      call('d', 'x', 130),
      outcome('d', 'x', 140),
    ])
    expect(callSpans(calls, start + 200).map(({ from, to }) => to - from)).toEqual([0, 60, 20, 10])
    const axis = foldedAxis(callSpans(calls.slice(0, 1), start + 200))
    expect(axis.at(start + 3) - axis.at(calls[0]?.beganAt ?? 0)).toBe(0)
  })

  test('an id that is used again after its outcome is another call', () => {
    const calls = fold([call('a', 'x'), outcome('a', 'x'), call('a', 'x', 5), outcome('a', 'x', 6)])
    expect(calls.map((each) => each.status)).toEqual(['ok', 'ok'])
    expect(new Set(calls.map((each) => each.seq)).size).toBe(2)
  })

  test('a call whose approval was cancelled has no outcome: nothing failed', () => {
    const [left] = fold([
      call('a', 'edit', 0),
      entry('approval_required', { tool_call_id: 'a', tool_name: 'edit', kind: 'tool' }),
      outcome('a', 'edit', 20, { status: 'error', reason: 'branched', error: 'The call was interrupted.' }),
      entry(
        'approval_applied',
        { tool_call_id: 'a', tool_name: 'edit', decision: 'cancelled', reason: 'branched' },
        20,
      ),
    ])
    expect([left?.status, left?.durationMs]).toEqual(['none', null])
  })

  test('a call waits for its approval, runs with the arguments that were approved, and is denied', () => {
    const asked = [
      call('a', 'edit'),
      entry('approval_required', { tool_call_id: 'a', tool_name: 'edit', kind: 'tool' }),
    ]
    expect(fold(asked)[0]).toMatchObject({ status: 'waiting', endedAt: null })
    const approved = [
      ...asked,
      entry('approval_applied', { tool_call_id: 'a', tool_name: 'edit', arguments: { n: 3 } }),
    ]
    expect(fold(approved)[0]).toMatchObject({ status: 'running', decision: 'approved', arguments: { n: 3 } })
  })

  test('a call that nobody ends is over with its turn, and a question about a budget is no call', () => {
    const calls = fold([
      call('a', 'x'),
      entry('approval_required', { tool_call_id: '', tool_name: 'budget', kind: 'budget' }),
      entry('turn_end', { turn_id: 't1', status: 'cancelled' }, 50),
    ])
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({ status: 'none', durationMs: null })
  })

  test('waves and subagents come from the wire alone', () => {
    const calls = fold(
      [call('a', 'x'), call('b', 'x', 1, { agent_id: 'child-1' })],
      [entry('tool_batch', { tool_call_ids: ['a'] })],
    )
    expect(calls.map(({ wave, agentId }) => [wave, agentId])).toEqual([
      ['1', null],
      [null, 'child-1'],
    ])
  })
})

describe('rows', () => {
  test('three of a kind are one row, two are two, and a mark or another outcome between them parts them', () => {
    const names = (timeline: TimelineEntry[]) =>
      timelineRows(fold(timeline), marksOf(timeline)).map((row) =>
        row.kind === 'calls' ? `${row.calls[0].name} ${row.calls.length}` : row.kind,
      )
    const done = (id: string, name: string, more: object = {}) => [call(id, name), outcome(id, name, 1, more)]
    expect(
      names([...done('a', 'x'), ...done('b', 'x'), ...done('c', 'x'), ...done('d', 'y'), ...done('e', 'y')]),
    ).toEqual(['x 3', 'y 1', 'y 1'])
    expect(names([...done('f', 'x'), ...done('g', 'x', { status: 'error' }), ...done('h', 'x')])).toHaveLength(3)
    const checkpoint = { checkpoint_type: 'step', status: 'completed', summary_text: 'half' }
    expect(
      names([...done('j', 'x'), ...done('k', 'x'), entry('session_checkpoint', checkpoint), ...done('l', 'x')]),
    ).toEqual(['x 1', 'x 1', 'mark', 'x 1'])
  })

  test('the script that a checkpoint quotes is named by its length', () => {
    const summary = 'Branched from one. Asked: @script [{"text":"a"},{"text":"b"}] Answered: a'
    const seed = { checkpoint_type: 'resume_seed', status: 'completed', summary_text: summary }
    expect(marksOf([entry('session_checkpoint', seed)])).toMatchObject([
      { title: 'Start of the branch', text: 'Branched from one. Asked: a script of 2 steps Answered: a' },
    ])
  })

  test.each([
    [{ model_requested: 'openai/gpt-5', model_actual: 'anthropic/claude' }, 'openai/gpt-5 → anthropic/claude · no key'],
    // The sample of the frontend contract names the providers alone.
    [{}, 'openai → anthropic · no key'],
  ])('a provider fallback names both models: %j', (models, text) => {
    const providers = { provider_requested: 'openai', provider_actual: 'anthropic' }
    const payload = { status: 'degraded', kind: 'provider_fallback', reason: 'no key', ...providers, ...models }
    expect(marksOf([entry('transport_diagnostic', payload)])).toMatchObject([
      { title: 'Provider fallback', tone: 'warn', text },
    ])
  })

  test('the newest rows, and an older one that is selected', () => {
    const timeline = Array.from({ length: 20 }, (_, index) => call(`c${index}`, `tool-${index}`))
    const rows = timelineRows(fold(timeline), [])
    expect(newestRows(rows, 5, null)).toHaveLength(5)
    const selected = timeline[3]?.seq ?? 0
    expect(newestRows(rows, 5, selected).some((row) => hasEvent(row, selected))).toBe(true)
  })
})

describe('the axis', () => {
  test('folds gaps, keeps the order, and gives the calls their room', () => {
    const axis = foldedAxis([
      { from: start, to: start + 1_000 },
      { from: start + 500, to: start + 2_000 },
      { from: start + 3_600_000, to: start + 3_602_000 },
    ])
    expect(axis.lengthMs).toBeLessThan(5_000)
    expect(axis.at(start)).toBe(0)
    expect(axis.at(start + 2_000)).toBeGreaterThan(0.45)
    expect(axis.at(start + 1_800_000)).toBeLessThan(axis.at(start + 3_600_000) + 1e-9)
    expect(axis.at(start + 3_602_000)).toBe(1)
    expect(axis.at(start + 9_000_000)).toBe(1)
  })

  test('a wait for a person does not push the calls together', () => {
    const done = { beganAt: start, endedAt: start + 20_000, status: 'ok' }
    const waiting = { beganAt: start + 20_000, endedAt: null, status: 'waiting' }
    const axis = foldedAxis(callSpans([done, waiting], start + 3_600_000))
    expect(axis.at(start + 20_000)).toBeGreaterThan(0.8)
    expect(axis.at(start + 3_600_000)).toBe(1)
  })

  test('has few ticks and no bad numbers, for nothing, a moment and days', () => {
    for (const length of [0, 1, 999, 61_000, 86_400_000 * 9]) {
      const axis = foldedAxis(length === 0 ? [] : [{ from: start, to: start + length }])
      expect(axis.ticks.length).toBeLessThanOrEqual(4)
      for (const tick of axis.ticks) expect(tick.at >= 0 && tick.at <= 1).toBe(true)
      expect(Number.isFinite(axis.at(start))).toBe(true)
    }
  })
})
