// The snapshot of a source, as two files that agents cannot write: a list of entries with hashes, and the texts of those
// small enough to show.
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EntryKind } from '@bridle/system/folders/folder-entries'
import type { EntryFacts } from './entry-content.ts'

/** An unchanged stamp means an unchanged file. */
export interface SourceEntry extends Pick<EntryFacts, 'size' | 'isExecutable' | 'stamp'> {
  readonly kind: EntryKind
  /** SHA-256 of the content or the link target. Empty for entries that are never opened. */
  readonly hash: string
  readonly isBinary: boolean
  /** Offset of the text. Null if it was not stored. */
  readonly offset: number | null
}

export interface SourceRecord {
  readonly folder: string
  readonly entries: ReadonlyMap<string, SourceEntry>
}

export const sourceFiles = (folder: string): readonly [list: string, texts: string] => [
  join(folder, 'source.json'),
  join(folder, 'source.texts'),
]

/** Pairs, because a file named `__proto__` cannot be an object key. */
export const writeSourceList = (file: string, entries: ReadonlyMap<string, SourceEntry>): void =>
  writeFileSync(file, JSON.stringify({ version: 1, entries: [...entries] }), { mode: 0o600 })

/** Null without a snapshot, or if another version wrote it. */
export const readSourceRecord = (folder: string): SourceRecord | null => {
  try {
    const { version, entries } = JSON.parse(readFileSync(sourceFiles(folder)[0], 'utf8'))
    return version === 1 ? { folder, entries: new Map(entries) } : null
  } catch {
    return null
  }
}

/** The original content. Null if it was not stored. */
export const sourceContent = (
  { folder }: Pick<SourceRecord, 'folder'>,
  { offset, size }: SourceEntry,
): Buffer | null => {
  if (offset === null) return null
  const descriptor = openSync(sourceFiles(folder)[1], 'r')
  try {
    const bytes = Buffer.alloc(size)
    return readSync(descriptor, bytes, 0, size, offset) === size ? bytes : null
  } finally {
    closeSync(descriptor)
  }
}
