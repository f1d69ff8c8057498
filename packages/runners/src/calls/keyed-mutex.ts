/** Runs tasks of the same name one after the other, also after one that failed. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<T>(name: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(act, act)
    this.#last.set(name, turn)
    try {
      return await turn
    } finally {
      if (this.#last.get(name) === turn) this.#last.delete(name)
    }
  }

  /** Resolves when all that have been taken by now are over. */
  async drain(): Promise<void> {
    await Promise.allSettled(this.#last.values())
  }
}
