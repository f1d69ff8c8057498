// Workspaces for write-capable work: a git worktree if the source is a repository, else a copy, or an empty folder without a source.
// A workspace is the folder that a local sandbox uses for the session's work, so an engine needs no further setting. Its record is
// beside the work, where no engine can write: only the record tells the origin of the workspace.
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { chmod, readdir, realpath, rename, rmdir, stat, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { type Key, keyText } from '../../../kernel/event.ts'
import type { Runner } from '../../../kernel/ports/runner.ts'
import { KeyedMutex } from '../../../runners/keyed-mutex.ts'
import {
  type CopyEntry,
  CopyFault,
  changeOwner,
  copyFolder,
  type FolderOwner,
  identityOf,
} from '../../../runners/sandboxes/folders/folder-copy.ts'
import {
  inheritFolders,
  makeFolder,
  makeSessionFolder,
  removeFolder,
} from '../../../runners/sandboxes/folders/session-folders.ts'
import {
  filesFolder,
  keyFile,
  readablePathsFile,
  sessionFolder,
  stateFolder,
  workFolder,
  workPlace,
} from '../../../runners/sandboxes/folders/session-paths.ts'
import { TenantDiskFullError, TenantDiskUsage } from '../../../runners/sandboxes/folders/tenant-disk-usage.ts'
import { SOURCE_COPY } from '../../../runners/workspaces/limits.ts'
import {
  addWorktree,
  commitOf,
  findRepository,
  type Repository,
  removeWorktree,
} from '../../../runners/workspaces/worktree.ts'
import type { Access } from '../../../surfaces/http/access/authenticate.ts'
import type { WorkspaceOffer } from '../../../surfaces/http/wire.ts'
import type {
  Workspace,
  WorkspaceProblem,
  WorkspaceRequest,
  Workspaces,
} from '../../../surfaces/http/workspaces/workspaces.ts'
import { isOwnersName, isSecretName } from '../../../workspace/review/owners-files.ts'
import { isWithin } from './folder-names.ts'
import { inPlaceProblem } from './in-place.ts'
import { SourceMemory } from './source-memory.ts'
import {
  readWorkspaceRecord,
  type WorkspaceRecord,
  workspaceRecordFor,
  writeWorkspaceRecord,
} from './workspace-record.ts'
import {
  dataPathInRepository,
  type FolderReach,
  isSecretPath,
  type WorkspaceOptions,
  type WorkspaceSource,
  WorkspaceSources,
} from './workspace-sources.ts'

export interface NodeWorkspacesOptions {
  /** The server's data folder. */
  readonly data: string
  readonly workspaces?: WorkspaceOptions | undefined
  /** Whether a session is in the log. The folder of an existing session is never removed for another request. */
  readonly exists: (key: Key) => Promise<boolean>
  /** The folders that a caller may name although they are not listed; default: none. */
  readonly reachOf?: (access: Access) => FolderReach
  /** The folder that the server was started in; default: that of the process. */
  readonly started?: string
  /** The user of the sandboxes, if it is not the server's. */
  readonly owner?: FolderOwner | undefined
  readonly tenantUsage?: TenantDiskUsage
}

/** The use of a folder in this process: made by one request, or shared by several. */
type FolderUse = 'made' | 'shared'

export class NodeWorkspaces implements Workspaces {
  readonly #data: string
  readonly #options: NodeWorkspacesOptions
  readonly #sources: WorkspaceSources
  readonly #tenantUsage: TenantDiskUsage
  /** Requests for one session run in sequence. */
  readonly #turns = new KeyedMutex()
  /** Changes to one repository run in sequence: git does not promise that two may add or remove worktrees at once. */
  readonly #repositories = new KeyedMutex()
  readonly #uses = new Map<string, FolderUse>()
  readonly #sourceMemory = new SourceMemory()

  constructor(options: NodeWorkspacesOptions) {
    mkdirSync(options.data, { recursive: true, mode: 0o700 })
    this.#data = realpathSync(options.data)
    this.#options = options
    const started = realpathSync(options.started ?? process.cwd())
    this.#sources = new WorkspaceSources(options.workspaces ?? {}, this.#data, started)
    const max = options.workspaces?.maxTenantBytes
    this.#tenantUsage = options.tenantUsage ?? new TenantDiskUsage(this.#data, max === undefined ? {} : { max })
  }

  async prepare(key: Key, request: WorkspaceRequest): Promise<Workspace | WorkspaceProblem> {
    // Outside the mutex: a session that is being removed waits for the same mutex.
    const exists = await this.#options.exists(key)
    return this.#serially(key, () => this.#prepare(key, request, exists))
  }

  async has(key: Key, request: WorkspaceRequest): Promise<boolean> {
    const record = await workspaceRecordFor(sessionFolder(this.#data, key), key)
    if (record?.state !== 'ready' || (record.kind === 'in_place') !== (request.mode === 'in_place')) return false
    const source = await this.#source(key, request)
    return source === null ? record.source === null : !('problem' in source) && source.path === record.source
  }

  offer(access: Access): WorkspaceOffer {
    const reach = this.#reach(access)
    return {
      modes: reach === 'listed' ? ['write'] : ['write', 'in_place'],
      sources: this.#sources.names(access.tenant, reach),
      any_source: reach === 'any',
    }
  }

  /** The runner, which also removes the workspace of a removed session. */
  wrapRunner(runner: Runner): Runner {
    return {
      // Spread the whole runner, so that its optional methods are kept.
      ...runner,
      forget: (key) =>
        this.#serially(key, async () => {
          const folder = sessionFolder(this.#data, key)
          const note = await workspaceRecordFor(folder, key)
          // The engine may still work in the folder.
          await runner.forget?.(key)
          if (note || existsSync(folder)) await this.#remove(folder, note)
        }),
    }
  }

  /** At the start: removes workspaces of an earlier process whose session was never created, or is gone. */
  async removeOrphans(): Promise<void> {
    const folder = join(this.#data, 'workspaces')
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name)
      const key = (await readWorkspaceRecord(path))?.key
      // Folders of earlier versions may hold the record of another session.
      if (!key || sessionFolder(this.#data, key) !== path || (await this.#options.exists(key))) continue
      await this.#serially(key, async () => {
        if (!this.#uses.has(path)) await this.#remove(path, await workspaceRecordFor(path, key))
      })
    }
  }

  async #prepare(key: Key, request: WorkspaceRequest, exists: boolean): Promise<Workspace | WorkspaceProblem> {
    const folder = sessionFolder(this.#data, key)
    const known = await workspaceRecordFor(folder, key)
    if (known?.state === 'ready') {
      // An earlier request for the same session made the workspace. From now on neither request may remove it.
      this.#uses.set(folder, 'shared')
      return workspaceOf(known, async () => {})
    }
    // A sandbox was made for a session of this name, perhaps in the meantime.
    if (exists || existsSync(keyFile(folder))) return { taken: true }
    const source = await this.#source(key, request)
    if (source && 'problem' in source) return source
    // A killed process left it unfinished.
    await this.#remove(folder, known)
    this.#uses.set(folder, 'made')
    try {
      const room = await this.#tenantUsage.measureRoom(key.tenant)
      await makeSessionFolder(folder, this.#options.owner)
      const parent = await this.#parentOf(request)
      const made = await this.#make(key, folder, { source, room, parent, isInPlace: request.mode === 'in_place' })
      if (made.kind !== 'empty') await this.#sourceMemory.keep(folder, { parent: parent?.folder ?? null, room })
      await writeWorkspaceRecord(folder, { ...made, state: 'ready' })
      return workspaceOf(made, () => this.#discard(key, folder))
    } catch (error) {
      await this.#remove(folder, await workspaceRecordFor(folder, key))
      return { problem: problemOf(error) }
    }
  }

  async #source(
    key: Key,
    { source: named, access, mode }: WorkspaceRequest,
  ): Promise<WorkspaceSource | null | { readonly problem: string }> {
    if (named === null) return null
    const reach = this.#reach(access)
    const source = await this.#sources.find(key.tenant, named, reach)
    if ('problem' in source || mode !== 'in_place') return source
    if (!source.isOwn) return { problem: NOT_IN_PLACE }
    const problem = await inPlaceProblem(source.path, this.#data)
    return problem === null ? source : { problem }
  }

  #reach(access: Access): FolderReach {
    return this.#options.reachOf?.(access) ?? 'listed'
  }

  /** The parent of a branch, if its files still exist. */
  async #parentOf({ parent }: WorkspaceRequest): Promise<WorkspaceParent | null> {
    if (!parent) return null
    const folder = sessionFolder(this.#data, parent)
    return existsSync(workPlace(folder).path)
      ? { key: parent, folder, note: await workspaceRecordFor(folder, parent) }
      : null
  }

  async #make(key: Key, folder: string, content: WorkspaceContent): Promise<WorkspaceRecord> {
    const { source, room, parent } = content
    const { owner } = this.#options
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
    // First: if anything fails later, the record tells which repository was changed.
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

  /** Nothing is made in the folder of a person. A branch works in the same folder, with the memory of its parent's engine. */
  async #makeInPlace(
    { key, id, source }: { readonly key: Key; readonly id: string; readonly source: WorkspaceSource },
    folder: string,
    parent: WorkspaceParent | null,
  ): Promise<WorkspaceRecord> {
    const place = { kind: 'in_place', path: source.path, source: source.path } as const
    const record = { ...place, key, id, state: 'preparing', branch: null, commit: null, gitDir: null } as const
    await writeWorkspaceRecord(folder, record)
    const inheritance = { tenant: key.tenant, owner: this.#options.owner, tenantUsage: this.#tenantUsage }
    if (parent) await inheritFolders(parent.folder, folder, { ...inheritance, parts: [stateFolder, filesFolder] })
    return record
  }

  /** Null if the source must be copied. A repository that reaches beyond the folder that may be named would show more than that. */
  async #repository({ path, limit }: WorkspaceSource): Promise<Repository | null> {
    const repository = await findRepository(path)
    if (!repository || (limit !== null && !isWithin(repository.top, limit))) return null
    // A sandbox could write to such a repository, and change its settings.
    for (const place of [repository.top, repository.gitDir])
      if (await this.#sources.isInData(place))
        throw new WorkspaceFault('The repository of the source lies in the data folder of the server.')
    return repository
  }

  /** Makes a worktree with the committed files; empty for a branch, which copies its parent's files. */
  async #worktree(
    repository: Repository,
    { branch }: WorkspaceRecord,
    folder: string,
    isWithoutFiles: boolean,
  ): Promise<void> {
    const below = dataPathInRepository(repository.top, this.#data)
    const worktree = {
      repository,
      branch: branch ?? '',
      work: workFolder(folder),
      isLeftOut: (file: string) => isSecretPath(file, below),
      isWithoutFiles,
    }
    const shown = await this.#repositories.run(repository.gitDir, () => addWorktree(worktree))
    await writeFile(readablePathsFile(folder), JSON.stringify(shown), { mode: 0o600 })
  }

  /** The folder in which the work begins. The parent's agent may have removed it, or replaced it with a link. */
  async #startFolder({ kind, path }: WorkspaceRecord, work: string, isBranch: boolean): Promise<string> {
    if (kind !== 'git_worktree') return path
    const isThere = (await realpath(path).catch(() => null)) === path && (await stat(path)).isDirectory()
    if (isThere) return path
    if (isBranch) return work
    throw new WorkspaceFault('The source is not a folder of the last commit of its repository.')
  }

  async #copy(source: string, work: string, tenant: string, room: number): Promise<void> {
    const data = identityOf(await stat(this.#data))
    const isLeftOut = ({ name, identity }: CopyEntry) =>
      // The settings of a repository may hold tokens, and another server may have its data in the folder.
      isOwnersName(name) || identity === data
    const limits = { ...SOURCE_COPY, bytes: Math.min(SOURCE_COPY.bytes, room) }
    await copyFolder(source, work, { limits, owner: this.#options.owner, isLeftOut }).catch((error: unknown) => {
      const isFull = error instanceof CopyFault && error.code === 'too_large' && room < SOURCE_COPY.bytes
      throw isFull ? new WorkspaceFault(this.#tenantUsage.fullMessage(tenant)) : error
    })
  }

  /** Copies the parent's current files, committed or not, and its engine's transcripts. Runs no git, since an agent wrote the files. */
  async #inherit({ key, folder: source }: WorkspaceParent, folder: string): Promise<void> {
    const data = identityOf(await stat(this.#data))
    const work = workFolder(folder)
    const hasWorktree = existsSync(work)
    const kept = join(folder, 'worktree.git')
    // The copy makes the folder. The `.git` file of this worktree waits outside, and the parent's is not copied.
    if (hasWorktree) {
      await rename(join(work, '.git'), kept)
      await rmdir(work)
    }
    await inheritFolders(source, folder, {
      tenant: key.tenant,
      owner: this.#options.owner,
      tenantUsage: this.#tenantUsage,
      isLeftOut: ({ name, depth, identity }) =>
        isSecretName(name) || identity === data || (hasWorktree && depth === 0 && name === '.git'),
    })
    if (!hasWorktree) return
    await chmod(work, 0o700)
    await rename(kept, join(work, '.git'))
  }

  async #discard(key: Key, folder: string): Promise<void> {
    if (await this.#options.exists(key)) return
    await this.#serially(key, async () => {
      const isOurs = this.#uses.get(folder) === 'made' && !existsSync(keyFile(folder))
      if (isOurs) await this.#remove(folder, await workspaceRecordFor(folder, key))
    })
  }

  /** Reads the origin from the record and never from the work folder, since an agent wrote that. */
  async #remove(folder: string, note: WorkspaceRecord | null): Promise<void> {
    this.#uses.delete(folder)
    await removeFolder(folder)
    if (!note?.gitDir || !note.branch) return
    const { gitDir, branch } = note
    await this.#repositories.run(gitDir, () => removeWorktree(gitDir, workFolder(folder), branch)).catch(() => {})
  }

  #serially<T>(key: Key, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(keyText(key), work)
  }
}

/** The parent of a branch: its folder, and the record of its workspace if there is one. */
interface WorkspaceParent {
  readonly key: Key
  readonly folder: string
  readonly note: WorkspaceRecord | null
}

interface WorkspaceContent {
  readonly source: WorkspaceSource | null
  /** Bytes that the tenant may still add. */
  readonly room: number
  readonly parent: WorkspaceParent | null
  readonly isInPlace: boolean
}

/** The last commit of the parent's branch, which may be newer than the workspace; the child's history continues there. */
const parentCommit = async ({ gitDir }: Repository, parent: WorkspaceParent | null): Promise<string | null> => {
  const note = parent?.note
  if (!note?.branch || note.gitDir !== gitDir) return null
  return (await commitOf(gitDir, note.branch)) ?? note.commit
}

const NOT_IN_PLACE =
  'A session works in place only in a folder of the server’s user, on a server that this user has for themselves. Use the mode write.'

/** A fault whose message is for the caller. */
class WorkspaceFault extends Error {
  readonly code = 'workspace_unavailable'
}

/** The text for the caller. Other errors name paths of the server, so only their code is shown. */
const problemOf = (error: unknown): string => {
  if (error instanceof WorkspaceFault || error instanceof CopyFault || error instanceof TenantDiskFullError)
    return error.message
  const { code } = error as { code?: unknown }
  return `The workspace could not be prepared${typeof code === 'string' ? ` (${code})` : ''}.`
}

const workspaceOf = (
  { id, kind, path, source, branch, commit }: WorkspaceRecord,
  discard: Workspace['discard'],
): Workspace => ({ id, kind, path, source, branch, commit, discard })
