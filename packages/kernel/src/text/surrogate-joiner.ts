// Streamed text in whole characters. A provider may end a chunk inside a surrogate pair; many languages replace or refuse the
// half, so it is kept back until the next chunk of the same stream brings the other half.

export class SurrogateJoiner {
  readonly #halves = new Map<string, string>()

  /** The complete characters so far. A lone half of a pair is replaced, as any reader would do. */
  add(stream: string, text: string): string {
    if (text === '') return ''
    const all = (this.#halves.get(stream) ?? '') + text
    const half = isHighSurrogate(all.charCodeAt(all.length - 1)) ? all.slice(-1) : ''
    if (half) this.#halves.set(stream, half)
    else this.#halves.delete(stream)
    return (half ? all.slice(0, -1) : all).toWellFormed()
  }

  /** Ends the stream and returns its rest. */
  flush(stream: string): string {
    const half = this.#halves.get(stream) ?? ''
    this.#halves.delete(stream)
    return half.toWellFormed()
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
