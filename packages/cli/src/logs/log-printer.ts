// Joins the chunks of a streamed text, because a line per chunk would bury the others.
import type { CliOutput } from '../terminal/output.ts'
import type { LogEvent } from './log-event.ts'
import { logLine } from './log-line.ts'

export class LogPrinter {
  readonly #out: CliOutput
  #pieces: LogEvent[] = []

  constructor(out: CliOutput) {
    this.#out = out
  }

  print(event: LogEvent): void {
    if (this.#out.isJson) return this.#out.row(event)
    const [first] = this.#pieces
    if (first && !isSameText(first, event)) this.flush()
    if (isPiece(event)) this.#pieces.push(event)
    else this.#out.line(logLine(this.#out, event))
  }

  flush(): void {
    const [first, ...more] = this.#pieces
    this.#pieces = []
    if (!first) return
    const text = [first, ...more].map(({ payload }) => payload.text).join('')
    const type = more.length === 0 ? first.type : `${first.type} × ${more.length + 1}`
    this.#out.line(logLine(this.#out, { ...first, type, payload: { ...first.payload, text } }))
  }
}

const isPiece = ({ type, payload, custom }: LogEvent): boolean =>
  PIECES.has(type) && custom !== true && typeof payload.text === 'string'

const isSameText = (one: LogEvent, other: LogEvent): boolean =>
  isPiece(other) &&
  one.type === other.type &&
  one.turn_id === other.turn_id &&
  one.attempt === other.attempt &&
  one.hearsay === other.hearsay

const PIECES: ReadonlySet<string> = new Set(['token', 'thinking'])
