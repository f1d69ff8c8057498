/** About ten milliseconds, which other work does not notice. */
export const EXPORT_SLICE_CHARS = 128 * 1024

export class Pace {
  readonly #nextTurn: () => Promise<void>
  #chars = 0

  constructor(nextTurn: () => Promise<void> = nextTask) {
    this.#nextTurn = nextTurn
  }

  /** Returns a promise to await if the slice is used up. */
  spend(chars: number): Promise<void> | undefined {
    this.#chars += chars
    if (this.#chars < EXPORT_SLICE_CHARS) return undefined
    this.#chars = 0
    return this.#nextTurn()
  }
}

export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
