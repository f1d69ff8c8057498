// The files of a worktree and of the user's folder as git sees them, for `change-plan.ts` and for building patches.
import { lstat, readdir } from 'node:fs/promises'
import { type GitCall, git } from '@bridle/runners/workspaces/git'
import type { AppliedFiles, ChangedFile, FileEntries, FileEntry } from './change-plan.ts'

export const changedFiles = async (
  call: GitCall,
  commit: string,
  applied: AppliedFiles,
): Promise<readonly ChangedFile[]> => {
  // Two fields per file: `:100644 100755 <blob> <blob> M`, and its name.
  const raw = await git(['diff', '--cached', '--raw', '--no-abbrev', '--no-renames', '-z', commit], call)
  const fields = raw.toString('latin1').split('\0')
  const changed = fields.flatMap((path, at): ChangedFile[] => {
    if (at % 2 === 0) return []
    const [baseMode = '', mode = '', base = '', now = ''] = fields[at - 1]?.slice(1).split(' ') ?? []
    return [{ path, base: entryOf(baseMode, base), now: entryOf(mode, now) }]
  })
  const paths = new Set(changed.map(({ path }) => path))
  const takenBack = [...applied.keys()].filter((path) => !paths.has(path))
  if (takenBack.length === 0) return changed
  const all = await indexEntries(call)
  return [...changed, ...takenBack.map((path) => ({ path, base: all.get(path) ?? '', now: all.get(path) ?? '' }))]
}

const entryOf = (mode: string, id: string): FileEntry => (mode === '000000' ? '' : `${mode} ${id}`)

const indexEntries = async (call: GitCall): Promise<FileEntries> => {
  const entries = (await git(['ls-files', '--stage', '-z'], call)).toString('latin1').split('\0')
  return new Map(
    entries.flatMap((line) => {
      const [mode = '', id = ''] = line.split(' ')
      return line === '' ? [] : [[line.slice(line.indexOf('\t') + 1), entryOf(mode, id)]]
    }),
  )
}

export const targetEntries = async (
  here: GitCall,
  lineEnds: readonly string[],
  changed: readonly ChangedFile[],
  index: string,
): Promise<FileEntries> => {
  const call = { ...here, env: { ...here.env, GIT_INDEX_FILE: index } }
  const input = Buffer.from(changed.map(({ path }) => `${path}\0`).join(''), 'latin1')
  return git([...lineEnds, 'update-index', '--add', '--remove', '-z', '--stdin'], { ...call, input }).then(
    () => indexEntries(call),
    // A socket, a file behind a link, or an unreadable file. The entry matches nothing, so the user decides.
    () => new Map(changed.map(({ path }) => [path, 'unreadable'])),
  )
}

export const foldersAmong = async (top: string, changed: readonly ChangedFile[]): Promise<ReadonlySet<string>> => {
  const found = await Promise.all(
    changed.map(async ({ path }) => ((await kindAt(top, path)) === 'folder' ? [path] : [])),
  )
  return new Set(found.flat())
}

/**
 * Files blocked because the user has a folder in their place, or a file in place of a parent folder. Git would notice
 * only after writing other files. Files removed by the same patch do not block.
 */
export const blockedFiles = async (
  top: string,
  changed: readonly ChangedFile[],
  sources: FileEntries,
): Promise<readonly string[]> => {
  const brought = changed.filter(({ path }) => sources.has(path))
  const removed = new Set(brought.flatMap(({ path, now }) => (now === '' ? [path] : [])))
  const isBlocked = async (path: string): Promise<boolean> => {
    if ((await kindAt(top, path)) === 'folder' && !(await isFreed(top, path, removed))) return true
    const above = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))
    for (const folder of above) if ((await kindAt(top, folder)) === 'file' && !removed.has(folder)) return true
    return false
  }
  const found = await Promise.all(
    brought.map(async ({ path, now }) => (now !== '' && (await isBlocked(path)) ? [path] : [])),
  )
  return found.flat()
}

/** True if the patch empties the folder, so that git removes it too. Git keeps folders that were already empty. */
const isFreed = async (top: string, folder: string, removed: ReadonlySet<string>): Promise<boolean> => {
  const names = await readdir(placeOf(top, folder), { encoding: 'latin1' })
  for (const name of names) {
    const path = `${folder}/${name}`
    const isFree = (await kindAt(top, path)) === 'folder' ? await isFreed(top, path, removed) : removed.has(path)
    if (!isFree) return false
  }
  return names.length > 0
}

const kindAt = (top: string, path: string): Promise<'folder' | 'file' | null> =>
  lstat(placeOf(top, path)).then(
    (stats) => (stats.isDirectory() ? 'folder' : 'file'),
    () => null,
  )

const placeOf = (top: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')])

/** Two trees whose difference is the patch: the sources, and the session's versions. */
export const treesOf = async (
  call: GitCall,
  sources: FileEntries,
  index: string,
): Promise<readonly [string, string]> => {
  const write = async (from: GitCall) => (await git(['write-tree', '--missing-ok'], from)).toString().trim()
  const session = await write(call)
  const other = { ...call, env: { ...call.env, GIT_INDEX_FILE: index } }
  await git(['read-tree', session], other)
  // Remove entries first: a name that changes from folder to file is free only then.
  const lines = [...sources].toSorted(([, one], [, two]) => Number(one !== '') - Number(two !== ''))
  const none = `0 ${'0'.repeat(session.length)}`
  const input = Buffer.from(lines.map(([path, entry]) => `${entry || none}\t${path}\0`).join(''), 'latin1')
  await git(['update-index', '-z', '--index-info'], { ...other, input })
  return [await write(other), session]
}
