import { emptyFrontendState, reduceFrontend, type StreamEnvelope } from 'bridle/client'
import { expect, test } from 'vitest'
import { markerWords } from './markers/marker-words.ts'
import { citationOf, contextPackOf } from './markers/retrieval.ts'
import { splitReflections } from './reflections.ts'
import { supersededOf } from './superseded.ts'
import { artifactAnchor, callAnchor, callKey, type Marker, threadIndex } from './thread-index.ts'
import { firstShown, windowCut } from './window-cut.ts'

let seq = 0
const envelope = (type: string, payload: object, turn: string | null = 'r1', more: object = {}): StreamEnvelope =>
  ({
    ...{ type, payload, seq: ++seq, session_id: 's', timestamp: '2026-01-01T00:00:00.000Z', attempt: 1 },
    ...(turn !== null && { turn_id: turn }),
    ...more,
  }) as unknown as StreamEnvelope
const indexOf = (...envelopes: StreamEnvelope[]) => threadIndex(envelopes.reduce(reduceFrontend, emptyFrontendState))
const call = (id: string, turn = 'r1') => envelope('tool_call', { name: 'run', arguments: {}, tool_call_id: id }, turn)
const types = (markers: readonly Marker[] | undefined) => markers?.map(({ type }) => type)

test('markers stand by the calls around them, each turn for itself', () => {
  const { turns, head } = indexOf(
    envelope('policy_set', {}, null),
    envelope('retrieval', { citations: [1] }),
    call('a'),
    envelope('session_checkpoint', { summary_text: 'half', checkpoint_type: 'step', status: 'completed' }),
    envelope('directive', { action_type: 'noop' }),
    call('b'),
    envelope('approval_applied', { request_id: 'p', tool_call_id: 'b', tool_name: 'run' }),
    envelope('artifact_published', { artifact_id: 'f', name: 'f.txt' }),
    envelope('antahkarana', { confidence: 1 }),
    envelope('session_checkpoint', { summary_text: 'whole', checkpoint_type: 'turn', status: 'completed' }),
    call('a', 'r2'),
    envelope('session_paused', {}, null),
    envelope('my_own_event', { a: 1 }, 'r2', { custom: true }),
    envelope('turn_end', { turn_id: 'r3', status: 'failed' }, 'r2', { hearsay: true }),
  )
  const [first, second] = [turns.get('r1'), turns.get('r2')]
  expect(types(head)).toEqual(['policy_set'])
  expect(types(first?.atStart)).toEqual(['retrieval'])
  expect(types(first?.after.get(callAnchor('a')))).toEqual(['session_checkpoint'])
  expect(types(first?.before.get(callAnchor('b')))).toEqual(['directive', 'approval_applied'])
  expect(types(first?.after.get(artifactAnchor('f')))).toEqual(['antahkarana'])
  expect(types(first?.atEnd)).toEqual(['session_checkpoint'])
  expect(types(second?.atEnd)).toEqual(['session_paused', 'my_own_event', 'turn_end'])
  expect(second?.atEnd.map(({ isHearsay }) => isHearsay)).toEqual([false, false, true])
})

test.each(['spoken_audio', 'final_output', 'run_record'])(
  'an artifact of the kind %s has no part in the answer, so that no marker stands by it',
  (kind) => {
    const artifact = (id: string) => envelope('artifact_published', { artifact_id: id, name: id, kind })
    const { turns } = indexOf(
      artifact('one'),
      envelope('output_superseded', { run_id: 'r1', interrupted: { text: 'One' } }),
      artifact('two'),
    )
    expect(turns.get('r1')?.after.size).toBe(0)
    expect(types(turns.get('r1')?.atEnd)).toEqual(['output_superseded'])
  },
)

test.each([
  ['a checkpoint', 'session_checkpoint', 'from checkpoint 1 of p, event 52 · saved as checkpoint 2'],
  ['another event', 'session_paused', 'from p at event 52 · saved as checkpoint 2'],
])('a branch has one marker where it begins, which says that it was made from %s', (_name, source, text) => {
  seq = 51
  const parent = { id: 'p', seq: 52 }
  const { head } = indexOf(
    envelope(source, { summary_text: 'half', checkpoint_type: 'step', sequence: 1 }, null),
    envelope('branched', { parent }, null),
    envelope('policy_set', {}, null),
    envelope(
      'session_checkpoint',
      { summary_text: 'Branched from p', checkpoint_type: 'resume_seed', sequence: 2 },
      null,
    ),
  )
  expect(types(head)).toEqual([source, 'branched', 'policy_set'])
  const marker = head[1] as Marker
  // The beginning counts as a checkpoint, so that its marker has the number before that of the next.
  expect(markerWords(marker)).toMatchObject({ title: 'Branched', text })
  expect(marker.payload).toEqual({ parent })
})

test('an approval that a branch left open stands with the branch, and not before its call', () => {
  const { turns } = indexOf(
    call('a'),
    envelope('branched', { parent: { id: 'p', seq: 52 } }, null),
    envelope('tool_outcome', { tool_call_id: 'a', tool_name: 'run', outcome_type: 'x', status: 'error' }),
    envelope('approval_applied', { request_id: 'p', tool_call_id: 'a', decision: 'cancelled', reason: 'branched' }),
  )
  expect(turns.get('r1')?.before.size).toBe(0)
  expect(types(turns.get('r1')?.atEnd)).toEqual(['branched', 'approval_applied'])
})

test('times and waves belong to a call of one turn', () => {
  const { calls, waves } = indexOf(
    envelope('tool_batch', { tool_call_ids: ['a', 'b'], wave: 3 }),
    call('a'),
    call('b'),
    envelope('tool_outcome', { tool_call_id: 'a', tool_name: 'run', outcome_type: 'x', status: 'ok', elapsed_ms: 84 }),
    call('a', 'r2'),
  )
  expect(calls.get(callKey('r1', 'a'))).toMatchObject({ elapsedMs: 84, startedAt: Date.parse('2026-01-01') })
  expect(calls.get(callKey('r2', 'a'))?.elapsedMs).toBeNull()
  expect(waves.get(callKey('r1', 'b'))).toEqual({ wave: 3, calls: 2, isFirst: false, isLast: true })
  expect(waves.has(callKey('r2', 'a'))).toBe(false)
})

test('an event is told in words, whatever its payload is', () => {
  const words = (type: string, payload: object, isHearsay = false) => {
    const { title, text } = markerWords({ ...(envelope(type, payload) as unknown as Marker), isHearsay })
    return `${title}: ${text}`
  }
  expect(words('context_compacted', { original_count: 46, compacted_count: 18, tokens_saved: 31_400 })).toBe(
    'Context compacted: 46 → 18 messages · 31,400 tokens saved',
  )
  expect(words('approval_applied', { actor: 'ann', decision: 'approved', arguments: {}, tool_name: 'edit' })).toBe(
    'ann approved with edits: edit',
  )
  const unanswered = (decision: string, reason: string | null) =>
    words('approval_applied', { actor: null, decision, reason, tool_name: 'edit' })
  expect(unanswered('approved', null)).toBe('Approved: edit')
  expect(unanswered('denied', 'not now')).toBe('Denied: edit · not now')
  expect(unanswered('cancelled', null)).toBe('The approval ended with its run: edit')
  expect(unanswered('cancelled', 'branched')).toBe('The approval stayed with the session that was branched: edit')
  expect(unanswered('cancelled', 'imported')).toBe('The approval stayed with the session that was exported: edit')
  expect(unanswered('expired', 'expired')).toBe('Expired without an answer: edit')
  expect(unanswered('superseded', 'raised')).toBe('The approval was withdrawn: edit · raised')
  expect(words('budget_crossed', { budget: 'max_cost_usd', limit: 2, value: 2.5 })).toBe(
    'Limit reached: cost limit of $2.00, at $2.50',
  )
  expect(words('output_superseded', { run_id: 'r1' })).toBe('Answer restarted: the text was withdrawn')
  expect(words('output_superseded', { keep: { chars: 3 }, interrupted: { text: 'One', audio_ms: 1_200 } })).toBe(
    'Interrupted: after 1.2 s',
  )
  expect(words('output_superseded', { keep: { chars: 3 }, interrupted: { text: 'One' } })).toBe('Interrupted: ')
  expect(words('execution_feedback', { entries: [{ outcome: 'ok' }, 7] })).toBe('Shell reported: 2 directives · ok')
  expect(words('constructor', { a: 'b' })).toBe('Constructor: a b')
  expect(words('session_checkpoint', { summary_text: 'saved' }, true)).toBe('Reported by the engine: Checkpoint: saved')
})

test('citations and context packs of any form', () => {
  expect([1, 'a', { title: 'T', url: 'u' }, { path: 'p' }, null].map((each) => citationOf(each).title)).toEqual([
    ...['1', 'a', 'T', 'p', 'null'],
  ])
  expect(contextPackOf({ documents: [{ id: 'd', tokens: 3, why: 'asked' }], left_out: [{ id: 'e' }] })).toEqual({
    tokens: 3,
    documents: [{ id: 'd', tokens: 3, why: 'asked' }],
    leftOut: [{ id: 'e', tokens: 0, why: '' }],
  })
  expect(contextPackOf('x')).toBeNull()
})

test('reflections are told from the thoughts around them', () => {
  expect(splitReflections('Look. Too fast. Again.', ['Too fast.', 'absent', ''])).toEqual([
    { kind: 'thought', text: 'Look. ' },
    { kind: 'reflection', text: 'Too fast.' },
    { kind: 'thought', text: ' Again.' },
  ])
})

test('the window moves in steps, and rows that a reader has stay', () => {
  expect([0, 20, 21, 30, 39, 40, 2_000].map(windowCut)).toEqual([0, 0, 0, 10, 10, 20, 1_980])
  expect(firstShown(20, 40, false)).toBe(20)
  expect(firstShown(20, 1_960, false)).toBe(20)
  expect(firstShown(20, 1_960, true)).toBe(1_880)
  // After a rewind the conversation is shorter.
  expect(firstShown(500, 0, true)).toBe(0)
})

test('what a retry replaced stays readable', () => {
  const old = { id: 'a', name: 'run', status: 'complete', superseded: true } as const
  const parts = [
    { type: 'text', text: 'Hal', superseded: true },
    { type: 'text', from: 0 },
  ] as const
  expect(
    supersededOf({
      id: 'm',
      role: 'assistant',
      content: 'Hello',
      status: 'complete',
      parts: [...parts],
      toolCalls: [old],
    }),
  ).toEqual({ texts: ['Hal'], calls: [old] })
})
