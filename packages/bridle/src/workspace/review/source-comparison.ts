// The differences between the files of a workspace and its remembered source. Runs in a thread of its own.
import { SHOWN_CHANGES_MAX } from '../limits.ts'
import { factsOf, hashOfBytes, linkTarget, withEntry } from './entry-content.ts'
import { countChanges } from './line-counts.ts'
import type { SourceEntry, SourceRecord } from './source-record.ts'
import { type TreeEntry, type TreeEntryKind, TreeWalk } from './tree-walk.ts'

/** An entry that differs from the source. */
export interface SourceDifference {
  readonly path: string
  /** As it is now; of a deleted one as the source has it. */
  readonly kind: TreeEntryKind
  readonly status: 'added' | 'modified' | 'deleted'
}

/** A difference with its line counts. */
export interface CountedDifference extends SourceDifference {
  readonly additions: number | null
  readonly deletions: number | null
  readonly isBinary: boolean
}

export interface SourceComparison {
  /** By path. */
  readonly changes: readonly CountedDifference[]
  /** There may be more differences. */
  readonly isCut: boolean
}

export interface ComparisonRequest {
  /** The files, at a path without links. */
  readonly root: string
  /** Null = the files began with nothing. */
  readonly source: SourceRecord | null
  /** Names that are not compared. */
  readonly isLeftOut?: ((name: string) => boolean) | undefined
}

export const compareWithSource = (request: ComparisonRequest, isLate: () => boolean): SourceComparison => {
  const { differences, isCut } = findDifferences(request, isLate)
  const shown = mostImportant(differences)
  const counted = shown.map((difference) => countChanges(request, difference, isLate))
  return { changes: counted.sort(byPath), isCut: isCut || shown.length < differences.length }
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

const isChanged = ({ kind, folder, name }: TreeEntry, before: SourceEntry, isLate: () => boolean): boolean => {
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

const byPath = (one: SourceDifference, other: SourceDifference): number => (one.path < other.path ? -1 : 1)
