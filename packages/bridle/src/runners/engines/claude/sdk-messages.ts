// The messages of the Claude Agent SDK, as far as they are read. Its package is optional, so its types cannot be imported, and
// several fields that matter are on the wire and not in its types. Unknown fields and messages are skipped.
import type { StepUsage } from './usage.ts'

export interface SdkMessage {
  readonly type: string
  readonly subtype?: string
  readonly uuid?: string
  readonly session_id?: string
  readonly parent_tool_use_id?: string | null
  readonly [more: string]: unknown
}

export interface ContentBlock {
  readonly type: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
  readonly text?: string
  readonly thinking?: string
  readonly tool_use_id?: string
  readonly content?: unknown
  readonly is_error?: boolean
}
export interface SdkStreamEvent {
  readonly type: string
  readonly delta?: { readonly type: string; readonly text?: string; readonly thinking?: string }
  readonly content_block?: { readonly type: string }
  readonly message?: { readonly model?: string; readonly usage?: StepUsage }
  readonly usage?: StepUsage
}
export interface ToolResultMeta {
  readonly id?: string
  readonly non_execution_kind?: string
  readonly permission_decision?: { readonly decision?: string; readonly source?: string; readonly reason_type?: string }
}
export interface SdkSystemMessage {
  readonly tools?: readonly unknown[]
  readonly attempt?: number
  readonly max_retries?: number
  readonly retry_delay_ms?: number
  readonly error_status?: number | null
  readonly error?: string
  readonly compact_metadata?: {
    readonly trigger?: string
    readonly pre_tokens?: number
    readonly post_tokens?: number
    readonly messages_summarized?: number
    readonly preserved_messages?: { readonly uuids?: readonly string[] }
  }
  readonly task_id?: unknown
  readonly subagent_type?: string
  readonly tool_use_id?: string
  readonly description?: string
  readonly status?: string
  readonly summary?: string
}
