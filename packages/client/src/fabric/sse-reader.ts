// An incremental parser of server-sent events that follows the WHATWG algorithm. Unlike EventSource, its requests can
// carry headers.

/** A server-sent message. */
export interface SseMessage {
  /** The stream's last id so far, or ''. */
  readonly id: string
  /** The `event:` field. Default: 'message'. */
  readonly event: string
  /** The payload. */
  readonly data: string
}

/** An incremental parser of `text/event-stream` bytes. */
export class SseReader {
  /** The server's `retry:` delay, or null. */
  retryMs: number | null = null
  readonly #charsMax: number
  // TextDecoder would strip two byte order marks if the first is a chunk of its own.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #isAtStart = true
  #line = ''
  /** The last character was CR, so skip a following LF. */
  #afterReturn = false
  #data: string[] = []
  #chars = 0
  #event = ''
  #id = ''

  /** `charsMax` limits a message, so that a stream without line breaks cannot exhaust memory. */
  constructor(charsMax = 64 * 1024 * 1024) {
    this.#charsMax = charsMax
  }

  /** Returns the messages completed by these bytes. Per the standard, a message cut off by the end of the stream is dropped. */
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

  /** Ignores unknown fields and comments, which have an empty name. */
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

/** End of the line at `start`, or the text's length if it is incomplete. */
const lineEnd = (text: string, start: number): number => {
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x0a || unit === 0x0d) return at
  }
  return text.length
}
