// Reads the frames of a stream up to its final message. The reader remembers its place, so that a stream that breaks goes on there.
import { isJsonObject } from '../../kernel/json.ts'
import type { ActionDirective } from '../../surfaces/openharness/wire.ts'
import { ShellFault } from '../fault.ts'
import { createEventParser, type StreamEvent } from './event-stream.ts'
import { applyChanges } from './partial-directives.ts'

export interface FrameReader {
  /** The id of the last frame; empty = from the start. */
  readonly lastId: string
  readonly hasBegun: boolean
  /** The final message, or undefined where the stream ended without one. `read` gives the next piece, or undefined at the end. */
  follow(read: () => Promise<Uint8Array | undefined>): Promise<unknown>
}

export const createFrameReader = (
  maxBytes: number,
  onPartial: (directives: readonly ActionDirective[]) => void = () => {},
): FrameReader => {
  let lastId = ''
  let hasBegun = false
  let directives: readonly ActionDirective[] = []

  /** The message, if the event is the final frame. */
  const take = ({ id, data }: StreamEvent): unknown => {
    const frame = frameOf(data)
    if (frame.type === 'final') {
      if (isJsonObject(frame.message) && frame.message.response !== undefined) return frame.message
      throw new ShellFault('invalid_response', "The engine's stream ends with no message.", { field: 'message' })
    }
    // Frames of a later version of the profile mean nothing here.
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
      // Without an id the stream begins again.
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
    // No JSON.
  }
  throw new ShellFault('invalid_response', "The engine's stream has a frame that is no JSON object.", { field: 'data' })
}
