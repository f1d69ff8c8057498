// The audio of the voice benchmark: pieces that carry their number and the time at which they were sent, and the pace of speech.
import { setTimeout as sleep } from 'node:timers/promises'
import { microseconds } from './fanout-reply.ts'

/** Bytes of a millisecond of pcm16. */
const BYTES_PER_MS = 48
/** As long as the pieces of most clients. */
export const SPEAKER_PIECE_MS = 20
/** Providers send longer ones. */
export const ANSWER_PIECE_MS = 100

/** A whole number of bytes for base64, and for samples of two bytes. */
export const pieceBytes = (ms: number): number => Math.round((ms * BYTES_PER_MS) / 6) * 6

/** A piece of audio, with its number and its time. Nothing in it is zero: zeros would be silence. */
export const stampedPiece = (bytes: number, number: number): Buffer => {
  const piece = Buffer.alloc(bytes, 7)
  piece.writeDoubleLE(microseconds(), 0)
  piece.writeUInt32LE(number, 8)
  return piece
}

export interface AudioStats {
  readonly bytes: number
  /** The reason why the audio is not what was sent; null: it is. */
  readonly problem: string | null
  readonly p50Us: number
  readonly p99Us: number
}

/** Everything that arrived on one side: each connection must get all pieces in their order. */
export class AudioEar {
  #delays: number[] = []
  #bytes = 0
  #problem: string | null = null
  readonly #next = new Map<object, number>()

  hear(connection: object, piece: Buffer, expectedBytes: number): void {
    const number = this.#next.get(connection) ?? 0
    this.#next.set(connection, number + 1)
    this.#bytes += piece.length
    if (piece.length !== expectedBytes) {
      this.#problem ??= `A piece has ${piece.length} of ${expectedBytes} bytes.`
      return
    }
    if (piece.readUInt32LE(8) !== number) this.#problem ??= `Piece ${piece.readUInt32LE(8)} came instead of ${number}.`
    this.#delays.push(microseconds() - piece.readDoubleLE(0))
  }

  get pieces(): number {
    return this.#delays.length
  }

  /** The figures so far; counting starts anew. */
  take(): AudioStats {
    const sorted = this.#delays.toSorted((a, b) => a - b)
    const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0)
    const stats = { bytes: this.#bytes, problem: this.#problem, p50Us: at(0.5), p99Us: at(0.99) }
    this.#delays = []
    this.#bytes = 0
    this.#problem = null
    this.#next.clear()
    return stats
  }
}

export interface SpeechPlan {
  /** Seconds of audio on each connection. */
  readonly seconds: number
  readonly pieceMs: number
}

export const piecesOf = ({ seconds, pieceMs }: SpeechPlan): number => Math.floor((seconds * 1000) / pieceMs)

/** The pieces of a line's answer. Answers have many lengths, from half of the time to all of it: people are not told things in chorus. */
export const answerPieces = (line: number, lines: number, seconds: number): number =>
  Math.ceil(piecesOf({ seconds, pieceMs: ANSWER_PIECE_MS }) * (0.5 + (line + 1) / lines / 2))

/** Calls `send` for each piece of each connection when a speaker in real time would have it. The connections take turns. */
export const speakInPace = async (
  connections: number,
  plan: SpeechPlan,
  send: (connection: number, piece: number) => void,
): Promise<void> => {
  const pieces = piecesOf(plan)
  const start = performance.now()
  const gapMs = plan.pieceMs / connections
  for (let index = 0; index < pieces * connections; ) {
    const due = Math.min(pieces * connections, Math.floor((performance.now() - start) / gapMs) + 1)
    for (; index < due; index++) send(index % connections, Math.floor(index / connections))
    await sleep(1)
  }
}
