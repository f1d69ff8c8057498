// The rows of a diff with long runs of unchanged lines folded.

import type { LineRow } from './line-rows.ts'

/** Unchanged lines around a change: enough to see where it is. */
const CONTEXT_LINES = 3

export type DiffBlock =
  | { readonly type: 'rows'; readonly from: number; readonly rows: readonly LineRow[] }
  /** Unchanged lines that are not shown until somebody asks for them. */
  | { readonly type: 'fold'; readonly from: number; readonly rows: readonly LineRow[] }

/** Folds unchanged lines that are further than a few lines from every change. A fold of one or two lines would save nothing. */
export const foldRows = (rows: readonly LineRow[], context = CONTEXT_LINES): DiffBlock[] => {
  if (rows.every(({ kind }) => kind === 'same')) return [{ type: 'rows', from: 0, rows }]
  const isShown = rows.map(() => false)
  for (const [index, { kind }] of rows.entries()) {
    if (kind === 'same') continue
    for (let near = Math.max(0, index - context); near <= Math.min(rows.length - 1, index + context); near++)
      isShown[near] = true
  }
  const blocks: DiffBlock[] = []
  let from = 0
  while (from < rows.length) {
    let to = from
    while (to < rows.length && isShown[to] === isShown[from]) to++
    const type = isShown[from] || to - from <= 2 ? 'rows' : 'fold'
    const last = blocks.at(-1)
    if (type === 'rows' && last?.type === 'rows')
      blocks[blocks.length - 1] = { type, from: last.from, rows: rows.slice(last.from, to) }
    else blocks.push({ type, from, rows: rows.slice(from, to) })
    from = to
  }
  return blocks
}
