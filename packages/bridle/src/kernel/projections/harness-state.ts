// What a client of the transport holds and renders. Types only; conversation.ts says how events change it.
import type { Json, JsonObject } from '../json.ts'
import type { Decision, SessionStatus, ToolStatus } from '../schemas.ts'

export interface HarnessState {
  readonly status: 'idle' | 'running' | 'error'
  readonly messages: readonly HarnessMessage[]
  readonly error?: string | null
  /** The finer status of the session. */
  readonly sessionStatus?: SessionStatus
  /** Open approvals, whether or not they belong to a tool call. */
  readonly approvals?: readonly HarnessApproval[]
}

export interface HarnessMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly status: 'pending' | 'streaming' | 'complete' | 'error'
  readonly toolCalls?: readonly HarnessToolCall[]
  /** Text, reasoning and tools in the order they came. */
  readonly parts?: readonly HarnessPart[]
  readonly runId?: string
  /** The whole input of the run, where it was more than the prompt. */
  readonly input?: Json
  readonly createdAt?: number
  readonly stopReason?: string
}

export interface HarnessToolCall {
  readonly id: string
  readonly name: string
  readonly status: 'running' | 'complete' | 'error'
  readonly arguments?: JsonObject
  readonly result?: Json
  readonly outcome?: ToolStatus
  readonly error?: string
  readonly approval?: { readonly id: string; readonly status: 'pending' | Decision }
  readonly superseded?: boolean
}

export interface HarnessApproval {
  readonly id: string
  readonly kind: string
  readonly toolCallId: string
  readonly toolName: string
  readonly reason: string
  readonly arguments?: JsonObject
  readonly expiresAt?: string | null
}

export type HarnessPart =
  /** `content` from here to the next text part's `from`, so streaming sends each piece of text once. */
  | { readonly type: 'text'; readonly from: number }
  /** Text that a retry replaced; it is no longer in `content`. */
  | { readonly type: 'text'; readonly text: string; readonly superseded: true }
  | { readonly type: 'reasoning'; readonly text: string; readonly superseded?: boolean }
  | { readonly type: 'tool'; readonly toolCallId: string; readonly superseded?: boolean }
  | { readonly type: 'artifact'; readonly artifactId: string; readonly name: string; readonly superseded?: boolean }
  | { readonly type: 'marker'; readonly kind: string; readonly text: string; readonly superseded?: boolean }
