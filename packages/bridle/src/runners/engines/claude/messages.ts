// What the Claude Agent SDK says -> runner events. It holds no process: a test gives it messages.
//
// The SDK's own types are not here, since the package is optional, and several fields that matter are on the wire and not
// in its types. Whatever is not known is passed over.
import type { Json, JsonObject } from '../../../kernel/json.ts'
import type { RunnerEvent } from '../../protocol.ts'
import { ClaudeUsage, type ContextWindow, type StepUsage } from './usage.ts'

export interface SdkMessage {
  readonly type: string
  readonly subtype?: string
  readonly uuid?: string
  readonly session_id?: string
  readonly parent_tool_use_id?: string | null
  readonly [more: string]: unknown
}

/** What is known of a call from elsewhere: our own verdicts and the engine's hooks. */
export interface CallNotes {
  readonly denied: ReadonlyMap<string, string>
  readonly elapsedMs: ReadonlyMap<string, number>
}

/** Reads one turn. */
export class ClaudeTurnReader {
  readonly #notes: CallNotes
  readonly #names = new Map<string, string>()
  readonly #settled = new Set<string>()
  /** What the deltas add up to. */
  #streamed = ''
  /** What the engine has said for good. */
  #text = ''
  #thought = false
  #summary: string | null = null
  #messages: number | null = null
  readonly #usage: ClaudeUsage

  constructor(notes: CallNotes, window: ContextWindow = { tokens: 0 }) {
    this.#notes = notes
    this.#usage = new ClaudeUsage(window)
  }

  /** A compaction begins: so many messages are there. */
  compacting(messages: number | null): void {
    this.#messages = messages
  }

  compacted(summary: string): void {
    this.#summary = summary
  }

  read(message: SdkMessage): RunnerEvent[] {
    switch (message.type) {
      case 'stream_event':
        return message.parent_tool_use_id ? [] : this.#streamEvent(message.event as StreamEvent)
      case 'assistant':
        return this.#assistant(message)
      case 'user':
        return this.#user(message)
      case 'system':
        return this.#system(message)
      case 'result':
        return this.#usage.total(message)
      default:
        return []
    }
  }

  #streamEvent(event: StreamEvent): RunnerEvent[] {
    const { delta } = event
    if (event.type === 'message_start') {
      this.#thought = false
      this.#usage.stepStarted(event.message)
      // What was shown and never said for good: the stream was cut, and is said again from its beginning.
      if (this.#streamed === this.#text) return []
      this.#streamed = this.#text
      return [{ type: 'assistant.text', text: this.#text }]
    }
    if (event.type === 'message_delta') this.#usage.stepGrew(event.usage)
    if (event.type === 'message_stop') return this.#usage.stepEnded()
    if (event.type === 'content_block_start' && event.content_block?.type === 'text') return this.#paragraph()
    if (event.type !== 'content_block_delta' || !delta) return []
    if (delta.type === 'text_delta' && delta.text) return this.#delta(delta.text)
    if (delta.type === 'thinking_delta' && delta.thinking) {
      this.#thought = true
      return [{ type: 'thinking.delta', text: delta.thinking }]
    }
    return []
  }

  /** A block of text behind another is a paragraph of its own: the blocks have no break of theirs. */
  #paragraph(): RunnerEvent[] {
    if (this.#streamed === '' || this.#streamed.endsWith('\n')) return []
    this.#text += '\n\n'
    return this.#delta('\n\n')
  }

  #delta(text: string): RunnerEvent[] {
    this.#streamed += text
    return [{ type: 'assistant.delta', text }]
  }

  #assistant(message: SdkMessage): RunnerEvent[] {
    const { content = [], model, usage } = message.message as { content?: Block[]; model?: string; usage?: StepUsage }
    const parent = message.parent_tool_use_id ?? null
    if (parent === null) this.#usage.said(usage)
    return content.flatMap((block): RunnerEvent[] => {
      if (block.type === 'tool_use') return this.#toolUse(block, parent)
      // Subagents speak to their caller; what the engine makes up itself is told as the turn's end.
      if (parent !== null || model === '<synthetic>') return []
      if (block.type === 'text') return this.#said(block.text ?? '')
      if (block.type === 'thinking' && block.thinking && !this.#thought)
        return [{ type: 'thinking.delta', text: block.thinking }]
      return []
    })
  }

  /** A whole block. Sent again only where it is not what was streamed. */
  #said(block: string): RunnerEvent[] {
    const unstreamed = this.#streamed === this.#text && block !== ''
    const events = unstreamed ? this.#paragraph() : []
    this.#text += block
    if (this.#streamed === this.#text) return events
    if (this.#text.startsWith(this.#streamed))
      return [...events, ...this.#delta(this.#text.slice(this.#streamed.length))]
    this.#streamed = this.#text
    return [{ type: 'assistant.text', text: this.#text }]
  }

  #toolUse({ id = '', name = '', input }: Block, parent: string | null): RunnerEvent[] {
    if (this.#names.has(id)) return []
    const toolName = name === 'Task' ? 'Agent' : name
    this.#names.set(id, toolName)
    return [
      {
        type: 'tool.started',
        toolName,
        toolUseId: id,
        input: (input ?? {}) as JsonObject,
        ...(PURE.has(toolName) && { effect: 'pure' as const }),
        ...(parent !== null && { parentToolUseId: parent }),
      },
    ]
  }

  #user(message: SdkMessage): RunnerEvent[] {
    const { content } = message.message as { content?: string | Block[] }
    if (!Array.isArray(content)) return []
    const meta = (message.tool_result_meta ?? []) as readonly ResultMeta[]
    return content.flatMap((block): RunnerEvent[] => {
      const id = block.tool_use_id ?? ''
      if (block.type !== 'tool_result' || !this.#names.has(id) || this.#settled.has(id)) return []
      this.#settled.add(id)
      return this.#completed(id, block, Array.isArray(meta) ? meta.find((each) => each?.id === id) : undefined)
    })
  }

  #completed(id: string, block: Block, meta: ResultMeta | undefined): RunnerEvent[] {
    const toolName = this.#names.get(id) ?? 'tool'
    const result = plain(block.content)
    const text = typeof result === 'string' ? result : JSON.stringify(result)
    const elapsedMs = this.#notes.elapsedMs.get(id)
    const elapsed = elapsedMs === undefined ? {} : { elapsedMs }
    const done = (outcome: Outcome): RunnerEvent => ({
      type: 'tool.completed',
      toolUseId: id,
      toolName,
      outcome: { ...outcome, ...elapsed },
    })
    const decision = meta?.permission_decision
    const decided: RunnerEvent[] = decision?.decision
      ? [
          {
            type: 'policy.decided',
            subject: toolName,
            outcome: decision.decision,
            ...(decision.source && { source: decision.source }),
            ...(decision.reason_type && { reason: decision.reason_type }),
          },
        ]
      : []
    if (!block.is_error) return [...decided, done({ status: 'ok', result })]
    const refusal = this.#notes.denied.get(id)
    if (refusal !== undefined || meta?.non_execution_kind === 'permission-rule')
      return [...decided, done({ status: 'denied', reason: refusal ?? text })]
    // The engine tells these apart by its words alone.
    if (/Command timed out after/.test(text)) return [...decided, done({ status: 'timeout', error: text })]
    const invalid =
      /^<tool_use_error>(InputValidationError[\s\S]*?|.*No such tool available[\s\S]*?)<\/tool_use_error>/.exec(text)
    if (invalid) {
      const error = invalid[1] ?? text
      return [{ type: 'tool.invalid', toolUseId: id, toolName, error }, done({ status: 'error', error })]
    }
    return [...decided, done({ status: 'error', error: text })]
  }

  #system(message: SdkMessage): RunnerEvent[] {
    const said = message as unknown as SystemMessage
    switch (message.subtype) {
      case 'init':
        return Array.isArray(said.tools) ? [{ type: 'turn.tools', tools: said.tools.map(String) }] : []
      case 'api_retry':
        return [
          {
            type: 'retry',
            attempt: said.attempt ?? 0,
            ...(said.max_retries !== undefined && { maxRetries: said.max_retries }),
            ...(said.retry_delay_ms !== undefined && { delayMs: said.retry_delay_ms }),
            ...(said.error_status !== undefined && { status: said.error_status }),
            reason: retryReason(said),
          },
        ]
      case 'compact_boundary': {
        const { trigger, pre_tokens, post_tokens, messages_summarized, preserved_messages } =
          said.compact_metadata ?? {}
        const kept = preserved_messages?.uuids?.length ?? 0
        const summarized = messages_summarized ?? (this.#messages === null ? null : Math.max(0, this.#messages - kept))
        this.#messages = null
        const summary = this.#summary
        this.#summary = null
        return [
          {
            type: 'compaction',
            ...(trigger !== undefined && { trigger }),
            ...(pre_tokens !== undefined && { preTokens: pre_tokens }),
            ...(post_tokens !== undefined && { postTokens: post_tokens }),
            ...(summarized !== null && { summarized, kept }),
            ...(summary !== null && { summary }),
          },
        ]
      }
      case 'task_started':
        return [
          {
            type: 'subagent.started',
            agentId: String(said.task_id),
            ...(said.subagent_type && { agentType: said.subagent_type }),
            ...(said.tool_use_id && { toolUseId: said.tool_use_id }),
          },
        ]
      case 'task_progress':
        return [
          {
            type: 'subagent.progress',
            agentId: String(said.task_id),
            ...(said.description && { summary: said.description }),
          },
        ]
      case 'task_notification':
        return [
          {
            type: 'subagent.completed',
            agentId: String(said.task_id),
            status: said.status ?? 'completed',
            ...(said.summary && { summary: said.summary }),
          },
        ]
      default:
        return []
    }
  }
}

/** Repeating these does no harm; whatever is not here is taken to. */
const PURE = new Set([
  'Read',
  'Grep',
  'Glob',
  'LS',
  'NotebookRead',
  'WebFetch',
  'WebSearch',
  'TodoWrite',
  'ToolSearch',
  'AskUserQuestion',
  'ExitPlanMode',
  // Its own calls are told one by one.
  'Agent',
])

interface Block {
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
interface StreamEvent {
  readonly type: string
  readonly delta?: { readonly type: string; readonly text?: string; readonly thinking?: string }
  readonly content_block?: { readonly type: string }
  readonly message?: { readonly model?: string; readonly usage?: StepUsage }
  readonly usage?: StepUsage
}
interface ResultMeta {
  readonly id?: string
  readonly non_execution_kind?: string
  readonly permission_decision?: { readonly decision?: string; readonly source?: string; readonly reason_type?: string }
}
interface SystemMessage {
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
type Outcome = Extract<RunnerEvent, { type: 'tool.completed' }>['outcome']

const retryReason = ({ error, error_status }: SystemMessage): string => {
  const named = error && error !== 'unknown' ? error : null
  if (error_status) return named ? `${error_status} ${named}` : `The provider answered ${error_status}.`
  return named ?? 'The connection to the provider broke.'
}

/** Text where it is text. */
const plain = (content: unknown): Json => {
  if (content === undefined || content === null) return ''
  if (!Array.isArray(content)) return content as Json
  const texts = content.map((block: Block) => (block?.type === 'text' ? (block.text ?? '') : `[${block?.type}]`))
  return texts.join('\n')
}
