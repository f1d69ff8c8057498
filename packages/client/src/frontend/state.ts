// The state of a frontend, as `reduceFrontend` folds it from the contract's envelopes.
import type { VisibleEventType } from '@bridle/events/catalogue'
import { positionText } from '@bridle/kernel/positions/log-position'
import type { StreamEnvelope, StreamEnvelopeOf } from '@bridle/wire/frontend/wire'

type PayloadOf<T extends VisibleEventType> = StreamEnvelopeOf<T>['payload']

/** The state of a screen over the frontend's stream, as `reduceFrontend` keeps it. */
export interface FrontendState {
  /** The id of the session; null until the greeting. */
  readonly sessionId: string | null
  /** The number of the last envelope; `frontendCursor` turns it into the cursor to resume with. */
  readonly seq: number
  /** The incarnation of the log that `seq` belongs to, from the greeting. */
  readonly incarnation: number
  /** The status of the session; null until the stream names it. */
  readonly status: PayloadOf<'session_state'>['status'] | null
  /** The last `session_state`. */
  readonly session: PayloadOf<'session_state'> | null
  /** In order; the running turn is the last. */
  readonly turns: readonly FrontendTurn[]
  /** Open ones, by request id. */
  readonly approvals: { readonly [requestId: string]: PayloadOf<'approval_required'> }
  /** The checkpoints, oldest first. */
  readonly checkpoints: readonly PayloadOf<'session_checkpoint'>[]
  /** The last event of each subagent, by its id. */
  readonly subagents: { readonly [agentId: string]: PayloadOf<'subagent_event'> }
  /** The progress steps, oldest first. */
  readonly steps: readonly PayloadOf<'step_progress'>[]
  /** The retrievals, oldest first. */
  readonly retrievals: readonly PayloadOf<'retrieval'>[]
  /** The last guardrail event; null where there was none. */
  readonly guardrail: PayloadOf<'antahkarana'> | null
  /** The use of the model's context, and how often it was compacted. */
  readonly context: { readonly usagePct: number | null; readonly compactions: number }
  /** The tokens and the cost so far. */
  readonly usage: { readonly tokens: number; readonly costUsd: number }
  /** The newest few hundred events that an operator needs, oldest first. */
  readonly timeline: readonly TimelineEntry[]
  /** The same for events that help to find a fault. */
  readonly diagnostics: readonly TimelineEntry[]
  /**
   * The newest few hundred events that stand between the calls, oldest first: checkpoints, questions and their answers, context,
   * retries, trouble with a provider, and what people and budgets did. They stay here when calls have filled the timeline.
   */
  readonly milestones: readonly TimelineEntry[]
}

/** A turn of the conversation: a prompt and its answer. */
export interface FrontendTurn {
  /** The turn's id. */
  readonly turnId: string
  /** The number of the try. */
  readonly attempt: number
  /** The prompt; null where the stream began after it. */
  readonly prompt: string | null
  /** The status of the turn. */
  readonly status: 'running' | PayloadOf<'turn_end'>['status']
  /** The answer so far. */
  readonly text: string
  /** The thoughts so far. */
  readonly thinking: string
  /** In the order of their start. Calls of the same tool differ by id. */
  readonly tools: readonly FrontendTool[]
  /** The calls that the agent made at once, in order; empty where its engine names no such batches. */
  readonly batches: readonly FrontendBatch[]
  /** The time of the turn's first event, in ISO 8601. */
  readonly startedAt: string
  /** The time of its end; null while it runs. */
  readonly endedAt: string | null
  /** The reason of a turn that failed. */
  readonly error: string | null
  /** The result of a turn that completed. */
  readonly result: PayloadOf<'completed'>['result'] | null
}

/** A tool call of a turn. */
export interface FrontendTool {
  /** The call's id. */
  readonly toolCallId: string
  /** The name of the tool. */
  readonly name: string
  /** The arguments; null where the stream began after the call. */
  readonly arguments: PayloadOf<'tool_call'>['arguments'] | null
  /** The result, once there is one. */
  readonly result: PayloadOf<'tool_result'>['result'] | null
  /** `running` until the outcome arrives. */
  readonly status: 'running' | PayloadOf<'tool_outcome'>['status']
  /** The event that tells how the call ended; null until it has. */
  readonly outcome: PayloadOf<'tool_outcome'> | null
  /** The approval of the call: required, or its decision; null where none is needed. */
  readonly approval: 'required' | NonNullable<PayloadOf<'approval_applied'>['decision']> | null
  /** A retry replaced the attempt that made this call. */
  readonly superseded: boolean
  /** The number of the try that made the call. */
  readonly attempt: number
  /** The number of the call's first event. */
  readonly seq: number
  /** The number of its last event so far. */
  readonly lastSeq: number
  /** The time of its first event, in ISO 8601. */
  readonly startedAt: string
  /** The time of its outcome, or of the end of the try that made it; null while it is open. */
  readonly endedAt: string | null
  /** The effect that the tool declares; null where it declares none. */
  readonly effect: string | null
  /** The subagent that made the call; null for the session's own agent. */
  readonly agentId: string | null
  /** The wait for an answer to the call's approval; null where nobody was asked. */
  readonly wait: FrontendWait | null
  /** The question that the call asks a person; null where it asks none. */
  readonly question: FrontendQuestion | null
}

/** A question of a call, and how it was settled. */
export interface FrontendQuestion {
  /** The event that asked. */
  readonly asked: PayloadOf<'approval_required'>
  /** The event that settled it; null while it waits. */
  readonly settled: PayloadOf<'approval_applied'> | null
}

/** The wait of a call for the answer to its approval. */
export interface FrontendWait {
  /** The time of the question, in ISO 8601. */
  readonly askedAt: string
  /** The time of the answer; null while nobody has answered. */
  readonly answeredAt: string | null
  /** The person who answered; null where the answer names nobody. */
  readonly actor: string | null
  /** The answer changed the arguments. */
  readonly isEdited: boolean
}

/** The calls that an agent made at once. */
export interface FrontendBatch {
  /** The number of the event that names them. */
  readonly seq: number
  /** The ids of the calls. */
  readonly toolCallIds: readonly string[]
}

/** A row of a timeline: one event. */
export interface TimelineEntry {
  /** The number of the event. */
  readonly seq: number
  /** The event type. */
  readonly type: VisibleEventType
  /** The time, in ISO 8601. */
  readonly timestamp: string
  /** The turn that the event belongs to; null where it belongs to none. */
  readonly turnId: string | null
  /** The content of the event. */
  readonly payload: StreamEnvelope['payload']
}

/** The state of a screen before the first envelope. */
export const emptyFrontendState: FrontendState = {
  sessionId: null,
  seq: 0,
  incarnation: 1,
  status: null,
  session: null,
  turns: [],
  approvals: {},
  checkpoints: [],
  subagents: {},
  steps: [],
  retrievals: [],
  guardrail: null,
  context: { usagePct: null, compactions: 0 },
  usage: { tokens: 0, costUsd: 0 },
  timeline: [],
  diagnostics: [],
  milestones: [],
}

/** The cursor to resume a stream with: `Last-Event-ID`, or `?after=`. */
export const frontendCursor = ({ seq, incarnation }: FrontendState): string => positionText(seq, incarnation)
