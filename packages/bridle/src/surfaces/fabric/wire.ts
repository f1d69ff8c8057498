// The Fabric wire: its events, and the messages of its WebSocket as JSON text, one message per frame. A client written from the
// wire's own document meets these and nothing else.
import type { Directive } from '../../kernel/directive.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { SessionArtifacts, SessionCard, SessionMessages } from '../http/wire.ts'

/** The `data` of each type. */
export interface AgentEventData {
  /** A run begins with this prompt. */
  readonly prompt_start: { readonly text: string; readonly runId: string }
  /** A piece of the answer. */
  readonly text_delta: { readonly delta: string }
  /** A piece of a thought. */
  readonly thinking_delta: { readonly delta: string }
  /**
   * Ours: a crash or a retry withdrew the end of the run's answer. Cut the joined `text_delta` of the run to `chars` characters,
   * and its joined `thinking_delta` to `thinkingChars`; what replaces them follows. A client of the document ignores this type.
   */
  readonly text_superseded: { readonly runId: string; readonly chars: number; readonly thinkingChars: number }
  /** A tool call begins. */
  readonly tool_start: { readonly toolName: string; readonly args: JsonObject; readonly toolCallId: string }
  /** A tool call has ended. */
  readonly tool_end: {
    readonly toolName: string
    readonly toolCallId: string
    readonly isError: boolean
    readonly result: Json
  }
  /** A subagent begins its work. */
  readonly task_start: { readonly taskId: string; readonly status: string }
  /** A subagent has ended its work. */
  readonly task_end: { readonly taskId: string; readonly status: string; readonly isError: boolean }
  /** The run waits for a person's approval. */
  readonly approval_requested: {
    readonly approvalId: string
    readonly subject: string
    readonly toolCallId: string
    readonly reason: string
    readonly args: JsonObject
    readonly expiresAt: string | null
  }
  /** An approval has its answer. */
  readonly approval_resolved: {
    readonly approvalId: string
    readonly subject: string
    readonly toolCallId: string
    readonly decision: string
    readonly reason: string | null
    /** The arguments that the call runs with, where the person changed them. */
    readonly args?: JsonObject
  }
  /** The engine replaced a part of the conversation with a summary. */
  readonly compaction: {
    /** Null where the engine does not count them. */
    readonly messagesBefore: number | null
    readonly messagesAfter: number | null
    readonly summary: string | null
  }
  /** The agent marked a point that the session can continue from. */
  readonly checkpoint_created: {
    readonly checkpointType: string
    readonly status: string
    readonly summary: string
    readonly cursor: string | null
  }
  /** The agent published an artifact. */
  readonly artifact_published: {
    readonly artifactId: string
    readonly name: string
    readonly contentType: string
    readonly size: number
    /** The artifact's use, such as `memory_proposal`, which waits for a person. */
    readonly kind?: string
    readonly reason?: string
  }
  /** Ours: a custom event of the agent. */
  readonly custom: { readonly name: string; readonly data: JsonObject }
  /** Ours: something for a shell to render or to execute, with the fields of OpenHarness. */
  readonly directive: { readonly directive: Directive }
  /** Ours: what a shell says became of directives, with the fields of its profile. */
  readonly execution_feedback: { readonly entries: readonly JsonObject[] }
  /** Ours: an operator acted on the session; a cancel is `cancelled`. A client of the document ignores this type. */
  readonly operator_action: {
    readonly action:
      | 'pause'
      | 'resume'
      | 'policy'
      | 'branch'
      | 'signal'
      | 'memory'
      | 'archive'
      | 'unarchive'
      | 'rename'
      | 'import'
    readonly actor: string | null
    /** The caller supplied the name, since its credential has no user. */
    readonly actorClaimed?: true
    readonly reason: string | null
    /** The parent of the branch, and the event that it branched at. */
    readonly from?: string
    readonly eventId?: string
    /** The name of a signal, or the key of a value that the agent proposed for the memory. */
    readonly name?: string
    /** The decision of a person about that value. */
    readonly decision?: 'accepted' | 'rejected'
  }
  /** The run has ended with this result. */
  readonly result: { readonly result: Json }
  /** The run was cancelled, or its prompt left the queue before it ran: neither `result` nor `error` follows. */
  readonly cancelled: {
    readonly runId: string
    readonly reason: string | null
    readonly actor: string | null
    /** The caller supplied the name, since its credential has no user. */
    readonly actorClaimed?: true
  }
  /** Ours: no sandbox is free yet; the run begins when one is. */
  readonly waiting: { readonly runId: string; readonly reason: string }
  /**
   * Ours: why a run does not get on. It is queued, its sandbox starts, its model is asked again or another one is. `message` is one
   * line for people; `retryAt` is the time of the next try, in ISO 8601. A client of the document ignores this type.
   */
  readonly notice: {
    readonly kind: 'queued' | 'sandbox' | 'retry' | 'fallback' | 'warning'
    readonly runId: string | null
    readonly message: string
    readonly retryAt: string | null
  }
  /** The session has nothing to do. */
  readonly idle: Record<string, never>
  /** The run has failed. */
  readonly error: { readonly message: string; readonly reason: string | null }
  /** The cursor was beyond the log, or of another incarnation: drop your events, all of them follow from the start. */
  readonly reset: { readonly head: number }
}

/** The name of an event type of the Fabric wire. */
export type AgentEventType = keyof AgentEventData

/** An event of one type on the Fabric wire. */
export interface AgentEventOf<T extends AgentEventType> {
  /** The event's id, `ev-<number>`: a stream resumes after it. */
  readonly id: string
  /** The type, which says what `data` holds. */
  readonly type: T
  /** ISO 8601. */
  readonly timestamp: string
  /** The id of the session. */
  readonly sessionId: string
  /** The content of the event. */
  readonly data: AgentEventData[T]
}

/** An event of a session on the Fabric wire. Narrows by `type`. */
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
  /** The type of the message. */
  readonly type: 'ack'
  /** The type of the command that this answers. */
  readonly for: FabricCommand['type']
  /** True where the command took effect. */
  readonly ok: boolean
  /** The reason where it did not. */
  readonly message?: string
  /** The id that the command was sent with. */
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
      /** The call gets its answer, and the session pauses before its next step. */
      readonly pause?: boolean | undefined
      readonly actor?: string | undefined
      readonly commandId?: string | undefined
    }
  | {
      readonly type: 'signal'
      /** The name that the run waits for. */
      readonly name: string
      /** Absent = null. */
      readonly payload?: Json | undefined
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
  /** The result of the run. */
  readonly result: Json
  /** The id of the session. */
  readonly sessionId: string
  /** The path of the session, as the caller reaches it: behind `basePath` and the prefix of a proxy. */
  readonly agentPath: string
}

/** The body of a 500: the run failed. */
export interface InvokeFailure {
  readonly error: { readonly type: string; readonly message: string; readonly reason: string | null }
  readonly sessionId: string
  readonly agentPath: string
}

/** A run that was accepted; `/sessions/:id/runs/:runId` answers its status. */
export interface AcceptedRun {
  /** The status of the answer. */
  readonly status: 'accepted'
  /** The id of the session. */
  readonly sessionId: string
  /** The path of the session, as the caller reaches it: behind `basePath` and the prefix of a proxy. */
  readonly agentPath: string
  /** The id of the run. */
  readonly runId: string
}

/** The status of a run, with its result or error once it has ended. */
export interface RunStatus {
  /** The id of the run. */
  readonly runId: string
  /** completed, failed and cancelled are final. */
  readonly status: string
  /** The result of a run that completed. */
  readonly result?: Json
  /** The reason of a run that failed. */
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
