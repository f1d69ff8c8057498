// A table as wide as its cells, with the last column truncated to fit.
import { agoText } from '@bridle/words/index'
import { displayWidth } from './display-width.ts'
import { type CliOutput, truncateLine } from './output.ts'

export const printTable = (
  out: CliOutput,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  /** Lines below each row, printed verbatim. */
  under: readonly (readonly string[])[] = [],
): void => {
  // Escape all cells: ids and kinds are chosen by servers, files or agents.
  const shown = rows.map((row) => row.map((cell) => truncateLine(cell, Number.POSITIVE_INFINITY)))
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...shown.map((row) => displayWidth(row[column] ?? ''))),
  )
  const last = heads.length - 1
  const taken = widths.slice(0, last).reduce((sum, each) => sum + each + 2, 0)
  const format = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === last ? truncateLine(cell, Math.max(out.width - taken, 12)) : pad(cell, widths[column]),
      )
      .join('  ')
      .trimEnd()
  out.line(out.style('dim', format(heads)))
  for (const [index, row] of shown.entries()) for (const line of [format(row), ...(under[index] ?? [])]) out.line(line)
}

const pad = (cell: string, to = 0): string => cell + ' '.repeat(Math.max(to - displayWidth(cell), 0))

export const timeAgo = (iso: string, now: number): string => {
  const age = now - Date.parse(iso)
  return Number.isNaN(age) ? '-' : agoText(age)
}
