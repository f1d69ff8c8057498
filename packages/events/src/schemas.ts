// The payload of each event type. Loose on purpose: a newer field survives an older reader. Only this file of the kernel
// imports the schema library; clients take its types alone.
import * as v from 'valibot'
import { isAnswers, type QuestionAnswers } from './answers.ts'
import { APPROVAL_KINDS } from './approval-kinds.ts'
import type { EventType } from './catalogue.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { isQuestionList, type Question } from './questions.ts'

/** Cost and tokens in one report: sums of them stay finite, and whole numbers stay exact. */
const COST_USD_MAX = 1e9
const TOKENS_MAX = 1e12

const text = v.string()
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
/** Finite: JSON has no infinity, and a replay would read it as null. */
const amount = v.pipe(v.number(), v.finite(), v.minValue(0))
const tokens = v.pipe(count, v.maxValue(TOKENS_MAX))
const json = v.custom<Json>((value) => value !== undefined, 'Expected JSON')
const object = v.custom<JsonObject>(isJsonObject, 'Expected an object')
const maybe = v.optional
/** ISO 8601 on the contract's wire; facts use milliseconds. */
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

/** Measurements that some tools and engines know. A row here is a field of the log, of the runner protocol, and of every wire. */
export const outcomeFacts = {
  /** The exit code of the command that the call ran. */
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
/** A crash leaves the outcome of a call unknown: a pure or idempotent call is repeated, an unsafe one needs an approval. */
export const TOOL_EFFECTS = ['pure', 'idempotent', 'unsafe'] as const
/** Whether a call may be repeated after a crash in the middle of it. */
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
/** How much is at stake in a call that a person is asked about. */
export const APPROVAL_RISKS = ['low', 'medium', 'high'] as const
/** Why later crashes do not count against a run: another run started beside it, or the process stops on purpose. */
export const EXCUSE_REASONS = ['company', 'stopping'] as const
export const PARK_REASONS = ['paused', 'budget', 'restart', 'unknown_outcome', 'unapproved_call'] as const
/** The budgets, each with the limits that an operator may set: `positive` is any amount above 0, `whole` a whole number. */
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

/** A runner or an agent claims this, and the server cannot check it: no fold reads it. */
const hearsay = maybe(v.boolean())
/** The person who acts. `actor_claimed`: the caller supplied the name, since its credential has no user. */
const acting = { actor: maybe(text), actor_claimed: maybe(v.literal(true)) }
const arguments_ = object
const questions = v.custom<readonly Question[]>(isQuestionList, 'Expected questions')
/** The answer to questions, or the values of a form. */
const answering = { answers: maybe(v.custom<QuestionAnswers>(isAnswers, 'Expected answers')), values: maybe(object) }
const decision = v.picklist(APPROVAL_DECISIONS)
/** The session below this one that asks: its id, agent and approval. `via`: the child of this session that named it. `cut`: that session has more. */
const childApproval = v.looseObject({
  id: text,
  agent: text,
  approval_id: text,
  via: text,
  cut: maybe(v.literal(true)),
})
const parent = v.object({ agent: text, id: text, seq: count })

export const healthPolicySchema = v.looseObject({
  ...(Object.fromEntries(BUDGETS.map((name) => [name, maybe(amount)])) as Record<
    BudgetName,
    v.OptionalSchema<typeof amount, undefined>
  >),
  action: maybe(v.picklist(['request_approval', 'pause'])),
})
export const policySchema = v.looseObject({ health: maybe(healthPolicySchema) })

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
    /** In a `resume_seed`: the beginning of the last prompt and of the last answer. */
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
    /** A rule of a model agent decided this call. */
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
    /** The models behind the two providers, as `provider/model-id`. */
    model_requested: nullable(text),
    model_actual: nullable(text),
    /** The place in the agent's list of the model that is asked next, from 0. */
    model_index: maybe(count),
  }),
  subagent_event: v.looseObject({
    agent_id: text,
    status: text,
    parent_session_id: maybe(text),
    /** For a child session: its id and agent, and the number of the child's event that caused the status. */
    session_id: maybe(text),
    agent: maybe(text),
    child_seq: maybe(count),
    /** For a task of a run: its call, and with `started` the budgets of the child. */
    tool_call_id: maybe(text),
    policy: maybe(policySchema),
    /** With `progress`: the steps of the child so far. */
    steps: maybe(count),
    /** With the end of a task: the sums that the child has used, which count as its parent's own. */
    usage: maybe(v.object({ total_tokens: count, cost_usd: amount, runtime_ms: count })),
    /** The child started after its parent had given it up: it is cancelled. */
    abandoned: maybe(v.boolean()),
  }),
  turn_start: v.looseObject({ turn_id: text, prompt: text, message_id: maybe(text) }),
  /** `of`: how many tools there are, of which these are offered. `found`: those that a search in this turn has added. */
  turn_start_tools: v.looseObject({
    turn_id: maybe(text),
    tools: v.array(text),
    of: maybe(count),
    found: maybe(v.array(text)),
    /** The names that were chosen by relevance from more than a model is offered, the best first. */
    chosen: maybe(v.array(text)),
  }),
  token: v.looseObject({ text }),
  response: v.looseObject({
    text,
    /** The turn continues: a stream broke off and starts over, and this text replaces the text streamed so far, of which it is the beginning. */
    so_far: maybe(v.boolean()),
    /** With `so_far`: the characters of the thoughts, which stay. */
    thinking_chars: maybe(count),
  }),
  thinking: v.looseObject({ text }),
  reflection: v.looseObject({ text }),
  tool_call: v.looseObject({
    name: text,
    arguments: arguments_,
    tool_call_id: text,
    effect: maybe(v.picklist(TOOL_EFFECTS)),
    /** The directive that the call becomes where it goes well; absent: the server runs the tool. */
    action_type: maybe(text),
    /** The subagent that makes the call, as in `subagent_event`; absent: the agent of the session. */
    agent_id: maybe(text),
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
    /** The call that a warning of kind `loop` is about. */
    tool_call_id: maybe(text),
  }),
  context_compacted: v.looseObject({
    // Absent where the engine reports no number: readers would trust an invented one.
    original_count: maybe(count),
    compacted_count: maybe(count),
    tokens_saved: maybe(count),
    summary: maybe(text),
    preserved_messages: maybe(count),
    /** Model agents: the first event that the model still sees in full, and the first whose tool results it still sees. */
    kept_from: maybe(count),
    cleared_before: maybe(count),
    /** Model agents: the first event that a reader of the conversation needs, which may be older than `kept_from`. */
    read_from: maybe(count),
    /** Model agents: the artifacts and resources of the replaced part, which stand behind the summary. */
    artifacts: maybe(v.array(text)),
    resources: maybe(v.array(text)),
    resume_cursor: nullable(text),
  }),
  step_progress: v.looseObject({
    step_id: maybe(text),
    status: maybe(text),
    summary: maybe(text),
    /** The name of the step for people; absent: the summary names it. */
    title: maybe(text),
    /** The place of the step in the work, from 1, and the number of steps, where the agent knows them. */
    index: maybe(count),
    total: maybe(count),
    plan: maybe(json),
  }),
  usage: v.looseObject({
    input_tokens: maybe(tokens),
    output_tokens: maybe(tokens),
    total_tokens: maybe(tokens),
    /** A negative cost takes back a part of the turn's estimates. */
    cost_usd: maybe(v.pipe(v.number(), v.finite(), v.maxValue(COST_USD_MAX))),
    /** The cost comes from a price table; the turn's last usage corrects it where the engine reports the real cost. */
    estimated: maybe(v.boolean()),
    context_usage_pct: maybe(amount),
    /** The parts of `input_tokens` that the provider read from its cache, and put there. */
    cache_read_tokens: maybe(tokens),
    cache_write_tokens: maybe(tokens),
    /** The model that used the tokens. */
    model: maybe(text),
    /** Services that heard a turn of a speaker, or spoke an answer. */
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
    /** The documents that were put before the model, each with its tokens and with the reason why, and those that were not. */
    context_pack: maybe(
      v.looseObject({
        tokens: count,
        documents: v.array(v.looseObject({ id: text, tokens: count, why: text })),
        left_out: maybe(v.array(v.looseObject({ id: text, why: text }))),
      }),
    ),
  }),
  antahkarana: v.looseObject({ trace_id: maybe(text), confidence: maybe(v.number()), layers: maybe(json) }),
  // Bridle always names the call; the contract's own examples do not.
  approval_required: v.looseObject({
    request_id: text,
    tool_call_id: maybe(text, ''),
    tool_name: text,
    reason: text,
    arguments: maybe(arguments_),
    kind: maybe(v.picklist(APPROVAL_KINDS)),
    requested_digest: maybe(text),
    expires_at: nullable(iso),
    /** The question is of a durable run: it outlives its attempt, and its answer goes to the runner. */
    durable: maybe(v.boolean()),
    /** The declared effect of the call; absent: none is declared. */
    effect: maybe(v.picklist(TOOL_EFFECTS)),
    /** How much is at stake, and the people who are asked, as the agent's policy says. */
    risk: maybe(v.picklist(APPROVAL_RISKS)),
    audience: maybe(text),
    /** The rule that asks: an approval holds for the rest of the session, for all calls that the rule matches. */
    grants: maybe(text),
    /** The runner makes the call with these arguments or not at all. */
    fixed: maybe(v.boolean()),
    /** A question has questions, or the schema of a form. */
    questions: maybe(questions),
    schema: maybe(object),
    /** The answers or values that apply when a question expires, and the digest of the call with them. */
    default: maybe(object),
    default_digest: maybe(text),
    child: maybe(childApproval),
  }),
  approval_applied: v.looseObject({
    request_id: text,
    tool_call_id: maybe(text, ''),
    tool_name: text,
    /** Absent: the approval of a tool, a budget or an unknown outcome. */
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

  session_created: v.looseObject({
    kind: v.picklist(['chat', 'background']),
    agent: text,
    /** The user whose credential created the session, as `user:<name>`. */
    owner: maybe(text),
    title: maybe(text),
    max_retries: maybe(count),
    expires_at: nullable(count),
    policy: maybe(policySchema),
    /** The common fields of session_state that are settings: model, permission_mode, sandbox_mode ... */
    settings: maybe(object),
    parent_session_id: nullable(text),
    /** The session notifies its parent of its status; absent in older logs. */
    tells_parent: maybe(v.boolean()),
    /** The session does a task for a run of its parent, which has this agent. */
    delegation: maybe(v.object({ agent: text, depth: count })),
  }),
  parent_told: v.looseObject({ seq: count }),
  prompt_queued: v.looseObject({
    run_id: text,
    message_id: text,
    text,
    input: maybe(json),
    head: maybe(v.boolean()),
    /** The runs that come first: the one in progress, and those in the queue; absent: none. */
    ahead: maybe(count),
    ...acting,
    /** In a branch: the run continues the turn of this run, which the branch left in the middle. */
    continues_run: maybe(text),
    /** A person said it. */
    spoken: maybe(v.boolean()),
  }),
  prompt_dropped: v.looseObject({
    run_id: text,
    message_id: text,
    reason: text,
    ...acting,
    /** The whole text of a prompt that was shown in part while it was queued. */
    text: maybe(text),
  }),
  steered: v.looseObject({ run_id: text, message_id: text, text, input: maybe(json), ...acting }),
  steer_delivered: v.looseObject({ message_id: text }),
  rewound: v.looseObject({ keep: count, message_id: text, run_ids: v.array(text) }),
  run_requested: v.looseObject({
    run_id: text,
    attempt: count,
    resume: nullable(text),
    /** The attempt that this one continues; absent = it starts from the beginning. */
    continues: maybe(count),
    /** Characters of the answer that the continued attempts wrote. */
    kept_chars: maybe(count),
  }),
  run_started: v.looseObject({
    run_id: text,
    attempt: count,
    handle: maybe(json),
    steer: maybe(v.boolean()),
    provider: maybe(text),
    model: maybe(text),
    /** When stopped, the runner reports a handle from which the next attempt continues. */
    resumable: maybe(v.boolean()),
    /** Any owner continues the run from the log, in the middle of its turn. */
    durable: maybe(v.boolean()),
  }),
  /** `reason` null: the wait is over. */
  sandbox_awaited: v.looseObject({ run_id: text, attempt: count, reason: v.nullable(text) }),
  run_parked: v.looseObject({
    run_id: text,
    attempt: count,
    reason: v.picklist(PARK_REASONS),
    stop: v.boolean(),
    /** The failure with which the run ends when its runner has stopped; absent = the run may continue. */
    failure: maybe(v.object({ message: text, reason: text })),
  }),
  run_stopped: v.looseObject({ run_id: text, attempt: count, how: v.picklist(['confirmed', 'deadline']) }),
  cancel_requested: v.looseObject({
    run_id: text,
    reason: maybe(text),
    ...acting,
    /** Queued prompts that the cancel dropped. */
    queued: maybe(count),
  }),
  /** `code`: after a crash loop the next attempt stays a suspect. */
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
    /** The length of the text, of the list of parts and of the thoughts that stay; absent: nothing stays. */
    keep: maybe(v.object({ chars: count, parts: count, thinking_chars: maybe(count) })),
    /** A listener interrupted the spoken answer: the part that was heard. */
    interrupted: maybe(v.object({ text, audio_ms: maybe(count) })),
  }),
  /**
   * `alone`: the run is on trial; false if earlier suspects are still at work. `others`: other runs that were open when the process
   * before ended.
   */
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
  /** `over`: the listener hears no more of it, and the answer stays as it is written. */
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
    /** The number of the step in its turn, from 1. */
    step: count,
    model: text,
    /** The provider of the model and its place in the agent's list, from 0; absent where another model answered a spoken turn. */
    provider: maybe(text),
    model_index: maybe(count),
    /** Text, thoughts and calls in their order, with the provider's metadata as it came. */
    content: v.array(object),
    /** Why the model stopped: stop, tool-calls, length, content-filter, error, other. */
    finish: text,
    /** Tokens of the request and of the answer together. */
    context_tokens: maybe(count),
    /** The length of the run's answer and of its list of parts after the step; the kernel fills these in. */
    chars: maybe(count),
    parts: maybe(count),
  }),
  /** `chars` and `parts`: the place in the answer, as in `model_step`. */
  context_added: v.looseObject({ text, source: text, chars: maybe(count), parts: maybe(count) }),
  /** Exactly one of `result` and `error`; a step without a result has the result null. */
  step_done: v.looseObject({ name: text, result: maybe(json), error: maybe(text) }),
  memory_set: v.looseObject({
    key: text,
    value: json,
    expires_at: v.nullable(count),
    /** Only of a value that a person accepted: the proposal, the run that made it, and who accepted it. */
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
    /** The session refused the request itself: no person was asked. */
    refused: maybe(v.literal(true)),
    /** The session pauses when the call has its outcome, before the next step. */
    pause: maybe(v.boolean()),
    child: maybe(childApproval),
  }),
  approval_delivered: v.looseObject({ request_id: text }),
  session_paused: v.looseObject({
    reason: maybe(text),
    ...acting,
    /** An operator paused the session; absent = the runtime paused it because of its policy. */
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
    /** The new limit of each budget. */
    limits: maybe(v.record(text, amount)),
    /** Older logs: each budget grows by this many times its limit; absent = once. */
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
    /** Replaces the parent's settings. */
    settings: maybe(object),
    /** The branch leaves among events that came from a file: no permission in them holds. */
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
    /** The text is bytes as base64; absent = it is what it says. */
    encoding: maybe(v.literal('base64')),
  }),
  session_imported: v.looseObject({
    /** The session as the file names it. */
    source: v.object({ agent: text, id: text }),
    /** SHA-256 of the file. */
    digest: text,
    /** The user who imported it, to whom the session belongs from here on. */
    owner: maybe(text),
    ...acting,
    /** The file had only the beginning of the log, for the branches in it. */
    partial: maybe(v.literal(true)),
    /** The settings of the file that hold here; absent in older logs. */
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
    /** The chunks are bytes as base64, each whole in itself; absent = they are text. */
    encoding: maybe(v.literal('base64')),
    /** The message that the artifact belongs to. */
    message_id: maybe(text),
    /** Speech: who spoke, and how long. `cut`: it was longer than an artifact may be. */
    audio: maybe(v.object({ role: v.picklist(['user', 'assistant']), ms: count, cut: maybe(v.literal(true)) })),
  }),
} satisfies Record<EventType, v.GenericSchema>

/** The payload of each event type, by its name. */
export type Payloads = { [T in EventType]: v.InferOutput<(typeof schemas)[T]> }
/** The status of a session. */
export type SessionStatus = (typeof SESSION_STATUSES)[number]
export type ApprovalRisk = (typeof APPROVAL_RISKS)[number]
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number]
export type ToolStatus = (typeof TOOL_STATUSES)[number]
/** How a tool call ended: its status, its time, and what else is known. */
export type ToolOutcome = v.InferOutput<v.ObjectSchema<typeof outcomeEntries, undefined>>
export type OutcomeFacts = v.InferOutput<v.ObjectSchema<typeof outcomeFacts, undefined>>
/** The name of a budget. */
export type BudgetName = keyof typeof budgetLimits
export type Policy = v.InferOutput<typeof policySchema>

/** Checks a payload at the edge. Returns the payload, or what is wrong with it in one line. */
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

/** The measurements among the fields of a value, such as the result of a tool. Fields of another type are not measurements. */
export const outcomeFactsIn = (value: unknown): OutcomeFacts =>
  isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(outcomeFacts).flatMap(([name, schema]) =>
          Object.hasOwn(value, name) && v.is(schema, value[name]) ? [[name, value[name]]] : [],
        ),
      )
    : {}
