// Reads and writes the server-sent events of MCP, always as whole events.

/** Characters of one message, the same limit as for MCP servers of native agents. */
export const MCP_MESSAGE_CHARS_MAX = 16_000_000

export interface SseEvent {
  /** Position from which the server can resume the stream; absent = it cannot be resumed here. */
  readonly id?: string
  readonly data: string
}

/** Yields the events of a stream, without comments, event names and retry times. Throws if an event is too long or `body` fails. */
export async function* readSseEvents(
  body: AsyncIterable<Uint8Array>,
  charsMax = MCP_MESSAGE_CHARS_MAX,
): AsyncGenerator<SseEvent, void, undefined> {
  const decoder = new TextDecoder()
  let lines: string[] = []
  let pieces: string[] = []
  let chars = 0
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true })
    chars += text.length
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      const line = [...pieces, text.slice(from, end)].join('').replace(/\r$/, '')
      pieces = []
      from = end + 1
      if (line !== '') {
        lines.push(line)
        continue
      }
      const rest = text.length - from
      if (chars - rest > charsMax) throw new EventTooLongError(charsMax)
      const event = eventOf(lines)
      lines = []
      chars = rest
      if (event) yield event
    }
    if (chars > charsMax) throw new EventTooLongError(charsMax)
    if (from < text.length) pieces.push(text.slice(from))
  }
}

export class EventTooLongError extends Error {
  override readonly name = 'EventTooLongError'

  constructor(charsMax: number) {
    super(`An event is longer than ${charsMax} characters.`)
  }
}

export const encodeSseEvent = ({ id, data }: SseEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: message\n${data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')}\n`

/** Keeps an idle connection open. */
export const SSE_COMMENT = ': waiting\n\n'

const eventOf = (lines: readonly string[]): SseEvent | null => {
  let id: string | undefined
  const data: string[] = []
  for (const line of lines) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? []
    // A client sends the id in a header, so control characters are not allowed.
    if (name === 'id' && /^[\x20-\x7e]{1,1000}$/.test(value)) id = value
    if (name === 'data') data.push(value)
  }
  return data.length === 0 ? null : { ...(id !== undefined && { id }), data: data.join('\n') }
}
