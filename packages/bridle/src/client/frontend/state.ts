// The state of a frontend, as `reduceFrontend` folds it from the contract's envelopes.
import type { VisibleEventType } from '../../kernel/catalogue.ts'
import { positionText } from '../../kernel/positions/log-position.ts'
import type { StreamEnvelope, StreamEnvelopeOf } from '../../surfaces/frontend/wire.ts'

type PayloadOf<T extends VisibleEventType> = StreamEnvelopeOf<T>['payload']

export interface FrontendState {
  readonly sessionId: string | null
  /** The number of the last envelope; `frontendCursor` turns it into the cursor to resume with. */
  readonly seq: number
  /** The incarnation of the log that `seq` belongs to, from the greeting. */
  readonly incarnation: number
  readonly status: PayloadOf<'session_state'>['status'] | null
  /** The last `session_state`. */
  readonly session: PayloadOf<'session_state'> | null
  /** In order; the running turn is the last. */
  readonly turns: readonly FrontendTurn[]
  /** Open ones, by request id. */
  readonly approvals: { readonly [requestId: string]: PayloadOf<'approval_required'> }
  readonly checkpoints: readonly PayloadOf<'session_checkpoint'>[]
  readonly subagents: { readonly [agentId: string]: PayloadOf<'subagent_event'> }
  readonly steps: readonly PayloadOf<'step_progress'>[]
  readonly retrievals: readonly PayloadOf<'retrieval'>[]
  readonly guardrail: PayloadOf<'antahkarana'> | null
  readonly context: { readonly usagePct: number | null; readonly compactions: number }
  readonly usage: { readonly tokens: number; readonly costUsd: number }
  /** The newest few hundred events that an operator needs, oldest first. */
  readonly timeline: readonly TimelineEntry[]
  /** The same for events that help to find a fault. */
  readonly diagnostics: readonly TimelineEntry[]
}

export interface FrontendTurn {
  readonly turnId: string
  readonly attempt: number
  readonly prompt: string | null
  readonly status: 'running' | PayloadOf<'turn_end'>['status']
  readonly text: string
  readonly thinking: string
  /** In the order of their start. Calls of the same tool differ by id. */
  readonly tools: readonly FrontendTool[]
  readonly error: string | null
  readonly result: PayloadOf<'completed'>['result'] | null
}

export interface FrontendTool {
  readonly toolCallId: string
  readonly name: string
  readonly arguments: PayloadOf<'tool_call'>['arguments'] | null
  readonly result: PayloadOf<'tool_result'>['result'] | null
  /** `running` until the outcome arrives. */
  readonly status: 'running' | PayloadOf<'tool_outcome'>['status']
  readonly outcome: PayloadOf<'tool_outcome'> | null
  readonly approval: 'required' | NonNullable<PayloadOf<'approval_applied'>['decision']> | null
  /** A retry replaced the attempt that made this call. */
  readonly superseded: boolean
}

export interface TimelineEntry {
  readonly seq: number
  readonly type: VisibleEventType
  readonly timestamp: string
  readonly turnId: string | null
  readonly payload: StreamEnvelope['payload']
}

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
}

/** The cursor to resume a stream with: `Last-Event-ID`, or `?after=`. */
export const frontendCursor = ({ seq, incarnation }: FrontendState): string => positionText(seq, incarnation)
