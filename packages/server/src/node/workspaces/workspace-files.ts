import { existsSync, realpathSync } from 'node:fs'
import { type Key, keyText } from '@bridle/kernel/event'
import { folderKey, sessionFolder, workPlace } from '@bridle/runners/sandboxes/folders/session-paths'
import type { WorkspaceFiles, WorkspaceFilesRefusal } from '@bridle/surfaces/http/workspaces/workspaces'
import type { WorkspaceComparison, WorkspaceFile, WorkspaceFolder } from '@bridle/wire/http/wire'
import { compareFolder, type FilesPlace, listFolder, readFile } from './folder-files.ts'
import { workspaceRecordFor } from './workspace-record.ts'

export class NodeWorkspaceFiles implements WorkspaceFiles {
  readonly #data: string
  /** Concurrent callers for a session share its answer. */
  readonly #underWay = new Map<string, Promise<WorkspaceComparison | WorkspaceFilesRefusal>>()

  constructor(data: string) {
    this.#data = realpathSync(data)
  }

  compare(key: Key): Promise<WorkspaceComparison | WorkspaceFilesRefusal> {
    const id = keyText(key)
    const underWay = this.#underWay.get(id)
    if (underWay) return underWay
    const comparison = this.#compare(key).finally(() => this.#underWay.delete(id))
    this.#underWay.set(id, comparison)
    return comparison
  }

  async list(key: Key, path: string): Promise<WorkspaceFolder | WorkspaceFilesRefusal> {
    const place = await this.#placeOf(key)
    return place ? listFolder(place, path) : { refused: 'not_found', message: NO_FILES }
  }

  async read(
    key: Key,
    path: string,
    version: WorkspaceFile['version'],
  ): Promise<WorkspaceFile | WorkspaceFilesRefusal> {
    const place = await this.#placeOf(key)
    return place ? readFile(place, path, version) : { refused: 'not_found', message: NO_FILES }
  }

  async #compare(key: Key): Promise<WorkspaceComparison | WorkspaceFilesRefusal> {
    const place = await this.#placeOf(key)
    if (place) return compareFolder(place)
    return { kind: null, is_available: false, is_compared: false, reason: NO_FILES, changes: [], truncated: false }
  }

  /** Null if the session has no files here, or they are still being prepared. */
  async #placeOf(key: Key): Promise<FilesPlace | null> {
    const folder = sessionFolder(this.#data, key)
    const { path: root, isInPlace } = workPlace(folder)
    const owner = await folderKey(folder)
    if (!owner || keyText(owner) !== keyText(key) || !existsSync(root)) return null
    const record = await workspaceRecordFor(folder, key)
    if (record && record.state !== 'ready') return null
    // Without a record, an engine works in its sandbox's folder, which started empty.
    const kind = record?.kind ?? 'empty'
    return { root, kind, memory: kind === 'empty' ? null : folder, isInPlace }
  }
}

const NO_FILES = 'The session has no files on this server. Its agent works in another place, or has not begun.'
