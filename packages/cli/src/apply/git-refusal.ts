// Git refuses some files, such as `.GIT/hooks/pre-commit`. Its message is about the failed command, but the user needs
// the name of the file.
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { isGitName } from '@bridle/runners/sandboxes/protection/git-name'
import { NAMES_SHOWN } from '../command/limits.ts'
import { escapeInvisible } from '../terminal/text-lines.ts'

/** Entries searched for a refused file: larger than a project with its packages, and takes seconds. */
const GIT_SEARCH_ENTRIES_MAX = 200_000

export const isGitFailure = (error: unknown): error is Error => error instanceof Error && 'cmd' in error

export const gitRefusal = async (error: Error, work: string): Promise<string> => {
  const found = await suspects(work)
  const names = found.slice(0, NAMES_SHOWN).map((path) => `\n  ${escapeInvisible(path)}`)
  const why = gitWords(error)
  if (found.length === 0)
    return `, since git cannot read the files of the session: ${why}. The session has them in ${work}`
  const [it, they] = found.length === 1 ? ['this file', 'it'] : ['these files', 'them']
  return `, since git refuses ${it} of the session: ${why}. Remove ${they} and apply again:${names.join('')}`
}

export const gitWords = ({ message }: Error): string =>
  escapeInvisible(
    message
      .split('\n')
      .flatMap((line) => /^(?:error|fatal): (.*)$/.exec(line)?.[1] ?? [])
      .join('; ') || 'git says no more',
  )

/** Spellings of `.git` that some file systems treat as equal, otherwise `.gitmodules`. */
const suspects = async (work: string): Promise<string[]> => {
  const found: string[] = []
  const settings: string[] = []
  const folders = [work]
  let left = GIT_SEARCH_ENTRIES_MAX
  for (const folder of folders) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (left-- <= 0) return found.length > 0 ? found : settings
      const path = join(folder, entry.name)
      // The exact spelling is the worktree's own or a nested repository's.
      if (entry.name === '.git') continue
      if (isGitName(entry.name)) found.push(path)
      else if (relative(work, path) === '.gitmodules') settings.push(path)
      else if (entry.isDirectory()) folders.push(path)
    }
  }
  return found.length > 0 ? found : settings
}
