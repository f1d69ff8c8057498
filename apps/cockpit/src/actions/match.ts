// The fit of a line with what somebody types: each word of the query must be in it, at the start of a word, inside one, or as beginnings of words.

/** A word of the query at the start of a word, inside one, and as letters in order: each is worth far more than the next. */
const WORD_START_SCORE = 100
const INSIDE_SCORE = 40
const SCATTERED_SCORE = 10

export interface TextMatch {
  /** Higher is better. */
  readonly score: number
  /** The characters that fit, as [from, to). */
  readonly ranges: readonly (readonly [from: number, to: number])[]
}

/** An empty query fits everything. */
export const matchText = (query: string, text: string): TextMatch | null => {
  const lower = text.toLowerCase()
  let score = 0
  const ranges: (readonly [number, number])[] = []
  for (const word of query.toLowerCase().split(/\s+/)) {
    if (word === '') continue
    const found = matchWord(word, lower)
    if (!found) return null
    score += found.score
    ranges.push(...found.ranges)
  }
  return { score, ranges: ranges.sort(([one], [other]) => one - other) }
}

const matchWord = (word: string, text: string): TextMatch | null => {
  const start = wordStart(word, text)
  if (start !== -1)
    return { score: WORD_START_SCORE + word.length - start / 100, ranges: [[start, start + word.length]] }
  const inside = text.indexOf(word)
  if (inside !== -1)
    return { score: INSIDE_SCORE + word.length - inside / 100, ranges: [[inside, inside + word.length]] }
  return scattered(word, text)
}

const wordStart = (word: string, text: string, from = 0): number => {
  for (let at = text.indexOf(word, from); at !== -1; at = text.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return at
  return -1
}

/** Beginnings of words, in order: `bfh` is "Branch from here". Letters anywhere would fit nearly every row. */
const scattered = (word: string, text: string): TextMatch | null => {
  const ranges: [number, number][] = []
  for (const letter of word) {
    const last = ranges.at(-1)
    if (last && text[last[1]] === letter) {
      last[1] += 1
      continue
    }
    const next = wordStart(letter, text, last?.[1] ?? 0)
    if (next === -1) return null
    ranges.push([next, next + 1])
  }
  return { score: SCATTERED_SCORE + word.length - ranges.length, ranges }
}
