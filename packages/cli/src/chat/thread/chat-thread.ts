// Prints a session's conversation. Diffs each state with what was printed, so a reconnect neither repeats nor loses anything.

import type { HarnessMessage, HarnessState } from '@bridle/client/index'
import { endingText, isPlace } from '@bridle/words/index'
import { truncateLine } from '../../terminal/output.ts'
import { behindLabel } from '../../terminal/text-lines.ts'
import { INPUT_ROWS_MAX } from '../input/editor-rows.ts'
import { type Paint, plainRows } from '../markdown/wrap.ts'
import { AnswerView, type AnswerViewOptions } from './answer-view.ts'
import type { LinePrinter } from './line-printer.ts'

/** Messages shown when a chat resumes a conversation. */
const EARLIER_MESSAGES_MAX = 12

export interface ChatThreadOptions extends AnswerViewOptions {
  /** Called after each observed turn. The next one is shown when the promise resolves. */
  readonly onTurnEnd: () => Promise<void>
  readonly remarkOf: (messageId: string, isStopped: boolean) => string | undefined
}

export class ChatThread {
  readonly #options: ChatThreadOptions
  readonly #printer: LinePrinter
  readonly #answers = new Map<string, AnswerView>()
  readonly #done = new Set<string>()
  #isFirst = true
  /** Waiting to print the last turn's cost. */
  #isHeld = false

  constructor(options: ChatThreadOptions, printer: LinePrinter) {
    this.#options = options
    this.#printer = printer
  }

  update(state: HarnessState, columns: number): void {
    if (this.#isFirst) this.#skipEarlier(state.messages)
    for (const message of state.messages) {
      if (this.#isHeld) return
      if (this.#done.has(message.id)) continue
      if (message.role === 'user') this.#updatePrompt(message, state.messages, columns)
      else this.#updateAnswer(message, state, columns)
    }
    this.#isFirst = false
  }

  isPrinted(messageId: string): boolean {
    return this.#done.has(messageId)
  }

  /** Rows that may still change: open text, running tools, queued prompts. */
  liveRows({ messages }: HarnessState, columns: number): string[] {
    return messages.flatMap((message) => {
      if (this.#done.has(message.id)) return []
      if (message.role === 'assistant') return this.#answers.get(message.id)?.liveRows(columns) ?? []
      const remark = message.status === 'pending' ? '(queued)' : ''
      const text = truncateLine(message.content, columns - remark.length - 3)
      return [this.#options.paint.style('dim', `› ${text} ${remark}`.trimEnd())]
    })
  }

  #skipEarlier(messages: readonly HarnessMessage[]): void {
    const earlier = messages.slice(0, Math.max(0, messages.length - EARLIER_MESSAGES_MAX))
    for (const { id } of earlier) this.#done.add(id)
    if (earlier.length > 0)
      this.#printer.print('note', [
        this.#options.paint.style('dim', `… ${earlier.length} earlier messages; /open shows them`),
      ])
  }

  #updatePrompt(message: HarnessMessage, messages: readonly HarnessMessage[], columns: number): void {
    // Keep the prompt in the live rows until its turn starts, or until the sentence that it steers has ended.
    if (message.status === 'pending' || [...this.#answers.values()].some(({ isInLine }) => isInLine)) return
    this.#done.add(message.id)
    const wasDropped = message.stopReason === 'cancelled'
    this.#printer.print('prompt', promptRows(message.content, columns, this.#options.paint))
    const answer = messages.slice(0, messages.indexOf(message)).findLast(({ role }) => role === 'assistant')
    const remark = this.#options.remarkOf(message.id, answer?.stopReason === 'cancelled')
    if (remark !== undefined) this.#printer.print('note', [this.#options.paint.style('dim', remark)])
    if (wasDropped) this.#printer.print('note', [this.#options.paint.style('dim', '  taken out of the queue; not run')])
  }

  #updateAnswer(message: HarnessMessage, state: HarnessState, columns: number): void {
    const view = this.#answers.get(message.id) ?? new AnswerView(this.#options, this.#printer)
    this.#answers.set(message.id, view)
    view.update(message, columns, !this.#isFirst)
    if (message.status !== 'complete' && message.status !== 'error') return
    this.#done.add(message.id)
    this.#answers.delete(message.id)
    this.#printer.print('note', this.#endRows(message, state, columns))
    if (this.#isFirst) return
    this.#isHeld = true
    void this.#options.onTurnEnd().finally(() => {
      this.#isHeld = false
    })
  }

  #endRows({ status, stopReason, id }: HarnessMessage, { error, messages }: HarnessState, columns: number): string[] {
    const { paint } = this.#options
    if (status === 'error') {
      const isLast = messages.findLast(({ role }) => role === 'assistant')?.id === id
      const text = isLast && error ? error : 'The run failed.'
      return errorRows(text, columns, paint)
    }
    if (stopReason === undefined) return []
    const words = endingText(stopReason)
    return isPlace(stopReason)
      ? [paint.style('dim', `· ${words}`)]
      : [paint.style('yellow', `✗ ${truncateLine(words, columns - 2)}`)]
  }
}

export const errorRows = (text: string, columns: number, paint: Paint): string[] =>
  behindLabel(`${paint.style('red', '✗')} `, plainRows(text, columns - 2, paint), 2)

const promptRows = (text: string, columns: number, paint: Paint): string[] => {
  const rows = plainRows(text, columns - 2, paint)
  const shown = rows.slice(0, 2 * INPUT_ROWS_MAX)
  const more = rows.length - shown.length
  return [
    ...behindLabel(`${paint.style(['bold', 'cyan'], '›')} `, shown, 2),
    ...(more > 0 ? [paint.style('dim', `  … ${more} more lines`)] : []),
  ]
}
