import { existsSync } from 'node:fs'
import { chmod, realpath, rename, rmdir, stat, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import type { Key } from '@bridle/kernel/event'
import type { KeyedMutex } from '@bridle/runners/calls/keyed-mutex'
import {
  type CopyEntry,
  CopyFault,
  changeOwner,
  copyFolder,
  type FolderOwner,
  identityOf,
} from '@bridle/runners/sandboxes/folders/folder-copy'
import { inheritFolders, makeFolder } from '@bridle/runners/sandboxes/folders/session-folders'
import {
  filesFolder,
  readablePathsFile,
  stateFolder,
  workFolder,
} from '@bridle/runners/sandboxes/folders/session-paths'
import type { TenantDiskUsage } from '@bridle/runners/sandboxes/folders/tenant-disk-usage'
import { isWithin } from '@bridle/runners/sandboxes/protection/protected-places'
import { addWorktree, commitOf, findRepository, freeBranch, type Repository } from '@bridle/runners/workspaces/worktree'
import { isOwnersName, isSecretName } from '@bridle/workspace/review/owners-files'
import { WorkspaceFault, withAdvice } from './workspace-fault.ts'
import { type WorkspaceRecord, writeWorkspaceRecord } from './workspace-record.ts'
import { dataPathInRepository, isSecretPath, type WorkspaceSource, type WorkspaceSources } from './workspace-sources.ts'

/** A larger source is a mistake, or belongs into a repository. */
const SOURCE_COPY = { bytes: 2 * 1024 ** 3, files: 50_000 } as const

interface WorkspaceMakerOptions {
  readonly data: string
  readonly sources: WorkspaceSources
  readonly tenantUsage: TenantDiskUsage
  readonly repositories: KeyedMutex
  /** User of the sandboxes, if it is not the server's. */
  readonly owner: FolderOwner | undefined
}

export interface WorkspaceParent {
  readonly key: Key
  readonly folder: string
  readonly note: WorkspaceRecord | null
}

export interface WorkspaceContent {
  readonly source: WorkspaceSource | null
  /** Bytes that the tenant may still use. */
  readonly room: number
  readonly parent: WorkspaceParent | null
  readonly isInPlace: boolean
}

export class WorkspaceMaker {
  readonly #options: WorkspaceMakerOptions

  constructor(options: WorkspaceMakerOptions) {
    this.#options = options
  }

  async make(key: Key, folder: string, content: WorkspaceContent): Promise<WorkspaceRecord> {
    const { source, room, parent } = content
    const owner = this.#options.owner
    const id = `ws-${basename(folder).slice(0, 16)}`
    if (content.isInPlace && source) return this.#makeInPlace({ key, id, source }, folder, parent)
    const work = workFolder(folder)
    const found = source && (await this.#repository(source))
    const repository = found && { ...found, commit: (await parentCommit(found, parent)) ?? found.commit }
    const note: WorkspaceRecord = {
      key,
      id,
      state: 'preparing',
      kind: repository ? 'git_worktree' : source ? 'copy' : 'empty',
      path: repository ? join(work, relative(repository.top, source.path)) : work,
      source: source?.path ?? null,
      branch: repository ? `bridle/${id}` : null,
      commit: repository?.commit ?? null,
      gitDir: repository?.gitDir ?? null,
    }
    if (repository && note.branch) {
      const { gitDir } = repository
      const { branch } = note
      await this.#options.repositories.run(gitDir, () => freeBranch(gitDir, branch))
    }
    // First, so that after a failure the record shows which repository was changed.
    await writeWorkspaceRecord(folder, note)
    if (repository) await this.#worktree(repository, note, folder, parent !== null)
    if (parent) await this.#inherit(parent, folder)
    const path = await this.#startFolder(note, work, parent !== null)
    if (repository) await changeOwner(owner, work)
    else if (parent) return { ...note, path }
    else if (source) await this.#copy(source.path, work, key.tenant, room)
    else await makeFolder(work, owner)
    return { ...note, path }
  }

  /** Creates nothing in a person's folder. A branch works in the same folder, with a copy of its parent's engine state. */
  async #makeInPlace(
    { key, id, source }: { readonly key: Key; readonly id: string; readonly source: WorkspaceSource },
    folder: string,
    parent: WorkspaceParent | null,
  ): Promise<WorkspaceRecord> {
    const place = { kind: 'in_place', path: source.path, source: source.path } as const
    const record = { ...place, key, id, state: 'preparing', branch: null, commit: null, gitDir: null } as const
    await writeWorkspaceRecord(folder, record)
    const { owner, tenantUsage } = this.#options
    const inheritance = { tenant: key.tenant, owner, tenantUsage }
    if (parent) await inheritFolders(parent.folder, folder, { ...inheritance, parts: [stateFolder, filesFolder] })
    return record
  }

  /** Null if the source must be copied. A repository larger than the allowed folder would expose more than that folder. */
  async #repository({ path, limit }: WorkspaceSource): Promise<Repository | null> {
    const repository = await findRepository(path)
    if (!repository || (limit !== null && !isWithin(repository.top, limit))) return null
    // A sandbox could write to such a repository and change its settings.
    for (const place of [repository.top, repository.gitDir])
      if (await this.#options.sources.isInData(place))
        throw new WorkspaceFault('The repository of the source lies in the data folder of the server.')
    return repository
  }

  /** A branch gets an empty worktree, because its parent's files are copied into it. */
  async #worktree(
    repository: Repository,
    { branch }: WorkspaceRecord,
    folder: string,
    isWithoutFiles: boolean,
  ): Promise<void> {
    const below = dataPathInRepository(repository.top, this.#options.data)
    const worktree = {
      repository,
      branch: branch ?? '',
      work: workFolder(folder),
      isLeftOut: (file: string) => isSecretPath(file, below),
      isWithoutFiles,
    }
    const shown = await this.#options.repositories.run(repository.gitDir, () => addWorktree(worktree))
    await writeFile(readablePathsFile(folder), JSON.stringify(shown), { mode: 0o600 })
  }

  /** The parent's agent may have removed the folder, or replaced it with a link. */
  async #startFolder({ kind, path }: WorkspaceRecord, work: string, isBranch: boolean): Promise<string> {
    if (kind !== 'git_worktree') return path
    const isThere = (await realpath(path).catch(() => null)) === path && (await stat(path)).isDirectory()
    if (isThere) return path
    if (isBranch) return work
    throw new WorkspaceFault('The source is not a folder of the last commit of its repository.')
  }

  async #copy(source: string, work: string, tenant: string, room: number): Promise<void> {
    const data = identityOf(await stat(this.#options.data))
    const isLeftOut = (entry: CopyEntry) =>
      // Repository settings may hold tokens, and another server may keep its data in the folder.
      isOwnersName(entry.name) || isRebuiltFolder(entry) || entry.identity === data
    const limits = { ...SOURCE_COPY, bytes: Math.min(SOURCE_COPY.bytes, room) }
    await copyFolder(source, work, { limits, owner: this.#options.owner, isLeftOut }).catch((error: unknown) => {
      const isFull = error instanceof CopyFault && error.code === 'too_large' && room < SOURCE_COPY.bytes
      if (isFull) throw new WorkspaceFault(this.#options.tenantUsage.fullMessage(tenant))
      throw withAdvice(error)
    })
  }

  /** Copies the parent's files, committed or not, and its engine's transcripts. Never runs git on files that an agent wrote. */
  async #inherit({ key, folder: source }: WorkspaceParent, folder: string): Promise<void> {
    const data = identityOf(await stat(this.#options.data))
    const work = workFolder(folder)
    const hasWorktree = existsSync(work)
    const kept = join(folder, 'worktree.git')
    // Copying creates the folder, so move this worktree's `.git` file aside. The parent's is not copied.
    if (hasWorktree) {
      await rename(join(work, '.git'), kept)
      await rmdir(work)
    }
    await inheritFolders(source, folder, {
      tenant: key.tenant,
      owner: this.#options.owner,
      tenantUsage: this.#options.tenantUsage,
      isLeftOut: ({ name, depth, identity }) =>
        isSecretName(name) || identity === data || (hasWorktree && depth === 0 && name === '.git'),
    })
    if (!hasWorktree) return
    await chmod(work, 0o700)
    await rename(kept, join(work, '.git'))
  }
}

/** Last commit of the parent's branch, which may be newer than the workspace. The child's history continues there. */
const parentCommit = async ({ gitDir }: Repository, parent: WorkspaceParent | null): Promise<string | null> => {
  const note = parent?.note
  if (!note?.branch || note.gitDir !== gitDir) return null
  return (await commitOf(gitDir, note.branch)) ?? note.commit
}

/** Not copied, because programs recreate them. `build`, `dist` and `target` are copied: they may contain sources. */
const REBUILT_FOLDERS: ReadonlySet<string> = new Set([
  // Installed packages. Python's contain absolute paths and would not work in a copy.
  ...['node_modules', '.venv', '.tox', '.nox'],
  ...['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.cache', '.parcel-cache', '.turbo', '.gradle'],
  ...['.next', '.nuxt', '.svelte-kit', '.wrangler', '.terraform', '.pnpm-store'],
  // Repositories of version control systems other than git.
  ...['.hg', '.svn', '.jj'],
])

/** A regular file with such a name is copied. A link is not: it points to a folder that the sandbox cannot see. */
const isRebuiltFolder = ({ name, kind }: CopyEntry): boolean => kind !== 'file' && REBUILT_FOLDERS.has(name)
