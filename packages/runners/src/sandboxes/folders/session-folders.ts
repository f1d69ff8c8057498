// The folders that sessions have on this machine: made before a sandbox sees them, kept when it stops, and removed with
// their session. Work and state are the sandbox's to write; the folder around them and its notes are the server's alone.
import { execFile } from 'node:child_process'
import { existsSync, lstatSync } from 'node:fs'
import { chmod, lchown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Key } from '@bridle/kernel/event'
import { type CopyEntry, CopyFault, copyFolder, type FolderOwner } from './folder-copy.ts'
import { filesFolder, keyFile, sessionFolder, stateFolder, workFolder } from './session-paths.ts'
import { TenantDiskFullError, type TenantDiskUsage } from './tenant-disk-usage.ts'

export interface SessionFoldersOptions {
  /** The user that sandboxes run as, where it is not the server's: work and state are given to it. */
  readonly owner?: FolderOwner
  readonly tenantUsage?: TenantDiskUsage
}

/** The default limit of a work folder; a million files is a large project with its installed packages. */
const BRANCH_COPY = { bytes: 10 * 1024 ** 3, files: 1_000_000 } as const

export class SessionFolders {
  readonly #data: string
  readonly #owner: FolderOwner | undefined
  readonly #tenantUsage: TenantDiskUsage | undefined

  constructor(data: string, { owner, tenantUsage }: SessionFoldersOptions = {}) {
    this.#data = data
    this.#owner = owner
    this.#tenantUsage = tenantUsage
  }

  folderOf(key: Key): string {
    return sessionFolder(this.#data, key)
  }

  /** A branch begins with a copy of its parent's work and transcripts; later changes stay separate. */
  async prepare(key: Key, parent: Key | null): Promise<void> {
    const own = this.folderOf(key)
    const source = parent && this.folderOf(parent)
    if (source && !existsSync(own) && existsSync(source)) await this.#copyFromParent(source, own, key.tenant)
    else if (!existsSync(own)) this.#tenantUsage?.checkRoom(key.tenant)
    await makeSessionFolder(own, this.#owner)
    for (const folder of [workFolder(own), stateFolder(own)]) await makeFolder(folder, this.#owner)
    await writeFile(keyFile(own), JSON.stringify(key), { mode: 0o600 })
  }

  async keys(): Promise<Key[]> {
    const folder = join(this.#data, 'workspaces')
    const names = await readdir(folder).catch(() => [])
    const keys = names.map((name) => readFile(keyFile(join(folder, name)), 'utf8').then(JSON.parse, () => null))
    return (await Promise.all(keys)).filter((key): key is Key => key !== null)
  }

  remove(key: Key): Promise<void> {
    return removeFolder(this.folderOf(key))
  }

  /** Whole or not at all. The parent's notes are not copied: they are about the parent. */
  async #copyFromParent(source: string, own: string, tenant: string): Promise<void> {
    const fresh = `${own}.new`
    await removeFolder(fresh)
    try {
      await makeSessionFolder(fresh, this.#owner)
      await inheritFolders(source, fresh, { tenant, owner: this.#owner, tenantUsage: this.#tenantUsage })
      await rename(fresh, own)
    } catch (error) {
      await removeFolder(fresh)
      throw error
    }
  }
}

export interface InheritanceOptions {
  readonly tenant: string
  readonly owner: FolderOwner | undefined
  readonly tenantUsage: TenantDiskUsage | undefined
  /** Default: work, state, and the files of prompts. */
  readonly parts?: readonly ((folder: string) => string)[]
  /** True for further entries of the work that are not copied. */
  readonly isLeftOut?: (entry: CopyEntry) => boolean
}

/** Copies work and state of a session into the folder of its branch. */
export const inheritFolders = async (source: string, own: string, options: InheritanceOptions): Promise<void> => {
  const {
    owner,
    tenantUsage,
    tenant,
    parts = [workFolder, stateFolder, filesFolder],
    isLeftOut: isExcluded = () => false,
  } = options
  let room = (await tenantUsage?.measureRoom(tenant)) ?? Number.POSITIVE_INFINITY
  for (const part of parts) {
    const [from, to] = [part(source), part(own)]
    if (!existsSync(from)) continue
    // A worktree of git stays the parent's: its `.git` is a file that names it.
    const isLeftOut = (entry: CopyEntry) =>
      part === workFolder &&
      ((entry.depth === 0 && entry.name === '.git' && entry.kind === 'file') || isExcluded(entry))
    const limits = { ...BRANCH_COPY, bytes: Math.min(BRANCH_COPY.bytes, room) }
    // The files of prompts stay the server's: an engine reads them and cannot write them.
    const heir = part === filesFolder ? undefined : owner
    room -= await copyFolder(from, to, { limits, owner: heir, isLeftOut }).catch((error: unknown) => {
      const isFull = error instanceof CopyFault && error.code === 'too_large' && room < BRANCH_COPY.bytes
      throw isFull && tenantUsage ? new TenantDiskFullError(tenantUsage.fullMessage(tenant)) : error
    })
  }
}

/** A sandbox under another user passes through the folder to its own two; its notes stay unreadable there. */
export const makeSessionFolder = async (folder: string, owner: FolderOwner | undefined): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (owner) await chmod(folder, 0o711)
}

export const makeFolder = async (folder: string, owner: FolderOwner | undefined): Promise<void> => {
  if (lstatSync(folder, { throwIfNoEntry: false })) return
  await mkdir(folder, { mode: 0o700 })
  if (owner) await lchown(folder, owner.uid, owner.gid)
}

/** A tool may have made folders that nobody may write: a module cache, say. */
export const removeFolder = async (folder: string): Promise<void> => {
  const run = (program: string, ...args: string[]) =>
    new Promise((resolve) =>
      execFile(program, args, { timeout: 60_000, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } }, resolve),
    )
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(async () => {
    await run('chmod', '-R', 'u+rwX', folder)
    // `rm` enters folder after folder: the whole path may be longer than the system allows.
    await run('rm', '-rf', '--', folder)
    if (existsSync(folder)) throw new Error('The folder of a session could not be removed.')
  })
}
