// Unanswered prompts, stored across page reloads. Command ids make resending safe.
import { tryOr } from '@bridle/kernel/try-or'
import type { HarnessCommand } from '@bridle/wire/transport/wire'
import { HELD_MAX } from '../http/limits.ts'
import type { PromptStorage } from './options.ts'

/** A fifth of the 5 MB that browsers grant an origin. */
const KEPT_CHARS_MAX = 1_000_000

export interface KeptPrompt {
  readonly command: HarnessCommand & { readonly type: 'submit'; readonly commandId: string }
  readonly since: number
  readonly sent: boolean
}

export class KeptPrompts {
  readonly #storage: PromptStorage | null
  #key: string | null = null
  #text = ''

  constructor(storage: PromptStorage | false | undefined) {
    this.#storage = storage === false ? null : (storage ?? pageStorage())
  }

  /** The prompts of a previous page load. Empty if the address has not changed. */
  load(url: string, tenant?: string): readonly KeptPrompt[] {
    const key = keyOf(url, tenant)
    if (key === this.#key) return []
    this.#write('')
    this.#key = key
    this.#text = this.#read()
    return parse(this.#text)
  }

  save(prompts: readonly KeptPrompt[]): void {
    const kept: KeptPrompt[] = []
    let chars = 0
    for (const each of prompts.slice(0, HELD_MAX)) {
      chars += JSON.stringify(each).length
      if (chars <= KEPT_CHARS_MAX) kept.push(each)
    }
    this.#write(kept.length === 0 ? '' : JSON.stringify(kept))
  }

  #write(text: string): void {
    if (this.#key === null || text === this.#text) return
    this.#text = text
    // If storage is full or blocked, only a reload loses its prompts.
    try {
      if (text === '') this.#storage?.removeItem(this.#key)
      else this.#storage?.setItem(this.#key, text)
    } catch {}
  }

  #read(): string {
    return tryOr('', () => this.#storage?.getItem(this.#key ?? '') ?? '')
  }
}

/** The tab's storage. Node also has a `sessionStorage`, but no page reload to read it. */
const pageStorage = (): PromptStorage | null =>
  tryOr(null, () => (typeof document === 'undefined' ? null : sessionStorage))

/** The address without credentials, which are secret and change. */
const keyOf = (url: string, tenant?: string): string => {
  const { origin, host, pathname, searchParams } = new URL(url)
  for (const name of ['token', 'ticket', 'after']) searchParams.delete(name)
  // The tenant is part of the key, because session ids are unique per tenant only.
  if (tenant !== undefined) searchParams.set('tenant', tenant)
  searchParams.sort()
  return `bridle.held ${origin === 'null' ? host : origin}${pathname}?${searchParams}`
}

/** The text may come from another version or program. */
const parse = (text: string): readonly KeptPrompt[] => {
  try {
    const entries: unknown = JSON.parse(text)
    return Array.isArray(entries) ? entries.filter(isKept).slice(0, HELD_MAX) : []
  } catch {
    return []
  }
}

const isKept = (entry: Partial<KeptPrompt> | null): entry is KeptPrompt =>
  entry?.command?.type === 'submit' &&
  typeof entry.command.prompt === 'string' &&
  typeof entry.command.commandId === 'string' &&
  typeof entry.since === 'number' &&
  typeof entry.sent === 'boolean'
