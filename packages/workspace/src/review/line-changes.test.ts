import { expect, test } from 'vitest'
import { lineChanges } from './line-changes.ts'

const lines = (...numbers: number[]) => numbers.map((number) => `line ${number}\n`).join('')
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

test.each<[string, string, string, number, number]>([
  ['nothing', '', '', 0, 0],
  ['the same', 'a\nb\n', 'a\nb\n', 0, 0],
  ['a text from nothing', '', 'a\nb', 2, 0],
  ['a text that is gone', 'a\nb\n', '', 0, 2],
  ['a line in the middle', lines(1, 3), lines(1, 2, 3), 1, 0],
  ['a changed line', lines(1, 2, 3), lines(1, 9, 3), 1, 1],
  ['lines that changed places', lines(1, 2), lines(2, 1), 1, 1],
  ['several places', lines(1, 2, 3, 4, 5, 6), lines(0, 1, 3, 4, 7, 8, 6), 3, 2],
  ['names of an object’s own', '__proto__\n', 'constructor\n__proto__\n', 1, 0],
  ['empty lines', '\n\n\n', '\n', 0, 2],
  ['only the last end', 'a', 'a\n', 0, 0],
  ['nothing in common', lines(...range(0, 900)), lines(...range(1_000, 2_000)), 1_000, 900],
  ['more than is counted in order', lines(...range(0, 9_000)), lines(...range(5_000, 20_000)), 11_000, 5_000],
  ['more, and only turned around', lines(...range(0, 9_000)), lines(...range(0, 9_000).reverse()), 0, 0],
])('%s', (_name, before, after, additions, deletions) => {
  expect(lineChanges(before, after)).toEqual({ additions, deletions })
})

/** The length of the longest common subsequence, by the table that everybody knows. */
const inCommon = (one: readonly string[], other: readonly string[]): number => {
  let row = new Array<number>(other.length + 1).fill(0)
  for (const line of one) {
    const next = [0]
    for (const [index, against] of other.entries())
      next.push(line === against ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0))
    row = next
  }
  return row.at(-1) ?? 0
}

test('counts are those of a shortest diff, whatever the texts', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return (seed >> 8) % below
  }
  for (let round = 0; round < 300; round += 1) {
    const some = () => Array.from({ length: random(30) }, () => String(random(6)))
    const [before, after] = [some(), some()]
    const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
    const common = inCommon(before, after)
    expect(lineChanges(text(before), text(after))).toEqual({
      additions: after.length - common,
      deletions: before.length - common,
    })
  }
})
