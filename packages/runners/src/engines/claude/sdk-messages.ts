// The messages of the Claude Agent SDK, as far as they are read. Its package is optional, so its types cannot be imported, and
// several fields that matter are on the wire and not in its types. Unknown fields and messages are skipped.
import type { TurnEnd } from '../engine.ts'
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

/** Null = the engine continues with another turn. `is_error` decides: failures of the API have the subtype "success" too. */
/** `model`: the model that the engine was opened with; undefined = the engine has chosen one. */
export const turnEnd = (message: SdkMessage, model?: string): TurnEnd | null => {
  const said = message as unknown as SdkResultMessage
  const text = (said.result ?? said.errors?.join('\n') ?? '').replace(GATEWAY_ADVICE, '')
  if (said.terminal_reason === 'aborted_streaming' || said.terminal_reason === 'aborted_tools')
    return { kind: 'interrupted' }
  if (!said.is_error && said.subtype === 'success')
    return (said.queued_turn_count ?? 0) > 0 ? null : { kind: 'completed', ...(text !== '' && { result: text }) }
  if (said.subtype === 'error_max_budget_usd')
    return { kind: 'failed', message: 'The budget of the run is spent.', reason: 'budget' }
  if (said.subtype === 'error_max_turns')
    return { kind: 'failed', message: 'The run took as many steps as it may.', reason: 'max_turns' }
  if (said.terminal_reason === 'prompt_too_long')
    return { kind: 'failed', message: 'The conversation is too long for the model.', reason: 'prompt_too_long' }
  const status = said.api_error_status ?? null
  const failed = { kind: 'failed' as const, message: text || 'The engine failed without a reason.' }
  if (status === null) return { ...failed, reason: 'engine' }
  if (status === 402) return { ...failed, reason: 'budget' }
  if (status === 401 || status === 403) return { ...failed, reason: 'key_refused' }
  if (status === 404) return { ...failed, message: unknownModelMessage(model), reason: 'model_unknown' }
  return { ...failed, reason: 'provider', ...((status === 429 || status >= 500) && { transient: true }) }
}

/** The engine advises to start its own program with another model. */
const unknownModelMessage = (model: string | undefined): string =>
  `The provider does not know the model${model === undefined ? '' : ` "${model}"`}, or does not let this key use it. Choose another model.`

/** The engine takes the server's proxy for a gateway of the person, who has never heard of its address. */
const GATEWAY_ADVICE = / If it persists, check your inference gateway \([^)]*\)\.?/

interface SdkResultMessage {
  readonly subtype?: string
  readonly is_error?: boolean
  readonly result?: string
  readonly errors?: readonly string[]
  readonly terminal_reason?: string
  readonly api_error_status?: number | null
  readonly queued_turn_count?: number
}

export interface SdkUserMessage {
  readonly type: 'user'
  readonly message: { readonly role: 'user'; readonly content: string }
  readonly parent_tool_use_id: null
}

/** Claude Code reads its prompts from a stream that stays open between turns. */
export class PromptQueue implements AsyncIterable<SdkUserMessage> {
  readonly #waiting: SdkUserMessage[] = []
  #wake = () => {}
  #ended = false

  push(message: SdkUserMessage): void {
    this.#waiting.push(message)
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SdkUserMessage> {
    for (;;) {
      const next = this.#waiting.shift()
      if (next) yield next
      else if (this.#ended) return
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}
