import { lstatSync, opendirSync, type Stats } from 'node:fs'
import { type OpenFolder, pathIn, pathOf } from './open-folder.ts'

/** `other` entries are never opened. */
export type EntryKind = 'file' | 'folder' | 'link' | 'other'

export interface FolderEntry {
  readonly name: string
  readonly kind: EntryKind
}

export const entriesIn = (
  folder: OpenFolder,
  max: number,
): { readonly entries: readonly FolderEntry[]; readonly isCut: boolean } => {
  const entries: FolderEntry[] = []
  // Read incrementally: a folder may have millions of entries.
  const names = opendirSync(pathOf(folder))
  try {
    for (let entry = names.readSync(); entry !== null; entry = names.readSync()) {
      if (entries.length >= max) return { entries: entries.sort(byName), isCut: true }
      // Some file systems do not report kinds.
      entries.push({ name: entry.name, kind: knownKind(entry) ?? kindAt(folder, entry.name) })
    }
  } finally {
    names.closeSync()
  }
  return { entries: entries.sort(byName), isCut: false }
}

/** The kind of the entry itself, not of a link's target. `other` if it does not exist. */
const kindAt = (folder: OpenFolder, name: string): EntryKind => {
  const stats = lstatSync(pathIn(folder, name), { throwIfNoEntry: false })
  return (stats && knownKind(stats)) ?? 'other'
}

const byName = (one: FolderEntry, other: FolderEntry): number => (one.name < other.name ? -1 : 1)

type KindFacts = Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isFIFO' | 'isSocket'> &
  Pick<Stats, 'isBlockDevice' | 'isCharacterDevice'>

export const knownKind = (entry: KindFacts): EntryKind | null => {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  if (entry.isSymbolicLink()) return 'link'
  return entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice() ? 'other' : null
}
