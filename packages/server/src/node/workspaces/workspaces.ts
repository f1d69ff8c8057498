// A workspace is the work folder of a local sandbox. Its record is outside of that folder, out of reach of engines.
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
  /** True if the session is in the log. Another request must never remove its folder. */
  readonly exists: (key: Key) => Promise<boolean>
  readonly reachOf?: (access: Access) => FolderReach
  readonly started?: string
  readonly owner?: FolderOwner | undefined
  readonly tenantUsage?: TenantDiskUsage
  /** Why agents have no sandbox. Null or absent: they have one. */
  readonly noSandbox?: () => Promise<string | null>
}

/** Whether this request created the folder, or several share it. */
type FolderUse = 'made' | 'shared'

export class NodeWorkspaces implements Workspaces {
  readonly #data: string
  readonly #options: NodeWorkspacesOptions
  readonly #sources: WorkspaceSources
  readonly #tenantUsage: TenantDiskUsage
  /** Serializes requests of a session. */
  readonly #turns = new KeyedMutex()
  /** Serializes changes to a repository: git does not support adding and removing worktrees concurrently. */
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
    // Outside of the mutex, because removing a session waits for it too.
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

  /** Also removes the workspace of a deleted session. */
  wrapRunner(runner: Runner): Runner {
    return {
      // Spread, so that optional methods are kept.
      ...runner,
      forget: (key) =>
        this.#serially(key, async () => {
          const folder = sessionFolder(this.#data, key)
          const note = await workspaceRecordFor(folder, key)
          // First stop the engine, which may still use the folder.
          await runner.forget?.(key)
          if (note || existsSync(folder)) await this.#remove(folder, note)
        }),
    }
  }

  /** Run at start. Removes workspaces whose session was deleted or never created. */
  async removeOrphans(): Promise<void> {
    const folder = join(this.#data, 'workspaces')
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name)
      const key = (await readWorkspaceRecord(path))?.key
      // Folders of earlier versions may hold another session's record.
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
      // An earlier request of this session made the workspace, so neither may remove it from now on.
      this.#uses.set(folder, 'shared')
      return workspaceOf(known, async () => {})
    }
    // A sandbox may have been created for this session in the meantime.
    if (exists || existsSync(keyFile(folder))) return { taken: true }
    const source = await this.#source(key, request)
    if (source && 'problem' in source) return source
    // Left unfinished by a killed process.
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

  /** Trusts only the record: the work folder was written by an agent. */
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
