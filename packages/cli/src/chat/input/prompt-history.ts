// Prompts of earlier chats, for the arrow keys. Readable only by this user, because prompts may contain secrets.
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** Some weeks of work. */
const HISTORY_MAX = 500
/** Longer prompts were pasted. */
const HISTORY_ENTRY_CHARS_MAX = 20_000

export interface PromptHistory {
  /** Oldest first. */
  readonly entries: readonly string[]
  readonly add: (prompt: string) => void
}

export const historyFile = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'bridle', 'chat-history')

/** If the file is not readable or writable, only the history is lost. */
export const openHistory = (file: string): PromptHistory => {
  let entries = readEntries(file)
  return {
    get entries() {
      return entries
    },
    add: (prompt) => {
      // As in a shell, a leading space keeps a prompt out of the history.
      const isKept = prompt.trim() !== '' && !prompt.startsWith(' ') && prompt.length <= HISTORY_ENTRY_CHARS_MAX
      if (!isKept || entries.at(-1) === prompt) return
      entries = [...entries, prompt].slice(-HISTORY_MAX)
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        appendFileSync(file, `${JSON.stringify(prompt)}\n`, { mode: 0o600 })
        trimFile(file)
      } catch {}
    },
  }
}

/** A JSON string per line. Skips invalid lines, because a write may have been interrupted. */
const readEntries = (file: string): string[] => {
  const entries = linesOf(file).flatMap((line): string[] => {
    try {
      const entry: unknown = JSON.parse(line)
      return typeof entry === 'string' ? [entry] : []
    } catch {
      return []
    }
  })
  return entries.slice(-HISTORY_MAX)
}

const linesOf = (file: string): string[] => {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

/** Rewrites the file rarely, because another chat may be appending. */
const trimFile = (file: string): void => {
  const lines = linesOf(file)
  if (lines.length <= 2 * HISTORY_MAX) return
  const partial = `${file}.${process.pid}`
  writeFileSync(partial, `${lines.slice(-HISTORY_MAX).join('\n')}\n`, { mode: 0o600 })
  renameSync(partial, file)
}
