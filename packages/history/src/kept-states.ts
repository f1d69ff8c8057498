// States that stay at even distances, so that any moment of a long log is a short fold away. States share what did not change,
// so that each costs little.
import type { FoldedState } from './folded-state.ts'

/** Events between two kept states at first: folding as many takes less than a frame of a screen. */
export const KEPT_EVERY = 256
/** Kept states of one history: one for each 256 of 100,000 events. A longer log keeps them further apart, so that memory stays bounded. */
export const KEPT_STATES_MAX = 400

export class KeptStates {
  /** The state before the first event; the others follow at the distance. */
  #states: FoldedState[]
  readonly #base: number
  #every = KEPT_EVERY

  constructor(base: number, initial: FoldedState) {
    this.#base = base
    this.#states = [initial]
  }

  /** Takes the state of each event in turn, and keeps those at the distance. Where there are too many, the distance doubles. */
  add(seq: number, state: FoldedState): void {
    if ((seq - this.#base) % this.#every !== 0) return
    this.#states.push(state)
    if (this.#states.length <= KEPT_STATES_MAX) return
    this.#states = this.#states.filter((_, index) => index % 2 === 0)
    this.#every *= 2
  }

  /** The newest kept state that is not behind the event, and its number. */
  nearest(seq: number): { readonly seq: number; readonly state: FoldedState } {
    const index = Math.min(Math.floor((seq - this.#base) / this.#every), this.#states.length - 1)
    return { seq: this.#base + index * this.#every, state: this.#states[index] as FoldedState }
  }

  get count(): number {
    return this.#states.length
  }
}
