// A response of the provider as a model's stream: its words, calls, end and tokens. The audio goes to the listener.
import type { StreamPart } from '@bridle/agents/model/step-builder'
import type { JsonObject } from '@bridle/events/json'
import { faultError } from './faults.ts'
import type { ResponseEnd, ResponseEvent, ResponseUsage } from './provider.ts'
import { NO_USAGE } from './response-charge.ts'
import type { SpokenAnswer, SpokenItem } from './spoken-answer.ts'

export interface ResponsePorts {
  readonly answer: SpokenAnswer
  /** The characters of the run's answer before the response. */
  readonly baseChars: number
  readonly now: () => number
  readonly audio: (item: string, bytes: Uint8Array) => void
  /** The tokens of a response that was interrupted: the loop does not wait for them. */
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
  /** The text that the loop has. */
  #said = ''
  /** Text whose audio has not come: the loop gets it with the audio, so that the log has nothing that was not spoken. */
  #ahead: { readonly item: SpokenItem; text: string } | null = null
  #isOver = false
  /** The text that goes on in an item, by the item: the parts of an answer that broke are one text. */
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

  /** From now on nothing of the response is heard, and nothing is added to its text. */
  silence(): void {
    this.#isSilent = true
  }

  get isOver(): boolean {
    return this.#isOver || this.#isSilent || this.#controller === null
  }

  /** The connection broke: text without audio is dropped. Returns the text so far; null: the response needs no other connection. */
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
    // The loop has calls to make, and asks anew with their results.
    this.#complete({ unified: 'tool-calls', raw: 'connection_lost' }, NO_USAGE)
    return null
  }

  /** Ends it without an end of its stream: the interruption of the run ends that. */
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
    // The interruption ends the run. Until then the loop waits: an end of the stream would make it ask again.
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

  /** The answer goes on from another connection, and its next word follows without a blank. */
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
