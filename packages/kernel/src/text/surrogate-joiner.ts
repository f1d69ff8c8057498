// Providers may end a chunk inside a surrogate pair. Many languages corrupt half a pair, so it waits for the next chunk.

export class SurrogateJoiner {
  readonly #halves = new Map<string, string>()

  /** Complete characters so far. Lone halves are replaced. */
  add(stream: string, text: string): string {
    if (text === '') return ''
    const all = (this.#halves.get(stream) ?? '') + text
    const half = isHighSurrogate(all.charCodeAt(all.length - 1)) ? all.slice(-1) : ''
    if (half) this.#halves.set(stream, half)
    else this.#halves.delete(stream)
    return (half ? all.slice(0, -1) : all).toWellFormed()
  }

  flush(stream: string): string {
    const half = this.#halves.get(stream) ?? ''
    this.#halves.delete(stream)
    return half.toWellFormed()
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
