// A walk through the files below a folder, in the order of their names. Links are seen and not entered. Runs in a thread of its own, so
// it may block.
import { type Dirent, lstatSync, opendirSync, type Stats } from 'node:fs'
import { type ConfinedFolder, SERVER_DATA, type WorkspacePlace } from '../files/confined-folder.ts'
import { closeFolder, type OpenFolder, openInside, pathIn, pathOf } from '../files/open-folder.ts'
import { hasUnseenCharacters } from '../files/path-text.ts'
import { UNFINISHED } from '../files/text-writing.ts'
import { DEPTH_MAX, ENTRIES_MAX } from '../limits.ts'

/** Folders that a walk passes over: dependencies, and git's own files. They are entered where a call names them. */
const PASSED_FOLDERS: readonly string[] = ['.git', 'node_modules']

/** A file, folder or link during a walk. */
export interface WalkEntry {
  /** Relative to the folder in which the walk began. */
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly folder: OpenFolder
  readonly name: string
}

export class FileWalk {
  /** Folders that could not be read, and names that nobody can see. */
  skipped = 0
  /** The walk ended before it had seen everything. */
  isCut = false
  #entries = 0
  readonly #visit: (entry: WalkEntry) => boolean

  /** `visit` returns false to end the walk. */
  constructor(visit: (entry: WalkEntry) => boolean) {
    this.#visit = visit
  }

  /** Walks through the folder at a place. */
  walk(folder: ConfinedFolder, place: WorkspacePlace, { isDeep = true } = {}): void {
    folder.inFolder(place, (open) => this.#enter(open, '', isDeep ? DEPTH_MAX : 1))
  }

  /** Returns false once the walk has ended. */
  #enter(folder: OpenFolder, prefix: string, depth: number): boolean {
    for (const { name, kind } of this.#read(folder)) {
      if (name === SERVER_DATA || name.startsWith(UNFINISHED)) continue
      if (hasUnseenCharacters(name)) {
        this.skipped += 1
        continue
      }
      const path = `${prefix}${name}`
      if (!this.#visit({ path, kind, folder, name })) return this.#cut()
      if (kind !== 'folder' || depth <= 1 || PASSED_FOLDERS.includes(name)) continue
      if (!this.#enterInside(folder, name, path, depth - 1)) return false
    }
    return this.#entries < ENTRIES_MAX || this.#cut()
  }

  #enterInside(folder: OpenFolder, name: string, path: string, depth: number): boolean {
    let inner: OpenFolder
    try {
      inner = openInside(folder, name)
    } catch {
      this.skipped += 1
      return true
    }
    try {
      return this.#enter(inner, `${path}/`, depth)
    } finally {
      closeFolder(inner)
    }
  }

  #read(folder: OpenFolder): readonly { readonly name: string; readonly kind: WalkEntry['kind'] }[] {
    const found: { name: string; kind: WalkEntry['kind'] }[] = []
    const names = opendirSync(pathOf(folder))
    try {
      for (let entry = names.readSync(); entry !== null && this.#entries < ENTRIES_MAX; entry = names.readSync()) {
        this.#entries += 1
        found.push({ name: entry.name, kind: kindOf(entry) ?? kindByStats(folder, entry.name) })
      }
    } finally {
      names.closeSync()
    }
    return found.sort((one, other) => (one.name < other.name ? -1 : 1))
  }

  #cut(): false {
    this.isCut = true
    return false
  }
}

const kindOf = (entry: Dirent | Stats): WalkEntry['kind'] | null => {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  if (entry.isSymbolicLink()) return 'link'
  return entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice() ? 'other' : null
}

/** Some file systems give names without kinds. */
const kindByStats = (folder: OpenFolder, name: string): WalkEntry['kind'] => {
  const stats = lstatSync(pathIn(folder, name), { throwIfNoEntry: false })
  return (stats && kindOf(stats)) ?? 'other'
}
