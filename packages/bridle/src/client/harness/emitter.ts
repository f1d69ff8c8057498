// A few named places to listen at.

export class Emitter<Told extends object> {
  readonly #listeners = new Map<keyof Told, Set<(told: never) => void>>()

  /** Returns what ends it. */
  on<N extends keyof Told>(name: N, listener: (told: Told[N]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners)
    // Each call its own, so that one function may listen twice and leave once.
    const own = (told: Told[N]) => listener(told)
    listeners.add(own)
    return () => listeners.delete(own)
  }

  emit<N extends keyof Told>(name: N, told: Told[N]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        ;(listener as (told: Told[N]) => void)(told)
      } catch (error) {
        // A listener's fault is its owner's: it surfaces, but the others are told and the client goes on.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
