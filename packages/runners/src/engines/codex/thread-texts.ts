// The instructions that a thread of Codex was given. A resumed thread keeps those in its history, so later ones are added behind them.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readJson, writeJson } from '../../process/json-file.ts'
import { sha256 } from '../../repository/folder-texts.ts'
import type { AppServer } from './app-server.ts'

/** Threads that are remembered: a session has one, and one more for each fork. */
const THREADS_MAX = 50

const REPLACED = 'These instructions replace the earlier ones:'
const REMOVED = 'The instructions that you were given earlier about this repository and this work no longer apply.'

export class ThreadTexts {
  readonly #folder: string
  readonly #text: string | null

  /** `folder`: where no program of the sandbox writes. */
  constructor(folder: string, text: string | null) {
    this.#folder = folder
    this.#text = text
  }

  /** Adds the text to a resumed thread whose history has another. A forked one has the history of `from`, perhaps without its end. */
  async update(server: AppServer, thread: string, from: string, controlMs: number): Promise<void> {
    const earlier = this.#read()[from] ?? NONE
    const isForked = thread !== from
    const isSame = earlier === digestOf(this.#text) && (!isForked || earlier === NONE)
    if (!isSame) {
      const text = this.#text === null ? REMOVED : `${REPLACED}\n\n${this.#text}`
      const item = { type: 'message', role: 'developer', content: [{ type: 'input_text', text }] }
      await server.request('thread/inject_items', { threadId: thread, items: [item] }, controlMs)
    }
    this.remember(thread)
  }

  remember(thread: string): void {
    const { [thread]: _known, ...others } = this.#read()
    const kept = Object.entries(others).slice(1 - THREADS_MAX)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeJson(this.#file, Object.fromEntries([...kept, [thread, digestOf(this.#text)]]))
  }

  #read(): { readonly [thread: string]: string } {
    return (readJson(this.#file) ?? {}) as { [thread: string]: string }
  }

  get #file(): string {
    return join(this.#folder, 'codex-texts.json')
  }
}

/** A thread from before this file has no texts. */
const NONE = 'none'

const digestOf = (text: string | null): string => (text === null ? NONE : sha256(text))
