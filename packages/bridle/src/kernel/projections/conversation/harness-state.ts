// The state that a transport client holds and renders. Types only: conversation.ts says how events change it. The types are not
// `readonly`, to stay assignable to those of the protocol document; treat values as immutable all the same.
import type { Json, JsonObject } from '../../json.ts'
import type { ApprovalDecision, SessionStatus, ToolStatus } from '../../schemas.ts'

export interface HarnessState {
  status: 'idle' | 'running' | 'error'
  messages: HarnessMessage[]
  error?: string
  /** The finer status of the session. */
  sessionStatus?: SessionStatus
  /** Open approvals, whether or not they belong to a tool call. */
  approvals?: HarnessApproval[]
}

export interface HarnessMessage {
  id: string
  role: 'user' | 'assistant'
  content: string
  status: 'pending' | 'streaming' | 'complete' | 'error'
  toolCalls?: HarnessToolCall[]
  /** Text, reasoning and tools in their order. */
  parts?: HarnessPart[]
  runId?: string
  /** The length of a long queued prompt: `content` is its beginning, and the rest follows when its turn starts. */
  contentLength?: number
  /** The whole input of the run, if it is more than the prompt. */
  input?: Json
  createdAt?: number
  stopReason?: string
}

export interface HarnessToolCall {
  id: string
  name: string
  status: 'running' | 'complete' | 'error'
  arguments?: JsonObject
  result?: Json
  outcome?: ToolStatus
  error?: string
  approval?: { id: string; status: 'pending' | ApprovalDecision }
  superseded?: boolean
}

export interface HarnessApproval {
  id: string
  kind: string
  toolCallId: string
  toolName: string
  reason: string
  arguments?: JsonObject
  expiresAt?: string | null
}

export type HarnessPart =
  /** `content` from here to the next text part's `from`, so streaming sends each piece of text once. */
  | { type: 'text'; from: number }
  /** Text that a retry replaced; it is no longer in `content`. */
  | { type: 'text'; text: string; superseded: true }
  | { type: 'reasoning'; text: string; superseded?: boolean }
  | { type: 'tool'; toolCallId: string; superseded?: boolean }
  | { type: 'artifact'; artifactId: string; name: string; superseded?: boolean }
  | { type: 'marker'; kind: string; text: string; superseded?: boolean }
