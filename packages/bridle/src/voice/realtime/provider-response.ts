// A response of the provider, as the loop reads any model's answer: the words of its audio as text, its calls, its end and its tokens.
// The audio leaves it on the side.
import type { StreamPart } from '../../agents/model/step-builder.ts'
import { isJsonObject, type JsonObject } from '../../kernel/json.ts'
import { decodeBase64 } from '../../kernel/text/base64.ts'
import { eventFault, faultError } from './faults.ts'
import type { ProviderConversation } from './openai/conversation.ts'
import { assistantPrint, callPrint } from './openai/items.ts'
import { objectOf, type RealtimeEvent, textOf } from './provider-json.ts'
import { usageOf } from './response-charge.ts'
import type { SpokenAnswer, SpokenItem } from './spoken-answer.ts'

export interface ResponsePorts {
  readonly model: string
  readonly conversation: ProviderConversation
  readonly answer: SpokenAnswer
  /** The characters of the run's answer before the response. */
  readonly baseChars: number
  readonly now: () => number
  /** A piece of audio for the listener. */
  readonly audio: (item: string, bytes: Uint8Array) => void
  /** The tokens of a response that was interrupted: the loop does not wait for them. */
  readonly onUnused: (usage: JsonObject) => void
}

export class ProviderResponse {
  readonly stream: ReadableStream<{ readonly type: string }>
  /** Resolves when the provider has ended the response. */
  readonly whenEnded: Promise<void>
  readonly #ports: ResponsePorts
  #conversation: ProviderConversation
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
  /** The listener hears no more of it. */
  #isSilent = false

  constructor(ports: ResponsePorts, onCancel: () => void) {
    this.#ports = ports
    this.#conversation = ports.conversation
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

  handle(event: RealtimeEvent): void {
    const handler = Object.hasOwn(HANDLERS, event.type) ? HANDLERS[event.type] : undefined
    handler?.(this, event)
  }

  /** From now on nothing of the response is heard, and nothing is added to its text. */
  silence(): void {
    this.#isSilent = true
  }

  /** Nobody waits for more of it. */
  get isOver(): boolean {
    return this.#isOver || this.#isSilent || this.#controller === null
  }

  /**
   * The connection broke. Audio that was sent is heard, and text without audio is not: it is forgotten. Returns the text of the
   * response so far; null: the response needs no other connection.
   */
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
    this.#complete({ unified: 'tool-calls', raw: 'connection_lost' }, {})
    return null
  }

  /** The rest of the response comes from another connection. */
  continueIn(conversation: ProviderConversation): void {
    this.#conversation = conversation
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

  begin({ item }: RealtimeEvent): void {
    const { id, type, role } = objectOf(item)
    if (type === 'message' && role === 'assistant') this.#item(textOf(id))
  }

  addText({ type, item_id, delta }: RealtimeEvent): void {
    if (this.#isSilent) return
    const [id, text] = [textOf(item_id), textOf(delta)]
    if (text === '') return
    const item = this.#item(id)
    if (this.#ahead && this.#ahead.item !== item) this.#passText()
    const words = this.#isJoinMissing(item, text) ? ` ${text}` : text
    item.text += words
    this.#chars += words.length
    this.#conversation.setPrint(id, assistantPrint(item.text))
    this.#ahead = { item, text: (this.#ahead?.text ?? '') + words }
    if (type === 'response.output_text.delta' || item.isComplete) this.#passText()
  }

  addAudio({ item_id, delta }: RealtimeEvent): void {
    if (this.#isSilent) return
    const bytes = decodeBase64(textOf(delta))
    if (!bytes || bytes.length === 0) return
    const { answer, now, audio } = this.#ports
    const item = this.#item(textOf(item_id))
    answer.addAudio(item, bytes.length, now())
    audio(item.id, bytes)
    this.#passText()
  }

  endAudio({ item_id }: RealtimeEvent): void {
    const item = this.#ports.answer.item(textOf(item_id))
    if (!item || this.#isSilent) return
    item.isComplete = true
    this.#passText()
  }

  endItem({ item }: RealtimeEvent): void {
    const { id, type, call_id, name, arguments: input } = objectOf(item)
    if (type !== 'function_call' || this.#isSilent) return
    this.#passText()
    this.#hasCalls = true
    const [toolCallId, toolName] = [textOf(call_id), textOf(name)]
    this.#conversation.addAnswer(textOf(id), callPrint(toolCallId, toolName, parsedInput(textOf(input))))
    this.#emit({ type: 'tool-call', toolCallId, toolName, input: textOf(input) })
  }

  finish({ response }: RealtimeEvent): void {
    const { status, status_details, usage } = objectOf(response)
    const details = objectOf(status_details)
    this.#end()
    // The interruption ends the run. Until then the loop waits: an end of the stream would make it ask again.
    if (this.#isSilent) return this.#ports.onUnused(objectOf(usage))
    if (status === 'failed') {
      const fault = eventFault(objectOf(details.error), this.#ports.model)
      return this.fail(faultError(fault))
    }
    this.#complete(this.#finishReason(status, details), objectOf(usage))
  }

  #complete(finishReason: JsonObject, usage: JsonObject): void {
    this.#passText()
    this.#end()
    this.#emit({ type: 'finish', finishReason, usage: usageOf(usage) })
    this.#controller?.close()
    this.#controller = null
  }

  #finishReason(status: unknown, { reason }: JsonObject): JsonObject {
    const raw = textOf(reason) || textOf(status)
    if (status === 'completed') return { unified: this.#hasCalls ? 'tool-calls' : 'stop', raw }
    // A response that nobody here cancelled has ended too early: the loop asks again.
    if (status === 'cancelled') return { unified: 'interrupted', raw }
    return { unified: reason === 'content_filter' ? 'content-filter' : 'length', raw }
  }

  #item(id: string): SpokenItem {
    const { answer } = this.#ports
    const item = answer.item(id)
    if (item) return item
    this.#conversation.addAnswer(id)
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

const HANDLERS: { readonly [type: string]: (response: ProviderResponse, event: RealtimeEvent) => void } = {
  'response.output_item.added': (response, event) => response.begin(event),
  'response.output_audio_transcript.delta': (response, event) => response.addText(event),
  'response.output_text.delta': (response, event) => response.addText(event),
  'response.output_audio.delta': (response, event) => response.addAudio(event),
  'response.output_audio.done': (response, event) => response.endAudio(event),
  'response.output_item.done': (response, event) => response.endItem(event),
  'response.done': (response, event) => response.finish(event),
}

const parsedInput = (text: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}
