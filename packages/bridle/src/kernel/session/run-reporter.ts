// Where a runner speaks. Tokens are paced here, before they are numbered: the first leaves at once, then at most one
// token event per pace, flushed early by anything else. After numbering an event never changes.

import type { Report, ReportItem } from '../commands.ts'
import type { AnyDraft, Event } from '../event.ts'
import { isDeeperThan } from '../json.ts'
import { DEPTH_MAX, PAYLOAD_CHARS_MAX, REPORTS_HIGH_WATER, TOKEN_CHARS_MAX } from '../limits.ts'
import type { Clock } from '../ports/store.ts'
import { chunked } from '../text/chunks.ts'
import { WholeCharacters } from '../text/surrogate-joiner.ts'

export class OutletClosed extends Error {
  readonly code = 'outlet_closed'
}

export interface OutletOptions {
  readonly runId: string
  readonly attempt: number
  readonly frame: number
  readonly clock: Clock
  readonly tokenPaceMs: number
  readonly send: (report: Report) => Promise<unknown>
}

export class Outlet {
  readonly #options: OutletOptions
  #frame: number
  readonly #characters = new WholeCharacters()
  #text = ''
  #textFrame = 0
  #forget: (() => void) | null = null
  #unacknowledged = 0
  #taken: number
  #last: Promise<unknown> = Promise.resolve()
  #closed = false
  readonly #onClose: (() => void)[] = []

  constructor(options: OutletOptions) {
    this.#options = options
    this.#frame = options.frame
    this.#taken = options.frame
  }

  /** The last position taken. */
  get frame(): number {
    return this.#frame
  }

  /** The last position that is in the log. A run that was stopped is not heard any more. */
  get taken(): number {
    return this.#taken
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Called once, when nobody listens any more: the runner should let go. */
  onClose(call: () => void): void {
    if (this.#closed) call()
    else this.#onClose.push(call)
  }

  /**
   * Resolves when it is in the log; a tool awaits this before it acts. `frame` is the runner's own position, if it has
   * one; what was taken already is passed over, since merged text could no longer be told apart.
   */
  async report(items: readonly ReportItem[], frame = this.#frame + 1): Promise<void> {
    if (frame <= this.#frame) return
    for (const item of items) {
      if (isDeeperThan(item, DEPTH_MAX))
        throw new RangeError(`What was said is nested deeper than ${DEPTH_MAX} levels.`)
      if (item.type === 'event' && JSON.stringify(weighed(item.event)).length > PAYLOAD_CHARS_MAX) {
        throw new RangeError(`The payload of ${item.event.type} is too large.`)
      }
    }
    if (items.some(({ type }) => type === 'finished' || type === 'failed')) this.#text += this.#characters.end('token')
    await this.#send([...this.#takeText(), ...items.map((item) => this.#whole(item))], frame)
  }

  /** Our own word on the run, beside the runner's stream: it takes no position there. Resolves when it is in the log. */
  async remark(item: ReportItem): Promise<void> {
    if (this.#closed) throw new OutletClosed('nobody listens')
    const { runId, attempt, send } = this.#options
    await send({ type: 'report', runId, attempt, frame: null, items: [item] })
  }

  /** Resolves at once, unless too much is unacknowledged: then it waits for the log. */
  async token(text: string, frame = this.#frame + 1): Promise<void> {
    if (this.#closed) throw new OutletClosed('nobody listens')
    if (frame <= this.#frame) return
    this.#frame = frame
    this.#text += this.#characters.take('token', text)
    this.#textFrame = frame
    if (this.#forget === null || this.#text.length > TOKEN_CHARS_MAX) this.#flush()
    if (this.#unacknowledged > REPORTS_HIGH_WATER) await this.#last
  }

  /** Resolves when all that was said so far is in the log, text that waits for its pace included. */
  async settled(): Promise<void> {
    this.#flush()
    await this.#last
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#forget?.()
    for (const call of this.#onClose) call()
  }

  /** Sends what is there and starts the next window; an empty window ends the pacing. */
  #flush(): void {
    const items = this.#takeText()
    if (items.length === 0) return
    // A refusal reaches the runner at its next awaited report.
    this.#send(items, this.#textFrame).catch(() => {})
    const { clock, tokenPaceMs } = this.#options
    this.#forget?.()
    if (tokenPaceMs > 0) this.#forget = clock.after(tokenPaceMs, () => this.#next())
  }

  #next(): void {
    this.#forget = null
    if (!this.#closed) this.#flush()
  }

  #whole(item: ReportItem): ReportItem {
    if (item.type !== 'event' || !isStreamed(item.event)) return item
    const { type, payload } = item.event
    const event = { type, payload: { ...payload, text: this.#characters.take(type, payload.text) } }
    return { ...item, event: event as typeof item.event }
  }

  #takeText(): ReportItem[] {
    if (this.#text === '') return []
    const text = this.#text
    this.#text = ''
    return chunked(text).map((piece) => ({ type: 'event', event: { type: 'token', payload: { text: piece } } }))
  }

  async #send(items: readonly ReportItem[], frame: number): Promise<void> {
    if (this.#closed) throw new OutletClosed('nobody listens')
    const { runId, attempt, send } = this.#options
    this.#frame = Math.max(this.#frame, frame)
    this.#unacknowledged += 1
    try {
      const sent = send({ type: 'report', runId, attempt, frame, items })
      this.#last = sent
      const answer = await sent
      if (!isDropped(answer)) this.#taken = Math.max(this.#taken, frame)
    } finally {
      this.#unacknowledged -= 1
    }
    // The last word of a run closes its outlet, and was heard all the same.
    if (this.#closed && !items.some(({ type }) => type === 'finished' || type === 'failed'))
      throw new OutletClosed('nobody listens')
  }
}

type StreamedDraft = Pick<Event<'token' | 'thinking' | 'reflection'>, 'type' | 'payload'>
const isStreamed = (event: Pick<AnyDraft, 'type' | 'payload'>): event is StreamedDraft =>
  event.type === 'token' || event.type === 'thinking' || event.type === 'reflection'

const isDropped = (answer: unknown): boolean => typeof answer === 'object' && answer !== null && 'dropped' in answer

/** A call's result may be of any size: it becomes an artifact before it is numbered. */
const weighed = ({ type, payload }: Pick<AnyDraft, 'type' | 'payload'>): unknown =>
  type === 'tool_result' || type === 'tool_outcome' ? { ...payload, result: null } : payload
