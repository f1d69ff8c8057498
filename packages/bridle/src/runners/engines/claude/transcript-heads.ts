// The last entry of each transcript whose turn ended well: the engine continues from it without a fork.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export class TranscriptHeads {
  readonly #file: string

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#file = join(folder, 'tips.json')
  }

  headOf(session: string): string | undefined {
    return this.#read()[session]
  }

  remember(session: string, last: string): void {
    this.#write({ ...this.#read(), [session]: last })
  }

  forget(session: string): void {
    const { [session]: known, ...others } = this.#read()
    if (known !== undefined) this.#write(others)
  }

  #read(): { [session: string]: string } {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8'))
    } catch {
      return {}
    }
  }

  #write(tips: { [session: string]: string }): void {
    writeFileSync(this.#file, JSON.stringify(tips), { mode: 0o600 })
  }
}
