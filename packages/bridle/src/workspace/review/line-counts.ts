// The line counts of one difference. Its file is opened again for them: only files that are shown are read.
import { BINARY_BYTES, SHOWN_FILE_BYTES_MAX } from '../limits.ts'
import { textOf, withEntry } from './entry-content.ts'
import { lineChanges, lineCount } from './line-changes.ts'
import type { ComparisonRequest, CountedDifference, SourceDifference } from './source-comparison.ts'
import { type SourceEntry, type SourceRecord, sourceContent } from './source-record.ts'
import { aroundPath } from './tree-path.ts'

export const countChanges = (
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
