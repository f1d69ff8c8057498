import { draftArguments } from './argument-editor.ts'
import type { CliOutput } from './output.ts'
import { wrapText } from './text-lines.ts'

/** Above this, shows all old and all new lines, because the diff takes quadratic time. */
const DIFF_LINES_MAX = 2_000

export interface LineChange {
  readonly mark: '-' | '+' | '·'
  readonly text: string
}

/** The diff with a heading. Wrapped lines start with a bar, as in the arguments. */
export const argumentDiffLines = (
  before: unknown,
  after: unknown,
  columns: number,
  style: CliOutput['style'],
): string[] => [`${MARGIN}Changed:`, ...changeLines(argumentChanges(before, after), columns, style)]

/** A mark per line, so that no line can imitate other output. */
export const changeLines = (changes: readonly LineChange[], columns: number, style: CliOutput['style']): string[] =>
  changes.flatMap(({ mark, text }) =>
    wrapText(text, columns - MARGIN.length - INDENT).map(
      (line, at) => `${MARGIN}${style(COLOURS[mark], `${at === 0 ? mark : '│'} ${line}`)}`,
    ),
  )

const COLOURS = { '-': 'red', '+': 'green', '·': 'dim' } as const

/** The changed lines with invisible characters escaped. Empty if the values are equal. */
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

/** By longest common subsequence. */
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

/** Length of the longest common subsequence from each pair of positions. */
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
const INDENT = 2
