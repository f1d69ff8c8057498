// The known name that a misspelt one was probably meant to be.

/** Longer names are no typo of ours, and comparing them would take time. */
const CHARS_MAX = 64

/** Null when none is close: at most a third of the letters may differ. */
export const nearestName = (name: string, known: readonly string[]): string | null => {
  if (name.length > CHARS_MAX) return null
  const [nearest] = known
    .map((word) => ({ word, away: distance(name.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, away }) => away <= Math.max(1, Math.floor(Math.max(word.length, name.length) / 3)))
    .sort((a, b) => a.away - b.away)
  return nearest?.word ?? null
}

/** Letters to insert, remove, replace, or swap with the next one. */
const distance = (from: string, to: string): number => {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const costs = [at(rows, i - 1, j) + 1, (row[j - 1] ?? 0) + 1, at(rows, i - 1, j - 1) + (isSame ? 0 : 1)]
      row.push(Math.min(...costs, ...(isSwap && i > 1 && j > 1 ? [at(rows, i - 2, j - 2) + 1] : [])))
    }
    rows.push(row)
  }
  return at(rows, from.length, to.length)
}

const at = (rows: readonly (readonly number[])[], i: number, j: number): number => rows[i]?.[j] ?? 0
