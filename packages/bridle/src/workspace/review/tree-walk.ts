// A walk through everything below a folder that an agent may write at the same time. Each step goes down from an open folder and
// follows no link. Names are data: none is left out, however strange. Runs in a thread of its own, so it may block.
import { closeSync, lstatSync, opendirSync, realpathSync, type Stats } from 'node:fs'
import { closeFolder, type OpenFolder, openInside, openRoot, pathIn, pathOf } from '../files/open-folder.ts'
import { DEPTH_MAX, ENTRIES_MAX } from '../limits.ts'
import { WorkspaceError } from '../workspace-error.ts'

/** The kind of an entry. What is neither file, folder nor link is never opened. */
export type TreeEntryKind = 'file' | 'folder' | 'link' | 'other'

export interface TreeEntry {
  /** Relative to the folder in which the walk began, with `/`. */
  readonly path: string
  readonly kind: TreeEntryKind
  readonly folder: OpenFolder
  readonly name: string
}

/** Folders that are not looked into: git's own files, and installed packages. */
export const isPassedFolder = (name: string): boolean => name === 'node_modules' || name === GIT

/** Git's files say nothing about the work: a worktree has a file of this name, a repository a folder. */
export const GIT = '.git'

export class TreeWalk {
  /** The walk ended before it had seen everything. */
  isCut = false
  /** Folders that could not be read, each with a `/` at its end. */
  readonly unread: string[] = []
  readonly #root: string
  readonly #isLate: () => boolean
  readonly #isLeftOut: (name: string) => boolean
  #entries = 0

  /** `isLeftOut`: names that the walk does not see. */
  constructor(root: string, isLate: () => boolean, isLeftOut?: (name: string) => boolean) {
    this.#root = root
    this.#isLate = isLate
    this.#isLeftOut = isLeftOut ?? (() => false)
  }

  /** Everything but folders that are looked into, in the order of the names. The folder of an entry is open until the next one. */
  *entries(): Generator<TreeEntry> {
    const root = openTree(this.#root)
    try {
      yield* this.#enter(root, '', DEPTH_MAX)
    } finally {
      closeFolder(root)
    }
  }

  *#enter(folder: OpenFolder, prefix: string, depth: number): Generator<TreeEntry> {
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

  *#enterInside(folder: OpenFolder, name: string, path: string, depth: number): Generator<TreeEntry> {
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
      const { entries, isCut } = entriesIn(folder, ENTRIES_MAX - this.#entries)
      this.#entries += entries.length
      if (isCut) this.isCut = true
      return entries
    } catch {
      this.unread.push(prefix)
      return []
    }
  }
}

export interface FolderEntry {
  readonly name: string
  readonly kind: TreeEntryKind
}

/** The entries of an open folder by name; `isCut`: there are more than `max`. */
export const entriesIn = (
  folder: OpenFolder,
  max: number,
): { readonly entries: readonly FolderEntry[]; readonly isCut: boolean } => {
  const entries: FolderEntry[] = []
  // Read piece by piece: a folder may have millions of names.
  const names = opendirSync(pathOf(folder))
  try {
    for (let entry = names.readSync(); entry !== null; entry = names.readSync()) {
      if (entries.length >= max) return { entries: entries.sort(byName), isCut: true }
      entries.push({ name: entry.name, kind: isForeignName(folder, entry.name) ? 'other' : kindOf(entry, folder) })
    }
  } finally {
    names.closeSync()
  }
  return { entries: entries.sort(byName), isCut: false }
}

const byName = (one: FolderEntry, other: FolderEntry): number => (one.name < other.name ? -1 : 1)

/** Opens the root of a tree: a path without links. A folder on the way that became a link leads elsewhere, and is refused. */
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

/** A name that is no UTF-8 comes with a mark in place of its bytes, under which nothing can be opened. */
const isForeignName = (folder: OpenFolder, name: string): boolean =>
  name.includes('\ufffd') && lstatSync(pathIn(folder, name), { throwIfNoEntry: false }) === undefined

type KindFacts = Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isFIFO' | 'isSocket'> &
  Pick<Stats, 'isBlockDevice' | 'isCharacterDevice'>

const kindOf = (entry: KindFacts & { readonly name: string }, folder: OpenFolder): TreeEntryKind => {
  const kind = knownKind(entry)
  if (kind !== null) return kind
  // Some file systems give names without kinds.
  const stats = lstatSync(pathIn(folder, entry.name), { throwIfNoEntry: false })
  return (stats && knownKind(stats)) ?? 'other'
}

export const knownKind = (entry: KindFacts): TreeEntryKind | null => {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  if (entry.isSymbolicLink()) return 'link'
  return entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice() ? 'other' : null
}
