// Brings the changes of a session's worktree into the folder of a person. Git reads the worktree by the repository's own note about it,
// since an agent wrote everything in the worktree, its `.git` too.
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git } from '../../runners/workspaces/git.ts'
import { findRepository, findWorktree } from '../../runners/workspaces/worktree.ts'
import { EXIT_CODES, ExitError } from '../command.ts'

/** The number of changed files. Either all of them are brought over, or none. */
export const takeOver = async (source: string, workspace: string): Promise<number> => {
  const repository = await findRepository(source)
  const worktree = repository && (await findWorktree(repository.gitDir, workspace))
  if (!repository || !worktree)
    throw new ExitError(EXIT_CODES.failed, `The worktree of the session is not in the repository of ${source}.`)
  const folder = await mkdtemp(join(tmpdir(), 'bridle-apply-'))
  try {
    // An index of its own: that of the worktree stays as the agent sees it.
    const index = join(folder, 'index')
    await copyFile(join(worktree.entry, 'index'), index)
    const env = { GIT_DIR: worktree.entry, GIT_WORK_TREE: worktree.work, GIT_INDEX_FILE: index }
    const call = { cwd: repository.gitDir, env } as const
    await git(['add', '--all'], call)
    const names = (await git(['diff', '--cached', '--name-only', '-z', 'HEAD'], call)).toString().split('\0')
    const changes = ['diff', '--cached', '--binary', '--full-index', '--no-ext-diff', '--no-textconv', 'HEAD']
    const patch = await git(changes, call)
    if (patch.length === 0) return 0
    const here = { cwd: repository.top, env: { GIT_DIR: await gitDirOf(repository.top) }, input: patch } as const
    await git(['apply', '--whitespace=nowarn'], here).catch((error: Error) => {
      throw new ExitError(EXIT_CODES.failed, `Nothing was changed, since the changes do not fit: ${complaintOf(error)}`)
    })
    return names.filter((name) => name !== '').length
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The folder of a person may itself be a worktree. */
const gitDirOf = async (top: string): Promise<string> =>
  (await git(['rev-parse', '--absolute-git-dir'], { cwd: top })).toString().trim()

/** Git's own words, without the command line. */
const complaintOf = ({ message }: Error): string =>
  message
    .split('\n')
    .filter((line) => line.startsWith('error: '))
    .map((line) => line.slice('error: '.length))
    .join('; ') || 'git says no more.'
