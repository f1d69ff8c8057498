// Whether a stream has gone silent for good. Not every runtime gives up a connection that nobody closed: without this a run whose
// machine is gone would be waited for for ever. A runner that sends comments between its frames is held to them. The document of
// the runner protocol knows no comments: a runner that has sent none is asked by `/health` whether it is still at work.

export interface SilenceRules {
  /** A runner that sends comments and says nothing for this long is gone. */
  readonly goneMs: number
  /** Any other one is asked after this long. */
  readonly askMs: number
  /** And again so long after an answer that is no sign of life. */
  readonly askAgainMs: number
  /** So many such answers in a row, and the run is over. */
  readonly askTimes: number
}

/** True: the runner says that a run is under way. */
export type AskBusy = () => Promise<boolean>

/** Aborts `signal` once nothing was heard for too long; ends with `until`. */
export class Silence {
  readonly #rules: SilenceRules
  readonly #gone = new AbortController()
  readonly signal: AbortSignal
  readonly #until: AbortSignal
  #askBusy: AskBusy | null
  #heardAt = Date.now()
  #misses = 0
  #isOver = false
  #timer: ReturnType<typeof setTimeout>

  /** `askBusy` null: the runner is known to send comments. */
  constructor(rules: SilenceRules, askBusy: AskBusy | null, until: AbortSignal) {
    this.#rules = rules
    this.#askBusy = askBusy
    this.signal = AbortSignal.any([until, this.#gone.signal])
    this.#timer = setTimeout(() => this.#look(), this.#patienceMs)
    this.#until = until
    until.addEventListener('abort', this.end)
  }

  /** A run may outlive many streams: none leaves anything with its signal. */
  readonly end = (): void => {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#until.removeEventListener('abort', this.end)
  }

  /** Ends the stream as if nothing had been heard for too long. */
  readonly giveUp = (): void => this.#gone.abort()

  /** A comment was heard: from here on the runner is held to them. */
  readonly commented = (): void => {
    this.#askBusy = null
  }

  /** The pieces of a body as they come, each of them a sign of life. */
  async *heard(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const bytes of body) {
        this.#heardAt = Date.now()
        this.#misses = 0
        yield bytes
      }
    } finally {
      this.end()
    }
  }

  get #patienceMs(): number {
    const { goneMs, askMs } = this.#rules
    return this.#askBusy ? askMs : goneMs
  }

  /** One timer for all pieces: set anew only when it fires. */
  #look(): void {
    const leftMs = this.#heardAt + this.#patienceMs - Date.now()
    if (leftMs > 0) this.#timer = setTimeout(() => this.#look(), leftMs)
    else if (this.#askBusy) void this.#ask(this.#askBusy)
    else this.#gone.abort()
  }

  async #ask(askBusy: AskBusy): Promise<void> {
    const heardAt = this.#heardAt
    const isBusy = await askBusy().catch(() => false)
    if (this.#isOver) return
    const { askTimes, askAgainMs } = this.#rules
    if (isBusy) this.#heardAt = Date.now()
    if (isBusy || this.#heardAt !== heardAt) this.#misses = 0
    else this.#misses += 1
    if (this.#misses >= askTimes) return this.#gone.abort()
    if (this.#misses > 0) this.#timer = setTimeout(() => this.#look(), askAgainMs)
    else this.#look()
  }
}
