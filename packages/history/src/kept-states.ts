// States kept at regular intervals make every moment a short fold away. They share unchanged parts, so each costs little.
import type { FoldedState } from './folded-state.ts'

/** Initial interval: folding this many events takes less than a frame. */
export const KEPT_EVERY = 256
/** Covers 100,000 events at the initial interval. Longer logs use larger intervals, which bounds memory. */
export const KEPT_STATES_MAX = 400

export class KeptStates {
  /** Starts with the state before the first event. */
  #states: FoldedState[]
  readonly #base: number
  #every = KEPT_EVERY

  constructor(base: number, initial: FoldedState) {
    this.#base = base
    this.#states = [initial]
  }

  /** Call for every event in order. When there are too many states, the interval doubles. */
  add(seq: number, state: FoldedState): void {
    if ((seq - this.#base) % this.#every !== 0) return
    this.#states.push(state)
    if (this.#states.length <= KEPT_STATES_MAX) return
    this.#states = this.#states.filter((_, index) => index % 2 === 0)
    this.#every *= 2
  }

  nearest(seq: number): { readonly seq: number; readonly state: FoldedState } {
    const index = Math.min(Math.floor((seq - this.#base) / this.#every), this.#states.length - 1)
    return { seq: this.#base + index * this.#every, state: this.#states[index] as FoldedState }
  }

  get count(): number {
    return this.#states.length
  }
}
