// The audio of a line as samples. A piece may end in the middle of a sample: the next one of its item completes it.

export class PcmPieces {
  #item: string | null = null
  #rest: number | null = null
  #isStopped = false

  /** Audio of a stopped item still comes until the server knows of the stop. Played, it would be heard behind a gap. */
  push(item: string, audio: Uint8Array): Int16Array {
    if (item !== this.#item) this.#begin(item)
    if (this.#isStopped) return new Int16Array(0)
    const start = this.#rest === null ? 0 : 1
    const bytes = new Uint8Array(start + audio.length)
    if (this.#rest !== null) bytes[0] = this.#rest
    bytes.set(audio, start)
    this.#rest = bytes.length % 2 === 1 ? (bytes.at(-1) ?? null) : null
    // Little-endian, as every browser is.
    return new Int16Array(bytes.buffer, 0, bytes.length >> 1)
  }

  /** Stops an item, or everything. Items come one after the other: only the newest one gets more audio. */
  stop(item?: string): void {
    if (item === undefined || item === this.#item) this.#isStopped = true
  }

  #begin(item: string): void {
    this.#item = item
    this.#rest = null
    this.#isStopped = false
  }
}
