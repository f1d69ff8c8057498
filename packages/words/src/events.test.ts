import { STREAM_EVENT_TYPES } from '@bridle/events/catalogue'
import { expect, test } from 'vitest'
import { branchOrigin, compactionNumbers, eventText, eventWords } from './events.ts'

const parent = { agent: 'coder', id: 'bg-1', seq: 52 }

test.each<[string, object, string]>([
  ['session', { session_id: 'bg-1' }, 'Session: bg-1'],
  ['session_state', { status: 'awaiting_approval' }, 'Status: needs approval'],
  ['session_checkpoint', { checkpoint_type: 'step', sequence: 3, summary_text: 'half' }, 'Checkpoint 3: half'],
  ['session_checkpoint', { checkpoint_type: 'resume_seed', summary_text: 'half' }, 'Start of the branch: half'],
  ['policy_decision', { subject: 'edit', outcome: 'ask', reason: 'It writes.' }, 'Policy: edit ask · It writes.'],
  ['hook_event', { hook: 'pre_tool', status: 'ok' }, 'Hook: pre_tool ok'],
  ['sandbox_notice', { requested_backend: 'docker', resolved_backend: 'bwrap' }, 'Sandbox: docker → bwrap'],
  ['sandbox_notice', { resolved_backend: 'bwrap', isolation: 'full' }, 'Sandbox: bwrap · full'],
  [
    'transport_diagnostic',
    { kind: 'provider_fallback', model_requested: 'a/b', provider_actual: 'c', reason: 'no key' },
    'Provider fallback: a/b → c · no key',
  ],
  [
    'transport_diagnostic',
    { kind: 'provider_retry', status: 'retrying', failure_count: 1 },
    'Provider retrying: provider_retry · 1 failure',
  ],
  ['subagent_event', { agent_id: 'callers', status: 'completed' }, 'Subagent callers: completed'],
  ['turn_start', { prompt: 'Go' }, 'Go'],
  ['turn_start_tools', { tools: ['read', 'edit'] }, 'Tools: read, edit'],
  ['token', { text: 'Hi' }, 'Hi'],
  ['response', { text: 'Hello' }, 'Hello'],
  ['thinking', { text: 'Hm' }, 'Hm'],
  ['reflection', { text: 'Too fast.' }, 'Too fast.'],
  ['tool_call', { name: 'edit', arguments: { n: 3, path: 'a.ts', text: 'x' } }, 'Call edit: a.ts'],
  ['tool_result', { tool_name: 'edit', result: { ok: true } }, 'Result of edit: {"ok":true}'],
  ['tool_result', {}, 'Result of a tool'],
  ['tool_outcome', { tool_name: 'edit', status: 'ok', elapsed_ms: 84 }, 'edit ok: 84 ms'],
  [
    'tool_outcome',
    { tool_name: 'edit', status: 'timeout', error: 'slow', elapsed_ms: 5_000 },
    'edit timeout: slow · 5 s',
  ],
  ['tool_batch', { tool_call_ids: ['a', 'b'], mode: 'parallel', wave: 1 }, '2 calls: parallel · wave 1'],
  ['tool_selected', { tool_name: 'edit', reason: 'best' }, 'Selected edit: best'],
  [
    'tool_validation_error',
    { tool_name: 'edit', error: 'no path', repaired: true },
    'Invalid arguments for edit: no path · repaired',
  ],
  ['context_warning', { usage_pct: 81.2 }, 'Context 81 % full'],
  ['context_warning', { kind: 'loop', message: 'Again?' }, 'Warning: Again?'],
  ['context_compacted', { original_count: 46, compacted_count: 18 }, 'Context compacted: 46 → 18 messages'],
  ['step_progress', { title: 'Read', index: 2, total: 5, status: 'running' }, 'Step 2 of 5: Read · running'],
  ['step_progress', { step_id: 'one' }, 'Step: one'],
  ['output_superseded', {}, 'Answer restarted: the text was withdrawn'],
  ['output_superseded', { keep: {} }, 'Answer restarted: the end of the text was withdrawn'],
  ['output_superseded', { keep: {}, interrupted: { audio_ms: 1_200 } }, 'Interrupted: after 1.2 s'],
  ['usage', { input_tokens: 142_000, output_tokens: 300, cost_usd: 0.5 }, 'Usage: 142,300 tokens · $0.50'],
  ['retrieval', { query: 'roads', citations: [1] }, 'Retrieval: roads · 1 citation'],
  ['antahkarana', { confidence: 0.5, layers: { a: 1 }, trace_id: 't' }, 'Guardrail: confidence 0.5 · a · t'],
  ['approval_required', { tool_name: 'edit', reason: 'It writes.' }, 'Approval needed for edit: It writes.'],
  [
    'approval_required',
    { tool_name: 'max_cost_usd,min_score', kind: 'budget' },
    'Approval needed for cost limit, score limit',
  ],
  ['approval_applied', { actor: 'ann', tool_name: 'edit', arguments: {} }, 'ann approved with edits: edit'],
  ['approval_applied', { decision: 'denied', tool_name: 'edit', reason: 'not now' }, 'Denied: edit · not now'],
  [
    'approval_applied',
    { decision: 'expired', tool_name: 'edit', reason: 'expired' },
    'Expired without an answer: edit',
  ],
  ['session_paused', { actor: 'ann', actor_claimed: true, reason: 'lunch' }, 'Paused by ann (not signed in): lunch'],
  ['session_resumed', {}, 'Resumed'],
  ['session_archived', { actor: 'ann' }, 'Archived by ann'],
  ['session_unarchived', {}, 'Unarchived'],
  ['session_renamed', { title: 'Garden', actor: 'ann' }, 'Renamed to Garden by ann'],
  ['session_imported', {}, 'Imported from a file: what is above is from that file'],
  ['cancel_requested', { reason: 'enough' }, 'Cancelled: enough'],
  ['policy_set', { actor: 'ann', policy: { health: { max_cost_usd: 2 } } }, 'Policy set by ann: cost limit of $2.00'],
  ['signal_received', { name: 'paid', actor: 'ann' }, 'Signal paid by ann'],
  ['memory_decided', { decision: 'accepted', key: 'language' }, 'Memory accepted: language'],
  ['branched', { parent, actor: 'ann', reason: 'try' }, 'Branched by ann: from bg-1 at event 52 · try'],
  [
    'budget_crossed',
    { budget: 'max_tool_latency_ms', limit: 5_000, value: 6_000 },
    'Limit reached: call time limit of 5 s, at 6 s',
  ],
  ['budget_raised', { budgets: ['max_cost_usd'] }, 'Limit raised: cost limit'],
  ['retry_scheduled', { attempt: 2, due: 9_000, reason: 'lost' }, 'Attempt 2 in 8 s: lost'],
  ['custom_event', { name: 'tick', data: { at: 3 } }, 'tick: at 3'],
  ['directive', { action_type: 'open', requires_user_approval: true }, 'Directive open: asks first'],
  ['execution_feedback', { entries: [{ outcome: 'ok' }, 7] }, 'Shell reported: 2 directives · ok'],
  [
    'instructions_loaded',
    { files: [{}, {}], left_out: [{}], ignored: [{ path: '.mcp.json', keys: [] }] },
    'Instructions of the repository: 2 files · 1 left out · settings ignored in .mcp.json',
  ],
  ['instructions_loaded', {}, 'Instructions of the repository: 0 files'],
  ['artifact_published', { name: 'a.txt', size: 3 }, 'Artifact: a.txt · 3 B'],
  ['artifact_published', { kind: 'memory_proposal', name: 'lesson' }, 'Proposed memory: lesson'],
  ['turn_end', { status: 'failed', stop_reason: 'max_tokens' }, 'Turn failed: max_tokens'],
  ['completed', { result: 'Two files.' }, 'Two files.'],
  ['error', { message: 'No key.' }, 'Failed: No key.'],
  ['of_a_later_server', { a_b: 1, c: {} }, 'Of a later server: a b 1'],
  ['constructor', {}, 'Constructor'],
])('%s', (type, payload, text) => expect(eventText(type, payload, 1_000)).toBe(text))

test('any payload has words: an agent may write whatever it likes', () => {
  const odd = [
    null,
    undefined,
    7,
    'x',
    [],
    {},
    { text: {}, tools: 1, entries: 'a', parent: [], policy: 3, layers: null },
  ]
  for (const type of STREAM_EVENT_TYPES)
    for (const payload of odd) {
      const { title, detail } = eventWords(type, payload)
      expect([type, title === '', `${title}${detail}`.includes('undefined')]).toEqual([type, false, false])
    }
})

test('the attempt of a log without times is only scheduled', () =>
  expect(eventText('retry_scheduled', { attempt: 2, due: 9_000 })).toBe('Attempt 2 scheduled'))

test('a branch names the checkpoints that a client knows', () => {
  expect(branchOrigin({ parent }, { source: 1, own: 2 })).toBe(
    'from checkpoint 1 of bg-1, event 52 · saved as checkpoint 2',
  )
  expect(branchOrigin({})).toBe('')
})

test('a compaction that reports no numbers has none', () => expect(compactionNumbers({})).toEqual([]))
