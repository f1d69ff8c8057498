// The files that the last apply of a session brought over or kept. The note lies with the repository's own note about the worktree, and goes with
// it. It has names and blob ids, which are only compared.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppliedFile, AppliedFiles } from './change-plan.ts'

/** Empty where there was no apply, and where the note cannot be read: the next apply is then like a first one. */
export const readAppliedNote = async (worktreeEntry: string): Promise<AppliedFiles> => {
  const text = await readFile(join(worktreeEntry, NAME), 'utf8').catch(() => '{}')
  try {
    return new Map(Object.entries(JSON.parse(text) as object).map(([path, note]) => [path, appliedFile(note)]))
  } catch {
    return new Map()
  }
}

export const writeAppliedNote = async (worktreeEntry: string, files: AppliedFiles): Promise<void> => {
  const place = join(worktreeEntry, NAME)
  await writeFile(
    `${place}.new`,
    JSON.stringify(
      Object.fromEntries(
        [...files].map(([path, { session, kept }]) => [path, kept === undefined ? session : [session, kept]]),
      ),
    ),
  )
  await rename(`${place}.new`, place)
}

/** A kept file has two entries: the one of the session, and the one of the person. */
const appliedFile = (note: unknown): AppliedFile => {
  const [session = '', kept] = [note].flat().map(String)
  return { session, ...(kept !== undefined && { kept }) }
}

const NAME = 'bridle-applied'
