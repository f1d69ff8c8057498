// Messages of the Claude Agent SDK -> runner events. No process is involved, so tests call it with messages.
import { type Json, type JsonObject, present } from '@bridle/events/json'
import type { RunnerEvent } from '../../protocol/protocol.ts'
import type { ContentBlock, SdkMessage, SdkStreamEvent, SdkSystemMessage, ToolResultMeta } from './sdk-messages.ts'
import { ClaudeUsage, type ContextWindow, type StepUsage } from './usage.ts'

/** Facts about calls that the messages do not hold: denied approvals, and times from the engine's hooks. */
export interface CallNotes {
  readonly denied: ReadonlyMap<string, string>
  readonly elapsedMs: ReadonlyMap<string, number>
}

export class ClaudeTurnReader {
  readonly #notes: CallNotes
  readonly #toolNames = new Map<string, string>()
  readonly #completedCalls = new Set<string>()
  /** The sum of the deltas. */
  #streamedText = ''
  /** The text of completed messages. */
  #finalText = ''
  #hasStreamedThinking = false
  #compactionSummary: string | null = null
  #messageCount: number | null = null
  readonly #usage: ClaudeUsage

  constructor(notes: CallNotes, window: ContextWindow = { tokens: 0 }) {
    this.#notes = notes
    this.#usage = new ClaudeUsage(window)
  }

  /** A compaction begins; `messages` is the number of messages before it. */
  compactionStarted(messages: number | null): void {
    this.#messageCount = messages
  }

  compactionEnded(summary: string): void {
    this.#compactionSummary = summary
  }

  read(message: SdkMessage): RunnerEvent[] {
    switch (message.type) {
      case 'stream_event':
        return message.parent_tool_use_id ? [] : this.#readStreamEvent(message.event as SdkStreamEvent)
      case 'assistant':
        return this.#readAssistant(message)
      case 'user':
        return this.#readUser(message)
      case 'system':
        return this.#readSystem(message)
      case 'result':
        return this.#usage.turnTotal(message)
      default:
        return []
    }
  }

  #readStreamEvent(event: SdkStreamEvent): RunnerEvent[] {
    const { delta } = event
    if (event.type === 'message_start') {
      this.#hasStreamedThinking = false
      this.#usage.stepStarted(event.message)
      // Deltas without a completed message: the stream was cut, and the engine repeats it from the beginning.
      if (this.#streamedText === this.#finalText) return []
      this.#streamedText = this.#finalText
      return [{ type: 'assistant.text', text: this.#finalText }]
    }
    if (event.type === 'message_delta') this.#usage.stepUpdated(event.usage)
    if (event.type === 'message_stop') return this.#usage.stepEnded()
    if (event.type === 'content_block_start' && event.content_block?.type === 'text') return this.#paragraphBreak()
    if (event.type !== 'content_block_delta' || !delta) return []
    if (delta.type === 'text_delta' && delta.text) return this.#textDelta(delta.text)
    if (delta.type === 'thinking_delta' && delta.thinking) {
      this.#hasStreamedThinking = true
      return [{ type: 'thinking.delta', text: delta.thinking }]
    }
    return []
  }

  /** Blocks of text come without breaks between them: each block starts a paragraph. */
  #paragraphBreak(): RunnerEvent[] {
    if (this.#streamedText === '' || this.#streamedText.endsWith('\n')) return []
    this.#finalText += '\n\n'
    return this.#textDelta('\n\n')
  }

  #textDelta(text: string): RunnerEvent[] {
    this.#streamedText += text
    return [{ type: 'assistant.delta', text }]
  }

  #readAssistant(message: SdkMessage): RunnerEvent[] {
    const said = message.message as { content?: ContentBlock[]; model?: string; usage?: StepUsage }
    const { content = [], model, usage } = said
    const parent = message.parent_tool_use_id ?? null
    if (parent === null) this.#usage.recordMessage(usage)
    return content.flatMap((block): RunnerEvent[] => {
      if (block.type === 'tool_use') return this.#readToolUse(block, parent)
      // Subagents answer their caller, and text that the engine generates itself is reported with the turn's end.
      if (parent !== null || model === '<synthetic>') return []
      if (block.type === 'text') return this.#readText(block.text ?? '')
      if (block.type === 'thinking' && block.thinking && !this.#hasStreamedThinking)
        return [{ type: 'thinking.delta', text: block.thinking }]
      return []
    })
  }

  /** A complete block, reported only where it differs from the streamed text. */
  #readText(block: string): RunnerEvent[] {
    const unstreamed = this.#streamedText === this.#finalText && block !== ''
    const events = unstreamed ? this.#paragraphBreak() : []
    this.#finalText += block
    if (this.#streamedText === this.#finalText) return events
    if (this.#finalText.startsWith(this.#streamedText))
      return [...events, ...this.#textDelta(this.#finalText.slice(this.#streamedText.length))]
    this.#streamedText = this.#finalText
    return [{ type: 'assistant.text', text: this.#finalText }]
  }

  #readToolUse({ id = '', name = '', input }: ContentBlock, parent: string | null): RunnerEvent[] {
    if (this.#toolNames.has(id)) return []
    const toolName = name === 'Task' ? 'Agent' : name
    this.#toolNames.set(id, toolName)
    return [
      {
        type: 'tool.started',
        toolName,
        toolUseId: id,
        input: (input ?? {}) as JsonObject,
        ...(PURE_TOOLS.has(toolName) && { effect: 'pure' as const }),
        ...(parent !== null && { parentToolUseId: parent }),
      },
    ]
  }

  #readUser(message: SdkMessage): RunnerEvent[] {
    const { content } = message.message as { content?: string | ContentBlock[] }
    if (!Array.isArray(content)) return []
    const meta = (message.tool_result_meta ?? []) as readonly ToolResultMeta[]
    return content.flatMap((block): RunnerEvent[] => {
      const id = block.tool_use_id ?? ''
      if (block.type !== 'tool_result' || !this.#toolNames.has(id) || this.#completedCalls.has(id)) return []
      this.#completedCalls.add(id)
      return this.#toolCompleted(id, block, Array.isArray(meta) ? meta.find((each) => each?.id === id) : undefined)
    })
  }

  #toolCompleted(id: string, block: ContentBlock, meta: ToolResultMeta | undefined): RunnerEvent[] {
    const toolName = this.#toolNames.get(id) ?? 'tool'
    const result = resultText(block.content)
    const text = typeof result === 'string' ? result : JSON.stringify(result)
    const elapsedMs = this.#notes.elapsedMs.get(id)
    const elapsed = elapsedMs === undefined ? {} : { elapsedMs }
    const done = (outcome: ToolOutcome): RunnerEvent => ({
      type: 'tool.completed',
      toolUseId: id,
      toolName,
      outcome: { ...outcome, ...elapsed },
    })
    const decision = meta?.permission_decision
    const decided: RunnerEvent[] = decision?.decision
      ? [
          {
            ...{ type: 'policy.decided', subject: toolName, outcome: decision.decision },
            ...present({ source: decision.source || undefined, reason: decision.reason_type || undefined }),
          },
        ]
      : []
    if (!block.is_error) return [...decided, done({ status: 'ok', result })]
    const refusal = this.#notes.denied.get(id)
    if (refusal !== undefined || meta?.non_execution_kind === 'permission-rule')
      return [...decided, done({ status: 'denied', reason: refusal ?? text })]
    // The engine has no codes for these outcomes; only the texts differ.
    if (/Command timed out after/.test(text)) return [...decided, done({ status: 'timeout', error: text })]
    const invalid =
      /^<tool_use_error>(InputValidationError[\s\S]*?|.*No such tool available[\s\S]*?)<\/tool_use_error>/.exec(text)
    if (invalid) {
      const error = invalid[1] ?? text
      return [{ type: 'tool.invalid', toolUseId: id, toolName, error }, done({ status: 'error', error })]
    }
    // Claude Code reports an exit code only in this text. A result without an error is not always a code of 0: grep may end with 1.
    const code = toolName === 'Bash' ? /^Exit code (\d{1,9})\b/.exec(text)?.[1] : undefined
    return [...decided, done({ status: 'error', error: text, ...(code !== undefined && { exit_code: Number(code) }) })]
  }

  #readSystem(message: SdkMessage): RunnerEvent[] {
    const said = message as unknown as SdkSystemMessage
    const agentId = String(said.task_id)
    switch (message.subtype) {
      case 'init':
        return Array.isArray(said.tools) ? [{ type: 'turn.tools', tools: said.tools.map(String) }] : []
      case 'api_retry':
        return [
          {
            type: 'retry',
            attempt: said.attempt ?? 0,
            ...present({ maxRetries: isOverload(said) ? undefined : said.max_retries }),
            ...present({ delayMs: said.retry_delay_ms, status: said.error_status }),
            reason: retryReason(said),
          },
        ]
      case 'compact_boundary': {
        const { trigger, pre_tokens, post_tokens, messages_summarized, preserved_messages } =
          said.compact_metadata ?? {}
        const kept = preserved_messages?.uuids?.length ?? 0
        const summarized =
          messages_summarized ?? (this.#messageCount === null ? null : Math.max(0, this.#messageCount - kept))
        this.#messageCount = null
        const summary = this.#compactionSummary
        this.#compactionSummary = null
        return [
          {
            type: 'compaction',
            ...present({ trigger, preTokens: pre_tokens, postTokens: post_tokens }),
            ...(summarized !== null && { summarized, kept }),
            ...(summary !== null && { summary }),
          },
        ]
      }
      case 'task_started':
        return [
          {
            ...{ type: 'subagent.started', agentId },
            ...present({ agentType: said.subagent_type || undefined, toolUseId: said.tool_use_id || undefined }),
          },
        ]
      case 'task_progress':
        return [{ type: 'subagent.progress', agentId, ...present({ summary: said.description || undefined }) }]
      case 'task_notification':
        return [
          {
            ...{ type: 'subagent.completed', agentId, status: said.status ?? 'completed' },
            ...present({ summary: said.summary || undefined }),
          },
        ]
      default:
        return []
    }
  }
}

/** Tools that can be repeated without harm. Every other tool counts as unsafe. */
const PURE_TOOLS = new Set([
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
  // The calls of a subagent are reported one by one.
  'Agent',
])

type ToolOutcome = Extract<RunnerEvent, { type: 'tool.completed' }>['outcome']

/** With some models the engine gives up after the third overload, whatever number of tries it announces. */
const isOverload = ({ error, error_status }: SdkSystemMessage): boolean =>
  error === 'overloaded' || error_status === 529

const retryReason = ({ error, error_status }: SdkSystemMessage): string => {
  const named = error && error !== 'unknown' ? error : null
  if (error_status) return named ? `${error_status} ${named}` : `The provider answered ${error_status}.`
  return named ?? 'The connection to the provider broke.'
}

const resultText = (content: unknown): Json => {
  if (content === undefined || content === null) return ''
  if (!Array.isArray(content)) return content as Json
  const texts = content.map((block: ContentBlock) => (block?.type === 'text' ? (block.text ?? '') : `[${block?.type}]`))
  return texts.join('\n')
}
