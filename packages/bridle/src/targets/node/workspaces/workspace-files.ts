// The files of sessions as a page shows them: read from the folder of a session by our own code in a thread, and compared with the
// source that was remembered when the workspace was made. Nothing is run there, and no link is followed.
import { existsSync, realpathSync } from 'node:fs'
import { type Key, keyText } from '../../../kernel/event.ts'
import { folderKey, sessionFolder, workFolder } from '../../../runners/sandboxes/folders/session-paths.ts'
import type {
  WorkspaceComparison,
  WorkspaceFiles,
  WorkspaceFilesRefusal,
} from '../../../surfaces/http/sessions/workspaces.ts'
import type { WorkspaceFile, WorkspaceFolder } from '../../../surfaces/http/wire.ts'
import { COMPARE_MS, LOOK_MS, REVIEW_THREADS_MAX, WAITING_REVIEWS_MAX } from '../../../workspace/limits.ts'
import { ReviewBusyError, ReviewThreads } from '../../../workspace/review/review-threads.ts'
import type { CountedDifference } from '../../../workspace/review/source-comparison.ts'
import { WorkspaceError } from '../../../workspace/workspace-error.ts'
import { type WorkspaceRecord, workspaceRecordFor } from './workspace-record.ts'

export class NodeWorkspaceFiles implements WorkspaceFiles {
  readonly #data: string
  /** A comparison takes seconds, a look milliseconds: neither waits for the other. */
  readonly #comparisons = new ReviewThreads(REVIEW_THREADS_MAX, WAITING_REVIEWS_MAX)
  readonly #looks = new ReviewThreads(REVIEW_THREADS_MAX, WAITING_REVIEWS_MAX)
  /** Callers that ask about one session at the same time share the answer. */
  readonly #underWay = new Map<string, Promise<WorkspaceComparison | WorkspaceFilesRefusal>>()

  /** `data` is the server's data folder, which exists. */
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
    if (!place) return { refused: 'not_found', message: NO_FILES }
    return unlessRefused(async () => {
      const folder = await this.#looks.run({ kind: 'folder', root: place.root, path, ms: LOOK_MS })
      const entries = folder.entries.map(({ name, kind, size, modifiedMs }) => ({
        name,
        kind,
        size,
        modified: modifiedMs === null ? null : timeText(modifiedMs),
      }))
      return { path: folder.path, entries, truncated: folder.isCut }
    })
  }

  async read(
    key: Key,
    path: string,
    version: WorkspaceFile['version'],
  ): Promise<WorkspaceFile | WorkspaceFilesRefusal> {
    const place = await this.#placeOf(key)
    if (!place) return { refused: 'not_found', message: NO_FILES }
    return unlessRefused(async () => {
      const { isBinary, isCut, ...file } =
        version === 'current'
          ? await this.#looks.run({ kind: 'file', root: place.root, path, ms: LOOK_MS })
          : await this.#looks.run({ kind: 'source', folder: place.folder, path, ms: LOOK_MS })
      return { ...file, version, is_binary: isBinary, truncated: isCut }
    })
  }

  async #compare(key: Key): Promise<WorkspaceComparison | WorkspaceFilesRefusal> {
    const place = await this.#placeOf(key)
    if (!place) return { ...NOTHING, kind: null, is_available: false, reason: NO_FILES }
    const { root, folder, record } = place
    // A sandbox without a workspace begins with an empty folder, too.
    const kind = record?.kind ?? 'empty'
    const request = { kind: 'compare', root, folder, beganEmpty: kind === 'empty', ms: COMPARE_MS } as const
    return unlessRefused(async () => {
      const comparison = await this.#comparisons.run(request)
      if (comparison === null) return { ...NOTHING, kind, is_available: true, reason: NO_SOURCE }
      const changes = comparison.changes.map(toChange)
      return { kind, is_available: true, is_compared: true, changes, truncated: comparison.isCut }
    })
  }

  /** Null = the session has no files here, or they are still being prepared. */
  async #placeOf(key: Key): Promise<FilesPlace | null> {
    const folder = sessionFolder(this.#data, key)
    const root = workFolder(folder)
    const owner = await folderKey(folder)
    if (!owner || keyText(owner) !== keyText(key) || !existsSync(root)) return null
    const record = await workspaceRecordFor(folder, key)
    return record && record.state !== 'ready' ? null : { folder, root, record }
  }
}

interface FilesPlace {
  /** The folder of the session, with the notes of the server. */
  readonly folder: string
  /** The folder in it that has the files. */
  readonly root: string
  /** Null = no workspace was prepared: an engine works in its sandbox. */
  readonly record: WorkspaceRecord | null
}

const NO_FILES = 'The session has no files on this server. Its agent works in another place, or has not begun.'
const NO_SOURCE =
  'The source was not remembered: it is too large, or an earlier version of the server made the workspace.'
const NOTHING = { is_compared: false, changes: [], truncated: false } as const

const toChange = ({ isBinary, ...difference }: CountedDifference): WorkspaceComparison['changes'][number] => ({
  ...difference,
  is_binary: isBinary,
})

const timeText = (ms: number): string | null => {
  const time = new Date(ms)
  // A program can give a file any time, also one that no date has.
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

const unlessRefused = async <T>(work: () => Promise<T>): Promise<T | WorkspaceFilesRefusal> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ReviewBusyError) return { refused: 'busy', message: error.message }
    if (!(error instanceof WorkspaceError)) throw error
    const { code, message } = error
    if (code === 'failed') return { refused: 'busy', message }
    return { refused: code === 'invalid_path' || code === 'not_a_file' ? 'bad_path' : 'not_found', message }
  }
}
