// Records which files the last apply of a session copied or kept. Stored with the repository's metadata of the worktree,
// and deleted with it. File names and blob ids are only compared.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppliedFile, AppliedFiles } from './change-plan.ts'

/** Empty without a readable record, so that the next apply behaves like the first. */
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

/** A kept file has two entries: the session's and the user's. */
const appliedFile = (note: unknown): AppliedFile => {
  const [session = '', kept] = [note].flat().map(String)
  return { session, ...(kept !== undefined && { kept }) }
}

const NAME = 'bridle-applied'
