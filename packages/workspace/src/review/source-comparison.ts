// The differences between the files of a workspace and its remembered source. Runs in a thread of its own.
import type { EntryKind, WalkEntry } from '../files/folder-entries.ts'
import { BINARY_BYTES, SHOWN_FILE_BYTES_MAX } from '../files/limits.ts'
import { factsOf, hashOfBytes, linkTarget, textOf, withEntry } from './entry-content.ts'
import { lineChanges, lineCount } from './line-changes.ts'
import { type SourceEntry, type SourceRecord, sourceContent } from './source-record.ts'
import { aroundPath } from './tree-path.ts'
import { TreeWalk } from './tree-walk.ts'

/** Differences to a source that a page shows: nobody reads more, and each costs a read of its file. */
const SHOWN_CHANGES_MAX = 1_000

interface SourceDifference {
  readonly path: string
  /** As it is now; of a deleted one as the source has it. */
  readonly kind: EntryKind
  readonly status: 'added' | 'modified' | 'deleted'
}

export interface CountedDifference extends SourceDifference {
  readonly additions: number | null
  readonly deletions: number | null
  readonly isBinary: boolean
}

export interface SourceComparison {
  /** By path. */
  readonly changes: readonly CountedDifference[]
  readonly isCut: boolean
}

interface ComparisonRequest {
  /** The files, at a path without links. */
  readonly root: string
  /** Null = the files began with nothing. */
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
  // A file that the walk did not get to is not deleted.
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
    // The time is over: the comparison says that it is cut.
    return hash !== null && hash !== before.hash
  } catch {
    // A file that cannot be read, or was replaced a moment ago, is not what the source had.
    return true
  }
}

/** A change of the source says more than one of thousands of new files. */
const mostImportant = (differences: readonly SourceDifference[]): readonly SourceDifference[] => {
  if (differences.length <= SHOWN_CHANGES_MAX) return differences
  const isNew = ({ status }: SourceDifference) => status === 'added'
  return [...differences.filter((each) => !isNew(each)), ...differences.filter(isNew)].slice(0, SHOWN_CHANGES_MAX)
}

/** Opens the file of a difference again: only files that are shown are read. */
const countChanges = (
  { root, source }: ComparisonRequest,
  difference: SourceDifference,
  isLate: () => boolean,
): CountedDifference => {
  const { path, status } = difference
  const uncounted = { ...difference, additions: null, deletions: null, isBinary: false }
  const entry = source?.entries.get(path)
  const before = status === 'added' || !source || !entry ? NO_TEXT : textOfSource(source, entry)
  // A link or a folder has no lines; neither has a file that came in the place of one.
  if (difference.kind !== 'file' || (before !== NO_TEXT && entry?.kind !== 'file') || isLate()) return uncounted
  const after = status === 'deleted' ? NO_TEXT : textOfFile(root, path)
  const isBinary = before.isBinary || after.isBinary
  if (before.text === null || after.text === null) return { ...uncounted, isBinary }
  if (status === 'added') return { ...difference, additions: lineCount(after.text), deletions: 0, isBinary }
  if (status === 'deleted') return { ...difference, additions: 0, deletions: lineCount(before.text), isBinary }
  return { ...difference, ...lineChanges(before.text, after.text), isBinary }
}

interface ShortText {
  /** Null: no text, too large, or not to be read. */
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
