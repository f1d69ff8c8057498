// The Fabric wire: its events, and the messages of its WebSocket as JSON text, one message per frame. A client written from the
// wire's own document meets these and nothing else.
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { SessionArtifacts, SessionCard, SessionMessages } from '../http/wire.ts'

/** The `data` of each type. */
export interface AgentEventData {
  readonly prompt_start: { readonly text: string; readonly runId: string }
  readonly text_delta: { readonly delta: string }
  readonly thinking_delta: { readonly delta: string }
  readonly tool_start: { readonly toolName: string; readonly args: JsonObject; readonly toolCallId: string }
  readonly tool_end: {
    readonly toolName: string
    readonly toolCallId: string
    readonly isError: boolean
    readonly result: Json
  }
  readonly task_start: { readonly taskId: string; readonly status: string }
  readonly task_end: { readonly taskId: string; readonly status: string; readonly isError: boolean }
  readonly approval_requested: {
    readonly approvalId: string
    readonly subject: string
    readonly toolCallId: string
    readonly reason: string
    readonly args: JsonObject
    readonly expiresAt: string | null
  }
  readonly approval_resolved: {
    readonly approvalId: string
    readonly subject: string
    readonly toolCallId: string
    readonly decision: string
    readonly reason: string | null
  }
  readonly compaction: {
    /** Null where the engine does not count them. */
    readonly messagesBefore: number | null
    readonly messagesAfter: number | null
    readonly summary: string | null
  }
  readonly checkpoint_created: {
    readonly checkpointType: string
    readonly status: string
    readonly summary: string
    readonly cursor: string | null
  }
  readonly artifact_published: {
    readonly artifactId: string
    readonly name: string
    readonly contentType: string
    readonly size: number
  }
  /** Ours: a custom event of the agent. */
  readonly custom: { readonly name: string; readonly data: JsonObject }
  /** Ours: an operator acted on the session; a cancel is `cancelled`. A client of the document ignores this type. */
  readonly operator_action: {
    readonly action: 'pause' | 'resume' | 'policy' | 'branch'
    readonly actor: string | null
    readonly reason: string | null
    /** The parent of the branch, and the event that it branched at. */
    readonly from?: string
    readonly eventId?: string
  }
  readonly result: { readonly result: Json }
  /** The run was cancelled, or its prompt left the queue before it ran: neither `result` nor `error` follows. */
  readonly cancelled: { readonly runId: string; readonly reason: string | null; readonly actor: string | null }
  /** Ours: no sandbox is free yet; the run begins when one is. */
  readonly waiting: { readonly runId: string; readonly reason: string }
  readonly idle: Record<string, never>
  readonly error: { readonly message: string; readonly reason: string | null }
  /** The cursor was beyond the log, or of another incarnation: drop your events, all of them follow from the start. */
  readonly reset: { readonly head: number }
}

export type AgentEventType = keyof AgentEventData

export interface AgentEventOf<T extends AgentEventType> {
  readonly id: string
  readonly type: T
  /** ISO 8601. */
  readonly timestamp: string
  readonly sessionId: string
  readonly data: AgentEventData[T]
}

export type AgentEvent = { [T in AgentEventType]: AgentEventOf<T> }[AgentEventType]
/** The name that the socket's messages use. */
export type FabricEvent = AgentEvent

/** Narrows: `if (isEvent(event, 'text_delta')) event.data.delta`. */
export const isEvent = <T extends AgentEventType>(
  event: { readonly type: string },
  type: T,
): event is AgentEventOf<T> => event.type === type

/** A message from the server. */
export type FabricServerMessage =
  | { readonly type: 'event'; readonly event: FabricEvent }
  /** Once, at the end of the replay. `cursor` is the position to resume from, also when the replay had no event. */
  | { readonly type: 'replay-end'; readonly cursor?: string }
  /** At every heartbeat, and as the answer to a ping, with the ping's `ts`. */
  | { readonly type: 'pong'; readonly ts: number }
  /** Only with `?marks=1`: the client answers with `seen`. */
  | { readonly type: 'mark'; readonly seq: number }
  | FabricAck
  | { readonly type: 'error'; readonly message: string }

/** The answer to a command, with the command's id. */
export interface FabricAck {
  readonly type: 'ack'
  readonly for: FabricCommand['type']
  readonly ok: boolean
  readonly message?: string
  readonly commandId?: string
}

/** The server answers each command with an ack. A command with a `commandId` takes effect at most once. */
export type FabricCommand =
  | {
      readonly type: 'cancel'
      /** A running or queued run, a task, or the session, which means its current run. */
      readonly taskId: string
      readonly reason?: string | undefined
      readonly commandId?: string | undefined
    }
  | {
      readonly type: 'approve'
      readonly approvalId: string
      readonly decision: 'approved' | 'denied'
      readonly reason?: string | undefined
      /** Edited arguments; absent = as requested. */
      readonly args?: JsonObject | undefined
      readonly actor?: string | undefined
      readonly commandId?: string | undefined
    }

/** A message from a client. */
export type FabricClientMessage =
  | FabricCommand
  | { readonly type: 'ping'; readonly ts?: number | undefined }
  | { readonly type: 'pong'; readonly ts?: number | undefined }
  /** Answers a mark: the client has everything up to here. */
  | { readonly type: 'seen'; readonly seq: number }
/** The answer to an invoke: the result of the run. */
export interface InvokeResult {
  readonly result: Json
  readonly sessionId: string
  readonly agentPath: string
}

/** The body of a 500: the run failed. */
export interface InvokeFailure {
  readonly error: { readonly type: string; readonly message: string; readonly reason: string | null }
  readonly sessionId: string
  readonly agentPath: string
}

/** A run that was accepted; `/sessions/:id/runs/:runId` tells how it stands. */
export interface AcceptedRun {
  readonly status: 'accepted'
  readonly sessionId: string
  readonly agentPath: string
  readonly runId: string
}

export interface RunStatus {
  readonly runId: string
  /** completed, failed and cancelled are final. */
  readonly status: string
  readonly result?: Json
  readonly error?: { readonly message: string; readonly reason: string | null }
}

export interface SessionRemoval {
  readonly deleted: true
  readonly sessionId: string
}

/** The history of a session. */
export interface Timeline {
  readonly entries: HistoryEntry[]
  readonly events: AgentEvent[]
  readonly approvals: ApprovalEntry[]
}

export interface HistoryEntry {
  readonly id: string
  readonly type: 'prompt' | 'turn' | 'tool_call' | 'checkpoint'
  readonly timestamp: string
  readonly [name: string]: Json | undefined
}

/** An approval, open or decided. */
export interface ApprovalEntry {
  readonly id: string
  readonly status: string
  readonly [name: string]: Json | undefined
}

/** A page of a session's history, with the session itself. */
export interface TimelinePage extends Omit<SessionCard, 'approvals'>, SessionMessages, SessionArtifacts, Timeline {
  /** There is more: pass it as `after`. */
  readonly next?: number | string
  /** The cursor was of another incarnation of the log, so the page begins again. */
  readonly reset?: boolean
}
