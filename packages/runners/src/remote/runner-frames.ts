// Reads a runner's SSE answer into frames, with web streams only, since Workers read it too. Each character is read once.

import { withTimeout } from '../calls/timeout.ts'
import { parseRunnerEvent, type RunnerFrame } from '../protocol/protocol.ts'

/** Characters of one frame: no engine sends more at once, and output without a line break must have an end. */
const FRAME_CHARS_MAX = 16_000_000
/** From a frame's first byte to its last. The largest passes a slow line in this time; a frame that arrives byte by byte does not. */
const FRAME_MS = 60_000
/** Digits of a frame's number: JavaScript does not hold a longer number exactly. */
const FRAME_ID_DIGITS_MAX = 15

/** The stream violates the protocol: reading it again would not help. */
export class BrokenStreamError extends Error {
  readonly code = 'broken_stream'
}

/** Throws `BrokenStreamError` where the runner violates the protocol, and rethrows errors of `body`. Calls `onComment` for each comment. */
export async function* readRunnerFrames(
  body: AsyncIterable<Uint8Array>,
  frameMs = FRAME_MS,
  onComment: () => void = () => {},
): AsyncGenerator<RunnerFrame, void, undefined> {
  const decoder = new TextDecoder()
  const lines = new FrameSplitter()
  const pieces = body[Symbol.asyncIterator]()
  let last = 0
  let begunAt: number | null = null
  try {
    for (;;) {
      const leftMs: number = begunAt === null ? Number.POSITIVE_INFINITY : begunAt + frameMs - Date.now()
      // Checked without the timer too: pieces that arrive without a pause never let it fire.
      const piece = leftMs <= 0 ? 'late' : await (begunAt === null ? pieces.next() : withTimeout(leftMs, pieces.next()))
      if (piece === 'late') throw new BrokenStreamError(`The runner takes longer than ${frameMs} ms for one frame.`)
      if (piece.done) return
      let isNew = begunAt === null
      for (const frameLines of lines.split(decoder.decode(piece.value, { stream: true }))) {
        isNew = true
        const frame = frameOf(frameLines)
        if (!frame && frameLines.some((line) => line.startsWith(':'))) onComment()
        if (!frame) continue
        if (frame.id !== null && frame.id <= last)
          throw new BrokenStreamError(`The runner's frame ${frame.id} comes after frame ${last}.`)
        last = frame.id ?? last
        yield frame
      }
      if (!lines.isOpen) begunAt = null
      else if (isNew) begunAt = Date.now()
    }
  } finally {
    // Not awaited: `return` of a silent stream would wait for its next piece.
    pieces.return?.().catch(() => {})
  }
}

class FrameSplitter {
  #lines: string[] = []
  /** The pieces of a line that has not ended yet. */
  #pieces: string[] = []
  #chars = 0

  /** A frame has begun and not ended. */
  get isOpen(): boolean {
    return this.#chars > 0
  }

  *split(text: string): Generator<readonly string[]> {
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#add(text.slice(from, end))
      from = end + 1
      const whole = this.#pieces.join('')
      const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole
      this.#pieces = []
      // The break counts too: a flood of them is a frame that does not end.
      this.#chars += 1
      if (line !== '') this.#lines.push(line)
      else yield* this.#endFrame()
    }
    this.#add(text.slice(from))
  }

  #add(piece: string): void {
    if (piece === '') return
    this.#chars += piece.length
    if (this.#chars > FRAME_CHARS_MAX)
      throw new BrokenStreamError(`The runner's frame is longer than ${FRAME_CHARS_MAX} characters.`)
    this.#pieces.push(piece)
  }

  *#endFrame(): Generator<readonly string[]> {
    const lines = this.#lines
    this.#lines = []
    this.#chars = 0
    if (lines.length > 0) yield lines
  }
}

const frameOf = (lines: readonly string[]): RunnerFrame | null => {
  let id: number | null = null
  let chars = 0
  const data: string[] = []
  for (const line of lines) {
    chars += line.length + 1
    const [, name, value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? []
    if (name === 'id' && /^\d+$/.test(value)) id = idOf(value)
    if (name === 'data') data.push(value)
  }
  if (data.length === 0) return null
  const event = eventOf(data.join('\n'))
  return event && { id, event, chars }
}

/** Ids count from 1. After an inexact number all later frames would look old. */
const idOf = (value: string): number => {
  if (value.length <= FRAME_ID_DIGITS_MAX && Number(value) > 0) return Number(value)
  throw new BrokenStreamError(`The runner's frame has the id "${value.slice(0, 40)}", which is no number from 1.`)
}

const eventOf = (data: string): RunnerFrame['event'] | null => {
  try {
    return parseRunnerEvent(data)
  } catch (cause) {
    throw new BrokenStreamError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
