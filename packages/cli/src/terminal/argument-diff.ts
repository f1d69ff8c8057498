// The lines of arguments that an edit changed: old and new, every character visible.

import { draftArguments } from './argument-editor.ts'
import type { CliOutput } from './output.ts'
import { wrapText } from './text-lines.ts'

/** An edit of arguments with more lines than this is shown as all old and all new lines: the comparison takes time by the square. */
const DIFF_LINES_MAX = 2_000

export interface LineChange {
  /** Removed, added, or the same in both. */
  readonly mark: '-' | '+' | '·'
  readonly text: string
}

/** The changes below a heading. A line that continues another one begins with a bar, as in the arguments themselves. */
export const argumentDiffLines = (
  before: unknown,
  after: unknown,
  columns: number,
  style: CliOutput['style'],
): string[] => [`${MARGIN}Changed:`, ...changeLines(argumentChanges(before, after), columns, style)]

/** Each line behind its mark. Neither an old nor a new line can imitate another line of the screen. */
export const changeLines = (changes: readonly LineChange[], columns: number, style: CliOutput['style']): string[] =>
  changes.flatMap(({ mark, text }) =>
    wrapText(text, columns - MARGIN.length - INDENT).map(
      (line, at) => `${MARGIN}${style(COLOURS[mark], `${at === 0 ? mark : '│'} ${line}`)}`,
    ),
  )

const COLOURS = { '-': 'red', '+': 'green', '·': 'dim' } as const

/** The changed lines in order, with invisible characters escaped. None = the values are the same. */
export const argumentChanges = (before: unknown, after: unknown): LineChange[] =>
  lineChanges(draftArguments(before).split('\n'), draftArguments(after).split('\n')).filter(({ mark }) => mark !== '·')

/** Every line of both texts, in order. */
export const lineChanges = (before: readonly string[], after: readonly string[]): LineChange[] => {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let [endBefore, endAfter] = [before.length, after.length]
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore--
    endAfter--
  }
  return [
    ...before.slice(0, start).map(same),
    ...changesBetween(before.slice(start, endBefore), after.slice(start, endAfter)),
    ...before.slice(endBefore).map(same),
  ]
}

const removed = (text: string): LineChange => ({ mark: '-', text })
const added = (text: string): LineChange => ({ mark: '+', text })
const same = (text: string): LineChange => ({ mark: '·', text })

/** By the longest lines that both have in order. */
const changesBetween = (before: readonly string[], after: readonly string[]): LineChange[] => {
  if (before.length + after.length > DIFF_LINES_MAX) return [...before.map(removed), ...after.map(added)]
  const shared = sharedCounts(before, after)
  const changes: LineChange[] = []
  let [at, to] = [0, 0]
  while (at < before.length || to < after.length) {
    const [old, now] = [before[at], after[to]]
    if (old !== undefined && old === now) {
      changes.push(same(old))
      at++
      to++
    } else if (old !== undefined && (now === undefined || count(shared, at + 1, to) >= count(shared, at, to + 1))) {
      changes.push(removed(old))
      at++
    } else {
      changes.push(added(now ?? ''))
      to++
    }
  }
  return changes
}

type Counts = readonly (readonly number[])[]
const count = (shared: Counts, at: number, to: number): number => shared[at]?.[to] ?? 0

/** How many lines the two have in common, in order, from each pair of places on. */
const sharedCounts = (before: readonly string[], after: readonly string[]): Counts => {
  const shared = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0))
  for (let at = before.length - 1; at >= 0; at--)
    for (let to = after.length - 1; to >= 0; to--) {
      const row = shared[at] as number[]
      row[to] =
        before[at] === after[to]
          ? count(shared, at + 1, to + 1) + 1
          : Math.max(count(shared, at + 1, to), count(shared, at, to + 1))
    }
  return shared
}

const MARGIN = '  '
/** The mark and a space. */
const INDENT = 2
