// The folders that sessions have on this machine: made before a sandbox sees them, kept when it stops, and removed with
// their session.
import { execFile } from 'node:child_process'
import { constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Key } from '../../kernel/event.ts'
import { sessionFolder, workFolder } from './session-folder.ts'

/** Whose a folder is. */
const KEY_FILE = 'key.json'

export class SessionFolders {
  readonly #data: string

  constructor(data: string) {
    this.#data = data
  }

  of(key: Key): string {
    return sessionFolder(this.#data, key)
  }

  /** A branch begins with work and transcripts of its parent, once: whatever either does afterwards is its own. */
  async prepare(key: Key, parent: Key | null): Promise<void> {
    const own = this.of(key)
    const source = parent && this.of(parent)
    if (source && !existsSync(own) && existsSync(source)) await inherit(source, own)
    mkdirSync(own, { recursive: true, mode: 0o700 })
    await writeFile(join(own, KEY_FILE), JSON.stringify(key), { mode: 0o600 })
  }

  /** Of all that are there. */
  async keys(): Promise<Key[]> {
    const folder = join(this.#data, 'workspaces')
    const names = await readdir(folder).catch(() => [])
    const keys = names.map((name) => readFile(join(folder, name, KEY_FILE), 'utf8').then(JSON.parse, () => null))
    return (await Promise.all(keys)).filter((key): key is Key => key !== null)
  }

  remove(key: Key): Promise<void> {
    return removeFolder(this.of(key))
  }
}

/** Whole or not at all. */
const inherit = async (source: string, own: string): Promise<void> => {
  const fresh = `${own}.new`
  await removeFolder(fresh)
  // A worktree of git stays the parent's: its `.git` is a file that names it.
  const isWorktree = (path: string) => path === join(workFolder(source), '.git') && statSync(path).isFile()
  await cp(source, fresh, {
    recursive: true,
    // Links stay links: what they point at is not the parent's to give.
    verbatimSymlinks: true,
    filter: (path) => !isWorktree(path),
    mode: constants.COPYFILE_FICLONE,
  })
  await rename(fresh, own)
}

/** A tool may have made folders that nobody may write: a module cache, say. */
const removeFolder = async (folder: string): Promise<void> => {
  const run = (program: string, ...args: string[]) =>
    new Promise((resolve) => execFile(program, args, { timeout: 60_000 }, resolve))
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(async () => {
    await run('chmod', '-R', 'u+rwX', folder)
    // It goes down by folder and not by path, which may be longer than a path can be.
    await run('rm', '-rf', '--', folder)
    if (existsSync(folder)) throw new Error('The folder of a session could not be removed.')
  })
}
