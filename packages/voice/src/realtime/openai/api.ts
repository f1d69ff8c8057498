// A connection to OpenAI's realtime API.
import { type JsonObject, parseObject } from '@bridle/events/json'
import { encodeBase64 } from '@bridle/kernel/text/base64'
import type { NoticeRequest, ProviderApi, ProviderApiOptions, ResponseRequest } from '../provider.ts'
import { OpenAIConversation } from './conversation.ts'
import { type DecodedEvent, decodeEvent } from './decode.ts'
import { noticeRequest, responseRequest, sessionSettings, turnSettings } from './encode.ts'
import { assistantItem, callPrint, conversationItems } from './items.ts'
import { ResponseNames } from './response-names.ts'

/** May arrive too late. The resulting error is ignored. */
const LATE_TYPES: ReadonlySet<unknown> = new Set([
  'response.cancel',
  'conversation.item.truncate',
  'conversation.item.delete',
])
const LATE = 'late_'

export class OpenAIApi implements ProviderApi {
  readonly #options: ProviderApiOptions
  readonly #conversation = new OpenAIConversation()
  readonly #names = new ResponseNames()
  #count = 0
  /** The last settings sent, as JSON. */
  #settings = ''

  constructor(options: ProviderApiOptions) {
    this.#options = options
  }

  begin(): void {
    this.#send({ type: 'session.update', session: sessionSettings(this.#options.audio) })
  }

  decode(message: string): readonly DecodedEvent[] {
    const json = parseObject(message)
    const event = json && decodeEvent(json, { names: this.#names, faults: this.#options.faults, latePrefix: LATE })
    if (!event) return []
    this.#follow(event)
    return [event]
  }

  append(audio: Uint8Array): void {
    // A fast path for the most frequent message. Base64 needs no escaping.
    this.#options.send(`{"type":"input_audio_buffer.append","audio":"${encodeBase64(audio)}"}`)
  }

  commit(): void {
    this.#send({ type: 'input_audio_buffer.commit' })
  }

  clear(): void {
    this.#send({ type: 'input_audio_buffer.clear' })
  }

  keepTurn(turn: string, text: string): void {
    this.#conversation.addTurn(turn, text)
  }

  dropTurn(turn: string): void {
    this.#sendAll(this.#conversation.dropTurn(turn))
  }

  respond(request: ResponseRequest): void {
    const { response, messages, said } = request
    this.#configure(turnSettings(request))
    this.#sendAll(
      this.#conversation.update([...conversationItems(messages), ...(said ? [assistantItem(said.text)] : [])]),
    )
    if (said) this.#sendAll(this.#conversation.remark(said.remark))
    this.#names.add(response, this.#send(responseRequest(request)), false)
  }

  announce(notice: NoticeRequest): void {
    this.#sendAll(this.#conversation.remark(notice.remark))
    this.#names.add(notice.response, this.#send(noticeRequest(notice)), true)
  }

  cancel(response: string): void {
    const asked = this.#names.get(response)
    if (asked?.isNotice === false) this.#send({ type: 'response.cancel' })
    else if (asked?.id) this.#send({ type: 'response.cancel', response_id: asked.id })
  }

  cut(item: string, text: string, heardMs: number): void {
    this.#sendAll(this.#conversation.truncate(item, text, heardMs))
  }

  #follow(event: DecodedEvent): void {
    if (event.type === 'turn_committed' && event.turn !== '') return this.#conversation.addAudio(event.turn)
    if (!('response' in event && 'item' in event) || this.#names.get(event.response)?.isNotice !== false) return
    if (event.type === 'text') this.#conversation.addText(event.item, event.text)
    else if (event.type === 'call') {
      const { item, id, name, input } = event
      this.#conversation.addAnswer(item, callPrint(id, name, parseObject(input) ?? {}))
    } else if (event.type !== 'audio_end') this.#conversation.addAnswer(event.item)
  }

  #configure(settings: JsonObject): void {
    const text = JSON.stringify(settings)
    if (text === this.#settings) return
    this.#settings = text
    this.#send({ type: 'session.update', session: settings })
  }

  #sendAll(events: readonly JsonObject[]): void {
    for (const event of events) this.#send(event)
  }

  /** Returns the event id, by which the provider refers to it in errors. */
  #send(event: JsonObject): string {
    this.#count += 1
    const id = `${LATE_TYPES.has(event.type) ? LATE : 'event_'}${this.#count}`
    this.#options.send(JSON.stringify({ ...event, event_id: id }))
    return id
  }
}
