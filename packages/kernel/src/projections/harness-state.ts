// The state that a transport client holds and renders. Types only: conversation.ts says how events change it. The types are not
// `readonly`, to stay assignable to those of the protocol document; treat values as immutable all the same.

import type { QuestionAnswers } from '@bridle/events/answers'
import type { Json, JsonObject } from '@bridle/events/json'
import type { Question } from '@bridle/events/questions'
import type { ApprovalDecision, SessionStatus, ToolEffect, ToolOutcome, ToolStatus } from '@bridle/events/schemas'

/**
 * The state of a session as a client shows it: the conversation, the status, and the approvals that wait for a
 * person.
 */
export interface HarnessState {
  /** The status in one word: running while a run is in progress, error after one that failed. */
  status: 'idle' | 'running' | 'error'
  /** The conversation, oldest message first. */
  messages: HarnessMessage[]
  /** The reason of the last run's failure. */
  error?: string
  /** The finer status of the session. */
  sessionStatus?: SessionStatus
  /** Open approvals, whether or not they belong to a tool call. */
  approvals?: HarnessApproval[]
}

/** A message of the conversation: a prompt or an answer. */
export interface HarnessMessage {
  /** The message's id, for `edit`, `reload` and `branch`. */
  id: string
  /** The author: a user or the agent. */
  role: 'user' | 'assistant'
  /** The text so far. */
  content: string
  /** The status: a prompt is pending until its run begins, an answer is streaming until its run ends. */
  status: 'pending' | 'streaming' | 'complete' | 'error'
  /** The tool calls of an answer. */
  toolCalls?: HarnessToolCall[]
  /** Text, reasoning and tools in their order. */
  parts?: HarnessPart[]
  /** Where events such as checkpoints stand in an answer, in order: at most the first 200 that came while it was open. */
  places?: HarnessPlace[]
  /** The run that the message belongs to. */
  runId?: string
  /** The length of a long queued prompt: `content` is its beginning, and the rest follows when its turn starts. */
  contentLength?: number
  /** The whole input of the run, if it is more than the prompt. */
  input?: Json
  /** A prompt that a person said; absent = it was written. */
  spoken?: true
  /** The time in milliseconds since 1970. */
  createdAt?: number
  /**
   * The reason why an answer ended, where it is not simply complete: `cancelled`, `interrupted`, `max_tokens`, `refusal`,
   * `branched`, `imported`.
   */
  stopReason?: string
  /** The reason of an answer that failed. It stays when later runs succeed. */
  error?: string
}

/** The place of an event in an answer: what the answer had when the event came. */
export interface HarnessPlace {
  /** The number of the event. */
  seq: number
  /** How many parts there were. */
  parts: number
  /** How many characters of `content` there were. */
  chars: number
}

/** A tool call of an answer. */
export interface HarnessToolCall {
  /** The call's id, unique in its run. */
  id: string
  /** The name of the tool. */
  name: string
  /** The status of the call. */
  status: 'running' | 'complete' | 'error'
  /** The arguments, as approved where a person changed them. */
  arguments?: JsonObject
  /** The result, once there is one. */
  result?: Json
  /** The way the call ended. */
  outcome?: ToolStatus
  /** The whole outcome: the status again, the time in milliseconds, and what else the log has. */
  toolOutcome?: ToolOutcome
  /** The reason of a call that failed. */
  error?: string
  /** The approval that the call waits for or has got. */
  approval?: { id: string; status: 'pending' | ApprovalDecision; answers?: QuestionAnswers; values?: JsonObject }
  /** The session that does the call, where it asks another agent. Its status and cost are in that session. */
  child?: { id: string; agent: string }
  /** True where a retry of the run replaced the call. */
  superseded?: boolean
}

/** An approval that waits for a person. */
export interface HarnessApproval {
  /** The approval's id, for `approve`. */
  id: string
  /** The kind of the approval. */
  kind: 'tool' | 'question' | 'budget' | 'unknown_outcome'
  /** The tool call that waits; empty where the approval belongs to none. */
  toolCallId: string
  /** The name of the tool, or the subject of the question. */
  toolName: string
  /** The reason that the person reads. */
  reason: string
  /** The arguments, which the person may change. */
  arguments?: JsonObject
  /** The time at which the approval expires, in ISO 8601; null = never. */
  expiresAt?: string | null
  /** The declared effect of the call; absent = none is declared. */
  effect?: ToolEffect
  /** The risk that the policy or the declared effect states; absent = none. */
  risk?: 'low' | 'caution' | 'danger'
  /** The questions that are asked. */
  questions?: readonly Question[]
  /** The form that is asked for, as a JSON Schema. */
  schema?: JsonObject
  /** The answers or values that apply when the question expires. */
  default?: JsonObject
  /** The session below this one that asks; absent = this session asks. */
  child?: HarnessApprovalChild
}

/** The session of another agent that asks. Both ids take the answer: `id` of the approval here, and `approvalId` in that session. */
export type HarnessApprovalChild = {
  /** The id of the session that asks. */
  id: string
  /** The name of its agent. */
  agent: string
  /** The id of the approval in that session. */
  approvalId: string
  /** Texts or arguments are shorter here than in that session. */
  isCut?: true
}

/** A piece of an answer, in the order in which the pieces came. */
export type HarnessPart =
  /** `content` from here to the next text part's `from`, so streaming sends each piece of text once. */
  | { type: 'text'; from: number }
  /** Text that was withdrawn, after a crash or by a retry; it is no longer in `content`. */
  | { type: 'text'; text: string; superseded: true }
  | { type: 'reasoning'; text: string; superseded?: boolean }
  | { type: 'tool'; toolCallId: string; superseded?: boolean }
  | { type: 'artifact'; artifactId: string; name: string; superseded?: boolean }
  | { type: 'marker'; kind: string; text: string; superseded?: boolean }
