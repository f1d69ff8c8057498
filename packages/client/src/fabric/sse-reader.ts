// Server-sent events, incrementally: bytes in, messages out, wherever the network cut them. By the WHATWG algorithm, so
// whatever an EventSource would hear is what comes out here, with the headers that an EventSource cannot send.

/** A message of an event stream. */
export interface SseMessage {
  /** The last id the stream has given, also by an earlier message; '' = none so far. */
  readonly id: string
  /** The `event:` field, else 'message'. */
  readonly event: string
  /** The text of the message. */
  readonly data: string
}

/** A reader of event streams (`text/event-stream`): it takes bytes, and gives whole messages. */
export class SseReader {
  /** How soon the server wants its readers back; null = it said nothing. */
  retryMs: number | null = null
  readonly #charsMax: number
  // A decoder that takes the byte order mark away itself takes two of them, where the first comes as a chunk of its own.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #isAtStart = true
  /** A line whose end has not come yet. */
  #line = ''
  /** The last character was CR: an LF that follows belongs to it. */
  #afterReturn = false
  #data: string[] = []
  #chars = 0
  #event = ''
  #id = ''

  /** `charsMax` bounds one message, so that a stream without an end of line cannot fill the memory. */
  constructor(charsMax = 64 * 1024 * 1024) {
    this.#charsMax = charsMax
  }

  /** The messages that these bytes complete. The standard drops a message that the stream's end cuts off. */
  push(bytes: Uint8Array): SseMessage[] {
    const text = this.#withoutMark(this.#decoder.decode(bytes, { stream: true }))
    const messages: SseMessage[] = []
    let start = this.#afterReturn && text.startsWith('\n') ? 1 : 0
    if (text !== '') this.#afterReturn = false
    for (let end = lineEnd(text, start); end < text.length; end = lineEnd(text, start)) {
      const message = this.#takeLine(this.#line + text.slice(start, end))
      if (message) messages.push(message)
      this.#line = ''
      const isReturn = text[end] === '\r'
      this.#afterReturn = isReturn && end === text.length - 1
      start = end + (isReturn && text[end + 1] === '\n' ? 2 : 1)
    }
    this.#line += text.slice(start)
    if (this.#line.length + this.#chars > this.#charsMax) throw new RangeError('A server-sent message is too long.')
    return messages
  }

  /** A byte order mark at the start of the stream is not part of the text; a second one is. */
  #withoutMark(text: string): string {
    if (!this.#isAtStart || text === '') return text
    this.#isAtStart = false
    return text.startsWith('\uFEFF') ? text.slice(1) : text
  }

  #takeLine(line: string): SseMessage | null {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    this.#field(name, value)
    return null
  }

  /** Other names, and comments (the empty name), are ignored. */
  #field(name: string, value: string): void {
    if (name === 'data') {
      this.#data.push(value)
      this.#chars += value.length + 1
    }
    if (name === 'event') this.#event = value
    if (name === 'id' && !value.includes('\0')) this.#id = value
    if (name === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value)
  }

  #dispatch(): SseMessage | null {
    const [data, event] = [this.#data, this.#event]
    this.#data = []
    this.#chars = 0
    this.#event = ''
    return data.length === 0 ? null : { id: this.#id, event: event || 'message', data: data.join('\n') }
  }
}

/** The end of the line that starts here; the length of the text when the line is not complete yet. */
const lineEnd = (text: string, start: number): number => {
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x0a || unit === 0x0d) return at
  }
  return text.length
}
