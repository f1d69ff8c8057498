// A second realtime provider, which exists in tests alone. Its API has nothing in common with OpenAI's: a message is a word and JSON, turns, items
// and responses have no ids, and every request contains the whole conversation.
import type { ModelMessage } from '@bridle/agents/model/model'
import { countOf, isJsonObject, type JsonObject, parseObject, textOf } from '@bridle/events/json'
import { decodeBase64, encodeBase64 } from '@bridle/kernel/text/base64'
import type {
  NoticeRequest,
  ProviderApi,
  ProviderApiOptions,
  ReadyEvent,
  RealtimeEvent,
  RealtimeProvider,
  ResponseRequest,
} from '../provider.ts'

export const parrot: RealtimeProvider = {
  label: 'parrot.realtime',
  keyVariable: 'PARROT_API_KEY',
  urlVariable: 'PARROT_BASE_URL',
  url: 'wss://parrot.test',
  defaultModel: 'polly',
  defaultVoice: 'squawk',
  address: ({ url, key }, model) => ({ url: `${url}/${model}`, headers: { 'x-parrot': key } }),
  api: (options) => new ParrotApi(options),
}

type ParrotEvent = RealtimeEvent | ReadyEvent

class ParrotApi implements ProviderApi {
  readonly #options: ProviderApiOptions
  #turns = 0
  #items = 0
  #remarks: string[] = []
  /** Responses in the order in which the parrot gives them. */
  readonly #responses: string[] = []
  #item: string | null = null

  constructor(options: ProviderApiOptions) {
    this.#options = options
  }

  greet(): void {
    const { audio } = this.#options
    this.#send('HELLO', { voice: audio?.voice ?? null, waitsForPause: audio?.turns === 'silence' })
  }

  begin(): void {}

  decode(message: string): readonly ParrotEvent[] {
    const [word = '', ...rest] = message.split(' ')
    const json = parseObject(rest.join(' ')) ?? {}
    return Object.hasOwn(this.#decoders, word) ? this.#decoders[word]!(json) : []
  }

  append(audio: Uint8Array): void {
    this.#send('MIC', { sound: encodeBase64(audio) })
  }

  commit(): void {
    this.#send('OVER')
  }

  clear(): void {
    this.#send('FORGET')
  }

  /** The next request contains the turn. */
  keepTurn(): void {}

  dropTurn(): void {}

  respond(request: ResponseRequest): void {
    const { response, instructions, messages, said, tools } = request
    this.#responses.push(response)
    const history = [
      ...messages.flatMap(textsOf),
      ...this.#remarks.splice(0),
      ...(said ? [said.text, said.remark] : []),
    ]
    this.#send('ASK', { instructions, history, tools: tools.map(({ name }) => name) })
  }

  announce({ response, remark, instructions }: NoticeRequest): void {
    this.#remarks.push(remark)
    this.#responses.push(response)
    this.#send('TELL', { instructions })
  }

  cancel(response: string): void {
    if (this.#responses.includes(response)) this.#send('HUSH')
  }

  /** The next request contains what was heard. */
  cut(): void {}

  readonly #decoders: { readonly [word: string]: (json: JsonObject) => readonly ParrotEvent[] } = {
    WELCOME: () => [{ type: 'ready' }],
    LISTENING: () => [{ type: 'speech_started', ms: 0 }],
    QUIET: () => [{ type: 'speech_stopped', ms: null }],
    HEARD: ({ words }) => {
      this.#turns += 1
      const turn = `turn_${this.#turns}`
      return [
        { type: 'turn_committed', turn },
        { type: 'turn_text', turn, text: textOf(words), transcription: null },
      ]
    },
    SAY: ({ words, sound }) => {
      const response = this.#responses[0]
      if (response === undefined) return []
      const started: ParrotEvent[] = []
      if (this.#item === null) {
        this.#items += 1
        this.#item = `${response}_item_${this.#items}`
        started.push({ type: 'response_started', response }, { type: 'item_started', response, item: this.#item })
      }
      const item = this.#item
      const audio = decodeBase64(textOf(sound))
      return [
        ...started,
        { type: 'text', response, item, text: textOf(words), isSpoken: this.#options.audio !== null },
        ...(audio?.length ? [{ type: 'audio', response, item, audio } as const] : []),
      ]
    },
    DO: ({ id, name, input }) => {
      const response = this.#responses[0]
      if (response === undefined) return []
      return [{ type: 'call', response, id: textOf(id), name: textOf(name), input: JSON.stringify(input) }]
    },
    DONE: ({ isHushed, heard, spoken }) => {
      const [response, item] = [this.#responses.shift(), this.#item]
      this.#item = null
      if (response === undefined) return []
      const usage = {
        inputTokens: { total: countOf(heard), cacheRead: undefined, audio: undefined, cachedAudio: undefined },
        outputTokens: { total: countOf(spoken), audio: undefined },
      }
      const end = { type: isHushed === true ? 'interrupted' : 'completed', raw: '' } as const
      return [
        ...(item === null ? [] : [{ type: 'audio_end', response, item } as const]),
        { type: 'response_end', response, end, usage },
      ]
    },
    OOPS: ({ words }) => {
      const { faults } = this.#options
      const fault = words === 'no sound' ? faults.emptyTurn() : faults.reported(textOf(words))
      return [{ type: 'fault', fault, request: null }]
    },
  }

  #send(word: string, json: JsonObject = {}): void {
    this.#options.send(`${word} ${JSON.stringify(json)}`)
  }
}

const textsOf = ({ role, content }: ModelMessage): string[] => {
  if (typeof content === 'string') return [content]
  return content.flatMap((part) => {
    if (part.type === 'text') return [part.text.trim()]
    if (part.type === 'tool-result') return [isJsonObject(part.output) ? `${role}: ${part.toolName}` : '']
    return []
  })
}
