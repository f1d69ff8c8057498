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
      if (!isBlank && this.needsGap(kind)) this.#lines.push('')
      this.#lines.push(line)
      this.#kind = kind
      this.#isBlank = isBlank
    }
  }

  /** An empty line belongs before the next line of this kind. Notes stand close to what they are about. */
  needsGap(kind: LineKind): boolean {
    return this.#kind !== null && kind !== this.#kind && kind !== 'note' && !this.#isBlank
  }

  /** The lines since the last call. */
  take(): string[] {
    const lines = this.#lines
    this.#lines = []
    return lines
  }
}
