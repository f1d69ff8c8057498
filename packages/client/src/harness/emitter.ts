// Typed events: a name, and the listeners of that name.

export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>()

  /** Returns the function that removes the listener. */
  on<N extends keyof Events>(name: N, listener: (event: Events[N]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners)
    // A wrapper per call, so that a function added twice can be removed once.
    const own = (event: Events[N]) => listener(event)
    listeners.add(own)
    return () => listeners.delete(own)
  }

  emit<N extends keyof Events>(name: N, event: Events[N]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        ;(listener as (event: Events[N]) => void)(event)
      } catch (error) {
        // A listener's fault surfaces as its owner's, while the other listeners and the client continue.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
