import {
  type ChatSession,
  emptyFrontendState,
  type FrontendState,
  reduceFrontend,
  type StreamEnvelope,
} from 'bridle/client'
import { describe, expect, test } from 'vitest'
import { chartAxis, chartOf, chartTimes, foldClusters, foldWait } from './chart.ts'
import { markClusters } from './chart-marks.ts'
import { callCounts, chartRows, type RowChoice } from './chart-rows.ts'
import { cognitionFacts, guardrailFacts } from './cognition.ts'
import { rowLayout, rowsBetween, rowTop } from './row-layout.ts'

const start = Date.parse('2026-01-01T10:00:00Z')
let seq = 0

/** An event at so many seconds, of a turn and a try of it. */
const said = (type: string, at: number, payload: object, turn = 'r-1', attempt = 1): StreamEnvelope =>
  ({
    type,
    payload,
    seq: ++seq,
    session_id: 's1',
    timestamp: new Date(start + at * 1_000).toISOString(),
    turn_id: turn,
    attempt,
  }) as unknown as StreamEnvelope
const begin = (id: string, name: string, at: number, more: object = {}, ...of: [string?, number?]) =>
  said('tool_call', at, { tool_call_id: id, name, arguments: { path: id }, ...more }, ...of)
const end = (id: string, name: string, at: number, more: object = {}, ...of: [string?, number?]) =>
  said('tool_outcome', at, { tool_call_id: id, tool_name: name, outcome_type: 'x', status: 'ok', ...more }, ...of)
const batch = (at: number, ids: string[], ...of: [string?, number?]) =>
  said('tool_batch', at, { tool_call_ids: ids }, ...of)

const stateOf = (envelopes: readonly StreamEnvelope[]): FrontendState =>
  envelopes.reduce(reduceFrontend, { ...emptyFrontendState, sessionId: 's1' })
const fold = (...envelopes: readonly StreamEnvelope[]) => chartOf(stateOf(envelopes), [])
const all: RowChoice = { filter: 'all', opened: new Set(), selected: null }
const shape = (chart: ReturnType<typeof fold>, choice: Partial<RowChoice> = {}) =>
  chartRows(chart.groups, { ...all, ...choice }).map(({ label, rows }) => [
    label,
    ...rows.map((row) =>
      row.kind === 'child' ? `session ${row.child.id}` : `${row.calls[0].name} ${row.calls.length}`,
    ),
  ])

describe('the groups of the chart', () => {
  test('[C46] waves over three turns and two subagents, with calls of one name told apart', () => {
    const chart = fold(
      batch(0, ['a', 'b']),
      begin('a', 'read', 0),
      begin('b', 'read', 0),
      said('subagent_event', 0, { agent_id: 'x', status: 'running', agent: 'callers' }),
      begin('x1', 'grep', 1, { agent_id: 'x' }),
      begin('y1', 'grep', 1, { agent_id: 'y' }),
      end('b', 'read', 2, { status: 'error', error: 'gone' }),
      end('a', 'read', 3),
      end('x1', 'grep', 3),
      begin('x2', 'list', 3, { agent_id: 'x' }),
      said('turn_end', 4, { turn_id: 'r-1', status: 'completed' }),
      batch(5, ['c'], 'r-2'),
      begin('c', 'read', 5, {}, 'r-2'),
      end('c', 'read', 6, {}, 'r-2'),
      batch(7, ['a'], 'r-3'),
      begin('a', 'read', 7, {}, 'r-3'),
    )
    expect(shape(chart)).toEqual([
      ['Wave 1', 'read 1', 'read 1'],
      ['callers', 'grep 1', 'list 1'],
      ['y', 'grep 1'],
      ['Wave 2', 'read 1'],
      ['Wave 3', 'read 1'],
    ])
    expect(chart.groups.map(({ note }) => note)).toEqual([
      '2 in parallel, turn 1',
      'subagent, running',
      'subagent',
      '1 call, turn 2',
      '1 call, turn 3',
    ])
    // Nobody said how the calls of the first turn's subagents ended: they are over with it. The last turn goes on.
    expect(chart.calls.map(({ toolCallId, status }) => `${toolCallId} ${status}`)).toEqual([
      'a ok',
      'b error',
      'x1 ok',
      'y1 none',
      'x2 none',
      'c ok',
      'a running',
    ])
    expect(chart.isOpen).toBe(true)
  })

  test('[C46] an engine that tells no waves shows its calls in order, turn by turn', () => {
    const turns = ['r-1', 'r-2', 'r-3'].flatMap((turn, index) => [
      begin('a', 'read', index, {}, turn),
      end('a', 'read', index, {}, turn),
      begin('b', 'edit', index, {}, turn),
    ])
    expect(shape(fold(...turns))).toEqual(['Turn 1', 'Turn 2', 'Turn 3'].map((label) => [label, 'read 1', 'edit 1']))
  })

  test('[C47] the calls of a try that was replaced stay in their own wave, and say so', () => {
    const chart = fold(
      batch(0, ['a']),
      begin('a', 'read', 0),
      said('retry_scheduled', 1, { run_id: 'r-1', attempt: 2, due: start + 9_000, reason: 'overloaded' }),
      batch(9, ['a'], 'r-1', 2),
      begin('a', 'read', 9, {}, 'r-1', 2),
      end('a', 'read', 10, {}, 'r-1', 2),
    )
    expect(shape(chart)).toEqual([
      ['Wave 1', 'read 1'],
      ['Wave 2', 'read 1'],
    ])
    expect(chart.groups[0]?.note).toBe('1 call, attempt 1, replaced')
    expect(chart.calls).toMatchObject([
      { status: 'none', isSuperseded: true, endedAt: start + 1_000, durationMs: null },
      { status: 'ok', isSuperseded: false, attempt: 2, durationMs: 1_000 },
    ])
    expect(chart.marks.map(({ title }) => title)).toEqual(['Attempt 2 in 8 s'])
  })

  test('[C48] a subagent in a session of its own has a lane behind the call that gave it its work', () => {
    const given = { agent_id: 'child-1', session_id: 'child-1', agent: 'tester', tool_call_id: 'd' }
    const chart = fold(
      batch(0, ['d', 'e']),
      begin('d', 'delegate', 0),
      begin('e', 'read', 0),
      said('subagent_event', 1, { ...given, status: 'running', child_seq: 1 }),
      batch(2, ['f']),
      begin('f', 'read', 2),
      // In its own session a subagent's calls name that very session: they are its own.
      begin('g', 'read', 3, { agent_id: 's1' }),
    )
    expect(shape(chart)).toEqual([
      ['Wave 1', 'delegate 1', 'read 1'],
      ['tester', 'session child-1'],
      ['Wave 2', 'read 1'],
      ['Turn 1', 'read 1'],
    ])
    expect(chart.groups[1]).toMatchObject({ note: 'subagent, running', givenBy: { toolCallId: 'd' } })
  })
})

describe('the rows of a group', () => {
  const reads = (count: number, name = 'read') =>
    Array.from({ length: count }, (_, n) => [begin(`${name}${n}`, name, n), end(`${name}${n}`, name, n)]).flat()

  test('[C46] three of a kind are one row until it is opened, or one of them is selected; two are two', () => {
    const chart = fold(...reads(9), ...reads(2, 'edit'))
    expect(shape(chart)).toEqual([['Turn 1', 'read 9', 'edit 1', 'edit 1']])
    const key = `calls ${chart.calls[0]?.seq}`
    expect(shape(chart, { opened: new Set([key]) })[0]).toHaveLength(13)
    expect(shape(chart, { selected: chart.calls[4]?.seq ?? 0 })[0]).toHaveLength(13)
  })

  test('[C50] a filter leaves only what it names, and the selected call', () => {
    const chart = fold(
      begin('a', 'read', 0),
      end('a', 'read', 1, { status: 'error' }),
      begin('b', 'read', 1),
      end('b', 'read', 2, { status: 'timeout' }),
      begin('c', 'edit', 2),
      said('approval_required', 2, { request_id: 'q', tool_call_id: 'c', tool_name: 'edit', reason: 'r' }),
    )
    expect(callCounts(chart.calls)).toEqual([
      ['all', 3],
      ['error', 1],
      ['timeout', 1],
      ['waiting', 1],
    ])
    expect(shape(chart, { filter: 'waiting' })).toEqual([['Turn 1', 'edit 1']])
    const selected = chart.calls[0]?.seq ?? 0
    expect(shape(chart, { filter: 'waiting', selected })).toEqual([['Turn 1', 'read 1', 'edit 1']])
    expect(shape(chart, { filter: 'denied' })).toEqual([])
  })

  test('[C46] of thousands of rows only those in sight are drawn', () => {
    const many = Array.from({ length: 2_000 }, (_, n) => begin(`c${n}`, `tool-${n}`, n))
    const groups = chartRows(fold(...many).groups, all)
    const layout = rowLayout(groups)
    expect(groups[0]?.rows).toHaveLength(2_000)
    expect(layout.height).toBeGreaterThan(2_000 * 32)
    const shown = rowsBetween(layout, 32_000, 33_000).flatMap(({ rows }) => rows)
    expect(shown.length).toBeLessThan(40)
    expect(shown[0]?.top).toBe(32_000)
    expect(rowTop(layout, groups[0]?.rows[1_500]?.key ?? '')).toBe(48_000)
    expect(rowTop(layout, 'none')).toBe(null)
  })
})

describe('time', () => {
  const asked = { request_id: 'q', tool_call_id: 'b', tool_name: 'edit', reason: 'r' }
  const waits = [
    begin('a', 'read', 0),
    end('a', 'read', 10),
    begin('b', 'edit', 10),
    said('approval_required', 10, asked),
    said('approval_applied', 178, { ...asked, decision: 'approved', actor: 'ann', arguments: { n: 1 } }),
    end('b', 'edit', 180),
    begin('c', 'read', 400),
    end('c', 'read', 410),
  ]

  test('[C49] stretches without calls are folded and say why; the clock folds nothing', () => {
    const chart = fold(...waits)
    const now = start + 410_000
    expect(chart.lastAt).toBe(now)
    expect(chartTimes(chart, now)).toEqual({ callMs: 22_000, clockMs: 410_000, waitMs: 168_000 })
    const axis = chartAxis(chart, 'calls', now)
    expect(axis.folds.map((each) => [(each.to - each.from) / 1_000, foldWait(each, chart.calls, now)])).toEqual([
      [168, 'ann'],
      [220, null],
    ])
    for (const { at } of axis.folds) expect(at > 0 && at < 1).toBe(true)
    // A thousand of them are a few lines.
    expect(foldClusters(axis.folds, (at) => at, 1).map(({ folds }) => folds.length)).toEqual([2])
    expect(foldClusters(axis.folds, (at) => at * 9, 0.01).map(({ folds }) => folds.length)).toEqual([])
    const clock = chartAxis(chart, 'clock', now)
    expect(clock.folds).toEqual([])
    expect(clock.at(start + 205_000)).toBe(0.5)
    expect(chart.calls[1]?.wait).toMatchObject({ actor: 'ann', isEdited: true })
  })

  test('[C45] the chart of a moment in the past is the chart of the events up to it', () => {
    const envelopes = [batch(0, ['a', 'b']), begin('a', 'read', 0), begin('b', 'read', 1), end('a', 'read', 5)]
    const earlier = chartOf(stateOf(envelopes.slice(0, 3)), [])
    expect(earlier.calls.map(({ status }) => status)).toEqual(['running', 'running'])
    expect(earlier.lastAt).toBe(start + 1_000)
    expect(chartAxis(earlier, 'calls', earlier.lastAt).lengthMs).toBe(1_000)
    expect(chartOf(stateOf(envelopes), []).calls.map(({ status }) => status)).toEqual(['ok', 'running'])
  })

  test('[C47] an outcome without a call, and a call without a result, invent nothing', () => {
    const [late, quiet] = fold(
      end('late', 'read', 3, { elapsed_ms: 2_000 }),
      begin('q', 'x', 3),
      end('q', 'x', 4),
    ).calls
    expect(late).toMatchObject({ arguments: null, result: undefined, durationMs: 2_000 })
    expect(quiet).toMatchObject({ result: undefined, error: null, durationMs: 1_000 })
  })

  test('[C51] steps stand where they were; marks that are too near to each other are one', () => {
    const step = (id: string, started: number | null, ended: number | null, status: string) => ({
      ...{ step: id, title: id, status },
      started_at: started === null ? null : new Date(start + started).toISOString(),
      ended_at: ended === null ? null : new Date(start + ended).toISOString(),
    })
    const steps = [step('one', 0, 10, 'done'), step('two', null, 30, 'failed'), step('three', 30, null, 'in_progress')]
    const chart = chartOf(stateOf([]), [
      ...steps,
      step('four', null, null, 'pending'),
    ] as unknown as ChatSession['steps'])
    expect(chart.steps.map(({ title, from, to, status }) => [title, from - start, to && to - start, status])).toEqual([
      ['one', 0, 10, 'done'],
      ['two', 10, 30, 'failed'],
      ['three', 30, null, 'running'],
    ])
    const marks = fold(
      said('session_checkpoint', 0, { checkpoint_type: 'step', status: 'completed', summary_text: 'half' }),
      said('context_warning', 1, { usage_pct: 80 }),
      said('transport_diagnostic', 60, { status: 'retrying', kind: 'provider', reason: 'busy' }),
      said('approval_required', 90, asked),
    ).marks
    const clusters = markClusters(marks, (time) => (time - start) / 100_000, 0.05)
    expect(clusters.map((cluster) => cluster.marks.map(({ title }) => title))).toEqual([
      ['Checkpoint', 'Context 80 % full'],
      ['Provider retrying'],
      ['Approval needed for edit'],
    ])
    // A window that shows the end alone has the marks of the end alone.
    expect(markClusters(marks, (time) => (time - start - 80_000) / 20_000, 0.05)).toHaveLength(1)
  })

  test('[C54] the guardrail in any of its forms, and only the facts that somebody told', () => {
    expect(guardrailFacts({ confidence: 0.78, layers: ['intent', { name: 'evidence' }, 7], trace_id: 'ak' })).toEqual({
      confidence: 0.78,
      layers: ['intent', 'evidence'],
      trace: 'ak',
    })
    expect(guardrailFacts({ layers: { restraint: {} } })).toEqual({
      confidence: null,
      layers: ['restraint'],
      trace: '',
    })
    const state = stateOf([
      said('retrieval', 0, { citations: [1, 2] }),
      said('retrieval', 1, {}),
      said('context_compacted', 2, {}),
      said('context_warning', 3, { usage_pct: 78 }),
    ])
    expect(cognitionFacts(state)).toEqual({
      contextPct: 78,
      compactions: 1,
      retrievals: 2,
      citations: 2,
      attempts: 0,
    })
  })
})
