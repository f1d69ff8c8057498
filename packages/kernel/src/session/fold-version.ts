// Hashes the fold of golden logs: if the code folds differently, snapshots are discarded without a version number to maintain.
import { catalogue, type EventType } from '@bridle/events/catalogue'
import { canonicalJson, hashText } from '@bridle/events/json'
import { INLINE_CHARS_MAX } from '@bridle/events/limits'
import type { Payloads } from '@bridle/events/schemas'
import type { Command, ReportItem } from '../commands.ts'
import type { AnyEvent, Event, Key } from '../event.ts'
import { emptyState, evolve, type SessionState } from '../projections/state.ts'
import { decide } from '../rules/decide.ts'

/** Part of the version because a build without pieces would misread snapshots with them. */
const layout = 'pieces'
let version: string | null = null

export const foldVersion = (): string => {
  version ??= hashText(canonicalJson([layout, catalogue, goldenStates()]))
  return version
}

/** States after every event, so that fields that are cleared later count, too. */
export const goldenStates = (): readonly SessionState[] =>
  goldenLogs().flatMap((log) => {
    let state: SessionState = emptyState
    return log.map((event) => {
      state = evolve(state, event)
      return state
    })
  })

/** Together they have every event type that folds read. */
export const goldenLogs = (): readonly (readonly Event[])[] => [
  goldenLog(golden),
  goldenLog(goldenChat),
  goldenLog(goldenDurable),
  goldenLog([goldenImport()]),
]

type GoldenStep = Command | ((state: SessionState) => Command)

const goldenLog = (steps: readonly GoldenStep[]): readonly Event[] => {
  const events: Event[] = []
  let state: SessionState = emptyState
  for (const [index, next] of steps.entries()) {
    const command = typeof next === 'function' ? next(state) : next
    const decided = decide(key, state, command, 1_700_000_000_000 + index * 1_000, {
      branchPoint: command.type === 'branch' ? command.parent : null,
    })
    events.push(...decided.events)
    state = decided.state
  }
  return events
}

const key: Key = { tenant: 'golden', agent: 'golden', id: 'golden' }
const report = (runId: string, attempt: number, frame: number, ...items: ReportItem[]): Command => ({
  type: 'report',
  runId,
  attempt,
  frame,
  items,
})

const runnerReports =
  (...items: ReportItem[]) =>
  ({ lifecycle: { run } }: SessionState): Command =>
    report(run?.runId ?? '', run?.attempt ?? 0, (run?.frame ?? 0) + 1, ...items)
const event = <T extends EventType>(type: T, payload: Payloads[T]): ReportItem =>
  ({ type: 'event', event: { type, payload } }) as ReportItem

const ofChild = { type: 'child_status', child: { ...key, agent: 'golden.a', id: 'child' }, owner: null } as const

const golden: readonly GoldenStep[] = [
  {
    type: 'submit',
    prompt: 'first',
    opening: {
      kind: 'background',
      maxRetries: 2,
      policy: { health: { max_failed_tool_calls: 3 } },
      parentSessionId: 'above',
    },
  },
  { type: 'feedback', entries: [{ request_id: 'r', index: 0, outcome: 'executed' }] },
  { type: 'submit', prompt: 'second', input: { extra: 1, openharness: { execution_feedback: [] } } },
  runnerReports({ type: 'sandbox_awaited', reason: 'All are busy.' }),
  runnerReports({ type: 'sandbox_awaited', reason: null }),
  report('r-2', 1, 3, { type: 'started', handle: { at: 'here' }, steer: true }),
  report('r-2', 1, 4, { type: 'event', event: { type: 'token', payload: { text: 'Hel' } } }),
  report('r-2', 1, 5, { type: 'event', event: { type: 'thinking', payload: { text: 'hm' } } }),
  report('r-2', 1, 6, { type: 'failed', message: 'try again', transient: true }),
  { type: 'tick' },
  report('r-2', 2, 0, { type: 'started', steer: true }),
  { type: 'steer', prompt: 'and this' },
  report('r-2', 2, 1, { type: 'event', event: { type: 'token', payload: { text: 'Hello' } } }),
  report(
    'r-2',
    2,
    2,
    {
      type: 'event',
      event: { type: 'tool_call', payload: { name: 'write', arguments: { a: 1 }, tool_call_id: 'c1' } },
    },
    {
      type: 'ask',
      toolCallId: 'c1',
      tool: 'write',
      arguments: { a: 1 },
      reason: 'writes',
      digest: 'd',
      expiresMs: 60_000,
    },
  ),
  ({ approvals }) => ({
    type: 'approve',
    approvalId: Object.keys(approvals.open)[0] ?? '',
    decision: 'approved',
    args: { a: 2 },
    digest: 'e',
  }),
  report('r-2', 2, 3, {
    type: 'event',
    event: {
      type: 'tool_outcome',
      payload: { tool_call_id: 'c1', tool_name: 'write', outcome_type: 'ToolFailure', status: 'error' },
    },
  }),
  runnerReports({ type: 'memory', key: 'colour', value: 'red', ttlMs: 1_000 }),
  report('r-2', 2, 5, { type: 'artifact', name: 'a.txt', contentType: 'text/plain', text: 'a' }),
  report('r-2', 2, 6, {
    type: 'event',
    event: { type: 'usage', payload: { input_tokens: 1, output_tokens: 2, cost_usd: 0.1 } },
  }),
  report('r-2', 2, 7, { type: 'finished', resume: 'handle-1' }),
  { type: 'parent_told', seq: 1 },
  { type: 'child_status', child: key, owner: null, status: 'running', seq: 1 },
  { type: 'pause' },
  runnerReports({ type: 'stopped' }),
  { type: 'resume' },
  runnerReports({ type: 'started', steer: true }),
  { type: 'steer', prompt: 'more', input: { attachments: [] } },
  (state) => runnerReports({ type: 'steer_delivered', messageId: state.lifecycle.steers[0]?.messageId ?? '' })(state),
  runnerReports(
    event('reflection', { text: 'so' }),
    event('context_warning', { usage_pct: 91, kind: 'loop' }),
    event('context_compacted', { original_count: 2, compacted_count: 1, summary: 'short' }),
    event('step_progress', { plan: ['one', { text: 'two', status: 'in_progress' }] }),
    event('step_progress', { step_id: 'a', summary: 'one', index: 1, total: 2 }),
    event('step_progress', { step_id: 'a', status: 'completed' }),
    event('step_progress', { summary: 'two' }),
    event('retrieval', { query: 'q', citations: ['c'] }),
    event('session_checkpoint', { checkpoint_type: 'step', status: 'completed', summary_text: 'one' }),
    event('transport_diagnostic', { status: 'degraded', kind: 'provider_fallback' }),
    event('subagent_event', { agent_id: 'a', status: 'running' }),
    event('hook_event', { hook: 'h', phase: 'before' }),
    event('turn_start_tools', { tools: ['read'] }),
    event('tool_batch', { tool_call_ids: ['c2'] }),
    event('tool_selected', { tool_call_id: 'c2', tool_name: 'read' }),
    event('tool_validation_error', { tool_call_id: 'c2', tool_name: 'read', error: 'e' }),
    event('antahkarana', { trace_id: 't' }),
    event('custom_event', { name: 'own', data: {} }),
    event('instructions_loaded', {
      files: [{ path: 'CLAUDE.md', kind: 'instructions', digest: 'd', bytes: 1 }],
      left_out: [{ path: 'AGENTS.md', reason: 'is a link' }],
      ignored: [{ path: '.mcp.json', keys: [] }],
    }),
    event('directive', { action_type: 'noop' }),
    { type: 'artifact', name: 'note', kind: 'memory_proposal', contentType: 'text/plain', text: 'n' },
    event('turn_end', { turn_id: 'hearsay', status: 'failed' }),
  ),
  ({ memory }) => ({
    ...{ type: 'decide_memory', proposalId: memory.proposals[0]?.id ?? '', decision: 'accept', proposed: 'n' },
    ...{ actor: 'ann', reason: 'true' },
  }),
  runnerReports(event('tool_call', { name: 'read', arguments: {}, tool_call_id: 'c2', effect: 'pure', served: true }), {
    type: 'ask',
    toolCallId: 'c2',
    tool: 'read',
    arguments: {},
    reason: 'reads',
    digest: 'f',
    served: true,
  }),
  ({ approvals }) => ({ type: 'approve', approvalId: Object.keys(approvals.open)[0] ?? '', decision: 'denied' }),
  (state) =>
    runnerReports({ type: 'approval_delivered', requestId: Object.keys(state.approvals.decided).at(-1) ?? '' })(state),
  runnerReports(event('tool_result', { tool_call_id: 'c3', result: 'r'.repeat(INLINE_CHARS_MAX + 1) })),
  { type: 'set_policy', policy: { health: { max_total_tokens: 2 } } },
  runnerReports({ type: 'stopped' }),
  ({ approvals }) => ({ type: 'approve', approvalId: Object.keys(approvals.open)[0] ?? '', decision: 'approved' }),
  runnerReports({ type: 'started' }),
  runnerReports({ type: 'failed', message: 'broke' }),
  ({ head }) => ({ type: 'branch', parent: { agent: 'golden', id: 'parent', seq: head } }),
  { type: 'pause' },
  { type: 'submit', prompt: 'third' },
  ({ conversation }) => ({ type: 'edit', messageId: conversation.messages.at(-1)?.id ?? '', prompt: 'fourth' }),
  { type: 'resume' },
  runnerReports({ type: 'started' }),
  runnerReports(event('tool_call', { name: 'write', arguments: {}, tool_call_id: 'c4' })),
  { type: 'cancel', queue: true },
]

const goldenDurable: readonly GoldenStep[] = [
  { type: 'submit', prompt: 'first', opening: { parentSessionId: 'p', delegation: { agent: 'golden', depth: 1 } } },
  runnerReports({ type: 'started', durable: true, steer: true }),
  runnerReports(
    event('token', { text: 'Hello' }),
    event('thinking', { text: 'hm' }),
    event('model_step', { step: 1, model: 'm', content: [{ type: 'text', text: 'Hello' }], finish: 'tool-calls' }),
    event('tool_call', { name: 'pay', arguments: {}, tool_call_id: 'p' }),
    event('context_added', { text: 'mind this', source: 'code' }),
    event('context_compacted', { summary: 'short', kept_from: 2 }),
  ),
  runnerReports(
    event('transport_diagnostic', {
      ...{ status: 'degraded', kind: 'provider_fallback', reason: 'busy', failure_count: 3, model_index: 1 },
      ...{ provider_requested: 'a', provider_actual: 'b' },
    }),
    event('transport_diagnostic', { status: 'retrying', kind: 'model', reason: 'cut', model_index: 1 }),
    event('model_step', { step: 2, provider: 'b', model: 'n', model_index: 1, content: [], finish: 'tool-calls' }),
  ),
  runnerReports(event('model_step', { step: 3, model: 'm', model_index: 0, content: [], finish: 'tool-calls' })),
  runnerReports(event('token', { text: ' there' })),
  runnerReports({ type: 'resumed' }, { type: 'supersede' }),
  { type: 'excuse_run', reason: 'company' },
  { type: 'excuse_run', reason: 'stopping' },
  // A mark within a text, followed by a thought.
  runnerReports(event('token', { text: ' again' }), event('thinking', { text: 'so' })),
  runnerReports({ type: 'supersede', keep: { chars: 7, parts: 3 } }),
  runnerReports(event('token', { text: '!' })),
  ({ lifecycle: { run } }) => ({ type: 'heard', runId: run?.runId ?? '', chars: 3, audioMs: 400 }),
  runnerReports(
    event('turn_start_tools', { tools: ['pay', 'send'], of: 30, found: ['send'] }),
    event('tool_call', { name: 'send', arguments: {}, tool_call_id: 's' }),
    { type: 'policy_decision', payload: { subject: 'send', outcome: 'ask', rule: 'ask send' } },
    {
      ...{ type: 'ask', toolCallId: 's', tool: 'send', arguments: {}, reason: 'sends', digest: 'd' },
      ...{ risk: 'high', audience: 'desk', grants: 'ask send' },
    },
  ),
  ({ approvals }) => ({
    ...{ type: 'approve', approvalId: Object.keys(approvals.open)[0] ?? '', decision: 'approved', digest: 'd' },
  }),
  runnerReports({
    type: 'ask',
    kind: 'unknown_outcome',
    toolCallId: 'p',
    tool: 'pay',
    arguments: {},
    reason: 'unknown',
    digest: 'd',
  }),
  runnerReports(
    event('tool_call', { name: 'ask', arguments: {}, tool_call_id: 'q' }),
    {
      ...{ type: 'ask', kind: 'question', toolCallId: 'q', tool: 'ask', arguments: {}, reason: 'Which?', digest: 'd' },
      ...{ questions: [{ id: 'db', question: 'Which?', options: [{ label: 'a' }], allow_free_text: true }] },
      ...{ default: { db: 'a' }, defaultDigest: 'e' },
    },
    {
      ...{ type: 'ask', kind: 'question', toolCallId: 'f', tool: 'ask', arguments: {}, reason: 'Form?', digest: 'd' },
      ...{ schema: { type: 'object', properties: { port: { type: 'integer' } } } },
    },
  ),
  ({ approvals }) => ({
    ...{ type: 'approve', approvalId: Object.keys(approvals.open)[1] ?? '', decision: 'approved', digest: 'e' },
  }),
  ({ approvals }) => ({
    ...{ type: 'approve', approvalId: Object.keys(approvals.open)[1] ?? '', decision: 'approved', digest: 'f' },
    values: { port: 1 },
  }),
  { type: 'set_policy', policy: { health: { max_total_tokens: 100 } } },
  runnerReports(
    event('tool_call', { name: 'ask_a', arguments: {}, tool_call_id: 'd', effect: 'idempotent' }),
    event('tool_call', { name: 'ask_b', arguments: {}, tool_call_id: 'e', effect: 'idempotent' }),
    {
      type: 'delegate',
      children: [
        { toolCallId: 'd', agent: 'golden.a', id: 'child' },
        { toolCallId: 'e', agent: 'golden.b', id: 'other' },
      ],
      shares: 2,
    },
  ),
  { ...ofChild, status: 'progress', seq: 1, steps: 1 },
  {
    ...{ ...ofChild, status: 'awaiting_approval', seq: 2 },
    approvals: [
      {
        ...{ id: 'below', agent: 'golden.a.b', approvalId: 'apr-4', kind: 'tool', tool: 'send', reason: 'sends' },
        ...{ arguments: { to: 'ann' }, expiresAt: 1_800_000_000_000, effect: 'unsafe', risk: 'high', isCut: true },
      },
      {
        ...{ id: 'child', agent: 'golden.a', approvalId: 'apr-2', kind: 'question', tool: 'ask', reason: 'Which?' },
        ...{ questions: [{ id: 'q1', question: 'Which?', allow_free_text: true }], expiresAt: null },
      },
    ],
  },
  {
    ...{ ...ofChild, status: 'awaiting_approval', seq: 3, approvals: [] },
    settled: [
      {
        ...{ id: 'child', agent: 'golden.a', approvalId: 'apr-2', decision: 'approved', answers: { q1: 'this' } },
        ...{ reason: 'so', actor: 'ann', isActorClaimed: true },
      },
    ],
  },
  {
    ...{ ...ofChild, status: 'completed', seq: 4 },
    usage: { total_tokens: 3, cost_usd: 0.5, runtime_ms: 4 },
  },
  ({ head, ...state }) => runnerReports({ type: 'waiting', until: null, seen: head })({ head, ...state }),
  ({ approvals }) => ({ type: 'approve', approvalId: Object.keys(approvals.open)[0] ?? '', decision: 'approved' }),
  runnerReports(
    event('tool_outcome', { tool_call_id: 'p', tool_name: 'pay', outcome_type: 'ToolExecutionResult', status: 'ok' }),
    event('step_done', { name: 'one', result: 1 }),
  ),
  ({ head, at, ...state }) => runnerReports({ type: 'waiting', until: at + 1_500, seen: head })({ head, at, ...state }),
  { type: 'signal', name: 'go', payload: 1 },
  ({ head, at, ...state }) => runnerReports({ type: 'waiting', until: at + 1_500, seen: head })({ head, at, ...state }),
  { type: 'tick' },
  { type: 'pause' },
  runnerReports({ type: 'stopped' }),
  { type: 'resume' },
  runnerReports({ type: 'started', durable: true }),
  runnerReports({ type: 'finished' }),
]

/** The chat ends in the middle of a step and a call. */
const goldenImport = (): Command => ({
  type: 'import',
  parent: null,
  events: goldenLog(goldenChat) as readonly AnyEvent[],
  source: { agent: 'golden', id: 'golden' },
  digest: 'd',
  settings: {},
  owner: 'user:ann',
  actor: 'ann',
})

const goldenChat: readonly GoldenStep[] = [
  // Too long for a title.
  { type: 'submit', prompt: 'first '.repeat(20) },
  runnerReports({ type: 'started' }),
  runnerReports({ type: 'failed', message: 'broke' }),
  { type: 'cancel' },
  { type: 'archive', actor: 'ann' },
  { type: 'unarchive' },
  { type: 'rename', title: 'Other', actor: 'ann' },
  { type: 'submit', prompt: 'second' },
  runnerReports({ type: 'started' }),
  runnerReports(event('step_progress', { step_id: 'left', status: 'running' })),
  runnerReports(event('tool_call', { name: 'write', arguments: {}, tool_call_id: 'c' }), {
    ...{ type: 'ask', toolCallId: 'c', tool: 'write', arguments: {}, reason: 'writes', digest: 'd' },
  }),
  ({ approvals }) => ({
    ...{ type: 'approve', approvalId: Object.keys(approvals.open)[0] ?? '', decision: 'approved', digest: 'd' },
    ...{ pause: true, actor: 'ann' },
  }),
]
