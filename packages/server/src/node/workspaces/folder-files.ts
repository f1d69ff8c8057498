// Reads a session's folder in a worker thread. Nothing in it is executed, and no link is followed. Used by servers, and by
// runners for their sandbox.

import type { WorkspaceFilesRefusal, WorkspaceKind } from '@bridle/surfaces/http/workspaces/workspaces'
import type { WorkspaceComparison, WorkspaceFile, WorkspaceFolder } from '@bridle/wire/http/wire'
import { REVIEW_THREADS_MAX } from '@bridle/workspace/files/limits'
import { WorkspaceError } from '@bridle/workspace/files/workspace-error'
import { ReviewBusyError, ReviewThreads } from '@bridle/workspace/review/review-threads'
import type { CountedDifference } from '@bridle/workspace/review/source-comparison'

/** 200,000 files on a warm disk take three seconds. What is left after this time is omitted. */
const COMPARE_MS = 10_000
/** Listing a folder or reading a file takes milliseconds, unless the disk hangs. */
const LOOK_MS = 5_000
/** Queued requests. Further callers must retry. */
const WAITING_REVIEWS_MAX = 32

export interface FilesPlace {
  /** Without symbolic links. */
  readonly root: string
  readonly kind: WorkspaceKind
  /** Snapshot of the source, where no agent can write. Null if the workspace started empty. */
  readonly memory: string | null
  /** The folder belongs to a person, so secrets in it are not shown. */
  readonly isInPlace?: boolean
}

/** Separate pools: comparisons take seconds and must not delay looks, which take milliseconds. */
const comparisons = new ReviewThreads(REVIEW_THREADS_MAX, WAITING_REVIEWS_MAX)
const looks = new ReviewThreads(REVIEW_THREADS_MAX, WAITING_REVIEWS_MAX)

export const compareFolder = ({
  root,
  kind,
  memory,
  isInPlace = false,
}: FilesPlace): Promise<WorkspaceComparison | WorkspaceFilesRefusal> =>
  unlessRefused(async () => {
    const request = { kind: 'compare', root, memory, isInPlace, ms: COMPARE_MS } as const
    const comparison = await comparisons.run(request)
    if (comparison === null)
      return { kind, is_available: true, is_compared: false, reason: NO_SOURCE, changes: [], truncated: false }
    const changes = comparison.changes.map(toChange)
    return { kind, is_available: true, is_compared: true, changes, truncated: comparison.isCut }
  })

export const listFolder = (
  { root, isInPlace = false }: FilesPlace,
  path: string,
): Promise<WorkspaceFolder | WorkspaceFilesRefusal> =>
  unlessRefused(async () => {
    const folder = await looks.run({ kind: 'folder', root, path, isInPlace, ms: LOOK_MS })
    const entries = folder.entries.map(({ name, kind, size, modifiedMs }) => ({
      name,
      kind,
      size,
      modified: modifiedMs === null ? null : timeText(modifiedMs),
    }))
    return { path: folder.path, entries, truncated: folder.isCut }
  })

export const readFile = (
  { root, memory, isInPlace = false }: FilesPlace,
  path: string,
  version: WorkspaceFile['version'],
): Promise<WorkspaceFile | WorkspaceFilesRefusal> =>
  unlessRefused(async () => {
    const { isBinary, isCut, ...file } =
      version === 'current'
        ? await looks.run({ kind: 'file', root, path, isInPlace, ms: LOOK_MS })
        : await looks.run({ kind: 'source', memory, path, ms: LOOK_MS })
    return { ...file, version, is_binary: isBinary, truncated: isCut }
  })

const NO_SOURCE =
  'The source was not remembered: it is too large, or an earlier version of the server made the workspace.'

const toChange = ({ isBinary, ...difference }: CountedDifference): WorkspaceComparison['changes'][number] => ({
  ...difference,
  is_binary: isBinary,
})

const timeText = (ms: number): string | null => {
  const time = new Date(ms)
  // A program can set any timestamp, even one that no Date can represent.
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
