// Walks a tree that an agent may modify at the same time. Descends from open folders and follows no links. Reports every
// name, however unusual. Blocks, so it runs in a thread.
import { closeSync, lstatSync, realpathSync } from 'node:fs'
import { entriesIn, type FolderEntry } from '@bridle/system/folders/folder-entries'
import { closeFolder, type OpenFolder, openInside, openRoot, pathIn, pathOf } from '@bridle/system/folders/open-folder'
import { DEPTH_MAX, ENTRIES_MAX } from '../files/limits.ts'
import { GIT, isPassedFolder, type WalkEntry } from '../files/walk-entry.ts'
import { WorkspaceError } from '../files/workspace-error.ts'

export class TreeWalk {
  isCut = false
  /** Unreadable folders, with a trailing `/`. */
  readonly unread: string[] = []
  readonly #root: string
  readonly #isLate: () => boolean
  readonly #isLeftOut: (name: string) => boolean
  #entries = 0

  constructor(root: string, isLate: () => boolean, isLeftOut?: (name: string) => boolean) {
    this.#root = root
    this.#isLate = isLate
    this.#isLeftOut = isLeftOut ?? (() => false)
  }

  /** Every entry except the folders it enters, sorted by name. An entry's folder stays open until the next entry. */
  *entries(): Generator<WalkEntry> {
    const root = openTree(this.#root)
    try {
      yield* this.#enter(root, '', DEPTH_MAX)
    } finally {
      closeFolder(root)
    }
  }

  *#enter(folder: OpenFolder, prefix: string, depth: number): Generator<WalkEntry> {
    for (const { name, kind } of this.#read(folder, prefix)) {
      if (this.isCut) return
      if (name === GIT || this.#isLeftOut(name)) continue
      const path = `${prefix}${name}`
      if (kind !== 'folder' || isPassedFolder(name)) yield { path, kind, folder, name }
      else if (depth <= 1) this.unread.push(`${path}/`)
      else yield* this.#enterInside(folder, name, path, depth - 1)
      if (this.#isLate()) this.isCut = true
    }
  }

  *#enterInside(folder: OpenFolder, name: string, path: string, depth: number): Generator<WalkEntry> {
    let inner: OpenFolder
    try {
      inner = openInside(folder, name)
    } catch {
      this.unread.push(`${path}/`)
      return
    }
    try {
      yield* this.#enter(inner, `${path}/`, depth)
    } finally {
      closeFolder(inner)
    }
  }

  #read(folder: OpenFolder, prefix: string): readonly FolderEntry[] {
    try {
      const { entries, isCut } = treeEntriesIn(folder, ENTRIES_MAX - this.#entries)
      this.#entries += entries.length
      if (isCut) this.isCut = true
      return entries
    } catch {
      this.unread.push(prefix)
      return []
    }
  }
}

/** Same as `entriesIn`, with kind `other` for names that cannot be opened. */
export const treeEntriesIn = (folder: OpenFolder, max: number): ReturnType<typeof entriesIn> => {
  const { entries, isCut } = entriesIn(folder, max)
  const shown = (entry: FolderEntry): FolderEntry =>
    isForeignName(folder, entry.name) ? { name: entry.name, kind: 'other' } : entry
  return { entries: entries.map(shown), isCut }
}

/** The path must not contain links. Refuses the folder if an ancestor was replaced by a link. */
export const openTree = (root: string): OpenFolder => {
  const folder = openRoot(root)
  try {
    if (realpathSync.native(pathOf(folder)) !== root)
      throw new WorkspaceError('changed_meanwhile', 'The folder of the session was replaced.')
    return folder
  } catch (error) {
    closeSync(folder.descriptor)
    throw error
  }
}

/** Node replaces invalid UTF-8 in names, so such an entry cannot be opened by its name. */
const isForeignName = (folder: OpenFolder, name: string): boolean =>
  name.includes('\ufffd') && lstatSync(pathIn(folder, name), { throwIfNoEntry: false }) === undefined
