// The memory of a source: each file as the workspace began, in two files beside the work, where no agent can write. One lists the
// entries with their hashes, the other has the text of those that are small enough to be shown.
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EntryKind } from '../files/folder-entries.ts'
import type { EntryFacts } from './entry-content.ts'

/** A file that still has the stamp was not changed since. */
export interface SourceEntry extends Pick<EntryFacts, 'size' | 'isExecutable' | 'stamp'> {
  readonly kind: EntryKind
  /** SHA-256 of the content, or of the target of a link; empty for what is never opened. */
  readonly hash: string
  readonly isBinary: boolean
  /** The place of the text; null = it was not kept. */
  readonly offset: number | null
}

export interface SourceRecord {
  readonly folder: string
  /** By path, relative to the workspace. */
  readonly entries: ReadonlyMap<string, SourceEntry>
}

/** The two files, in the folder of a session. */
export const sourceFiles = (folder: string): readonly [list: string, texts: string] => [
  join(folder, 'source.json'),
  join(folder, 'source.texts'),
]

/** A list of pairs: a name such as `__proto__` is no field of an object. */
export const writeSourceList = (file: string, entries: ReadonlyMap<string, SourceEntry>): void =>
  writeFileSync(file, JSON.stringify({ version: 1, entries: [...entries] }), { mode: 0o600 })

/** Null = no source was remembered, or by another version. */
export const readSourceRecord = (folder: string): SourceRecord | null => {
  try {
    const { version, entries } = JSON.parse(readFileSync(sourceFiles(folder)[0], 'utf8'))
    return version === 1 ? { folder, entries: new Map(entries) } : null
  } catch {
    return null
  }
}

/** The content of an entry as the workspace began; null = it was not kept. */
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
