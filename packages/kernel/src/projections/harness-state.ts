// Mutable types, so that they stay assignable to those in the protocol document. Treat values as immutable.

import type { QuestionAnswers } from '@bridle/events/answers'
import type { Json, JsonObject } from '@bridle/events/json'
import type { Question } from '@bridle/events/questions'
import type { ApprovalDecision, SessionStatus, ToolEffect, ToolOutcome, ToolStatus } from '@bridle/events/schemas'

/** The state of a session as clients show it: conversation, status and open approvals. */
export interface HarnessState {
  /** `running` during a run, `error` after a failed one. */
  status: 'idle' | 'running' | 'error'
  /** The conversation, oldest message first. */
  messages: HarnessMessage[]
  /** Why the last run failed. */
  error?: string
  /** A more detailed status. */
  sessionStatus?: SessionStatus
  /** Open approvals, with or without a tool call. */
  approvals?: HarnessApproval[]
}

/** A message of the conversation: a prompt or an answer. */
export interface HarnessMessage {
  /** The message id, for `edit`, `reload` and `branch`. */
  id: string
  /** The author: a user or the agent. */
  role: 'user' | 'assistant'
  /** The text so far. */
  content: string
  /** A prompt is pending until its run starts; an answer streams until its run ends. */
  status: 'pending' | 'streaming' | 'complete' | 'error'
  /** The tool calls of an answer. */
  toolCalls?: HarnessToolCall[]
  /** Text, reasoning and tools, in order. */
  parts?: HarnessPart[]
  /** Positions of events such as checkpoints in an answer, in order: the first 200 while it was open. */
  places?: HarnessPlace[]
  /** The run of the message. */
  runId?: string
  /** Full length of a truncated queued prompt. The rest of `content` follows when its turn starts. */
  contentLength?: number
  /** The full input of the run, if it is more than the prompt. */
  input?: Json
  /** Set if the prompt was spoken. */
  spoken?: true
  /** Milliseconds since 1970. */
  createdAt?: number
  /** Why an answer ended early: `cancelled`, `interrupted`, `max_tokens`, `refusal`, `branched`, `imported`. */
  stopReason?: string
  /** Why the answer failed. Kept when later runs succeed. */
  error?: string
}

/** The position of an event in an answer. */
export interface HarnessPlace {
  /** The sequence number of the event. */
  seq: number
  /** The number of parts before it. */
  parts: number
  /** The length of `content` before it. */
  chars: number
}

/** A tool call of an answer. */
export interface HarnessToolCall {
  /** The call id, unique in its run. */
  id: string
  /** The name of the tool. */
  name: string
  /** The status of the call. */
  status: 'running' | 'complete' | 'error'
  /** The arguments, with the edits of the approval. */
  arguments?: JsonObject
  /** The result, if any. */
  result?: Json
  /** How the call ended. */
  outcome?: ToolStatus
  /** The full outcome, including status and duration. */
  toolOutcome?: ToolOutcome
  /** Why the call failed. */
  error?: string
  /** The approval of the call, open or decided. */
  approval?: { id: string; status: 'pending' | ApprovalDecision; answers?: QuestionAnswers; values?: JsonObject }
  /** The session that executes the call, if another agent does. It has its own status and cost. */
  child?: { id: string; agent: string }
  /** Replaced by a retry of the run. */
  superseded?: boolean
}

/** An approval that waits for a person. */
export interface HarnessApproval {
  /** The approval id, for `approve`. */
  id: string
  /** The kind of the approval. */
  kind: 'tool' | 'question' | 'budget' | 'unknown_outcome'
  /** The waiting tool call; empty if there is none. */
  toolCallId: string
  /** The name of the tool, or the subject of the question. */
  toolName: string
  /** The reason shown to the person. */
  reason: string
  /** The arguments, which the person may edit. */
  arguments?: JsonObject
  /** When the approval expires, in ISO 8601. Null: never. */
  expiresAt?: string | null
  /** The declared effect of the call, if any. */
  effect?: ToolEffect
  /** The risk according to the policy or the declared effect, if any. */
  risk?: 'low' | 'caution' | 'danger'
  /** The questions, if it asks any. */
  questions?: readonly Question[]
  /** The requested form, as JSON Schema. */
  schema?: JsonObject
  /** The answers or values that apply on expiry. */
  default?: JsonObject
  /** The descendant that asks, if not this session. */
  child?: HarnessApprovalChild
}

/** The session that asks. Answer by `id` here, or by `approvalId` in that session. */
export type HarnessApprovalChild = {
  /** The id of the session. */
  id: string
  /** The name of its agent. */
  agent: string
  /** The approval id in that session. */
  approvalId: string
  /** Texts or arguments are truncated. */
  isCut?: true
}

/** A piece of an answer, in order of arrival. */
export type HarnessPart =
  /** Starts at `from` in `content` and ends where the next text part starts, so that text is streamed only once. */
  | { type: 'text'; from: number }
  /** Withdrawn after a crash or by a retry, and no longer part of `content`. */
  | { type: 'text'; text: string; superseded: true }
  | { type: 'reasoning'; text: string; superseded?: boolean }
  | { type: 'tool'; toolCallId: string; superseded?: boolean }
  | { type: 'artifact'; artifactId: string; name: string; superseded?: boolean }
  | { type: 'marker'; kind: string; text: string; superseded?: boolean }
