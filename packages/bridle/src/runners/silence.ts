// Whether a stream has gone silent. Not every runtime gives up a connection that nobody closed: without this a run whose
// machine is gone would be waited for for ever.

/** Aborts `signal` once nothing was heard for so long; ends with `until`. */
export class Silence {
  readonly #ms: number
  readonly #gone = new AbortController()
  readonly signal: AbortSignal
  readonly #until: AbortSignal
  #heardAt = Date.now()
  #timer: ReturnType<typeof setTimeout>

  constructor(ms: number, until: AbortSignal) {
    this.#ms = ms
    this.signal = AbortSignal.any([until, this.#gone.signal])
    this.#timer = setTimeout(() => this.#look(), ms)
    this.#until = until
    until.addEventListener('abort', this.end)
  }

  /** A run may outlive many streams: none leaves anything with its signal. */
  readonly end = (): void => {
    clearTimeout(this.#timer)
    this.#until.removeEventListener('abort', this.end)
  }

  /** As if nothing had been heard for too long. */
  readonly giveUp = (): void => this.#gone.abort()

  /** What is read, piece by piece, each of them a sign of life. */
  async *heard(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const bytes of body) {
        this.#heardAt = Date.now()
        yield bytes
      }
    } finally {
      this.end()
    }
  }

  /** One timer for all pieces: set anew only when it fires. */
  #look(): void {
    const left = this.#heardAt + this.#ms - Date.now()
    if (left <= 0) this.#gone.abort()
    else this.#timer = setTimeout(() => this.#look(), left)
  }
}
