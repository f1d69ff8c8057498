// Reads the frames of a stream up to its final message, and keeps its position so that a broken stream can resume.

import { isJsonObject, type JsonObject } from '@bridle/events/json'
import type { ActionDirective } from '@bridle/wire/openharness/wire'
import { ShellFault } from '../messages/fault.ts'
import { DIRECTIVES_MAX } from '../messages/response.ts'

export interface FrameReader {
  /** Id of the last frame. Empty: start from the beginning. */
  readonly lastId: string
  readonly hasBegun: boolean
  /** Resolves with the final message, or undefined if the stream ended first. `read` returns undefined at the end. */
  follow(read: () => Promise<Uint8Array | undefined>): Promise<unknown>
}

export const createFrameReader = (
  maxBytes: number,
  onPartial: (directives: readonly ActionDirective[]) => void = () => {},
): FrameReader => {
  let lastId = ''
  let hasBegun = false
  let directives: readonly ActionDirective[] = []

  /** Returns the message of a final frame. */
  const take = ({ id, data }: StreamEvent): unknown => {
    const frame = frameOf(data)
    if (frame.type === 'final') {
      if (isJsonObject(frame.message) && frame.message.response !== undefined) return frame.message
      throw new ShellFault('invalid_response', "The engine's stream ends with no message.", { field: 'message' })
    }
    // A frame type of a newer version.
    if (frame.type !== 'partial') return undefined
    directives = applyChanges(directives, frame.changes, maxBytes)
    lastId = id
    onPartial(directives)
    return undefined
  }

  return {
    get lastId() {
      return lastId
    },
    get hasBegun() {
      return hasBegun
    },
    follow: async (read) => {
      hasBegun = true
      // Without an id to resume from, the stream restarts.
      if (lastId === '') directives = []
      const parser = createEventParser(maxBytes)
      for (let piece = await read(); piece !== undefined; piece = await read())
        for (const event of parser.add(piece)) {
          const message = take(event)
          if (message !== undefined) return message
        }
      return undefined
    },
  }
}

const frameOf = (data: string) => {
  try {
    const frame: unknown = JSON.parse(data)
    if (isJsonObject(frame)) return frame
  } catch {
    // Not JSON.
  }
  throw new ShellFault('invalid_response', "The engine's stream has a frame that is no JSON object.", { field: 'data' })
}

interface StreamEvent {
  /** Empty if the event has no id. */
  readonly id: string
  readonly data: string
}

interface EventParser {
  /** The events that this chunk completes. */
  add(piece: Uint8Array): readonly StreamEvent[]
}

/** Throws `too_large` if an event exceeds `maxChars`. */
const createEventParser = (maxChars: number): EventParser => {
  const decoder = new TextDecoder()
  let rest = ''
  return {
    add: (piece) => {
      // The previous chunk may end with the start of a blank line.
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

/** Null for comments and for events without data. */
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

/** Throws `invalid_response` if a change does not fit the list. */
const applyChanges = (
  directives: readonly ActionDirective[],
  changes: unknown,
  maxChars: number,
): readonly ActionDirective[] => {
  if (!Array.isArray(changes)) throw wrong('changes')
  return changes.reduce<readonly ActionDirective[]>((list, change) => apply(list, change, maxChars), directives)
}

const apply = (
  directives: readonly ActionDirective[],
  change: unknown,
  maxChars: number,
): readonly ActionDirective[] => {
  if (!isJsonObject(change)) throw wrong('changes')
  const { index, directive } = change
  if (!isPlace(index, directives.length) || index >= DIRECTIVES_MAX) throw wrong('changes.index')
  const earlier = directives.slice(0, index)
  if (directive === null) return earlier
  if (directive === undefined) {
    const changed = withText(directives[index], change, maxChars)
    return [...earlier, changed, ...directives.slice(index + 1)]
  }
  if (!isJsonObject(directive) || typeof directive.action_type !== 'string') throw wrong('changes.directive')
  return [...earlier, directive as unknown as ActionDirective]
}

const withText = (
  directive: ActionDirective | undefined,
  { keep, append }: JsonObject,
  maxChars: number,
): ActionDirective => {
  const text = directive?.action_type === 'render_message' ? directive.payload?.text : undefined
  if (!directive || typeof text !== 'string') throw wrong('changes.index')
  if (!isPlace(keep, text.length)) throw wrong('changes.keep')
  if (typeof append !== 'string') throw wrong('changes.append')
  if (keep + append.length > maxChars)
    throw new ShellFault('too_large', `The stream has a text of more than ${maxChars} characters.`)
  return { ...directive, payload: { ...directive.payload, text: text.slice(0, keep) + append } }
}

const isPlace = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max

const wrong = (field: string): ShellFault =>
  new ShellFault('invalid_response', `The engine's stream breaks the profile: ${field} does not fit.`, { field })
