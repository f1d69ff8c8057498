// Brings the changes of a session's worktree into the folder of a person. Git reads the worktree by the repository's own note about it,
// since an agent wrote everything in the worktree, its `.git` too.
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GitCall, git } from '../../runners/workspaces/git.ts'
import { findRepository, findWorktree, makeGitFolder } from '../../runners/workspaces/worktree.ts'
import { EXIT_CODES, ExitError } from '../command.ts'

/** The number of changed files. Either all of them are brought over, or none. */
export const takeOver = (source: string, workspace: string): Promise<number> =>
  withChanges(source, workspace, async ({ files, apply, isThere }) => {
    if (files === 0) return 0
    await apply().catch(async (error: Error) => {
      throw new ExitError(
        EXIT_CODES.failed,
        (await isThere())
          ? `Nothing was changed: the changes of the session are in ${source} already.`
          : `Nothing was changed, since the changes do not fit: ${complaintOf(error)}. The session has its files in ${workspace}`,
      )
    })
    return files
  })

/** The folder has the changes of the session already. */
export const isTakenOver = (source: string, workspace: string): Promise<boolean> =>
  withChanges(source, workspace, async ({ files, isThere }) => files > 0 && (await isThere()))

interface WorktreeChanges {
  /** The number of changed files. */
  readonly files: number
  /** Makes the changes in the folder of the person. */
  readonly apply: () => Promise<unknown>
  /** The folder of the person has them. */
  readonly isThere: () => Promise<boolean>
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
    await copyFile(join(worktree.entry, 'index'), index)
    const own = {
      GIT_DIR: folder,
      GIT_INDEX_FILE: index,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(repository.gitDir, 'objects')),
    } as const
    const call = { cwd: folder, env: { ...own, GIT_WORK_TREE: worktree.work } } as const
    await skipSubmodules(call)
    await git(['add', '--all', '--', worktree.work], call)
    const names = (await git(['diff', '--cached', '--name-only', '-z', commit], call)).toString().split('\0')
    const changes = ['diff', '--cached', '--binary', '--full-index', '--no-ext-diff', '--no-textconv', commit]
    const patch = await git(changes, call)
    const lineEnds = await lineEndSettings(repository.top)
    const here = { cwd: repository.top, env: { ...own, GIT_WORK_TREE: repository.top }, input: patch } as const
    const apply = (...options: readonly string[]) =>
      git([...lineEnds, 'apply', '--whitespace=nowarn', ...options], here)
    return await use({
      files: patch.length === 0 ? 0 : names.filter((name) => name !== '').length,
      apply: () => apply(),
      isThere: () =>
        apply('--reverse', '--check').then(
          () => true,
          () => false,
        ),
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
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

/** Git's own words, without the command line. */
const complaintOf = ({ message }: Error): string =>
  message
    .split('\n')
    .filter((line) => line.startsWith('error: '))
    .map((line) => line.slice('error: '.length))
    .join('; ') || 'git says no more'
