// Separates lines of different kinds by exactly one empty line.

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

  /** True if an empty line must precede the next line. Notes stay close to their subject. */
  needsGap(kind: LineKind): boolean {
    return this.#kind !== null && kind !== this.#kind && kind !== 'note' && !this.#isBlank
  }

  take(): string[] {
    const lines = this.#lines
    this.#lines = []
    return lines
  }
}
