// Texts of a folder that an agent may write at the same time. No step follows a link, and everything is bounded: a repository with
// 10,000 files costs as much as one with a hundred.
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, lstatSync, readSync } from 'node:fs'
import { join, sep } from 'node:path'
import { entriesIn, type FolderEntry } from '@bridle/system/folders/folder-entries'
import {
  closeFolder,
  type OpenFolder,
  openFileIn,
  openInside,
  openRoot,
  pathIn,
} from '@bridle/system/folders/open-folder'

/** Instructions, skills, sub-agents and commands of a large team are some dozens of files. */
export const TEXT_FILES_MAX = 64
/** Bytes of one text, some 60,000 tokens: more would fill the context of a model. */
export const TEXT_BYTES_MAX = 256 * 1024
/** Bytes of all texts together. */
export const ALL_TEXT_BYTES_MAX = 1024 * 1024
/** Names that are looked up, and entries of folders: some milliseconds of work before each turn. */
const LOOKS_MAX = 1_000
/** Texts that are named as left out: a person reads them in one notice. */
const LEFT_OUT_MAX = 64
/** Longer paths are left out, because logs and notices contain all of them. */
const PATH_CHARS_MAX = 300

export interface FoundText {
  /** Relative to the folder, with `/`. */
  readonly path: string
  readonly text: string
  readonly bytes: number
  /** The SHA-256 of the file in hex. */
  readonly digest: string
}

export interface LeftOut {
  readonly path: string
  /** A phrase that follows the path, as in `CLAUDE.md is a link`. */
  readonly reason: string
}

type LeftOutReason = Pick<LeftOut, 'reason'>
/** Null: there is nothing at the path. */
type TextLookup = FoundText | LeftOutReason | null

/** Data of a server that was started in the folder, and git's own files, which may contain credentials. */
const CLOSED_NAMES: ReadonlySet<string> = new Set(['.bridle', '.git'])

export class FolderTexts {
  readonly leftOut: LeftOut[] = []
  readonly #root: OpenFolder
  readonly #hidden: readonly string[]
  readonly #read = new Map<string, FoundText | null>()
  #files = 0
  #bytes = 0
  #looks = 0
  /** A limit is reached, and nothing more is read. */
  isFull = false

  /** Reads from the folder at a real path. `hidden`: real paths that are not read. */
  static use<T>(root: string, hidden: readonly string[], use: (texts: FolderTexts) => T): T {
    const folder = openRoot(root)
    try {
      return use(new FolderTexts(folder, hidden))
    } finally {
      closeFolder(folder)
    }
  }

  private constructor(root: OpenFolder, hidden: readonly string[]) {
    this.#root = root
    // A work folder may itself be in a hidden one, such as the data folder of the server.
    this.#hidden = hidden.filter((path) => path.startsWith(root.path + sep))
  }

  /** The text at a path; null where there is none, or where it is left out. Each path is read once. */
  read(path: string): FoundText | null {
    const known = this.#read.get(path)
    if (known !== undefined) return known
    const reading = this.#look(path) ? this.#open(path) : null
    if (reading && 'reason' in reading) this.leaveOut(path, reading.reason)
    const found = reading && 'text' in reading ? reading : null
    this.#read.set(path, found)
    return found
  }

  /** True where `read` was asked for the path before. */
  isRead(path: string): boolean {
    return this.#read.has(path)
  }

  /** Whether something has this path. Nothing of it is read. */
  has(path: string): boolean {
    return this.#look(path) && this.#inside(path, (folder, name) => kindOf(folder, name) !== null) === true
  }

  /** The entries of a folder in the order of their names; none where there is no such folder. Empty path: the folder itself. */
  entries(path: string): readonly FolderEntry[] {
    if (!this.#look(path)) return []
    if (path === '') return this.#list(path, this.#root)
    const found = this.#inside<readonly FolderEntry[] | LeftOutReason>(path, (folder, name) => {
      const kind = kindOf(folder, name)
      if (kind === null) return []
      if (kind !== 'folder') return { reason: kind === 'link' ? LINK : 'is not a folder' }
      const inner = openInside(folder, name)
      try {
        return this.#list(path, inner)
      } finally {
        closeFolder(inner)
      }
    })
    if (found === null) return []
    if (!('reason' in found)) return found
    this.leaveOut(path, found.reason)
    return []
  }

  #list(path: string, folder: OpenFolder): readonly FolderEntry[] {
    const { entries, isCut } = entriesIn(folder, LOOKS_MAX - this.#looks)
    this.#looks += entries.length
    if (isCut) this.leaveOut(path, `has more files than the ${count(LOOKS_MAX)} that are looked at`)
    return entries
  }

  leaveOut(path: string, reason: string): void {
    if (this.leftOut.length < LEFT_OUT_MAX - 1) this.leftOut.push({ path: shownPath(path), reason })
    else this.#stop(path, `comes after ${LEFT_OUT_MAX - 1} others that were left out`)
  }

  /** From here on nothing is read. */
  #stop(path: string, reason: string): void {
    if (this.isFull) return
    this.isFull = true
    this.leftOut.push({ path: shownPath(path), reason: `${reason}; nothing after it is read` })
  }

  #look(path: string): boolean {
    if (this.#looks >= LOOKS_MAX) this.#stop(path, `comes after ${count(LOOKS_MAX)} names that were looked up`)
    this.#looks += 1
    return !this.isFull
  }

  #open(path: string): TextLookup {
    return this.#inside(path, (folder, name) => {
      const kind = kindOf(folder, name)
      if (kind === null) return null
      if (kind === 'link') return { reason: LINK }
      if (kind !== 'file') return { reason: NOT_A_FILE }
      if (this.#files >= TEXT_FILES_MAX) {
        this.#stop(path, `comes after ${TEXT_FILES_MAX} files`)
        return null
      }
      const bytes = readBytes(folder, name)
      if (!Buffer.isBuffer(bytes)) return bytes
      if (this.#bytes + bytes.length > ALL_TEXT_BYTES_MAX) {
        this.#stop(path, 'would make more than 1 MB of text')
        return null
      }
      const text = decoded(bytes)
      if (text === null) return { reason: 'is not UTF-8 text' }
      this.#files += 1
      this.#bytes += bytes.length
      return { path, text, bytes: bytes.length, digest: sha256(bytes) }
    })
  }

  /** Calls `use` with the open folder around the path. Null: a folder on the way is missing. */
  #inside<T>(path: string, use: (folder: OpenFolder, name: string) => T): T | LeftOutReason | null {
    const problem = this.#problemOf(path)
    if (problem !== null) return { reason: problem }
    const parts = path.split('/')
    const name = parts.pop() ?? ''
    const opened: OpenFolder[] = []
    try {
      let folder = this.#root
      for (const part of parts) {
        const kind = kindOf(folder, part)
        if (kind === 'link') return { reason: LINK }
        if (kind !== 'folder') return null
        folder = openInside(folder, part)
        opened.push(folder)
      }
      return use(folder, name)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return null
      // A link that took the place of a file or a folder after the look at it.
      return { reason: code === 'ELOOP' || code === 'ENOTDIR' ? LINK : 'could not be read' }
    } finally {
      for (const folder of opened) closeFolder(folder)
    }
  }

  #problemOf(path: string): string | null {
    const parts = path.split('/')
    if (path.length > PATH_CHARS_MAX) return 'has too long a path'
    if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd\\]/u.test(path)) return 'has characters in its name that cannot be shown'
    if (parts.some((part) => part === '' || part === '.' || part === '..')) return OUTSIDE
    if (parts.some((part) => CLOSED_NAMES.has(part.toLowerCase()))) return 'is not for models'
    const real = join(this.#root.path, ...parts)
    return this.#hidden.some((hidden) => real === hidden || real.startsWith(hidden + sep)) ? 'is not for models' : null
  }
}

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

export const OUTSIDE = 'is outside of the folder'
const LINK = 'is a link or behind one, and links are not followed'
const NOT_A_FILE = 'is not a file'

const count = (value: number): string => value.toLocaleString('en')

const shownPath = (path: string): string => {
  const plain = path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd').toWellFormed()
  return plain.length > PATH_CHARS_MAX ? `${plain.slice(0, PATH_CHARS_MAX).toWellFormed()}…` : plain
}

/** The kind of the entry itself; null = there is none. */
const kindOf = (folder: OpenFolder, name: string): 'file' | 'folder' | 'link' | 'other' | null => {
  const stats = lstatSync(pathIn(folder, name), { throwIfNoEntry: false })
  if (!stats) return null
  if (stats.isSymbolicLink()) return 'link'
  if (stats.isDirectory()) return 'folder'
  return stats.isFile() ? 'file' : 'other'
}

/** The bytes of a regular file. The open file is checked, because the path may change while it is read. */
const readBytes = (folder: OpenFolder, name: string): Buffer | LeftOutReason => {
  const descriptor = openFileIn(folder, name)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return { reason: NOT_A_FILE }
    if (stats.size > TEXT_BYTES_MAX) return { reason: 'is larger than 256 kB' }
    const bytes = Buffer.alloc(stats.size)
    let length = 0
    while (length < bytes.length) {
      const read = readSync(descriptor, bytes, length, bytes.length - length, length)
      if (read === 0) break
      length += read
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}

/** Null: the bytes are not UTF-8 text. */
const decoded = (bytes: Buffer): string | null => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}
