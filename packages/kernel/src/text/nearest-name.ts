// For "Did you mean …?"

/** Longer names are not typing errors, and comparing them is slow. */
const SUGGESTED_NAME_CHARS_MAX = 64

/** Null if more than a third of the letters differ. */
export const nearestName = (name: string, candidates: readonly string[]): string | null => {
  if (name.length > SUGGESTED_NAME_CHARS_MAX) return null
  const [nearest] = candidates
    .map((candidate) => ({ candidate, edits: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(Math.max(candidate.length, name.length) / 3)))
    .sort((a, b) => a.edits - b.edits)
  return nearest?.candidate ?? null
}

/** The first unknown field, and the name that was probably meant. Null if all are known. */
export const findUnknownName = (
  fields: object,
  known: readonly string[],
): { readonly name: string; readonly near: string | null } | null => {
  const name = Object.keys(fields).find((each) => !known.includes(each))
  return name === undefined ? null : { name, near: nearestName(name, known) }
}

/** Damerau-Levenshtein distance (optimal string alignment), with only the last two rows in memory. */
const editDistance = (from: string, to: string): number => {
  let above: readonly number[] = []
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let at = 1; at <= from.length; at++) {
    const next = [at]
    for (let column = 1; column <= to.length; column++) {
      const letter = from[at - 1]
      const replaced = (row[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1)
      const isSwap = at > 1 && column > 1 && letter === to[column - 2] && from[at - 2] === to[column - 1]
      const swapped = isSwap ? (above[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(replaced, swapped, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    above = row
    row = next
  }
  return row[to.length] ?? 0
}
