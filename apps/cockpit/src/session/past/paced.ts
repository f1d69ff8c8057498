// Values at a pace: the first is shown at once, and of those that follow too fast the newest, when its time has come.
export class Paced<T> {
  readonly #show: (value: T) => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #next: { readonly value: T } | null = null

  constructor(show: (value: T) => void) {
    this.#show = show
  }

  push(value: T, paceMs: number): void {
    if (this.#timer !== undefined) {
      this.#next = { value }
      return
    }
    this.#show(value)
    if (paceMs > 0) this.#wait(paceMs)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#next = null
  }

  #wait(paceMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const next = this.#next
      this.#next = null
      if (next) this.push(next.value, paceMs)
    }, paceMs)
  }
}
