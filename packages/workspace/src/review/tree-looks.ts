import { lstatSync } from 'node:fs'
import { type FolderEntry, knownKind } from '@bridle/system/folders/folder-entries'
import { type OpenFolder, pathIn } from '@bridle/system/folders/open-folder'
import { ENTRIES_MAX, SHOWN_FILE_BYTES_MAX } from '../files/limits.ts'
import { WorkspaceError } from '../files/workspace-error.ts'
import { factsOf, linkTarget, textOf, withEntry } from './entry-content.ts'
import { readSourceRecord, sourceContent } from './source-record.ts'
import { aroundPath, inTreeFolder, treePathParts } from './tree-path.ts'
import { treeEntriesIn } from './tree-walk.ts'

/** More than a person scrolls through. */
const SHOWN_ENTRIES_MAX = 2_000

export interface FolderLook {
  readonly path: string
  readonly entries: readonly EntryLook[]
  readonly isCut: boolean
}

export interface EntryLook extends FolderEntry {
  readonly size: number | null
  readonly modifiedMs: number | null
}

export interface FileLook {
  readonly path: string
  readonly kind: 'file' | 'link'
  readonly size: number
  readonly isBinary: boolean
  readonly text: string | null
  readonly isCut: boolean
}

export const lookAtFolder = (root: string, path: string, isLeftOut = nothing): FolderLook => {
  const parts = shownParts(path, isLeftOut)
  return inTreeFolder(root, parts, (folder) => {
    const { entries: all, isCut } = treeEntriesIn(folder, ENTRIES_MAX)
    const entries = all.filter(({ name }) => !isLeftOut(name))
    const shown = entries.toSorted(foldersFirst).slice(0, SHOWN_ENTRIES_MAX)
    return {
      path: parts.join('/'),
      entries: shown.map((entry) => ({ ...entry, ...lookAtEntry(folder, entry) })),
      isCut: isCut || shown.length < entries.length,
    }
  })
}

const nothing = (_name: string): boolean => false

/** A hidden file is reported as missing. */
const shownParts = (path: string, isLeftOut: (name: string) => boolean): readonly string[] => {
  const parts = treePathParts(path)
  if (parts.some(isLeftOut)) throw new WorkspaceError('not_found', 'There is no such file.')
  return parts
}

/** The sort is stable, so names stay in order. */
const foldersFirst = (one: FolderEntry, other: FolderEntry): number =>
  Number(other.kind === 'folder') - Number(one.kind === 'folder')

const lookAtEntry = (folder: OpenFolder, { name, kind }: FolderEntry): Pick<EntryLook, 'size' | 'modifiedMs'> => {
  try {
    const { size, modifiedMs } = factsOf(folder, name)
    return { size: kind === 'file' ? size : null, modifiedMs }
  } catch {
    return { size: null, modifiedMs: null }
  }
}

export const lookAtFile = (root: string, path: string, isLeftOut = nothing): FileLook => {
  const parts = shownParts(path, isLeftOut)
  return aroundPath(root, parts, (folder, name) => {
    const kind = knownKind(lstatSync(pathIn(folder, name)))
    const place = parts.join('/')
    if (kind === 'file')
      return withEntry(folder, name, ({ facts: { size }, head }) => fileLook(place, size, head(SHOWN_FILE_BYTES_MAX)))
    if (kind === 'link') return linkLook(place, linkTarget(folder, name))
    const what = kind === 'folder' ? 'a folder. List it' : 'neither a file nor a folder, and is not opened'
    throw new WorkspaceError('not_a_file', `This is ${what}.`)
  })
}

/** Reads a file from the snapshot. `memory` null: there is none. */
export const lookAtSource = (memory: string | null, path: string): FileLook => {
  const place = treePathParts(path).join('/')
  const source = memory === null ? null : readSourceRecord(memory)
  const entry = source?.entries.get(place)
  if (!source || !entry || (entry.kind !== 'file' && entry.kind !== 'link'))
    throw new WorkspaceError('not_found', 'The source has no such file, or nobody remembers it.')
  const bytes = sourceContent(source, entry)
  if (bytes && entry.kind === 'link') return linkLook(place, bytes)
  if (bytes) return fileLook(place, entry.size, bytes)
  const { kind, size, isBinary } = entry
  return { path: place, kind, size, isBinary, text: null, isCut: !isBinary }
}

const linkLook = (path: string, target: Buffer): FileLook => ({
  path,
  kind: 'link',
  size: target.length,
  isBinary: false,
  text: target.toString('utf8'),
  isCut: false,
})

const fileLook = (path: string, size: number, bytes: Buffer): FileLook => {
  const text = textOf(bytes)
  return { path, kind: 'file', size, isBinary: text === null, text, isCut: text !== null && bytes.length < size }
}
