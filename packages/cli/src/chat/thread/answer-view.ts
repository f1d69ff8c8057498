// Prints an answer incrementally: text once, tools in order, thoughts in one line. What may still change stays live.
import type { HarnessMessage, HarnessToolCall } from '@bridle/client/index'
import { LAST_WORDS_CHARS } from '../../command/limits.ts'
import { restartText } from '../../terminal/conversation-text.ts'
import { endInColumns } from '../../terminal/display-width.ts'
import { oneLine, truncateLine } from '../../terminal/output.ts'
import { behindLabel } from '../../terminal/text-lines.ts'
import { MarkdownStream } from '../markdown/markdown-stream.ts'
import { type Paint, plainRows } from '../markdown/wrap.ts'
import type { LinePrinter } from './line-printer.ts'
import { finishedToolRows, runningToolRow, startedToolRow } from './tool-text.ts'

/** Keeps the live rows within a window. Rows above were printed for good. */
const OPEN_ROWS_MAX = 12

export interface AnswerViewOptions {
  readonly paint: Paint
  readonly now: () => number
  readonly showsThinking: () => boolean
  readonly isDenialShown: (approvalId: string) => boolean
}

interface ToolProgress {
  /** Null if it started before this chat attached. With an approval, the tool starts when it is answered. */
  startedAt: number | null
  endedAt: number | null
  waitsForApproval: boolean
  /** live: in the live rows. begun: its start is printed, its end follows. */
  phase: 'live' | 'begun' | 'printed'
}

export class AnswerView {
  readonly #options: AnswerViewOptions
  readonly #printer: LinePrinter
  #stream: MarkdownStream | null = null
  /** Where the stream's text starts in the answer. */
  #streamFrom = 0
  #shown = ''
  readonly #tools: ToolProgress[] = []
  readonly #done = new Set<string>()
  #message: HarnessMessage | null = null

  constructor(options: AnswerViewOptions, printer: LinePrinter) {
    this.#options = options
    this.#printer = printer
  }

  /** True within a line of text, when nothing else should be printed. */
  get isInLine(): boolean {
    return this.#stream?.hasOpenRows ?? false
  }

  /** Prints everything new and final. `isLive`: new calls can be timed. */
  update(message: HarnessMessage, columns: number, isLive: boolean): void {
    this.#message = message
    const { content, parts = [{ type: 'text', from: 0 } as const], toolCalls = [] } = message
    if (!content.startsWith(this.#shown)) this.#withdraw(content, columns)
    const isOver = message.status === 'complete' || message.status === 'error'
    this.#timeTools(toolCalls, isLive)
    let [tools, thoughts] = [0, 0]
    for (const [at, part] of parts.entries()) {
      if (part.type === 'text' && 'from' in part) this.#showText(content, part.from, textEnd(message, at), columns)
      if (part.type === 'tool') this.#showTool(tools++, toolCalls, columns, isLive)
      if (part.type === 'reasoning') {
        const isFinal = isOver || at < parts.length - 1
        if (isFinal && !part.superseded)
          this.#once(`thought ${thoughts}`, columns, () => thoughtRows(part.text, this.#options, columns))
        thoughts += 1
      }
      if (part.type === 'artifact' && !part.superseded)
        this.#once(`artifact ${part.artifactId}`, columns, () => [
          `${this.#options.paint.style('magenta', '▣')} ${truncateLine(`${part.name} ${part.artifactId}`, columns - 2)}`,
        ])
      if (part.type === 'marker' && !part.superseded)
        this.#once(`marker ${at}`, columns, () => [
          this.#options.paint.style('dim', `~ ${truncateLine(`context made smaller ${part.text}`, columns - 2)}`),
        ])
    }
    this.#settleTools(toolCalls, columns)
    if (isOver) this.#finish(toolCalls, columns)
    else this.#freeze(columns)
  }

  liveRows(columns: number): string[] {
    const message = this.#message
    if (!message) return []
    const rows = this.#stream?.openRows(columns) ?? []
    const kind = rows.length > 0 ? 'text' : 'tool'
    const calls = message.toolCalls ?? []
    for (const [at, tool] of this.#tools.entries()) {
      const call = calls[at]
      if (tool.phase !== 'live' || !call) continue
      const elapsed = this.#elapsed(tool)
      if (call.status === 'running') rows.push(runningToolRow(call, elapsed, columns, this.#options.paint))
      else rows.push(...this.#finishedRows(call, elapsed, columns).slice(0, 1))
    }
    const last = message.parts?.at(-1)
    if (last?.type === 'reasoning' && !last.superseded && message.status === 'streaming')
      rows.push(this.#options.paint.style(['dim', 'italic'], `✻ ${endInColumns(oneLine(last.text), columns - 2)}`))
    // Include the gap, so that rows do not jump when printed.
    return rows.length > 0 && this.#printer.needsGap(kind) ? ['', ...rows] : rows
  }

  #showText(content: string, from: number, end: number, columns: number): void {
    const start = Math.max(this.#shown.length, from)
    if (end <= start) return
    this.#releaseTools(columns)
    if (!this.#stream) {
      this.#stream = new MarkdownStream(this.#options.paint)
      this.#streamFrom = start
    }
    this.#printer.print('text', this.#stream.push(content.slice(start, end), columns))
    this.#shown = content.slice(0, end)
  }

  #showTool(at: number, calls: readonly HarnessToolCall[], columns: number, isLive: boolean): void {
    const call = calls[at]
    if (!call || this.#tools[at]) return
    this.#endText(columns)
    this.#tools[at] = {
      startedAt: this.#startOf(call, isLive),
      endedAt: null,
      waitsForApproval: isUnanswered(call),
      phase: 'live',
    }
  }

  #startOf({ status }: HarnessToolCall, isLive: boolean): number | null {
    return isLive && status === 'running' ? this.#options.now() : null
  }

  #elapsed({ startedAt, endedAt }: ToolProgress): number | null {
    return startedAt === null ? null : (endedAt ?? this.#options.now()) - startedAt
  }

  #timeTools(calls: readonly HarnessToolCall[], isLive: boolean): void {
    for (const [at, tool] of this.#tools.entries()) {
      const call = calls[at]
      if (!call) continue
      const waits = isUnanswered(call)
      if (tool.waitsForApproval && !waits) tool.startedAt = this.#startOf(call, isLive)
      tool.waitsForApproval = waits
      if (call.status !== 'running') tool.endedAt ??= this.#options.now()
    }
  }

  /** Prints finished calls from the front, so that parallel calls appear in start order. */
  #settleTools(calls: readonly HarnessToolCall[], columns: number): void {
    let isFront = true
    for (const [at, tool] of this.#tools.entries()) {
      const call = calls[at]
      if (!call || tool.phase === 'printed') continue
      const isFinished = call.status !== 'running'
      if (isFinished && (isFront || tool.phase === 'begun')) this.#printTool(call, tool, columns)
      else if (tool.phase === 'live') isFront = false
    }
  }

  /** Other output follows, so a running call is printed as begun. */
  #releaseTools(columns: number): void {
    const calls = this.#message?.toolCalls ?? []
    for (const [at, tool] of this.#tools.entries()) {
      const call = calls[at]
      if (!call || tool.phase !== 'live') continue
      if (call.status !== 'running') this.#printTool(call, tool, columns)
      else {
        tool.phase = 'begun'
        this.#printer.print('tool', [startedToolRow(call, columns, this.#options.paint)])
      }
    }
  }

  #printTool(call: HarnessToolCall, tool: ToolProgress, columns: number): void {
    tool.phase = 'printed'
    this.#printer.print('tool', this.#finishedRows(call, this.#elapsed(tool), columns))
  }

  /** If the denial was already reported, only the reason is left to print. */
  #finishedRows(call: HarnessToolCall, elapsed: number | null, columns: number): string[] {
    const { paint, isDenialShown } = this.#options
    const isTold = call.outcome === 'denied' && call.approval !== undefined && isDenialShown(call.approval.id)
    return finishedToolRows(call, elapsed, columns, paint).slice(isTold ? 1 : 0)
  }

  #once(key: string, columns: number, rows: () => string[]): void {
    if (this.#done.has(key)) return
    this.#done.add(key)
    this.#endText(columns)
    this.#releaseTools(columns)
    this.#printer.print('tool', rows())
  }

  #endText(columns: number): void {
    if (this.#stream) this.#printer.print('text', this.#stream.end(columns))
    this.#stream = null
  }

  #freeze(columns: number): void {
    if (!this.#stream || this.#stream.openRows(columns).length <= OPEN_ROWS_MAX) return
    this.#printer.print('text', this.#stream.freeze(Math.floor(OPEN_ROWS_MAX / 2), columns))
  }

  /** The end of the text was withdrawn. Printed rows stay, so a line marks where the answer continues. */
  #withdraw(content: string, columns: number): void {
    const kept = commonLength(this.#shown, content)
    this.#shown = content.slice(0, kept)
    if (this.#stream && kept >= this.#streamFrom && this.#stream.withdrawTo(kept - this.#streamFrom)) return
    this.#endText(columns)
    const { paint } = this.#options
    const words = oneLine(content.slice(Math.max(0, kept - LAST_WORDS_CHARS), kept))
    this.#printer.print('tool', [`${paint.style('yellow', '↺')} ${truncateLine(restartText(words), columns - 2)}`])
    // Restore the code block or list in which the kept text ends.
    const lineStart = content.lastIndexOf('\n', kept - 1) + 1
    this.#stream = new MarkdownStream(paint)
    this.#stream.push(content.slice(0, lineStart), columns)
    this.#stream.end(columns)
    this.#streamFrom = 0
    this.#stream.push(content.slice(lineStart, kept), columns)
    this.#stream.freeze(0, columns)
  }

  #finish(calls: readonly HarnessToolCall[], columns: number): void {
    this.#endText(columns)
    for (const [at, tool] of this.#tools.entries()) {
      const call = calls[at]
      if (call && tool.phase !== 'printed') this.#printTool(call, tool, columns)
    }
  }
}

const isUnanswered = ({ approval }: HarnessToolCall): boolean => approval?.status === 'pending'

const textEnd = ({ parts = [], content }: HarnessMessage, at: number): number => {
  for (let index = at + 1; index < parts.length; index++) {
    const next = parts[index]
    if (next?.type === 'text' && 'from' in next) return next.from
  }
  return content.length
}

const commonLength = (a: string, b: string): number => {
  const most = Math.min(a.length, b.length)
  let at = 0
  while (at < most && a[at] === b[at]) at += 1
  return at
}

const thoughtRows = (text: string, { paint, showsThinking }: AnswerViewOptions, columns: number): string[] => {
  if (text.trim() === '') return []
  const rows = showsThinking() ? plainRows(text.trim(), columns - 2, paint) : [truncateLine(text, columns - 2)]
  return behindLabel('✻ ', rows).map((row) => paint.style(['dim', 'italic'], row))
}
