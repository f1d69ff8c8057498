// Counts changed lines between two texts, in bounded time for any input.

/** Beyond this, treat the text as rewritten. */
const LINE_EDITS_MAX = 2_000
/** About 20 ms. Beyond this, lines are counted regardless of order. */
const LINE_STEPS_MAX = 4_000_000

export interface LineChanges {
  readonly additions: number
  readonly deletions: number
}

/** Counts like a minimal diff. If that is too slow, moved lines do not count. */
export const lineChanges = (before: string, after: string): LineChanges => {
  const numbers = new Map<string, number>()
  const [old, now] = trimmed(numbered(linesOf(before), numbers), numbered(linesOf(after), numbers))
  const edits = editDistance(old, now)
  if (edits === null) return unorderedChanges(old, now)
  // additions + deletions = edits, and additions - deletions = the difference in length.
  const additions = (edits + now.length - old.length) / 2
  return { additions, deletions: edits - additions }
}

/** A last line without a newline counts. */
export const lineCount = (text: string): number => linesOf(text).length

const linesOf = (text: string): readonly string[] => {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Interns lines as integers, so that comparisons cost the same for long lines. */
const numbered = (lines: readonly string[], numbers: Map<string, number>): Int32Array =>
  Int32Array.from(lines, (line) => {
    const known = numbers.get(line)
    if (known !== undefined) return known
    numbers.set(line, numbers.size)
    return numbers.size - 1
  })

/** Removes the common prefix and suffix. */
const trimmed = (old: Int32Array, now: Int32Array): readonly [Int32Array, Int32Array] => {
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start += 1
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1
  return [old.subarray(start, old.length - end), now.subarray(start, now.length - end)]
}

/** Myers' shortest edit script length. Null if over the limit. `furthest` holds the furthest x of each diagonal. */
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
