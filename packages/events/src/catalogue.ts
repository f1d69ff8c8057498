// Plain data without the schema library, because clients import it. Types, guards, filters and docs follow from these rows.

/** The detail of a stream: `default` events are on all streams, `debug` only on those that ask for it. */
export type Tier = 'default' | 'debug'
/** seed: in the frontend contract. bridle: our own, shown to clients. internal: read by folds only. */
export type EventWire = 'seed' | 'bridle' | 'internal'
/**
 * kernel: decided by rules; a runner's report of one is kept and shown, but ignored by folds, so that no agent can forge its
 * lifecycle. server: policy and isolation; an agent's claim is kept the same way and marked in the payload. runner: folded whether
 * the kernel or a runner wrote it. wire: created by a surface, never logged.
 */
export type EventOrigin = 'kernel' | 'server' | 'runner' | 'wire'

export interface CatalogueRow {
  readonly tier: Tier
  readonly persisted: boolean
  readonly source: EventOrigin
  readonly wire: EventWire
  readonly role: string
}

const contractRow = (source: EventOrigin, tier: Tier, role: string, persisted = true) =>
  ({ tier, persisted, source, wire: 'seed', role }) as const satisfies CatalogueRow
const bridleRow = (role: string, tier: Tier = 'default') =>
  ({ tier, persisted: true, source: 'kernel', wire: 'bridle', role }) as const satisfies CatalogueRow
const internalRow = (role: string) =>
  ({ tier: 'debug', persisted: true, source: 'kernel', wire: 'internal', role }) as const satisfies CatalogueRow
/** A durable run reports these about itself. No agent and no sandbox can emit them. */
const durableRow = (role: string) =>
  ({ tier: 'debug', persisted: true, source: 'runner', wire: 'internal', role }) as const satisfies CatalogueRow

export const catalogue = {
  session: contractRow('wire', 'default', 'assign session id', false),
  session_state: contractRow('kernel', 'default', 'runtime/status card'),
  session_checkpoint: contractRow('runner', 'default', 'checkpoint panel'),
  policy_decision: contractRow('server', 'debug', 'governance timeline and diagnostics'),
  hook_event: contractRow('runner', 'debug', 'hook lifecycle trace; function agents have no hooks'),
  sandbox_notice: contractRow('server', 'debug', 'execution-isolation notice'),
  transport_diagnostic: contractRow('runner', 'debug', 'provider fallback / degraded-runtime diagnostics'),
  subagent_event: contractRow('runner', 'debug', 'delegated-work lifecycle'),
  turn_start: contractRow('kernel', 'debug', 'turn framing'),
  turn_start_tools: contractRow('runner', 'debug', 'turn framing'),
  token: contractRow('runner', 'default', 'assistant text'),
  response: contractRow('runner', 'default', 'assistant text'),
  thinking: contractRow('runner', 'default', 'reasoning surface'),
  reflection: contractRow('runner', 'default', 'reasoning surface'),
  tool_call: contractRow('runner', 'default', 'live tool row start'),
  tool_result: contractRow('runner', 'default', 'rendered tool result'),
  tool_outcome: contractRow('runner', 'default', 'terminal tool status'),
  tool_batch: contractRow('runner', 'debug', 'wave diagnostics'),
  tool_selected: contractRow('runner', 'debug', 'selection diagnostics'),
  tool_validation_error: contractRow('runner', 'debug', 'diagnostics'),
  context_warning: contractRow('runner', 'default', 'warning banner/timeline'),
  context_compacted: contractRow('runner', 'default', 'compaction marker'),
  step_progress: contractRow('runner', 'default', 'background step timeline'),
  usage: contractRow('runner', 'debug', 'token metrics'),
  retrieval: contractRow('runner', 'default', 'citations/context panel'),
  antahkarana: contractRow('runner', 'default', 'cognition/guardrail panel'),
  approval_required: contractRow('kernel', 'default', 'approval UX'),
  approval_applied: contractRow('kernel', 'default', 'approval UX'),
  turn_end: contractRow('kernel', 'default', 'turn final state'),
  completed: contractRow('kernel', 'default', 'turn final state'),
  error: contractRow('kernel', 'default', 'turn final state'),

  session_paused: bridleRow('nothing runs until it is resumed; by whom and why'),
  session_resumed: bridleRow('it may run again; by whom and why'),
  session_archived: bridleRow('somebody put it away: lists leave it out; by whom and why'),
  session_unarchived: bridleRow('lists show it again: somebody asked for it, or sent a prompt; by whom and why'),
  session_renamed: bridleRow('somebody gave it a title; by whom'),
  cancel_requested: bridleRow('the run is to end, by whom and why; nothing is added to its message after this'),
  policy_set: bridleRow('budgets and what crossing one does; by whom and why'),
  signal_received: bridleRow('a signal for the run: its name and payload; by whom'),
  memory_decided: bridleRow(
    "a person accepted or rejected a value that the agent proposes for the session's memory; by whom and why",
  ),
  branched: bridleRow('this session goes on from that event of its parent; by whom and why'),
  session_imported: bridleRow(
    'the log up to here came from a file, and work that was open in it has ended; by whom, and from which session',
  ),
  budget_crossed: bridleRow('a budget was crossed; latched until it is raised'),
  budget_raised: bridleRow(
    'an operator granted more of what was crossed: the limits from then on; older logs have steps',
  ),
  retry_scheduled: bridleRow('a transient failure; the next attempt is due then'),
  output_superseded: bridleRow(
    "another text replaces the run's text: all of it, or with `keep` the text after so many characters",
  ),
  artifact_published: bridleRow('an artifact is whole', 'debug'),
  custom_event: {
    tier: 'default',
    persisted: true,
    source: 'runner',
    wire: 'bridle',
    role: "an agent's own event; on the stream its type is the agent's name for it",
  },
  directive: {
    tier: 'default',
    persisted: true,
    source: 'runner',
    wire: 'bridle',
    role: 'something for a shell to render or to execute',
  },
  execution_feedback: bridleRow(
    'what a shell says became of directives: the request, the place and the outcome of each',
  ),
  instructions_loaded: {
    tier: 'debug',
    persisted: true,
    source: 'runner',
    wire: 'bridle',
    role: 'the instructions, skills, sub-agents and commands of the repository that the engine was given, and what had no effect',
  },

  session_created: internalRow('the first event: kind, agent and the settings it starts with'),
  parent_told: internalRow('the session that this one was started from knows how it stands'),
  prompt_queued: internalRow('a prompt was accepted and waits its turn'),
  prompt_dropped: internalRow('a queued prompt will not run'),
  steered: internalRow('a prompt for the run in progress'),
  steer_delivered: internalRow('the runner has the steering prompt'),
  rewound: internalRow('the conversation goes on from before this message'),
  run_requested: internalRow('a runner should run this attempt'),
  run_started: internalRow('a runner has it; how to find it again'),
  sandbox_awaited: internalRow('no sandbox is free for the run yet; or one is, and the wait is over'),
  run_parked: internalRow(
    'the attempt is stopped and the run kept: paused, over budget, its outcome unknown, or to end as failed',
  ),
  run_stopped: internalRow('the runner confirmed an abort, or the time for it ran out'),
  resume_handle: internalRow('how the engine continues or forks from this turn'),
  approval_decided: internalRow('approved, denied, expired, superseded or cancelled, by whom, with which arguments'),
  approval_delivered: internalRow('the runner has the answer'),
  run_resumed: internalRow(
    'another owner continues a durable run; how many crashes count against it since it last made progress',
  ),
  run_excused: internalRow('crashes from here on do not count against the run'),
  run_waiting: internalRow('the run waits: nothing is wanted for it until something comes, or until then'),
  answer_heard: internalRow('how much of a spoken answer was heard so far, while it is played'),
  run_woken: internalRow('the wait of the run is over: news came, or its time'),
  model_step: durableRow('the answer of the model in a step of the run; the model is never asked for it again'),
  context_added: durableRow("a text that the agent's code put before the model"),
  step_done: durableRow('the result of a step of a durable function'),
  memory_set: durableRow('a value of the session memory; null removes it'),
  failure_dismissed: internalRow('somebody cancelled a chat whose last turn had failed: it rests again'),
  health_changed: internalRow('the health summary as of now'),
  artifact_chunk: internalRow('a piece of an artifact, at most 1 MB'),
} as const satisfies Record<string, CatalogueRow>

/** The name of an event type in a session's log. */
export type EventType = keyof typeof catalogue
export type VisibleEventType = {
  [T in EventType]: (typeof catalogue)[T]['wire'] extends 'internal' ? never : T
}[EventType]

/** The event types of the frontend contract. */
export type ContractEventType = {
  [T in EventType]: (typeof catalogue)[T]['wire'] extends 'seed' ? T : never
}[EventType]

export type BridleEventType = Exclude<VisibleEventType, ContractEventType>

export const EVENT_TYPES = Object.keys(catalogue) as readonly EventType[]

/** Every event type that a frontend may receive, as listed by `/stream-events`. */
export const STREAM_EVENT_TYPES: readonly VisibleEventType[] = EVENT_TYPES.filter(
  (type): type is VisibleEventType => catalogue[type].wire !== 'internal',
)

export const isEventType = (type: string): type is EventType => Object.hasOwn(catalogue, type)

/** Whether an audience of this tier sees the type. Unknown types come from a newer version and count as debug. */
export const inTier = (type: string, tier: Tier): boolean =>
  isEventType(type)
    ? catalogue[type].wire !== 'internal' && (tier === 'debug' || catalogue[type].tier === 'default')
    : tier === 'debug'
