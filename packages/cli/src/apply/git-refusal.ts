// Git refuses some files altogether, such as `.GIT/hooks/pre-commit`. Its own words are about the command that failed; a person needs the
// file to remove.
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { isGitName } from '@bridle/runners/sandboxes/protection/git-name'
import { NAMES_SHOWN } from '../command/limits.ts'
import { escapeInvisible } from '../terminal/text-lines.ts'

/** Entries of a worktree in which a file that git refuses is looked for: more is a project with its packages, and takes seconds. */
const GIT_SEARCH_ENTRIES_MAX = 200_000

export const isGitFailure = (error: unknown): error is Error => error instanceof Error && 'cmd' in error

/** The reason, with the files that git most likely means and what to do about them. */
export const gitRefusal = async (error: Error, work: string): Promise<string> => {
  const found = await suspects(work)
  const names = found.slice(0, NAMES_SHOWN).map((path) => `\n  ${escapeInvisible(path)}`)
  const why = gitWords(error)
  if (found.length === 0)
    return `, since git cannot read the files of the session: ${why}. The session has them in ${work}`
  const [it, they] = found.length === 1 ? ['this file', 'it'] : ['these files', 'them']
  return `, since git refuses ${it} of the session: ${why}. Remove ${they} and apply again:${names.join('')}`
}

/** Git's own words, without the command line. */
export const gitWords = ({ message }: Error): string =>
  escapeInvisible(
    message
      .split('\n')
      .flatMap((line) => /^(?:error|fatal): (.*)$/.exec(line)?.[1] ?? [])
      .join('; ') || 'git says no more',
  )

/** Other spellings of `.git`, which some file systems take for it; else the file with the settings of submodules. */
const suspects = async (work: string): Promise<string[]> => {
  const found: string[] = []
  const settings: string[] = []
  const folders = [work]
  let left = GIT_SEARCH_ENTRIES_MAX
  for (const folder of folders) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (left-- <= 0) return found.length > 0 ? found : settings
      const path = join(folder, entry.name)
      // The worktree's own, and that of a repository inside of it, are spelled so.
      if (entry.name === '.git') continue
      if (isGitName(entry.name)) found.push(path)
      else if (relative(work, path) === '.gitmodules') settings.push(path)
      else if (entry.isDirectory()) folders.push(path)
    }
  }
  return found.length > 0 ? found : settings
}
