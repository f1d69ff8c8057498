// The prompts of earlier chats, for the arrow keys. A file of this user alone: prompts may hold secrets.
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** Prompts in the history: some weeks of work. */
const HISTORY_MAX = 500
/** A longer prompt is not kept in the history: it was pasted. */
const HISTORY_ENTRY_CHARS_MAX = 20_000

export interface PromptHistory {
  /** Oldest first. */
  readonly entries: readonly string[]
  readonly add: (prompt: string) => void
}

export const historyFile = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'bridle', 'chat-history')

/** A file that cannot be read or written costs the history and nothing else. */
export const openHistory = (file: string): PromptHistory => {
  let entries = readEntries(file)
  return {
    get entries() {
      return entries
    },
    add: (prompt) => {
      // A prompt behind a space is kept out, as in a shell.
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

/** An entry is a JSON text in a line. Other lines are skipped: a write may have been cut off. */
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

/** The file is written anew only now and then: another chat may append at the same time. */
const trimFile = (file: string): void => {
  const lines = linesOf(file)
  if (lines.length <= 2 * HISTORY_MAX) return
  const partial = `${file}.${process.pid}`
  writeFileSync(partial, `${lines.slice(-HISTORY_MAX).join('\n')}\n`, { mode: 0o600 })
  renameSync(partial, file)
}
