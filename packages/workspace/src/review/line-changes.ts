// The number of lines that differ between two texts: pure, and bounded whatever the texts are.

/** Changed lines that are counted exactly: more of them are a new text. */
const LINE_EDITS_MAX = 2_000
/** Steps of one exact count, some 20 ms: with more, lines are counted without their order. */
const LINE_STEPS_MAX = 4_000_000

/** The numbers of lines that only one of two texts has. */
export interface LineChanges {
  readonly additions: number
  readonly deletions: number
}

/** Counts as a shortest diff would; where that takes too long, lines that merely moved are not counted. */
export const lineChanges = (before: string, after: string): LineChanges => {
  const numbers = new Map<string, number>()
  const [old, now] = trimmed(numbered(linesOf(before), numbers), numbered(linesOf(after), numbers))
  const edits = editDistance(old, now)
  if (edits === null) return unorderedChanges(old, now)
  // Each edit is an addition or a deletion, and their difference is that of the lengths.
  const additions = (edits + now.length - old.length) / 2
  return { additions, deletions: edits - additions }
}

/** A last line without an end counts as a line. */
export const lineCount = (text: string): number => linesOf(text).length

const linesOf = (text: string): readonly string[] => {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Equal lines get equal numbers: comparing numbers is fast however long the lines are. */
const numbered = (lines: readonly string[], numbers: Map<string, number>): Int32Array =>
  Int32Array.from(lines, (line) => {
    const known = numbers.get(line)
    if (known !== undefined) return known
    numbers.set(line, numbers.size)
    return numbers.size - 1
  })

/** Without the lines that both have at their beginning and at their end. */
const trimmed = (old: Int32Array, now: Int32Array): readonly [Int32Array, Int32Array] => {
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start += 1
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1
  return [old.subarray(start, old.length - end), now.subarray(start, now.length - end)]
}

/** The length of the shortest edit script (Myers); null: too long. `furthest` has the x that each diagonal reaches. */
const editDistance = (old: Int32Array, now: Int32Array): number | null => {
  const most = Math.min(old.length + now.length, LINE_EDITS_MAX)
  const furthest = new Int32Array(2 * most + 3)
  let steps = 0
  for (let edits = 0; edits <= most; edits += 1) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = most + 1 + diagonal
      const [left = 0, right = 0] = [furthest[at - 1], furthest[at + 1]]
      const isDown = diagonal === -edits || (diagonal !== edits && left < right)
      let x = isDown ? right : left + 1
      const start = x
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x += 1
      furthest[at] = x
      steps += x - start + 1
      if (x >= old.length && x - diagonal >= now.length) return edits
    }
    if (steps > LINE_STEPS_MAX) return null
  }
  return null
}

const unorderedChanges = (old: Int32Array, now: Int32Array): LineChanges => {
  const counts = new Map<number, number>()
  for (const line of old) counts.set(line, (counts.get(line) ?? 0) + 1)
  let additions = 0
  for (const line of now) {
    const left = counts.get(line) ?? 0
    if (left === 0) additions += 1
    else counts.set(line, left - 1)
  }
  return { additions, deletions: old.length - (now.length - additions) }
}
