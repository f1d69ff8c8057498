// Lines to print, with an empty line between things of different kinds and never two of them.

export type LineKind = 'text' | 'tool' | 'prompt' | 'note'

export class LinePrinter {
  #lines: string[] = []
  #kind: LineKind | null = null
  #isBlank = true

  print(kind: LineKind, lines: readonly string[]): void {
    for (const line of lines) {
      const isBlank = line === ''
      if (isBlank && this.#isBlank) continue
      // Notes stand close to what they are about.
      const isApart = this.#kind !== null && kind !== this.#kind && kind !== 'note'
      if (isApart && !this.#isBlank && !isBlank) this.#lines.push('')
      this.#lines.push(line)
      this.#kind = kind
      this.#isBlank = isBlank
    }
  }

  /** The lines since the last call. */
  take(): string[] {
    const lines = this.#lines
    this.#lines = []
    return lines
  }
}
