// A provider response as a model stream: text, calls, finish reason and usage. The audio goes to the listener.
import type { StreamPart } from '@bridle/agents/model/step-builder'
import type { JsonObject } from '@bridle/events/json'
import { faultError } from './faults.ts'
import type { ResponseEnd, ResponseEvent, ResponseUsage } from './provider.ts'
import { NO_USAGE } from './response-charge.ts'
import type { SpokenAnswer, SpokenItem } from './spoken-answer.ts'

export interface ResponsePorts {
  readonly answer: SpokenAnswer
  /** Characters of the run's answer before this response. */
  readonly baseChars: number
  readonly now: () => number
  readonly audio: (item: string, bytes: Uint8Array) => void
  /** Usage of an interrupted response, which the loop does not wait for. */
  readonly onUnused: (usage: ResponseUsage) => void
}

export class ProviderResponse {
  readonly stream: ReadableStream<{ readonly type: string }>
  readonly whenEnded: Promise<void>
  readonly #ports: ResponsePorts
  #controller: ReadableStreamDefaultController<{ readonly type: string }> | null = null
  #end: () => void = () => {}
  #chars: number
  #hasCalls = false
  /** Text passed to the loop so far. */
  #said = ''
  /** Text whose audio has not arrived. Held back, so that the log contains only spoken text. */
  #ahead: { readonly item: SpokenItem; text: string } | null = null
  #isOver = false
  /** Maps items to stream text ids. An answer resumed after a lost connection continues the same text. */
  readonly #textIds = new Map<string, string>()
  #brokenTextId: string | null = null
  #isSilent = false

  constructor(ports: ResponsePorts, onCancel: () => void) {
    this.#ports = ports
    this.#chars = ports.baseChars
    this.whenEnded = new Promise((resolve) => {
      this.#end = () => {
        this.#isOver = true
        resolve()
      }
    })
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller
      },
      cancel: () => {
        this.#controller = null
        onCancel()
      },
    })
  }

  handle(event: ResponseEvent): void {
    switch (event.type) {
      case 'response_started':
        return
      case 'item_started':
        return void this.#item(event.item)
      case 'response_end':
        return this.#finish(event.end, event.usage)
    }
    if (this.#isSilent) return
    switch (event.type) {
      case 'text':
        return this.#addText(event.item, event.text, event.isSpoken)
      case 'audio':
        return this.#addAudio(event.item, event.audio)
      case 'audio_end':
        return this.#endAudio(event.item)
      case 'call':
        return this.#addCall(event.id, event.name, event.input)
    }
  }

  silence(): void {
    this.#isSilent = true
  }

  get isOver(): boolean {
    return this.#isOver || this.#isSilent || this.#controller === null
  }

  /** Drops text without audio. Returns the text to continue from, or null if no new connection is needed. */
  breakOff(): string | null {
    if (this.isOver) {
      this.#end()
      return null
    }
    const { answer } = this.#ports
    const { item, text } = this.#ahead ?? { item: answer.last, text: '' }
    if (item) item.text = item.text.slice(0, item.text.length - text.length)
    this.#chars -= text.length
    this.#ahead = null
    if (answer.last) {
      answer.last.isComplete = true
      this.#brokenTextId = this.#textIds.get(answer.last.id) ?? answer.last.id
    }
    if (!this.#hasCalls) return this.#said
    // The loop asks again with the results of the calls.
    this.#complete({ unified: 'tool-calls', raw: 'connection_lost' }, NO_USAGE)
    return null
  }

  /** Stops without finishing the stream, which ends when the run is interrupted. */
  abandon(): void {
    this.#isSilent = true
    this.#end()
  }

  fail(error: Error): void {
    this.#end()
    this.#controller?.error(error)
    this.#controller = null
  }

  #addText(id: string, text: string, isSpoken: boolean): void {
    const item = this.#item(id)
    if (this.#ahead && this.#ahead.item !== item) this.#passText()
    const words = this.#isJoinMissing(item, text) ? ` ${text}` : text
    item.text += words
    this.#chars += words.length
    this.#ahead = { item, text: (this.#ahead?.text ?? '') + words }
    if (!isSpoken || item.isComplete) this.#passText()
  }

  #addAudio(id: string, bytes: Uint8Array): void {
    const { answer, now, audio } = this.#ports
    const item = this.#item(id)
    answer.addAudio(item, bytes.length, now())
    audio(id, bytes)
    this.#passText()
  }

  #endAudio(id: string): void {
    const item = this.#ports.answer.item(id)
    if (!item) return
    item.isComplete = true
    this.#passText()
  }

  #addCall(toolCallId: string, toolName: string, input: string): void {
    this.#passText()
    this.#hasCalls = true
    this.#emit({ type: 'tool-call', toolCallId, toolName, input })
  }

  #finish(end: ResponseEnd, usage: ResponseUsage): void {
    this.#end()
    // The interruption ends the run. Ending the stream first would make the loop ask again.
    if (this.#isSilent) return this.#ports.onUnused(usage)
    if (end.type === 'failed') return this.fail(faultError(end.fault))
    const { type, raw } = end
    // The loop asks again after `interrupted`.
    const unified = type === 'completed' ? (this.#hasCalls ? 'tool-calls' : 'stop') : type
    this.#complete({ unified, raw }, usage)
  }

  #complete(finishReason: JsonObject, usage: ResponseUsage): void {
    this.#passText()
    this.#end()
    this.#emit({ type: 'finish', finishReason, usage })
    this.#controller?.close()
    this.#controller = null
  }

  #item(id: string): SpokenItem {
    const { answer } = this.#ports
    const item = answer.item(id)
    if (item) return item
    if (this.#brokenTextId !== null) this.#textIds.set(id, this.#brokenTextId)
    this.#brokenTextId = null
    return answer.addItem(id, this.#chars)
  }

  /** True if a space is missing where the answer resumes after a lost connection. */
  #isJoinMissing(item: SpokenItem, text: string): boolean {
    return item.text === '' && /[^\s]$/.test(this.#said) && /^[\p{L}\p{N}]/u.test(text)
  }

  #passText(): void {
    if (!this.#ahead) return
    const { item, text } = this.#ahead
    this.#ahead = null
    this.#said += text
    this.#emit({ type: 'text-delta', id: this.#textIds.get(item.id) ?? item.id, delta: text })
  }

  #emit(part: StreamPart & { readonly type: string }): void {
    this.#controller?.enqueue(part)
  }
}
