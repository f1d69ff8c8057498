// Runs of blank lines in a diff, counted as in any text that a person approves.
import { BLANK_LINES_MAX, isBlank } from '../blank-runs.ts'
import type { LineRow } from './line-rows.ts'

/** Rows that are shown as they are, or blank ones of one kind that are shown as one. */
export type RowRun = readonly [LineRow, ...LineRow[]]

export const rowRuns = (rows: readonly LineRow[]): RowRun[] => {
  const runs: RowRun[] = []
  let from = 0
  while (from < rows.length) {
    const first = rows[from] as LineRow
    let to = from + 1
    while (to < rows.length && canJoin(first, rows[to] as LineRow)) to++
    if (!isBlankRow(first) || to - from <= BLANK_LINES_MAX) to = from + 1
    runs.push([first, ...rows.slice(from + 1, to)])
    from = to
  }
  return runs
}

const canJoin = (first: LineRow, row: LineRow): boolean => row.kind === first.kind && isBlankRow(row)

const isBlankRow = ({ text, isUnended }: LineRow): boolean => isUnended !== true && isBlank(text)
