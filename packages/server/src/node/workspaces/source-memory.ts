// The memory of a workspace's source, made before an agent sees the files. A branch takes over the memory of its parent: both are
// compared with the source that the work began with, and nothing that an agent wrote is taken for a source.
import { copyFile, link, rm } from 'node:fs/promises'
import { workPlace } from '@bridle/runners/sandboxes/folders/session-paths'
import { REVIEW_THREADS_MAX } from '@bridle/workspace/files/limits'
import { ReviewThreads } from '@bridle/workspace/review/review-threads'
import { sourceFiles } from '@bridle/workspace/review/source-record'

/** Time in which a source is remembered. The caller of a new session waits for it; a source that takes longer is not compared. */
const REMEMBER_MS = 20_000
/** New sessions that wait for a thread at the same time: a copy that takes seconds came before each. */
const WAITING_SOURCES_MAX = 1_000
/** Bytes of text that are kept of one source: a large project has 100 MB of it. Other files are known by their hash. */
const SOURCE_TEXT_BYTES_MAX = 256 * 2 ** 20

export class SourceMemory {
  readonly #threads = new ReviewThreads(REVIEW_THREADS_MAX, WAITING_SOURCES_MAX)

  /** Never fails: a source that cannot be remembered is not compared later, and the work is done all the same. */
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

/** Nobody changes these files once they are written, so parent and branch share them on disk where the file system can. */
const inherit = async (parent: string, folder: string): Promise<void> => {
  const [from, to] = [sourceFiles(parent), sourceFiles(folder)]
  // The texts first: a list without its texts would be half a memory.
  for (const index of [1, 0] as const) await link(from[index], to[index]).catch(() => copyFile(from[index], to[index]))
}
