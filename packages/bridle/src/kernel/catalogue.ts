// One row per event type. Plain data: clients import it, so the schema library stays out (payloads: schemas.ts).
// Types, guards, the tier filter, the persisted set and docs/protocol/events.md all follow from these rows.

export type Tier = 'default' | 'debug'
/** seed: the frontend contract's inventory. bridle: ours, worth showing. internal: facts that folds read, shown to nobody. */
export type Wire = 'seed' | 'bridle' | 'internal'
/**
 * kernel: decided here; when a runner reports one it is kept and shown, but folds ignore it, so no agent can forge
 * its own lifecycle. server: what the server knows of policy and isolation; an agent may claim it too, and its claim is
 * kept as the kernel's are, marked in the payload. runner: folded whoever said it. wire: made by a surface, never in the log.
 */
export type Source = 'kernel' | 'server' | 'runner' | 'wire'

export interface CatalogueRow {
  readonly tier: Tier
  readonly persisted: boolean
  readonly source: Source
  readonly wire: Wire
  readonly role: string
}

const seed = (source: Source, tier: Tier, role: string, persisted = true) =>
  ({ tier, persisted, source, wire: 'seed', role }) as const satisfies CatalogueRow
const ours = (role: string, tier: Tier = 'default') =>
  ({ tier, persisted: true, source: 'kernel', wire: 'bridle', role }) as const satisfies CatalogueRow
const fact = (role: string) =>
  ({ tier: 'debug', persisted: true, source: 'kernel', wire: 'internal', role }) as const satisfies CatalogueRow

export const catalogue = {
  session: seed('wire', 'default', 'assign session id', false),
  session_state: seed('kernel', 'default', 'runtime/status card'),
  session_checkpoint: seed('runner', 'default', 'checkpoint panel'),
  policy_decision: seed('server', 'debug', 'governance timeline and diagnostics'),
  hook_event: seed('runner', 'debug', 'hook lifecycle trace'),
  sandbox_notice: seed('server', 'debug', 'execution-isolation notice'),
  transport_diagnostic: seed('runner', 'debug', 'provider fallback / degraded-runtime diagnostics'),
  subagent_event: seed('runner', 'debug', 'delegated-work lifecycle'),
  turn_start: seed('kernel', 'debug', 'turn framing'),
  turn_start_tools: seed('runner', 'debug', 'turn framing'),
  token: seed('runner', 'default', 'assistant text'),
  response: seed('runner', 'default', 'assistant text'),
  thinking: seed('runner', 'default', 'reasoning surface'),
  reflection: seed('runner', 'default', 'reasoning surface'),
  tool_call: seed('runner', 'default', 'live tool row start'),
  tool_result: seed('runner', 'default', 'rendered tool result'),
  tool_outcome: seed('runner', 'default', 'terminal tool status'),
  tool_batch: seed('runner', 'debug', 'wave diagnostics'),
  tool_selected: seed('runner', 'debug', 'selection diagnostics'),
  tool_validation_error: seed('runner', 'debug', 'diagnostics'),
  context_warning: seed('runner', 'default', 'warning banner/timeline'),
  context_compacted: seed('runner', 'default', 'compaction marker'),
  step_progress: seed('runner', 'default', 'background step timeline'),
  usage: seed('runner', 'debug', 'token metrics'),
  retrieval: seed('runner', 'default', 'citations/context panel'),
  antahkarana: seed('runner', 'default', 'cognition/guardrail panel'),
  approval_required: seed('kernel', 'default', 'approval UX'),
  approval_applied: seed('kernel', 'default', 'approval UX'),
  turn_end: seed('kernel', 'default', 'turn final state'),
  completed: seed('kernel', 'default', 'turn final state'),
  error: seed('kernel', 'default', 'turn final state'),

  session_paused: ours('nothing runs until it is resumed; by whom and why'),
  session_resumed: ours('it may run again; by whom and why'),
  cancel_requested: ours('the run is to end, by whom and why; nothing is added to its message after this'),
  policy_set: ours('budgets and what crossing one does; by whom and why'),
  branched: ours('this session goes on from that event of its parent; by whom and why'),
  budget_crossed: ours('a budget was crossed; latched until it is raised'),
  budget_raised: ours('an operator granted more of what was crossed: the limits from then on; older logs have steps'),
  retry_scheduled: ours('a transient failure; the next attempt is due then'),
  artifact_published: ours('an artifact is whole', 'debug'),
  custom_event: {
    tier: 'default',
    persisted: true,
    source: 'runner',
    wire: 'bridle',
    role: "an agent's own event; on the stream its type is the agent's name for it",
  },

  session_created: fact('the first event: kind, agent and the settings it starts with'),
  parent_told: fact('the session that this one was started from knows how it stands'),
  prompt_queued: fact('a prompt was accepted and waits its turn'),
  prompt_dropped: fact('a queued prompt will not run'),
  steered: fact('a prompt for the run in progress'),
  steer_delivered: fact('the runner has the steering prompt'),
  rewound: fact('the conversation goes on from before this message'),
  run_requested: fact('a runner should run this attempt'),
  run_started: fact('a runner has it; how to find it again'),
  sandbox_awaited: fact('no sandbox is free for the run yet; or one is, and the wait is over'),
  run_parked: fact(
    'the attempt is stopped and the run kept: paused, over budget, its outcome unknown, or to end as failed',
  ),
  run_stopped: fact('the runner confirmed an abort, or the time for it ran out'),
  output_superseded: fact('a retry replaces what this attempt wrote'),
  resume_handle: fact('how the engine continues or forks from this turn'),
  approval_decided: fact('approved, denied, expired, superseded or cancelled, by whom, with which arguments'),
  approval_delivered: fact('the runner has the answer'),
  failure_dismissed: fact('somebody cancelled a chat whose last turn had failed: it rests again'),
  health_changed: fact('the health summary as of now'),
  artifact_chunk: fact('a piece of an artifact, at most 1 MB'),
} as const satisfies Record<string, CatalogueRow>

export type EventType = keyof typeof catalogue
export type ShownEventType = {
  [T in EventType]: (typeof catalogue)[T]['wire'] extends 'internal' ? never : T
}[EventType]

/** The inventory of the frontend contract. */
export type ContractEventType = {
  [T in EventType]: (typeof catalogue)[T]['wire'] extends 'seed' ? T : never
}[EventType]

/** Ours, worth showing. */
export type BridleEventType = Exclude<ShownEventType, ContractEventType>

export const EVENT_TYPES = Object.keys(catalogue) as readonly EventType[]

/** Everything a frontend may meet: `/stream-events` answers it, and clients' handled set equals it. */
export const STREAM_EVENT_TYPES: readonly ShownEventType[] = EVENT_TYPES.filter(
  (type): type is ShownEventType => catalogue[type].wire !== 'internal',
)

export const isKnown = (type: string): type is EventType => Object.hasOwn(catalogue, type)

/** Whether an audience of this tier sees the type. Unknown types are a newer writer's: debug. */
export const inTier = (type: string, tier: Tier): boolean =>
  isKnown(type)
    ? catalogue[type].wire !== 'internal' && (tier === 'debug' || catalogue[type].tier === 'default')
    : tier === 'debug'
