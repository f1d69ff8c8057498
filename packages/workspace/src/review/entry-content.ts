// Hash or text of one entry in an open folder. For a link, its target as text; links are never followed.
import { createHash } from 'node:crypto'
import { type BigIntStats, closeSync, fstatSync, lstatSync, readlinkSync, readSync } from 'node:fs'
import { type OpenFolder, openFileIn, pathIn } from '@bridle/system/folders/open-folder'
import { isBinary } from '../files/file-reading.ts'
import { CHUNK_BYTES } from '../files/limits.ts'
import { WorkspaceError } from '../files/workspace-error.ts'

export interface EntryFacts {
  readonly size: number
  readonly isExecutable: boolean
  /** Inode and ctime, which programs cannot forge, unlike mtime. */
  readonly stamp: string
  readonly changedMs: number
  readonly modifiedMs: number
}

export const factsOf = (folder: OpenFolder, name: string): EntryFacts =>
  toFacts(lstatSync(pathIn(folder, name), { bigint: true }))

/** The agent may change the file during the read. */
export interface EntryReader {
  readonly facts: EntryFacts
  head(max: number): Buffer
  /** SHA-256 of the file. Null if `isLate` cut it short. */
  hash(isLate: () => boolean): string | null
}

export const withEntry = <T>(folder: OpenFolder, name: string, use: (file: EntryReader) => T): T => {
  const descriptor = openFileIn(folder, name)
  try {
    const stats = fstatSync(descriptor, { bigint: true })
    // The file was replaced after its folder was listed.
    if (!stats.isFile()) throw new WorkspaceError('not_a_file', 'This is neither a file nor a folder.')
    return use({
      facts: toFacts(stats),
      head: (max) => readHead(descriptor, Math.min(max, Number(stats.size))),
      hash: (isLate) => hashOf(descriptor, isLate),
    })
  } finally {
    closeSync(descriptor)
  }
}

export const linkTarget = (folder: OpenFolder, name: string): Buffer =>
  readlinkSync(pathIn(folder, name), { encoding: 'buffer' })

export const hashOfBytes = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Null for binary content. Drops a character cut at the end. */
export const textOf = (bytes: Buffer): string | null =>
  isBinary(bytes) ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })

const toFacts = ({ size, mode, ino, ctimeNs, ctimeMs, mtimeMs }: BigIntStats): EntryFacts => ({
  size: Number(size),
  isExecutable: (Number(mode) & 0o111) !== 0,
  stamp: `${ino}:${ctimeNs}`,
  changedMs: Number(ctimeMs),
  modifiedMs: Number(mtimeMs),
})

const readHead = (descriptor: number, max: number): Buffer => {
  const bytes = Buffer.alloc(max)
  let length = 0
  for (let count = -1; count !== 0 && length < max; length += count)
    count = readSync(descriptor, bytes, length, max - length, length)
  return bytes.subarray(0, length)
}

const hashOf = (descriptor: number, isLate: () => boolean): string | null => {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let at = 0; ; ) {
    if (isLate()) return null
    const count = readSync(descriptor, chunk, 0, chunk.length, at)
    if (count === 0) return hash.digest('hex')
    hash.update(chunk.subarray(0, count))
    at += count
  }
}
