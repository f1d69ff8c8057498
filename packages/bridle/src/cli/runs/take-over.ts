// Brings the changes of a session's worktree into the folder of a person. Git reads the worktree by the repository's own note about it,
// since an agent wrote everything in the worktree, its `.git` too.
import { copyFile, mkdtemp, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GitCall, git } from '../../runners/workspaces/git.ts'
import { findRepository, findWorktree, makeGitFolder } from '../../runners/workspaces/worktree.ts'
import { EXIT_CODES, ExitError } from '../command.ts'
import { NAMES_SHOWN } from '../limits.ts'
import { readAppliedNote, writeAppliedNote } from './applied-note.ts'
import { type ChangePlan, changePlan } from './change-plan.ts'
import { blockedFiles, changedFiles, foldersAmong, targetEntries, treesOf } from './file-entries.ts'

/** The number of files that were brought over: those that changed since the last apply. Either all of them are, or none. */
export const takeOver = (source: string, workspace: string): Promise<number> =>
  withChanges(source, workspace, async ({ isEmpty, files, conflicts, blocked, apply, isThere, note }) => {
    if (isEmpty) return 0
    const refuse = (message: string) => new ExitError(EXIT_CODES.failed, `Nothing was changed${message}`)
    const there = `: the changes of the session are in ${source} already.`
    const place = `The session has its files in ${workspace}`
    if (conflicts.length > 0)
      throw refuse(`, since the session and you both changed ${namesOf(conflicts)} after the last apply. ${place}`)
    if (blocked.length > 0) throw refuse(`: ${source} has something else in the place of ${namesOf(blocked)}. ${place}`)
    if (files === 0) throw refuse(there)
    await apply().catch(async (error: Error) => {
      throw refuse((await isThere()) ? there : `, since the changes do not fit: ${complaintOf(error)}. ${place}`)
    })
    // The files are there. Without its note, the next apply is like a first one.
    await note().catch(() => {})
    return files
  })

/** The folder has the changes of the session already. */
export const isTakenOver = (source: string, workspace: string): Promise<boolean> =>
  withChanges(
    source,
    workspace,
    async ({ isEmpty, files, conflicts, isThere }) =>
      !isEmpty && conflicts.length === 0 && (files === 0 || (await isThere())),
  )

interface WorktreeChanges {
  /** The session changed nothing, and nothing was brought over before. */
  readonly isEmpty: boolean
  /** The number of files to bring over. */
  readonly files: number
  readonly conflicts: ChangePlan['conflicts']
  /** Files that cannot be written where the person has something else. */
  readonly blocked: readonly string[]
  /** Makes the changes in the folder of the person. */
  readonly apply: () => Promise<unknown>
  /** The folder of the person has them. */
  readonly isThere: () => Promise<boolean>
  /** Remembers the changes, for the next apply. */
  readonly note: () => Promise<void>
}

const withChanges = async <T>(
  source: string,
  workspace: string,
  use: (changes: WorktreeChanges) => Promise<T>,
): Promise<T> => {
  const repository = await findRepository(source)
  const worktree = repository && (await findWorktree(repository.gitDir, workspace))
  if (!repository || !worktree)
    throw new ExitError(EXIT_CODES.failed, `The worktree of the session is not in the repository of ${source}.`)
  const head = await git(['--git-dir', worktree.entry, 'rev-parse', '--verify', 'HEAD^{commit}'], {
    cwd: repository.gitDir,
  })
  const commit = head.toString().trim()
  const folder = await mkdtemp(join(tmpdir(), 'bridle-apply-'))
  try {
    // A git folder without settings, as the worktree was made with: an agent's `.gitattributes` can name a filter of the repository,
    // and no filter is there. It has an index of its own, too: that of the worktree stays as the agent sees it.
    await makeGitFolder(folder, commit)
    const index = join(folder, 'index')
    await copyIndex(join(worktree.entry, 'index'), index)
    const own = {
      GIT_DIR: folder,
      GIT_INDEX_FILE: index,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(repository.gitDir, 'objects')),
    } as const
    const call = { cwd: folder, env: { ...own, GIT_WORK_TREE: worktree.work } } as const
    await skipSubmodules(call)
    await git(['add', '--all', '--', worktree.work], call)
    const lineEnds = await lineEndSettings(repository.top)
    const applied = await readAppliedNote(worktree.entry)
    const changed = await changedFiles(call, commit, applied)
    const here = { cwd: repository.top, env: { ...own, GIT_WORK_TREE: repository.top } } as const
    const folders = await foldersAmong(repository.top, changed)
    const files = changed.filter(({ path }) => !folders.has(path))
    const target = await targetEntries(here, lineEnds, files, join(folder, 'target'))
    const { sources, conflicts } = changePlan(changed, applied, target)
    const trees = await treesOf(call, sources, join(folder, 'sources'))
    const names = (await git(['diff', '--name-only', '-z', ...trees], call)).toString('latin1').split('\0')
    const patch = await git(['diff', '--binary', '--full-index', '--no-ext-diff', '--no-textconv', ...trees], call)
    const apply = (...options: readonly string[]) =>
      git([...lineEnds, 'apply', '--whitespace=nowarn', ...options], { ...here, input: patch })
    return await use({
      isEmpty: changed.length === 0,
      files: names.filter((name) => name !== '').length,
      conflicts,
      blocked: await blockedFiles(repository.top, changed, sources),
      apply: () => apply(),
      isThere: () =>
        apply('--reverse', '--check').then(
          () => true,
          () => false,
        ),
      note: () => writeAppliedNote(worktree.entry, new Map(changed.map(({ path, now }) => [path, now]))),
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** With its time: git looks into files that were changed in the second of the index or later, and trusts their length otherwise. */
const copyIndex = async (from: string, to: string): Promise<void> => {
  const { mtimeMs } = await stat(from)
  await copyFile(from, to)
  const seconds = Math.floor(mtimeMs / 1_000)
  await utimes(to, seconds, seconds)
}

/**
 * Git looks for changes in a submodule with a git of its own, which obeys the settings that lie there, and an agent can write them. So
 * submodules count as unchanged.
 */
const skipSubmodules = async (call: GitCall): Promise<void> => {
  // Bytes, not text: a name need not be UTF-8.
  const entries = (await git(['ls-files', '--stage', '-z'], call)).toString('latin1').split('\0')
  const paths = entries
    .filter((entry) => entry.startsWith(SUBMODULE))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1))
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1')
  if (paths.length > 0) await git(['update-index', '--skip-worktree', '-z', '--stdin'], { ...call, input })
}

/** The mode of a submodule in an index. */
const SUBMODULE = '160000 '

/** The settings of the folder that say how lines end in it; they name no program. */
const lineEndSettings = async (top: string): Promise<string[]> => {
  const names = ['core.autocrlf', 'core.eol']
  const values = await Promise.all(
    names.map((name) =>
      git(['config', '--get', name], { cwd: top }).then(
        (value) => value.toString().trim(),
        () => '',
      ),
    ),
  )
  return names.flatMap((name, at) => (values[at] ? ['-c', `${name}=${values[at]}`] : []))
}

/** The first names: the session may have changed a thousand files. */
const namesOf = (paths: readonly string[]): string => {
  const shown = paths.slice(0, NAMES_SHOWN).map((path) => Buffer.from(path, 'latin1').toString())
  const more = paths.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** Git's own words, without the command line. */
const complaintOf = ({ message }: Error): string =>
  message
    .split('\n')
    .filter((line) => line.startsWith('error: '))
    .map((line) => line.slice('error: '.length))
    .join('; ') || 'git says no more'
