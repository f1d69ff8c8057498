// Detects a dead stream, since not every runtime gives up a connection that was never closed. A runner that sends comments is
// held to them. One that follows the document alone sends none, and is asked by `/health` whether it still works.

export interface LivenessRules {
  /** A runner that sends comments and says nothing for this long is gone. */
  readonly deadAfterMs: number
  /** A runner without comments is probed after this silence. */
  readonly probeAfterMs: number
  /** The wait before the next probe, after an answer that is no sign of life. */
  readonly probeAgainMs: number
  /** After this many such answers in a row the run counts as lost. */
  readonly probesMax: number
}

/** True: the runner reports that it is playing a run. */
export type BusyProbe = () => Promise<boolean>

/** Aborts `signal` once nothing was heard for too long; ends with `until`. */
export class LivenessMonitor {
  readonly #rules: LivenessRules
  readonly #deadAbort = new AbortController()
  readonly signal: AbortSignal
  readonly #until: AbortSignal
  #probeBusy: BusyProbe | null
  #lastByteAt = Date.now()
  #failedProbes = 0
  #isOver = false
  #timer: ReturnType<typeof setTimeout>

  /** `probeBusy` null: the runner is known to send comments. */
  constructor(rules: LivenessRules, probeBusy: BusyProbe | null, until: AbortSignal) {
    this.#rules = rules
    this.#probeBusy = probeBusy
    this.signal = AbortSignal.any([until, this.#deadAbort.signal])
    this.#timer = setTimeout(() => this.#check(), this.#timeoutMs)
    this.#until = until
    until.addEventListener('abort', this.end)
  }

  /** Removes all listeners: the signal of a run may outlive many streams. */
  readonly end = (): void => {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#until.removeEventListener('abort', this.end)
  }

  /** Ends the stream as if nothing had been heard for too long. */
  readonly abort = (): void => this.#deadAbort.abort()

  /** The runner sent a comment: from now on silence means that it is gone. */
  readonly commentReceived = (): void => {
    this.#probeBusy = null
  }

  /** The pieces of a body as they come, each of them a sign of life. */
  async *observe(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const bytes of body) {
        this.#lastByteAt = Date.now()
        this.#failedProbes = 0
        yield bytes
      }
    } finally {
      this.end()
    }
  }

  get #timeoutMs(): number {
    const { deadAfterMs, probeAfterMs } = this.#rules
    return this.#probeBusy ? probeAfterMs : deadAfterMs
  }

  /** A single timer serves all pieces, and is set again only when it fires. */
  #check(): void {
    const leftMs = this.#lastByteAt + this.#timeoutMs - Date.now()
    if (leftMs > 0) this.#timer = setTimeout(() => this.#check(), leftMs)
    else if (this.#probeBusy) void this.#probe(this.#probeBusy)
    else this.#deadAbort.abort()
  }

  async #probe(probeBusy: BusyProbe): Promise<void> {
    const heardAt = this.#lastByteAt
    const isBusy = await probeBusy().catch(() => false)
    if (this.#isOver) return
    const { probesMax, probeAgainMs } = this.#rules
    if (isBusy) this.#lastByteAt = Date.now()
    if (isBusy || this.#lastByteAt !== heardAt) this.#failedProbes = 0
    else this.#failedProbes += 1
    if (this.#failedProbes >= probesMax) return this.#deadAbort.abort()
    if (this.#failedProbes > 0) this.#timer = setTimeout(() => this.#check(), probeAgainMs)
    else this.#check()
  }
}
