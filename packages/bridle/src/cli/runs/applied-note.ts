// The files that the last apply of a session brought over. The note lies with the repository's own note about the worktree, and goes with
// it. It has names and blob ids, which are only compared.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileEntries } from './change-plan.ts'

/** Empty where there was no apply, and where the note cannot be read: the next apply is then like a first one. */
export const readAppliedNote = async (worktreeEntry: string): Promise<FileEntries> => {
  const text = await readFile(join(worktreeEntry, NAME), 'utf8').catch(() => '{}')
  try {
    return new Map(Object.entries(JSON.parse(text) as object).map(([path, entry]) => [path, String(entry)]))
  } catch {
    return new Map()
  }
}

export const writeAppliedNote = async (worktreeEntry: string, entries: FileEntries): Promise<void> => {
  const place = join(worktreeEntry, NAME)
  await writeFile(`${place}.new`, JSON.stringify(Object.fromEntries(entries)))
  await rename(`${place}.new`, place)
}

const NAME = 'bridle-applied'
