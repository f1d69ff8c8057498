// Reads regular files in chunks. Refuses anything else, because a pipe or device may never end.
import { closeSync, fstatSync, read as readCallback, type Stats } from 'node:fs'
import { promisify } from 'node:util'
import { openFileIn } from '@bridle/system/folders/open-folder'
import type { ConfinedFolder, WorkspacePlace } from './confined-folder.ts'
import { BINARY_BYTES, CHUNK_BYTES } from './limits.ts'
import { shown, WorkspaceError } from './workspace-error.ts'

const readInto = promisify(readCallback)

export interface OpenFile {
  readonly descriptor: number
  readonly stats: Stats
  /** Stops at the size the file had when opened. */
  chunks(): AsyncGenerator<Buffer>
}

export const withFile = <T>(
  folder: ConfinedFolder,
  place: WorkspacePlace,
  signal: AbortSignal,
  use: (file: OpenFile) => Promise<T>,
): Promise<T> =>
  folder.around(place, async (parent, name) => {
    const descriptor = openFileIn(parent, name)
    try {
      const stats = regularFile(descriptor, place.path)
      return await use({ descriptor, stats, chunks: () => chunksOf(descriptor, stats.size, signal) })
    } finally {
      closeSync(descriptor)
    }
  })

export const regularFile = (descriptor: number, path: string): Stats => {
  const stats = fstatSync(descriptor)
  if (stats.isFile()) return stats
  const kind = stats.isDirectory() ? 'a folder' : 'neither a file nor a folder'
  throw new WorkspaceError('not_a_file', `${shown(path)} is ${kind}.`)
}

export const isBinary = (start: Uint8Array): boolean => start.subarray(0, BINARY_BYTES).includes(0)

export const notText = (path: string, size: number): WorkspaceError =>
  new WorkspaceError('not_text', `${shown(path)} is not text; it has ${size} bytes.`)

async function* chunksOf(descriptor: number, size: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    signal.throwIfAborted()
    const length = Math.min(CHUNK_BYTES, size - at)
    const { bytesRead, buffer } = await readInto(descriptor, Buffer.allocUnsafe(length), 0, length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
