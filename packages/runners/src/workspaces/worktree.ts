// A git worktree for a session, from a repository whose configuration is not obeyed. Git adds it without files. The files are written
// through our own git folder, which has the repository's objects and no settings, so no filter of `.gitattributes` runs.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { git } from './git.ts'

export interface Repository {
  /** The top of its working folder, without links. */
  readonly top: string
  /** The git folder that all of its worktrees share, without links. */
  readonly gitDir: string
  readonly commit: string
}

export interface Worktree {
  readonly repository: Repository
  readonly branch: string
  /** The folder for the files. The folder above it exists, and only the server writes there. */
  readonly work: string
  /** Says which files of the commit are left out; the path is relative to the top. */
  readonly isLeftOut: (path: string) => boolean
  /** Only the index is made: the files come from another session. */
  readonly isWithoutFiles?: boolean
}

/** Null where the folder is in no repository, or in one without a commit. */
export const findRepository = async (folder: string): Promise<Repository | null> => {
  const questions = ['--path-format=absolute', '--show-toplevel', '--git-common-dir']
  const places = await git(['-C', folder, 'rev-parse', ...questions], { cwd: folder }).catch(() => null)
  const [top, gitDir] = places?.toString().split('\n') ?? []
  if (!top || !gitDir) return null
  const repository = { top: await realpath(top), gitDir: await realpath(gitDir) }
  const head = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']
  // A source that is itself a worktree has a HEAD of its own, so the folder is asked and not the shared git folder.
  const commit = await git(['-C', folder, ...head], { cwd: folder }).catch(() => null)
  return commit && { ...repository, commit: commit.toString().trim() }
}

/** The commit that a branch of the repository stands at; null = there is no such branch. */
export const commitOf = async (gitDir: string, branch: string): Promise<string | null> => {
  const ask = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`]
  const commit = await git(['--git-dir', gitDir, ...ask], { cwd: gitDir }).catch(() => null)
  return commit?.toString().trim() ?? null
}

/** Makes the worktree and resolves to what a sandbox needs to read to see history and changes. */
export const addWorktree = async (worktree: Worktree): Promise<string[]> => {
  const { repository, branch, work } = worktree
  const { gitDir, commit } = repository
  const add = ['worktree', 'add', '--quiet', '--no-checkout', '-B', branch, work, commit]
  await git(['--git-dir', gitDir, ...add], { cwd: gitDir })
  const own = await entryOf(gitDir, work)
  if (own === null) throw new Error('Git made no worktree.')
  // Git copies a worktree's settings into the new one. Tokens may lie in them, and the sandbox is shown this folder.
  await rm(join(own, 'config.worktree'), { force: true })
  await checkOut(worktree, join(own, 'index'))
  // Settings and hooks are not among these.
  return [...['HEAD', 'objects', 'refs', 'packed-refs'].map((name) => join(gitDir, name)), own]
}

export class BranchInUseError extends Error {
  readonly code = 'branch_in_use'

  constructor(branch: string) {
    super(
      `Another folder has the branch ${branch} of the repository: that of a session with this id on another server. Choose another id, or delete that session.`,
    )
  }
}

/** Frees a branch that a removed worktree still holds. Call it before the record is written: a failure removes what is recorded. */
export const freeBranch = async (gitDir: string, branch: string): Promise<void> => {
  const entries = join(gitDir, 'worktrees')
  for (const name of await readdir(entries).catch(() => [])) {
    const [head, place] = await Promise.all(
      ['HEAD', 'gitdir'].map((file) => readFile(join(entries, name, file), 'utf8').catch(() => '')),
    )
    if (head?.trim() !== `ref: refs/heads/${branch}` || !place) continue
    if (existsSync(place.trim())) throw new BranchInUseError(branch)
    await rm(join(entries, name), { recursive: true, force: true })
  }
}

/** Removes the worktree's entry and branch from the repository. No git runs in the worktree, and its `.git` is not read. */
export const removeWorktree = async (gitDir: string, work: string, branch: string): Promise<void> => {
  const own = await entryOf(gitDir, work)
  if (own !== null) await rm(own, { recursive: true, force: true })
  await git(['--git-dir', gitDir, 'update-ref', '-d', `refs/heads/${branch}`], { cwd: gitDir })
}

/** The worktree that a folder lies in, as the repository's entries say; null = none of its worktrees. */
export const findWorktree = async (
  gitDir: string,
  folder: string,
): Promise<{ readonly entry: string; readonly work: string } | null> => {
  for (let work = folder; ; work = dirname(work)) {
    const entry = await entryOf(gitDir, work)
    if (entry !== null) return { entry, work }
    if (work === dirname(work)) return null
  }
}

/** The repository's own folder for a worktree: the entry that names its place. */
const entryOf = async (gitDir: string, work: string): Promise<string | null> => {
  const entries = join(gitDir, 'worktrees')
  for (const name of await readdir(entries).catch(() => [])) {
    const place = await readFile(join(entries, name, 'gitdir'), 'utf8').catch(() => '')
    if (place.trim() === join(work, '.git')) return join(entries, name)
  }
  return null
}

const checkOut = async ({ repository, work, isLeftOut, isWithoutFiles }: Worktree, index: string): Promise<void> => {
  const { gitDir, commit } = repository
  const own = await mkdtemp(join(work, '..', 'git-'))
  try {
    await makeGitFolder(own, commit)
    const call = {
      cwd: work,
      env: {
        GIT_DIR: own,
        GIT_OBJECT_DIRECTORY: join(gitDir, 'objects'),
        GIT_INDEX_FILE: index,
        GIT_WORK_TREE: work,
      },
    }
    await git(['read-tree', commit], call)
    // Bytes, not text: a name need not be UTF-8.
    const paths = (await git(['ls-files', '-z'], call)).toString('latin1').split('\0')
    const leftOut = paths.filter((path) => isLeftOut(Buffer.from(path, 'latin1').toString()))
    // Git then treats these files as present and unchanged.
    const input = Buffer.from(leftOut.map((path) => `${path}\0`).join(''), 'latin1')
    if (leftOut.length > 0) await git(['update-index', '--skip-worktree', '-z', '--stdin'], { ...call, input })
    if (!isWithoutFiles) await git(['checkout-index', '--all', '--index', '--quiet'], call)
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

/** The smallest folder that git accepts as a repository. The length of the commit id shows the format of object names. */
export const makeGitFolder = async (folder: string, commit: string): Promise<void> => {
  const isSha256 = commit.length === 64
  const format = isSha256
    ? 'repositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256'
    : 'repositoryformatversion = 0'
  await Promise.all([
    mkdir(join(folder, 'refs')),
    mkdir(join(folder, 'objects')),
    writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n'),
    writeFile(join(folder, 'config'), `[core]\n\tbare = false\n\t${format}\n`),
  ])
}
