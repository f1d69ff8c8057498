// Reads server-sent events from the body of a response, in browsers and on Node.
import { ShellFault } from '../fault.ts'

/** An event of a stream. */
export interface StreamEvent {
  /** Empty where the event has none. */
  readonly id: string
  readonly data: string
}

/** The events that a stream has brought so far, piece by piece. */
export interface EventParser {
  /** The events that this piece completes. */
  add(piece: Uint8Array): readonly StreamEvent[]
}

/** An event of more than `maxChars` is `too_large`. */
export const createEventParser = (maxChars: number): EventParser => {
  const decoder = new TextDecoder()
  let rest = ''
  return {
    add: (piece) => {
      // A blank line may begin at the end of the last piece.
      let searched = Math.max(0, rest.length - 3)
      rest += decoder.decode(piece, { stream: true })
      const events: StreamEvent[] = []
      for (;;) {
        const blank = /\r\n\r\n|\n\n|\r\r/g
        blank.lastIndex = searched
        const end = blank.exec(rest)
        if (!end) break
        const event = readEvent(rest.slice(0, end.index))
        if (event) events.push(event)
        rest = rest.slice(blank.lastIndex)
        searched = 0
      }
      if (rest.length > maxChars)
        throw new ShellFault('too_large', `The stream has an event of more than ${maxChars} characters.`)
      return events
    },
  }
}

/** Null = a comment, or fields without data. */
const readEvent = (text: string): StreamEvent | null => {
  const lines = text.split(/\r\n|\n|\r/)
  const data = lines.flatMap((line) => fieldOf(line, 'data') ?? [])
  return data.length === 0
    ? null
    : { id: lines.flatMap((line) => fieldOf(line, 'id') ?? []).at(-1) ?? '', data: data.join('\n') }
}

const fieldOf = (line: string, name: string): string | null => {
  if (line === name) return ''
  return line.startsWith(`${name}:`) ? line.slice(name.length + 1).replace(/^ /, '') : null
}
