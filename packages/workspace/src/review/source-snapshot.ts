// Takes the snapshot of a fresh workspace before an agent sees it. Runs in the review thread.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { isBinary } from '../files/file-reading.ts'
import { BINARY_BYTES, SHOWN_FILE_BYTES_MAX } from '../files/limits.ts'
import type { WalkEntry } from '../files/walk-entry.ts'
import { type EntryFacts, factsOf, hashOfBytes, linkTarget, withEntry } from './entry-content.ts'
import { type SourceEntry, sourceFiles, writeSourceList } from './source-record.ts'
import { TreeWalk } from './tree-walk.ts'

/** File system timestamps are coarse: two changes within one tick get the same stamp. */
const FILE_CLOCK_MS = 50

export interface SnapshotRequest {
  readonly root: string
  readonly folder: string
  readonly textBytesMax: number
}

/** False if the source is too large to snapshot. */
export const rememberSource = (
  { root, folder, textBytesMax }: SnapshotRequest,
  isLate: () => boolean,
  isLeftOut?: (name: string) => boolean,
): boolean => {
  const [list, texts] = sourceFiles(folder)
  const walk = new TreeWalk(root, isLate, isLeftOut)
  const entries = new Map<string, SourceEntry>()
  const store = new TextStore(texts, textBytesMax)
  try {
    for (const entry of walk.entries()) entries.set(entry.path, sourceEntry(entry, store, isLate))
    if (!walk.isCut && !isLate()) {
      writeSourceList(list, entries)
      return true
    }
  } finally {
    store.close()
  }
  rmSync(texts, { force: true })
  return false
}

const sourceEntry = (entry: WalkEntry, store: TextStore, isLate: () => boolean): SourceEntry => {
  const { kind, folder, name } = entry
  const unopened = { kind, size: 0, hash: '', isBinary: false, isExecutable: false, stamp: '', offset: null }
  if (kind === 'folder' || kind === 'other') return unopened
  try {
    if (kind === 'link') {
      const target = linkTarget(folder, name)
      const content = { size: target.length, hash: hashOfBytes(target), isBinary: false, offset: store.keep(target) }
      return { ...unopened, ...content, stamp: stampOf(factsOf(folder, name)) }
    }
    return withEntry(folder, name, ({ facts, head, hash }) => {
      const { size, isExecutable } = facts
      const known = { kind, isExecutable, stamp: stampOf(facts) }
      if (size > SHOWN_FILE_BYTES_MAX)
        return { ...known, size, hash: hash(isLate) ?? '', isBinary: isBinary(head(BINARY_BYTES)), offset: null }
      const bytes = head(SHOWN_FILE_BYTES_MAX)
      const isText = !isBinary(bytes)
      const offset = isText ? store.keep(bytes) : null
      return { ...known, size: bytes.length, hash: hashOfBytes(bytes), isBinary: !isText, offset }
    })
  } catch {
    // For an unreadable file, compare only the stamp.
    return { ...unopened, stamp: stampOf(factsOf(folder, name)) }
  }
}

/** Empty for a file changed just now, whose next change could get the same stamp. Its content is always compared. */
const stampOf = ({ stamp, changedMs }: EntryFacts): string => (Date.now() - changedMs > FILE_CLOCK_MS ? stamp : '')

/** A single file for all texts, because writing thousands of small files is much slower. */
class TextStore {
  readonly #descriptor: number
  readonly #max: number
  #length = 0

  constructor(file: string, max: number) {
    this.#descriptor = openSync(file, 'wx', 0o600)
    this.#max = max
  }

  keep(bytes: Buffer): number | null {
    const offset = this.#length
    if (offset + bytes.length > this.#max) return null
    for (let written = 0; written < bytes.length; )
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written, offset + written)
    this.#length += bytes.length
    return offset
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}
