// Walks files in name order without entering links. Blocks, so it runs in a thread.
import { entriesIn } from '@bridle/system/folders/folder-entries'
import { closeFolder, type OpenFolder, openInside } from '@bridle/system/folders/open-folder'
import { type ConfinedFolder, SERVER_DATA, type WorkspacePlace } from '../files/confined-folder.ts'
import { DEPTH_MAX, ENTRIES_MAX } from '../files/limits.ts'
import { hasUnseenCharacters } from '../files/path-text.ts'
import { UNFINISHED } from '../files/text-writing.ts'
import { isPassedFolder, type WalkEntry } from '../files/walk-entry.ts'

export class FileWalk {
  /** Unreadable folders and names with invisible characters. */
  skipped = 0
  isCut = false
  #entries = 0
  readonly #visit: (entry: WalkEntry) => boolean

  /** `visit` returns false to stop the walk. */
  constructor(visit: (entry: WalkEntry) => boolean) {
    this.#visit = visit
  }

  walk(folder: ConfinedFolder, place: WorkspacePlace, { isDeep = true } = {}): void {
    folder.inFolder(place, (open) => this.#enter(open, '', isDeep ? DEPTH_MAX : 1))
  }

  #enter(folder: OpenFolder, prefix: string, depth: number): boolean {
    const { entries } = entriesIn(folder, ENTRIES_MAX - this.#entries)
    this.#entries += entries.length
    for (const { name, kind } of entries) {
      if (name === SERVER_DATA || name.startsWith(UNFINISHED)) continue
      if (hasUnseenCharacters(name)) {
        this.skipped += 1
        continue
      }
      const path = `${prefix}${name}`
      if (!this.#visit({ path, kind, folder, name })) return this.#cut()
      if (kind !== 'folder' || depth <= 1 || isPassedFolder(name)) continue
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

  #cut(): false {
    this.isCut = true
    return false
  }
}
