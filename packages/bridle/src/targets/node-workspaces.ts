// Workspaces for write-capable work: a git worktree where the source is a repository, else a copy. It lies where a local
// sandbox looks for the session's work, so an engine works in it without being told.
import { execFile } from 'node:child_process'
import { constants, existsSync } from 'node:fs'
import {
  copyFile,
  cp,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { type Key, keyText } from '../kernel/event.ts'
import type { Runner } from '../kernel/runner.ts'
import { sessionFolder, shownFile, stateFolder, workFolder } from '../runners/sandboxes/session-folder.ts'
import { Turns } from '../runners/sandboxes/turns.ts'
import type { Workspace, Workspaces } from '../surfaces/http/workspaces.ts'

const run = promisify(execFile)
const NOTE = 'workspace.json'
/** What a copy may take: more is a mistake in the source, or wants a repository. */
const COPY_FILES_MAX = 50_000
const COPY_BYTES_MAX = 2 * 1024 ** 3

type Noted = Omit<Workspace, 'discard'> & { readonly repository: string | null; readonly key: Key }

export class NodeWorkspaces implements Workspaces {
  readonly #data: string
  readonly #root: string
  /** One at a time for each session. */
  readonly #turns = new Turns()

  /** Sources lie in `root`, and nowhere else: a caller may not have the server's disk copied. */
  constructor(data: string, root: string) {
    this.#data = resolve(data)
    this.#root = resolve(root)
  }

  prepare(key: Key, source: string | null, parent?: Key): Promise<Workspace | { readonly problem: string }> {
    return this.#alone(key, () => this.#prepare(key, source, parent))
  }

  /** The same runner, which also lets go of the workspace of a session that was removed. */
  around(runner: Runner): Runner {
    const { steer } = runner
    return {
      start: (job, outlet) => runner.start(job, outlet),
      attach: (job, outlet) => runner.attach(job, outlet),
      abort: (job) => runner.abort(job),
      answer: (job, answer) => runner.answer(job, answer),
      ...(steer && { steer: (job, message) => steer.call(runner, job, message) }),
      forget: (key) =>
        this.#alone(key, async () => {
          const folder = sessionFolder(this.#data, key)
          const known = await noteOf(folder)
          // It may be at work there.
          await runner.forget?.(key)
          if (known || existsSync(folder)) await this.#remove(folder, known)
        }),
    }
  }

  /** At start-up: those that were made for a session that never came to be, or went while nobody looked. */
  async reap(exists: (key: Key) => Promise<boolean>): Promise<void> {
    const folder = join(this.#data, 'workspaces')
    for (const name of await readdir(folder).catch(() => [])) {
      const known = await noteOf(join(folder, name))
      // A branch without a workspace of its own may hold its parent's note.
      const isOwn = known?.key && sessionFolder(this.#data, known.key) === join(folder, name)
      if (isOwn && !(await exists(known.key)))
        await this.#alone(known.key, () => this.#remove(join(folder, name), known))
    }
  }

  async #prepare(key: Key, source: string | null, parent?: Key): Promise<Workspace | { readonly problem: string }> {
    const folder = sessionFolder(this.#data, key)
    const known = await noteOf(folder)
    // Made for this session before: by an earlier try, or because it exists.
    if (known) return { ...known, discard: async () => {} }
    const from = await this.#source(source)
    if ('problem' in from) return from
    // What a process that was killed left half done.
    await this.#remove(folder)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const id = `ws-${basename(folder).slice(0, 16)}`
    try {
      const made = (await this.#worktree(key, id, from.path, folder)) ?? (await this.#copy(key, id, from.path, folder))
      if ('problem' in made) {
        await this.#remove(folder)
        return made
      }
      if (parent) await inherit(sessionFolder(this.#data, parent), folder)
      // Last, and at once: without the note there is no workspace.
      await writeFile(join(folder, `${NOTE}.new`), JSON.stringify(made))
      await rename(join(folder, `${NOTE}.new`), join(folder, NOTE))
      return { ...made, discard: () => this.#alone(key, () => this.#remove(folder)) }
    } catch (error) {
      await this.#remove(folder)
      return { problem: `It could not be prepared: ${error instanceof Error ? error.message.split('\n')[0] : error}` }
    }
  }

  async #source(given: string | null): Promise<{ readonly path: string } | { readonly problem: string }> {
    const root = await realpath(this.#root).catch(() => null)
    const path = await realpath(resolve(this.#root, given ?? '.')).catch(() => null)
    if (path === null || root === null || !(await stat(path)).isDirectory())
      return { problem: 'The source is no folder' }
    const isInside = path === root || path.startsWith(root + sep)
    return isInside ? { path } : { problem: 'The source lies outside the server’s folder' }
  }

  /** Null where the source is no repository, or one without a commit. What is not committed is not in it. */
  async #worktree(key: Key, id: string, source: string, folder: string): Promise<Noted | null> {
    const git = (...args: string[]) =>
      run('git', ['-c', 'core.hooksPath=/dev/null', '-C', source, ...args]).then(({ stdout }) => stdout.trim())
    const repository = await git('rev-parse', '--show-toplevel').catch(() => null)
    const commit = repository && (await git('rev-parse', '--verify', 'HEAD').catch(() => null))
    if (!repository || !commit) return null
    const branch = `bridle/${id}`
    const work = workFolder(folder)
    await git('worktree', 'add', '--quiet', '-B', branch, work, commit)
    await writeFile(shownFile(folder), JSON.stringify(await historyOf(work)))
    const path = join(work, relative(await realpath(repository), source))
    return { key, id, kind: 'git_worktree', path, source, branch, commit, repository }
  }

  async #copy(key: Key, id: string, source: string, folder: string): Promise<Noted | { readonly problem: string }> {
    const isOurs = (path: string) => path === this.#data || path.startsWith(this.#data + sep)
    const found = await entriesOf(source, isOurs)
    if (found === null)
      return {
        problem: `The source has more than ${COPY_FILES_MAX} files or ${COPY_BYTES_MAX} bytes, and is no repository`,
      }
    const path = workFolder(folder)
    await mkdir(path, { mode: 0o700 })
    // One by one: the data folder often lies in the source, and no folder can be copied into itself.
    for (const each of found) await copyEntry(join(source, each.path), join(path, each.path), each.kind)
    return { key, id, kind: 'copy', path, source, branch: null, commit: null, repository: null }
  }

  async #remove(folder: string, noted?: Noted | null): Promise<void> {
    const known = noted ?? (await noteOf(folder))
    const gitFile = join(workFolder(folder), '.git')
    const repository = known?.repository ?? (existsSync(gitFile) ? await repositoryOf(workFolder(folder)) : null)
    await rm(folder, { recursive: true, force: true })
    if (repository === null) return
    await run('git', ['-C', repository, 'worktree', 'prune']).catch(() => {})
    const branch = `bridle/ws-${basename(folder).slice(0, 16)}`
    await run('git', ['-C', repository, 'branch', '--quiet', '-D', branch]).catch(() => {})
  }

  #alone<T>(key: Key, work: () => Promise<T>): Promise<T> {
    return this.#turns.take(keyText(key), work)
  }
}

/** What the parent's engine remembers. */
const inherit = async (parent: string, folder: string): Promise<void> => {
  const state = stateFolder(parent)
  if (existsSync(state)) await cp(state, stateFolder(folder), { recursive: true, verbatimSymlinks: true })
}

const noteOf = async (folder: string): Promise<Noted | null> => {
  try {
    return JSON.parse(await readFile(join(folder, NOTE), 'utf8')) as Noted
  } catch {
    return null
  }
}

/** What a sandbox needs to read to see history and changes. Settings and hooks are not among it: tokens lie in the former. */
const historyOf = async (work: string): Promise<string[]> => {
  const asked = ['--path-format=absolute', '--git-common-dir', '--git-dir']
  const [common = '', own = ''] = (await run('git', ['-C', work, 'rev-parse', ...asked])).stdout.trim().split('\n')
  return [...['HEAD', 'objects', 'refs', 'packed-refs'].map((name) => join(common, name)), own]
}

/** The repository that a worktree belongs to. */
const repositoryOf = async (work: string): Promise<string | null> => {
  const common = await run('git', ['-C', work, 'rev-parse', '--git-common-dir']).catch(() => null)
  return common === null ? null : resolve(work, common.stdout.trim(), '..')
}

interface Entry {
  /** Below the source; a folder comes before what is in it. */
  readonly path: string
  readonly kind: 'folder' | 'file' | 'link'
}

/** Null when there is too much. Sockets, devices and the like are left out. */
const entriesOf = async (source: string, isLeftOut: (path: string) => boolean): Promise<Entry[] | null> => {
  const found: Entry[] = []
  let bytes = 0
  const folders = ['']
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of await readdir(join(source, next), { withFileTypes: true })) {
      const path = join(next, entry.name)
      if (isLeftOut(join(source, path))) continue
      if (entry.isDirectory()) folders.push(path)
      if (entry.isFile()) bytes += (await stat(join(source, path))).size
      const kind = entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : entry.isFile() ? 'file' : null
      if (kind) found.push({ path, kind })
      if (found.length > COPY_FILES_MAX || bytes > COPY_BYTES_MAX) return null
    }
  }
  return found
}

const copyEntry = async (from: string, to: string, kind: Entry['kind']): Promise<void> => {
  if (kind === 'folder') await mkdir(to)
  else if (kind === 'link') await symlink(await readlink(from), to)
  else await copyFile(from, to, constants.COPYFILE_FICLONE)
}
