import type { EntryKind } from '@bridle/system/folders/folder-entries'
import { BINARY_BYTES, SHOWN_FILE_BYTES_MAX } from '../files/limits.ts'
import type { WalkEntry } from '../files/walk-entry.ts'
import { factsOf, hashOfBytes, linkTarget, textOf, withEntry } from './entry-content.ts'
import { lineChanges, lineCount } from './line-changes.ts'
import { type SourceEntry, type SourceRecord, sourceContent } from './source-record.ts'
import { aroundPath } from './tree-path.ts'
import { TreeWalk } from './tree-walk.ts'

/** More than people read, and each costs a file read. */
const SHOWN_CHANGES_MAX = 1_000

interface SourceDifference {
  readonly path: string
  /** The current kind, or for a deleted entry its kind in the source. */
  readonly kind: EntryKind
  readonly status: 'added' | 'modified' | 'deleted'
}

export interface CountedDifference extends SourceDifference {
  readonly additions: number | null
  readonly deletions: number | null
  readonly isBinary: boolean
}

export interface SourceComparison {
  readonly changes: readonly CountedDifference[]
  readonly isCut: boolean
}

interface ComparisonRequest {
  /** A path without links. */
  readonly root: string
  /** Null if the workspace started empty. */
  readonly source: SourceRecord | null
  readonly isLeftOut?: ((name: string) => boolean) | undefined
}

export const compareWithSource = (request: ComparisonRequest, isLate: () => boolean): SourceComparison => {
  const { differences, isCut } = findDifferences(request, isLate)
  const shown = mostImportant(differences)
  const counted = shown.map((difference) => countChanges(request, difference, isLate))
  return {
    changes: counted.sort((one, other) => (one.path < other.path ? -1 : 1)),
    isCut: isCut || shown.length < differences.length,
  }
}

const findDifferences = ({ root, source, isLeftOut }: ComparisonRequest, isLate: () => boolean) => {
  const known = source?.entries ?? new Map<string, SourceEntry>()
  const walk = new TreeWalk(root, isLate, isLeftOut)
  const differences: SourceDifference[] = []
  const seen = new Set<string>()
  for (const entry of walk.entries()) {
    const { path, kind } = entry
    const before = known.get(path)
    if (before) seen.add(path)
    if (!before) differences.push({ path, kind, status: 'added' })
    else if (isChanged(entry, before, isLate)) differences.push({ path, kind, status: 'modified' })
  }
  // Files that the walk did not reach are not deleted.
  const isUnread = (path: string) => walk.unread.some((folder) => path.startsWith(folder))
  if (!walk.isCut)
    for (const [path, { kind }] of known)
      if (!seen.has(path) && !isUnread(path)) differences.push({ path, kind, status: 'deleted' })
  return { differences, isCut: walk.isCut || walk.unread.length > 0 }
}

const isChanged = ({ kind, folder, name }: WalkEntry, before: SourceEntry, isLate: () => boolean): boolean => {
  if (kind !== before.kind) return true
  if (kind === 'folder' || kind === 'other') return false
  try {
    const { stamp, size, isExecutable } = factsOf(folder, name)
    if (stamp === before.stamp) return false
    if (kind === 'link') return hashOfBytes(linkTarget(folder, name)) !== before.hash
    if (size !== before.size || isExecutable !== before.isExecutable) return true
    const hash = withEntry(folder, name, (file) => file.hash(isLate))
    // Null: out of time. The comparison reports that it is incomplete.
    return hash !== null && hash !== before.hash
  } catch {
    // Unreadable or just replaced, so it differs from the source.
    return true
  }
}

/** Keeps changes to the source over new files. */
const mostImportant = (differences: readonly SourceDifference[]): readonly SourceDifference[] => {
  if (differences.length <= SHOWN_CHANGES_MAX) return differences
  const isNew = ({ status }: SourceDifference) => status === 'added'
  return [...differences.filter((each) => !isNew(each)), ...differences.filter(isNew)].slice(0, SHOWN_CHANGES_MAX)
}

/** Reopens the file, so that only the differences shown are read. */
const countChanges = (
  { root, source }: ComparisonRequest,
  difference: SourceDifference,
  isLate: () => boolean,
): CountedDifference => {
  const { path, status } = difference
  const uncounted = { ...difference, additions: null, deletions: null, isBinary: false }
  const entry = source?.entries.get(path)
  const before = status === 'added' || !source || !entry ? NO_TEXT : textOfSource(source, entry)
  // Line counts make sense only between files.
  if (difference.kind !== 'file' || (before !== NO_TEXT && entry?.kind !== 'file') || isLate()) return uncounted
  const after = status === 'deleted' ? NO_TEXT : textOfFile(root, path)
  const isBinary = before.isBinary || after.isBinary
  if (before.text === null || after.text === null) return { ...uncounted, isBinary }
  if (status === 'added') return { ...difference, additions: lineCount(after.text), deletions: 0, isBinary }
  if (status === 'deleted') return { ...difference, additions: 0, deletions: lineCount(before.text), isBinary }
  return { ...difference, ...lineChanges(before.text, after.text), isBinary }
}

interface ShortText {
  /** Null if binary, too large or unreadable. */
  readonly text: string | null
  readonly isBinary: boolean
}

const NO_TEXT: ShortText = { text: '', isBinary: false }
const UNREADABLE: ShortText = { text: null, isBinary: false }

const textOfSource = (source: SourceRecord, entry: SourceEntry): ShortText => {
  const bytes = entry.kind === 'file' ? sourceContent(source, entry) : null
  return { text: bytes && textOf(bytes), isBinary: entry.isBinary }
}

const textOfFile = (root: string, path: string): ShortText => {
  try {
    return aroundPath(root, path.split('/'), (folder, name) =>
      withEntry(folder, name, ({ facts, head }) => {
        const isLarge = facts.size > SHOWN_FILE_BYTES_MAX
        const text = textOf(head(isLarge ? BINARY_BYTES : SHOWN_FILE_BYTES_MAX))
        return { text: isLarge ? null : text, isBinary: text === null }
      }),
    )
  } catch {
    return UNREADABLE
  }
}
