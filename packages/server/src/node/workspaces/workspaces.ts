// The life of workspaces: prepared once for a session, shared by its requests, and removed with it. A workspace is the work folder of a
// local sandbox. Its record is beside the work, where no engine can write.
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Key, keyText } from '@bridle/kernel/event'
import type { Runner } from '@bridle/kernel/ports/runner'
import { KeyedMutex } from '@bridle/runners/calls/keyed-mutex'
import type { FolderOwner } from '@bridle/runners/sandboxes/folders/folder-copy'
import { makeSessionFolder, removeFolder } from '@bridle/runners/sandboxes/folders/session-folders'
import { keyFile, sessionFolder, workFolder, workPlace } from '@bridle/runners/sandboxes/folders/session-paths'
import { TenantDiskUsage } from '@bridle/runners/sandboxes/folders/tenant-disk-usage'
import { removeWorktree } from '@bridle/runners/workspaces/worktree'
import type { Access } from '@bridle/surfaces/http/access/authenticate'
import type {
  Workspace,
  WorkspaceProblem,
  WorkspaceRequest,
  Workspaces,
} from '@bridle/surfaces/http/workspaces/workspaces'
import type { WorkspaceOffer } from '@bridle/wire/http/wire'
import { inPlaceProblem } from './in-place.ts'
import { SourceMemory } from './source-memory.ts'
import { problemOf } from './workspace-fault.ts'
import { WorkspaceMaker, type WorkspaceParent } from './workspace-maker.ts'
import {
  readWorkspaceRecord,
  type WorkspaceRecord,
  workspaceRecordFor,
  writeWorkspaceRecord,
} from './workspace-record.ts'
import { type FolderReach, type WorkspaceOptions, type WorkspaceSource, WorkspaceSources } from './workspace-sources.ts'

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
  /** Why agents have no sandbox here; null = they have one, which is what absent means, too. */
  readonly noSandbox?: () => Promise<string | null>
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
  readonly #maker: WorkspaceMaker

  constructor(options: NodeWorkspacesOptions) {
    mkdirSync(options.data, { recursive: true, mode: 0o700 })
    this.#data = realpathSync(options.data)
    this.#options = options
    const started = realpathSync(options.started ?? process.cwd())
    this.#sources = new WorkspaceSources(options.workspaces ?? {}, this.#data, started)
    const max = options.workspaces?.maxTenantBytes
    this.#tenantUsage = options.tenantUsage ?? new TenantDiskUsage(this.#data, max === undefined ? {} : { max })
    this.#maker = new WorkspaceMaker({
      data: this.#data,
      sources: this.#sources,
      tenantUsage: this.#tenantUsage,
      repositories: this.#repositories,
      owner: options.owner,
    })
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
      const made = await this.#maker.make(key, folder, { source, room, parent, isInPlace: request.mode === 'in_place' })
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
    const problem = await inPlaceProblem(source.path, this.#data, (await this.#options.noSandbox?.()) ?? null)
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

const NOT_IN_PLACE =
  'A session works in place only in a folder of the server’s user, on a server that this user has for themselves. Use the mode write.'

const workspaceOf = (
  { id, kind, path, source, branch, commit }: WorkspaceRecord,
  discard: Workspace['discard'],
): Workspace => ({ id, kind, path, source, branch, commit, discard })
