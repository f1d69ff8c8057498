// The snapshot is taken before an agent sees the files. Branches inherit it, so agents' own files never count as a source.
import { copyFile, link, rm } from 'node:fs/promises'
import { workPlace } from '@bridle/runners/sandboxes/folders/session-paths'
import { REVIEW_THREADS_MAX } from '@bridle/workspace/files/limits'
import { ReviewThreads } from '@bridle/workspace/review/review-threads'
import { sourceFiles } from '@bridle/workspace/review/source-record'

/** The caller of a new session waits for the snapshot. A source that takes longer is not compared. */
const REMEMBER_MS = 20_000
/** Queued sessions. A copy that takes seconds precedes each, so the queue grows slowly. */
const WAITING_SOURCES_MAX = 1_000
/** A large project has 100 MB of text. Other files are recorded by hash. */
const SOURCE_TEXT_BYTES_MAX = 256 * 2 ** 20

export class SourceMemory {
  readonly #threads = new ReviewThreads(REVIEW_THREADS_MAX, WAITING_SOURCES_MAX)

  /** Never rejects: without a snapshot the source is not compared later, but the work can proceed. */
  async keep(
    folder: string,
    { parent, room }: { readonly parent: string | null; readonly room: number },
  ): Promise<void> {
    try {
      if (parent !== null) return await inherit(parent, folder)
      const textBytesMax = Math.max(0, Math.min(room, SOURCE_TEXT_BYTES_MAX))
      const { path: root, isInPlace } = workPlace(folder)
      await this.#threads.run({ kind: 'remember', root, folder, textBytesMax, isInPlace, ms: REMEMBER_MS })
    } catch {
      for (const file of sourceFiles(folder)) await rm(file, { force: true }).catch(() => {})
    }
  }
}

/** The files are immutable, so parent and branch share them as hard links if possible. */
const inherit = async (parent: string, folder: string): Promise<void> => {
  const [from, to] = [sourceFiles(parent), sourceFiles(folder)]
  // Texts first, because a list without its texts would be a broken snapshot.
  for (const index of [1, 0] as const) await link(from[index], to[index]).catch(() => copyFile(from[index], to[index]))
}
