export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>()

  on<N extends keyof Events>(name: N, listener: (event: Events[N]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners)
    // A wrapper per call, so that a listener added twice can be removed once.
    const own = (event: Events[N]) => listener(event)
    listeners.add(own)
    return () => listeners.delete(own)
  }

  emit<N extends keyof Events>(name: N, event: Events[N]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        ;(listener as (event: Events[N]) => void)(event)
      } catch (error) {
        // Rethrow asynchronously, so that a failing listener does not affect the others.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
