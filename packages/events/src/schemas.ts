// Payloads are loose, so that newer fields survive an older reader. Only this file imports the schema library.
import * as v from 'valibot'
import { isAnswers, type QuestionAnswers } from './answers.ts'
import { APPROVAL_KINDS } from './approval-kinds.ts'
import type { EventType } from './catalogue.ts'
import { instructionsLoaded } from './instructions.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { isQuestionList, type Question } from './questions.ts'

/** Keep sums finite and whole numbers exact. */
const COST_USD_MAX = 1e9
const TOKENS_MAX = 1e12

const text = v.string()
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
/** JSON has no infinity: a replay would read null. */
const amount = v.pipe(v.number(), v.finite(), v.minValue(0))
const tokens = v.pipe(count, v.maxValue(TOKENS_MAX))
const json = v.custom<Json>((value) => value !== undefined, 'Expected JSON')
const object = v.custom<JsonObject>(isJsonObject, 'Expected an object')
const maybe = v.optional
/** ISO 8601 on the contract's wire; internal facts use milliseconds. */
const iso = v.pipe(
  text,
  v.check((value) => !Number.isNaN(Date.parse(value)), 'Expected an ISO timestamp'),
)
const nullable = v.nullish

export const TOOL_STATUSES = ['ok', 'timeout', 'error', 'denied', 'artifact'] as const
export const OUTCOME_TYPES = {
  ok: 'ToolExecutionResult',
  timeout: 'ToolTimeout',
  error: 'ToolFailure',
  denied: 'ToolDenied',
  artifact: 'ToolArtifact',
} as const

/** Measurements of tools and engines. A row here is a field of the log, the runner protocol and every wire. */
export const outcomeFacts = {
  exit_code: maybe(v.pipe(v.number(), v.safeInteger())),
}

const outcomeEntries = {
  status: v.picklist(TOOL_STATUSES),
  elapsed_ms: maybe(amount),
  error: maybe(text),
  reason: maybe(text),
  ...outcomeFacts,
}
export const toolOutcomeSchema = v.looseObject(outcomeEntries)
/** If a crash leaves the outcome of a call unknown, pure and idempotent calls are repeated and unsafe ones need approval. */
export const TOOL_EFFECTS = ['pure', 'idempotent', 'unsafe'] as const
/** Whether a call may be repeated after a crash. */
export type ToolEffect = (typeof TOOL_EFFECTS)[number]
export const SESSION_STATUSES = [
  'idle',
  'queued',
  'running',
  'awaiting_approval',
  'paused',
  'recovering',
  'completed',
  'failed',
  'cancelled',
] as const
export const APPROVAL_DECISIONS = ['approved', 'denied', 'expired', 'superseded', 'cancelled'] as const
export const APPROVAL_RISKS = ['low', 'medium', 'high'] as const
/** Another run started beside it, or the process stops on purpose. */
export const EXCUSE_REASONS = ['company', 'stopping'] as const
export const PARK_REASONS = ['paused', 'budget', 'restart', 'unknown_outcome', 'unapproved_call'] as const
/** The kind of limit of each budget. `positive`: above 0. `whole`: an integer. */
export const budgetLimits = {
  min_score: 'percent',
  max_runtime_minutes: 'positive',
  max_total_tokens: 'whole',
  max_cost_usd: 'amount',
  max_context_usage_pct: 'percent',
  max_failed_tool_calls: 'whole',
  max_loop_warnings: 'whole',
  max_repeated_plan_events: 'whole',
  max_tool_latency_ms: 'amount',
  max_events_without_evidence: 'whole',
} as const satisfies { readonly [name: string]: 'amount' | 'percent' | 'positive' | 'whole' }
export const BUDGETS = Object.keys(budgetLimits) as BudgetName[]

/** A claim of a runner or agent that the server cannot verify. No fold reads it. */
const hearsay = maybe(v.boolean())
/** `actor_claimed`: the caller supplied the name because its credential has no user. */
const acting = { actor: maybe(text), actor_claimed: maybe(v.literal(true)) }
const arguments_ = object
const questions = v.custom<readonly Question[]>(isQuestionList, 'Expected questions')
const answering = { answers: maybe(v.custom<QuestionAnswers>(isAnswers, 'Expected answers')), values: maybe(object) }
const decision = v.picklist(APPROVAL_DECISIONS)
/** A descendant's approval. `via`: the child of this session that reported it. `cut`: texts are truncated here. */
const childApproval = v.looseObject({
  id: text,
  agent: text,
  approval_id: text,
  via: text,
  cut: maybe(v.literal(true)),
})
const parent = v.object({ agent: text, id: text, seq: count })

const healthPolicySchema = v.looseObject({
  ...(Object.fromEntries(BUDGETS.map((name) => [name, maybe(amount)])) as Record<
    BudgetName,
    v.OptionalSchema<typeof amount, undefined>
  >),
  action: maybe(v.picklist(['request_approval', 'pause'])),
})
const policySchema = v.looseObject({ health: maybe(healthPolicySchema) })

export const schemas = {
  session: v.looseObject({ session_id: text }),
  session_state: v.looseObject({
    session_id: maybe(text),
    status: v.picklist(SESSION_STATUSES),
    provider: nullable(text),
    model: nullable(text),
    agent_profile: nullable(text),
    permission_mode: nullable(text),
    approval_mode: nullable(text),
    think_level: nullable(text),
    policy_path: nullable(text),
    sandbox_mode: nullable(text),
    sandbox_isolation: nullable(text),
    engine: nullable(text),
    runner_kind: nullable(text),
    approval_request_id: nullable(text),
    workspace_id: nullable(text),
    task_graph_id: nullable(text),
    process_id: nullable(v.union([text, v.number()])),
    attempt_count: maybe(count),
    max_retries: maybe(count),
    expires_at: nullable(iso),
    parent_session_id: nullable(text),
    branch_source_event_id: nullable(text),
    branch_resume_cursor: nullable(text),
    last_heartbeat_at: nullable(iso),
    last_error: nullable(text),
    updated_at: nullable(iso),
    ended_at: nullable(iso),
    resume_context: nullable(json),
  }),
  session_checkpoint: v.looseObject({
    session_id: maybe(text),
    sequence: maybe(count),
    checkpoint_type: text,
    status: text,
    summary_text: text,
    resume_cursor: nullable(text),
    /** In a `resume_seed`: the start of the last prompt and answer. */
    last_prompt: maybe(text),
    last_answer: maybe(text),
  }),
  policy_decision: v.looseObject({
    subject: text,
    outcome: text,
    reason: maybe(text),
    source: maybe(text),
    policy_path: maybe(text),
    permission_mode: maybe(text),
    approval_mode: maybe(text),
    /** If a model agent's rule decided this call. */
    tool_call_id: maybe(text),
    rule: maybe(text),
    hearsay,
  }),
  hook_event: v.looseObject({ hook: maybe(text), phase: maybe(text), status: maybe(text) }),
  sandbox_notice: v.looseObject({
    requested_backend: text,
    resolved_backend: text,
    isolation: text,
    reason: maybe(text),
    hearsay,
  }),
  transport_diagnostic: v.looseObject({
    status: text,
    kind: text,
    provider_requested: nullable(text),
    provider_actual: nullable(text),
    reason: maybe(text),
    failure_count: maybe(count),
    /** The models in question, as `provider/model-id`. */
    model_requested: nullable(text),
    model_actual: nullable(text),
    /** Index of the next model in the agent's list. */
    model_index: maybe(count),
  }),
  subagent_event: v.looseObject({
    agent_id: text,
    status: text,
    parent_session_id: maybe(text),
    /** For child sessions. `child_seq`: the event in the child that caused the status. */
    session_id: maybe(text),
    agent: maybe(text),
    child_seq: maybe(count),
    /** For tasks of a run. `started` carries the child's budgets. */
    tool_call_id: maybe(text),
    policy: maybe(policySchema),
    /** With `progress`: steps so far. */
    steps: maybe(count),
    /** At the end of a task: its sums, which count as the parent's own. */
    usage: maybe(v.object({ total_tokens: count, cost_usd: amount, runtime_ms: count })),
    /** The parent had given up the child before it started, so it is cancelled. */
    abandoned: maybe(v.boolean()),
  }),
  turn_start: v.looseObject({ turn_id: text, prompt: text, message_id: maybe(text) }),
  /** `of`: number of tools available. `found`: added by a search in this turn. */
  turn_start_tools: v.looseObject({
    turn_id: maybe(text),
    tools: v.array(text),
    of: maybe(count),
    found: maybe(v.array(text)),
    /** Chosen by relevance because there were too many to offer, best first. */
    chosen: maybe(v.array(text)),
  }),
  token: v.looseObject({ text }),
  response: v.looseObject({
    text,
    /** The stream broke off and the turn starts over. This is a prefix of the text so far and replaces it. */
    so_far: maybe(v.boolean()),
    /** With `so_far`: length of the thoughts that stay. */
    thinking_chars: maybe(count),
  }),
  thinking: v.looseObject({ text }),
  reflection: v.looseObject({ text }),
  tool_call: v.looseObject({
    name: text,
    arguments: arguments_,
    tool_call_id: text,
    effect: maybe(v.picklist(TOOL_EFFECTS)),
    /** The directive that a successful call becomes. Absent: the server runs the tool. */
    action_type: maybe(text),
    /** The calling subagent. Absent: the session's agent. */
    agent_id: maybe(text),
    /** An engine requested the call and the server makes it. Never set from what a sandbox reports. */
    served: maybe(v.literal(true)),
  }),
  tool_result: v.looseObject({ tool_call_id: text, tool_name: maybe(text), result: json, agent_id: maybe(text) }),
  tool_outcome: v.looseObject({
    tool_call_id: text,
    tool_name: text,
    outcome_type: v.picklist(Object.values(OUTCOME_TYPES)),
    result: maybe(json),
    agent_id: maybe(text),
    ...outcomeEntries,
  }),
  tool_batch: v.looseObject({ tool_call_ids: v.array(text), wave: maybe(count), mode: maybe(text) }),
  tool_selected: v.looseObject({ tool_call_id: text, tool_name: text, reason: maybe(text) }),
  tool_validation_error: v.looseObject({
    tool_call_id: text,
    tool_name: text,
    error: text,
    repaired: maybe(v.boolean()),
  }),
  context_warning: v.looseObject({
    message: maybe(text),
    kind: maybe(text),
    usage_pct: maybe(amount),
    /** The call behind a `loop` warning. */
    tool_call_id: maybe(text),
  }),
  context_compacted: v.looseObject({
    // Absent if the engine reports no number: readers would trust an invented one.
    original_count: maybe(count),
    compacted_count: maybe(count),
    tokens_saved: maybe(count),
    summary: maybe(text),
    preserved_messages: maybe(count),
    /** Model agents: the first event that the model still sees in full, and the first whose tool results it still sees. */
    kept_from: maybe(count),
    cleared_before: maybe(count),
    /** Model agents: the first event needed to read the conversation. May precede `kept_from`. */
    read_from: maybe(count),
    /** Model agents: artifacts and resources of the summarised part. */
    artifacts: maybe(v.array(text)),
    resources: maybe(v.array(text)),
    resume_cursor: nullable(text),
  }),
  step_progress: v.looseObject({
    step_id: maybe(text),
    status: maybe(text),
    summary: maybe(text),
    /** Shown to people. Default: the summary. */
    title: maybe(text),
    /** From 1, if the agent knows them. */
    index: maybe(count),
    total: maybe(count),
    plan: maybe(json),
  }),
  usage: v.looseObject({
    input_tokens: maybe(tokens),
    output_tokens: maybe(tokens),
    total_tokens: maybe(tokens),
    /** Negative if it corrects estimates of the turn. */
    cost_usd: maybe(v.pipe(v.number(), v.finite(), v.maxValue(COST_USD_MAX))),
    /** From a price table. If the engine reports the real cost, the last usage of the turn corrects it. */
    estimated: maybe(v.boolean()),
    context_usage_pct: maybe(amount),
    /** Part of `input_tokens`. */
    cache_read_tokens: maybe(tokens),
    cache_write_tokens: maybe(tokens),
    model: maybe(text),
    /** Usage of speech services. */
    speech: maybe(
      v.looseObject({
        kind: v.picklist(['transcription', 'synthesis']),
        model: text,
        audio_ms: count,
        characters: count,
      }),
    ),
  }),
  retrieval: v.looseObject({
    citations: maybe(v.array(json)),
    query: maybe(text),
    /** Documents shown to the model, with their tokens and why they were chosen, and documents left out. */
    context_pack: maybe(
      v.looseObject({
        tokens: count,
        documents: v.array(v.looseObject({ id: text, tokens: count, why: text })),
        left_out: maybe(v.array(v.looseObject({ id: text, why: text }))),
      }),
    ),
  }),
  antahkarana: v.looseObject({ trace_id: maybe(text), confidence: maybe(v.number()), layers: maybe(json) }),
  // Bridle always names the call; the contract's examples do not.
  approval_required: v.looseObject({
    request_id: text,
    tool_call_id: maybe(text, ''),
    tool_name: text,
    reason: text,
    arguments: maybe(arguments_),
    kind: maybe(v.picklist(APPROVAL_KINDS)),
    requested_digest: maybe(text),
    expires_at: nullable(iso),
    /** Asked by a durable run: it outlives the attempt, and the runner receives the answer. */
    durable: maybe(v.boolean()),
    /** The server makes this call for an engine, so the run receives the answer to any kind of approval. */
    served: maybe(v.literal(true)),
    effect: maybe(v.picklist(TOOL_EFFECTS)),
    /** According to the agent's policy. */
    risk: maybe(v.picklist(APPROVAL_RISKS)),
    audience: maybe(text),
    /** The rule that asks. Approval covers all calls that it matches for the rest of the session. */
    grants: maybe(text),
    /** The arguments cannot be edited. */
    fixed: maybe(v.boolean()),
    /** Questions have one of the two. */
    questions: maybe(questions),
    schema: maybe(object),
    /** Applied when the question expires, with the digest of the call including it. */
    default: maybe(object),
    default_digest: maybe(text),
    child: maybe(childApproval),
  }),
  approval_applied: v.looseObject({
    request_id: text,
    tool_call_id: maybe(text, ''),
    tool_name: text,
    /** Absent for tools, budgets and unknown outcomes. */
    kind: maybe(v.literal('question')),
    decision: maybe(decision),
    reason: nullable(text),
    actor: nullable(text),
    actor_claimed: maybe(v.literal(true)),
    approved_digest: nullable(text),
    arguments: maybe(arguments_),
    ...answering,
    child: maybe(childApproval),
  }),
  turn_end: v.looseObject({
    turn_id: text,
    status: v.picklist(['completed', 'failed', 'cancelled']),
    stop_reason: maybe(text),
    queued: maybe(count),
  }),
  completed: v.looseObject({ turn_id: maybe(text), result: maybe(json) }),
  error: v.looseObject({ turn_id: maybe(text), message: text, reason: maybe(text), transient: maybe(v.boolean()) }),

  custom_event: v.looseObject({ name: text, data: object }),
  directive: v.looseObject({
    action_type: text,
    payload: maybe(object),
    priority: maybe(v.picklist(['low', 'normal', 'high', 'critical'])),
    execution: maybe(v.picklist(['sequential', 'parallel'])),
    risk_tier: maybe(v.picklist(['safe', 'caution', 'dangerous'])),
    requires_user_approval: maybe(v.boolean()),
    deadline_ms: maybe(count),
    extensions: maybe(object),
  }),
  execution_feedback: v.looseObject({ entries: v.array(object), ...acting }),
  instructions_loaded: v.looseObject(instructionsLoaded),

  session_created: v.looseObject({
    kind: v.picklist(['chat', 'background']),
    agent: text,
    /** The user whose credential created the session, as `user:<name>`. */
    owner: maybe(text),
    title: maybe(text),
    max_retries: maybe(count),
    expires_at: nullable(count),
    policy: maybe(policySchema),
    /** Fields of `session_state` that are settings, such as `model` and `permission_mode`. */
    settings: maybe(object),
    parent_session_id: nullable(text),
    /** Whether the parent is notified. Absent in older logs. */
    tells_parent: maybe(v.boolean()),
    /** For a task of a parent's run: the parent's agent, and the nesting depth. */
    delegation: maybe(v.object({ agent: text, depth: count })),
  }),
  parent_told: v.looseObject({ seq: count }),
  prompt_queued: v.looseObject({
    run_id: text,
    message_id: text,
    text,
    input: maybe(json),
    head: maybe(v.boolean()),
    /** Runs ahead of this one, including the one in progress. */
    ahead: maybe(count),
    ...acting,
    /** In a branch: the parent's run whose turn this one continues. */
    continues_run: maybe(text),
    spoken: maybe(v.boolean()),
  }),
  prompt_dropped: v.looseObject({
    run_id: text,
    message_id: text,
    reason: text,
    ...acting,
    /** The full text, if it was truncated while queued. */
    text: maybe(text),
  }),
  steered: v.looseObject({ run_id: text, message_id: text, text, input: maybe(json), ...acting }),
  steer_delivered: v.looseObject({ message_id: text }),
  rewound: v.looseObject({ keep: count, message_id: text, run_ids: v.array(text) }),
  run_requested: v.looseObject({
    run_id: text,
    attempt: count,
    resume: nullable(text),
    /** The attempt that this one continues. Absent: from the beginning. */
    continues: maybe(count),
    /** Characters of the answer written by the continued attempts. */
    kept_chars: maybe(count),
  }),
  run_started: v.looseObject({
    run_id: text,
    attempt: count,
    handle: maybe(json),
    steer: maybe(v.boolean()),
    provider: maybe(text),
    model: maybe(text),
    /** If stopped, the runner reports a handle for the next attempt. */
    resumable: maybe(v.boolean()),
    /** Any owner can continue the run from the log in the middle of a turn. */
    durable: maybe(v.boolean()),
  }),
  /** `reason` null: the wait is over. */
  sandbox_awaited: v.looseObject({ run_id: text, attempt: count, reason: v.nullable(text) }),
  run_parked: v.looseObject({
    run_id: text,
    attempt: count,
    reason: v.picklist(PARK_REASONS),
    stop: v.boolean(),
    /** How the run ends once its runner has stopped. Absent: it may continue. */
    failure: maybe(v.object({ message: text, reason: text })),
  }),
  run_stopped: v.looseObject({ run_id: text, attempt: count, how: v.picklist(['confirmed', 'deadline']) }),
  cancel_requested: v.looseObject({
    run_id: text,
    reason: maybe(text),
    ...acting,
    /** Number of queued prompts dropped by the cancel. */
    queued: maybe(count),
  }),
  /** `code`: after a crash loop, the next attempt stays a suspect. */
  retry_scheduled: v.looseObject({
    run_id: text,
    attempt: count,
    due: count,
    reason: text,
    code: maybe(v.literal('crash_loop')),
  }),
  output_superseded: v.looseObject({
    run_id: text,
    attempt: count,
    /** The lengths that remain of text, parts and thoughts. Absent: nothing. */
    keep: maybe(v.object({ chars: count, parts: count, thinking_chars: maybe(count) })),
    /** The part of a spoken answer that was heard before the listener interrupted it. */
    interrupted: maybe(v.object({ text, audio_ms: maybe(count) })),
  }),
  /** `alone`: set on trial; false while earlier suspects are active. `others`: other runs open when the previous process ended. */
  run_resumed: v.looseObject({
    run_id: text,
    attempt: count,
    times: count,
    alone: maybe(v.boolean()),
    others: maybe(count),
  }),
  run_excused: v.looseObject({ run_id: text, attempt: count, reason: v.picklist(EXCUSE_REASONS) }),
  /** `until` null: only news ends the wait. */
  run_waiting: v.looseObject({ run_id: text, attempt: count, until: v.nullable(count) }),
  run_woken: v.looseObject({ run_id: text, attempt: count, reason: v.picklist(['news', 'time']) }),
  /** `over`: playback has ended; the written answer stays. */
  answer_heard: v.looseObject({ run_id: text, chars: count, audio_ms: count, over: maybe(v.boolean()) }),
  signal_received: v.looseObject({ name: text, payload: json, ...acting }),
  memory_decided: v.looseObject({
    proposal_id: text,
    decision: v.picklist(['accepted', 'rejected']),
    key: text,
    run_id: maybe(text),
    reason: maybe(text),
    ...acting,
  }),
  model_step: v.looseObject({
    /** From 1 in each turn. */
    step: count,
    model: text,
    /** Absent if another model answered a spoken turn. `model_index`: its index in the agent's list. */
    provider: maybe(text),
    model_index: maybe(count),
    /** Text, thoughts and calls in order, with unmodified provider metadata. */
    content: v.array(object),
    /** stop, tool-calls, length, content-filter, error or other. */
    finish: text,
    context_tokens: maybe(count),
    /** Filled in by the kernel: the length of the run's answer, and of its list of parts, after the step. */
    chars: maybe(count),
    parts: maybe(count),
  }),
  /** `chars` and `parts`: as in `model_step`. */
  context_added: v.looseObject({ text, source: text, chars: maybe(count), parts: maybe(count) }),
  /** Exactly one of `result` and `error`. A step without a result has `result: null`. */
  step_done: v.looseObject({ name: text, result: maybe(json), error: maybe(text) }),
  memory_set: v.looseObject({
    key: text,
    value: json,
    expires_at: v.nullable(count),
    /** Only if a person accepted a proposal: its id, the proposing run, and the person. */
    proposal_id: maybe(text),
    run_id: maybe(text),
    ...acting,
  }),
  resume_handle: v.looseObject({ run_id: text, handle: text }),
  approval_decided: v.looseObject({
    request_id: text,
    decision,
    reason: maybe(text),
    ...acting,
    arguments: maybe(arguments_),
    ...answering,
    approved_digest: maybe(text),
    superseded_by: maybe(text),
    /** The session itself refused the request without asking a person. */
    refused: maybe(v.literal(true)),
    /** Pause once the call has its outcome, before the next step. */
    pause: maybe(v.boolean()),
    child: maybe(childApproval),
  }),
  approval_delivered: v.looseObject({ request_id: text }),
  session_paused: v.looseObject({
    reason: maybe(text),
    ...acting,
    /** Absent: paused by policy. */
    operator: maybe(v.boolean()),
  }),
  session_resumed: v.looseObject({ reason: maybe(text), ...acting }),
  session_archived: v.looseObject({ reason: maybe(text), ...acting }),
  session_unarchived: v.looseObject({ reason: maybe(text), ...acting }),
  session_renamed: v.looseObject({ title: text, ...acting }),
  policy_set: v.looseObject({ policy: policySchema, reason: maybe(text), ...acting }),
  failure_dismissed: v.looseObject({ ...acting }),
  budget_crossed: v.looseObject({ budget: v.picklist(BUDGETS), limit: amount, value: v.number() }),
  budget_raised: v.looseObject({
    budgets: v.array(v.picklist(BUDGETS)),
    limits: maybe(v.record(text, amount)),
    /** Older logs: number of limits granted per budget. Absent: 1. */
    steps: maybe(v.record(text, count)),
  }),
  health_changed: v.looseObject({
    score: v.number(),
    flags: v.array(text),
    reasons: v.array(text),
    hint: nullable(text),
  }),
  branched: v.looseObject({
    parent,
    kind: v.picklist(['chat', 'background']),
    /** The user who branched a session without an owner. */
    owner: maybe(text),
    title: maybe(text),
    settings: maybe(object),
    /** Branched from imported events, whose permissions do not apply. */
    imported: maybe(v.literal(true)),
    source_event_id: text,
    resume_cursor: text,
    reason: maybe(text),
    ...acting,
  }),
  artifact_chunk: v.looseObject({
    artifact_id: text,
    index: count,
    text,
    /** Absent: plain text. */
    encoding: maybe(v.literal('base64')),
  }),
  session_imported: v.looseObject({
    source: v.object({ agent: text, id: text }),
    digest: text,
    /** The importing user, who becomes the owner. */
    owner: maybe(text),
    ...acting,
    /** The file has only the part of the log that its branches need. */
    partial: maybe(v.literal(true)),
    /** Imported settings that apply here. Absent in older logs. */
    settings: maybe(object),
  }),
  artifact_published: v.looseObject({
    artifact_id: text,
    name: text,
    kind: maybe(text),
    content_type: text,
    size: count,
    chunks: count,
    tool_call_id: maybe(text),
    reason: maybe(text),
    /** Absent: plain text. Each chunk is encoded on its own. */
    encoding: maybe(v.literal('base64')),
    message_id: maybe(text),
    /** Speech. `cut`: the recording exceeded the artifact limit. */
    audio: maybe(v.object({ role: v.picklist(['user', 'assistant']), ms: count, cut: maybe(v.literal(true)) })),
  }),
} satisfies Record<EventType, v.GenericSchema>

/** Payloads by event type. */
export type Payloads = { [T in EventType]: v.InferOutput<(typeof schemas)[T]> }
/** The status of a session. */
export type SessionStatus = (typeof SESSION_STATUSES)[number]
export type ApprovalRisk = (typeof APPROVAL_RISKS)[number]
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number]
export type ToolStatus = (typeof TOOL_STATUSES)[number]
export type ToolOutcome = v.InferOutput<v.ObjectSchema<typeof outcomeEntries, undefined>>
export type OutcomeFacts = v.InferOutput<v.ObjectSchema<typeof outcomeFacts, undefined>>
/** The name of a budget. */
export type BudgetName = keyof typeof budgetLimits
export type Policy = v.InferOutput<typeof policySchema>

/** Validates at the edge. A problem fits on one line. */
export const parsePayload = <T extends EventType>(
  type: T,
  payload: unknown,
): { payload: Payloads[T] } | { problem: string } => {
  const result = v.safeParse(schemas[type] as unknown as v.GenericSchema<unknown, Payloads[T]>, payload)
  return result.success ? { payload: result.output } : { problem: `${type}: ${describeIssues(result.issues)}` }
}

export const parsePolicy = (policy: unknown): { policy: Policy } | { problem: string } => {
  const result = v.safeParse(policySchema, policy)
  return result.success ? { policy: result.output } : { problem: `policy: ${describeIssues(result.issues)}` }
}

export const describeIssues = (issues: readonly v.BaseIssue<unknown>[]): string =>
  issues.map((issue) => `${v.getDotPath(issue) ?? 'value'}: ${issue.message}`).join('; ')

/** Measurements in a value such as a tool result. Fields of another type are ignored. */
export const outcomeFactsIn = (value: unknown): OutcomeFacts =>
  isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(outcomeFacts).flatMap(([name, schema]) =>
          Object.hasOwn(value, name) && v.is(schema, value[name]) ? [[name, value[name]]] : [],
        ),
      )
    : {}
