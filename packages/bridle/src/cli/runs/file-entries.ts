// The files of a worktree and of a person's folder as git sees them: what `change-plan.ts` compares, and the trees that a patch is made of.
import { lstat } from 'node:fs/promises'
import { type GitCall, git } from '../../runners/workspaces/git.ts'
import type { ChangedFile, FileEntries, FileEntry } from './change-plan.ts'

/** The files that the session has otherwise than it began with them, and those that an apply brought over before. */
export const changedFiles = async (
  call: GitCall,
  commit: string,
  applied: FileEntries,
): Promise<readonly ChangedFile[]> => {
  // Two fields for each file: `:100644 100755 <blob> <blob> M`, and its name.
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

/** The same files in the folder of the person. */
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
    // A socket, a file behind a link, or one that may not be read. None of the entries equals another then, and the person decides.
    () => new Map(changed.map(({ path }) => [path, 'unreadable'])),
  )
}

/** The names that are folders in the folder of the person. */
export const foldersAmong = async (top: string, changed: readonly ChangedFile[]): Promise<ReadonlySet<string>> => {
  const isFolder = (path: string) =>
    lstat(Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')])).then(
      (stats) => stats.isDirectory(),
      () => false,
    )
  const found = await Promise.all(changed.map(async ({ path }) => ((await isFolder(path)) ? [path] : [])))
  return new Set(found.flat())
}

/** Git finds a folder in its way only after it has written other files. The session may have made the folder, and frees its name. */
export const blockedFiles = (changed: readonly ChangedFile[], folders: ReadonlySet<string>): readonly string[] =>
  changed.flatMap(({ path, now }) => {
    const isFreed = () => changed.some((other) => other.path.startsWith(`${path}/`))
    return now !== '' && folders.has(path) && !isFreed() ? [path] : []
  })

/** Two trees that differ in the files to bring over: with their sources, and as the session has them. */
export const treesOf = async (
  call: GitCall,
  sources: FileEntries,
  index: string,
): Promise<readonly [string, string]> => {
  const write = async (from: GitCall) => (await git(['write-tree', '--missing-ok'], from)).toString().trim()
  const session = await write(call)
  const other = { ...call, env: { ...call.env, GIT_INDEX_FILE: index } }
  await git(['read-tree', session], other)
  // A name that was a folder and is a file is free only after the folder has gone.
  const lines = [...sources].toSorted(([, one], [, two]) => Number(one !== '') - Number(two !== ''))
  const none = `0 ${'0'.repeat(session.length)}`
  const input = Buffer.from(lines.map(([path, entry]) => `${entry || none}\t${path}\0`).join(''), 'latin1')
  await git(['update-index', '-z', '--index-info'], { ...other, input })
  return [await write(other), session]
}
