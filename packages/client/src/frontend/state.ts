import type { VisibleEventType } from '@bridle/events/catalogue'
import { positionText } from '@bridle/kernel/positions/log-position'
import type { StreamEnvelope, StreamEnvelopeOf } from '@bridle/wire/frontend/wire'

type PayloadOf<T extends VisibleEventType> = StreamEnvelopeOf<T>['payload']

/** The state of a frontend, folded by `reduceFrontend`. */
export interface FrontendState {
  /** The session id. Null until the greeting. */
  readonly sessionId: string | null
  /** Sequence number of the last envelope. `frontendCursor` turns it into a cursor. */
  readonly seq: number
  /** The incarnation of the log that `seq` belongs to. */
  readonly incarnation: number
  /** The session status. Null until the stream contains it. */
  readonly status: PayloadOf<'session_state'>['status'] | null
  /** The last `session_state`. */
  readonly session: PayloadOf<'session_state'> | null
  /** Oldest first. The running turn is last. */
  readonly turns: readonly FrontendTurn[]
  /** Open approvals by request id. */
  readonly approvals: { readonly [requestId: string]: PayloadOf<'approval_required'> }
  /** The checkpoints, oldest first. */
  readonly checkpoints: readonly PayloadOf<'session_checkpoint'>[]
  /** The last event of each subagent, by agent id. */
  readonly subagents: { readonly [agentId: string]: PayloadOf<'subagent_event'> }
  /** The progress steps, oldest first. */
  readonly steps: readonly PayloadOf<'step_progress'>[]
  /** The retrievals, oldest first. */
  readonly retrievals: readonly PayloadOf<'retrieval'>[]
  /** The last guardrail event, or null. */
  readonly guardrail: PayloadOf<'antahkarana'> | null
  /** Context usage, and the number of compactions. */
  readonly context: { readonly usagePct: number | null; readonly compactions: number }
  /** The tokens and the cost so far. */
  readonly usage: { readonly tokens: number; readonly costUsd: number }
  /** The newest few hundred events for operators, oldest first. */
  readonly timeline: readonly TimelineEntry[]
  /** The newest few hundred diagnostic events, oldest first. */
  readonly diagnostics: readonly TimelineEntry[]
  /**
   * The newest few hundred events between calls, oldest first: checkpoints, questions and answers, context, retries,
   * provider problems, and actions of people and budgets. They stay when calls have filled `timeline`.
   */
  readonly milestones: readonly TimelineEntry[]
}

/** A prompt and its answer. */
export interface FrontendTurn {
  /** The turn's id. */
  readonly turnId: string
  /** The attempt number. */
  readonly attempt: number
  /** The prompt. Null if the stream started after it. */
  readonly prompt: string | null
  /** The status of the turn. */
  readonly status: 'running' | PayloadOf<'turn_end'>['status']
  /** The answer so far. */
  readonly text: string
  /** The reasoning so far. */
  readonly thinking: string
  /** In start order. The same tool may appear several times, with different ids. */
  readonly tools: readonly FrontendTool[]
  /** Parallel calls, in order. Empty if the engine does not report batches. */
  readonly batches: readonly FrontendBatch[]
  /** Time of the first event, in ISO 8601. */
  readonly startedAt: string
  /** Time of the end. Null while running. */
  readonly endedAt: string | null
  /** Why the turn failed. */
  readonly error: string | null
  /** The result of a completed turn. */
  readonly result: PayloadOf<'completed'>['result'] | null
}

/** A tool call of a turn. */
export interface FrontendTool {
  /** The call's id. */
  readonly toolCallId: string
  /** The name of the tool. */
  readonly name: string
  /** The arguments. Null if the stream started after the call. */
  readonly arguments: PayloadOf<'tool_call'>['arguments'] | null
  /** The result, or null. */
  readonly result: PayloadOf<'tool_result'>['result'] | null
  /** `running` until the outcome arrives. */
  readonly status: 'running' | PayloadOf<'tool_outcome'>['status']
  /** The event that ended the call, or null. */
  readonly outcome: PayloadOf<'tool_outcome'> | null
  /** The decision, or `required` while it is open. Null if no approval is needed. */
  readonly approval: 'required' | NonNullable<PayloadOf<'approval_applied'>['decision']> | null
  /** True if a retry replaced the attempt that made this call. */
  readonly superseded: boolean
  /** The attempt that made the call. */
  readonly attempt: number
  /** Sequence number of the first event. */
  readonly seq: number
  /** Sequence number of the last event so far. */
  readonly lastSeq: number
  /** Time of the first event, in ISO 8601. */
  readonly startedAt: string
  /** Time of the outcome, or of the end of the attempt. Null while open. */
  readonly endedAt: string | null
  /** The tool's declared effect, or null. */
  readonly effect: string | null
  /** The subagent that made the call. Null for the session's own agent. */
  readonly agentId: string | null
  /** The wait for an approval. Null if none was requested. */
  readonly wait: FrontendWait | null
  /** The question that the call asks. Null if none. */
  readonly question: FrontendQuestion | null
}

/** A call's question and its settlement. */
export interface FrontendQuestion {
  /** The event that asked. */
  readonly asked: PayloadOf<'approval_required'>
  /** The event that settled it. Null while open. */
  readonly settled: PayloadOf<'approval_applied'> | null
}

/** A call's wait for approval. */
export interface FrontendWait {
  /** Time of the request, in ISO 8601. */
  readonly askedAt: string
  /** Time of the answer. Null while open. */
  readonly answeredAt: string | null
  /** The person who answered. Null if unknown. */
  readonly actor: string | null
  /** True if the answer changed the arguments. */
  readonly isEdited: boolean
}

/** Calls that an agent made in parallel. */
export interface FrontendBatch {
  /** Sequence number of the event that lists them. */
  readonly seq: number
  /** The ids of the calls. */
  readonly toolCallIds: readonly string[]
}

/** An event of a timeline. */
export interface TimelineEntry {
  /** The sequence number. */
  readonly seq: number
  /** The event type. */
  readonly type: VisibleEventType
  /** The time, in ISO 8601. */
  readonly timestamp: string
  /** The turn of the event, or null. */
  readonly turnId: string | null
  /** The event's payload. */
  readonly payload: StreamEnvelope['payload']
}

/** The state before the first envelope. */
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

/** The cursor to resume from, for `Last-Event-ID` or `?after=`. */
export const frontendCursor = ({ seq, incarnation }: FrontendState): string => positionText(seq, incarnation)
