// The pace of long work on a file: after a slice of it, everybody else in the process or page gets a turn.

/** Characters of a file that are read at once: some ten milliseconds, which nobody in the process or page notices. */
export const EXPORT_SLICE_CHARS = 128 * 1024

export class Pace {
  readonly #nextTurn: () => Promise<void>
  #chars = 0

  constructor(nextTurn: () => Promise<void> = nextTask) {
    this.#nextTurn = nextTurn
  }

  /** A promise to await, where this work ends a slice. */
  spend(chars: number): Promise<void> | undefined {
    this.#chars += chars
    if (this.#chars < EXPORT_SLICE_CHARS) return undefined
    this.#chars = 0
    return this.#nextTurn()
  }
}

export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
