import type { HarnessPart } from 'bridle/client'
import { expect, test } from 'vitest'
import {
  callAnchor,
  emptyTurnMarkers,
  type Marker,
  type TextMarker,
  type TurnMarkers,
  textAnchor,
  thoughtAnchor,
} from '../thread-index.ts'
import { placedMarkers } from './placed-markers.ts'
import { textPieces } from './text-pieces.ts'

const marker = (seq: number, type = 'session_checkpoint', isHearsay = false): Marker =>
  ({ seq, type, payload: {}, timestamp: '', turnId: 'r1', isHearsay }) as unknown as Marker
const numbers = (markers: readonly Marker[] | undefined) => markers?.map(({ seq }) => seq)
const mark = (at: number, seq = at): TextMarker => ({ at, marker: marker(seq) })
const piecesOf = (text: string, ...marks: TextMarker[]) =>
  textPieces(text, marks, new Map()).map((piece) => [piece.text, ...(numbers(piece.markers) ?? [])])

test('[F60] markers stand where the answer notes them: in a text, behind a call or a thought, before everything', () => {
  const turn: TurnMarkers = {
    ...emptyTurnMarkers,
    after: new Map([[callAnchor('a'), [marker(7), marker(8)]]]),
    before: new Map([[callAnchor('a'), [marker(5, 'approval_applied')]]]),
    atEnd: [marker(1), marker(3), marker(4), marker(9), marker(10, 'session_checkpoint', true), marker(11)],
  }
  const parts: HarnessPart[] = [
    { type: 'text', text: 'Old', superseded: true },
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', from: 0 },
    { type: 'tool', toolCallId: 'a' },
    { type: 'text', from: 6 },
  ]
  const places = [
    { seq: 1, parts: 1, chars: 3 },
    { seq: 3, parts: 2, chars: 0 },
    { seq: 4, parts: 3, chars: 4 },
    { seq: 7, parts: 4, chars: 6 },
    { seq: 8, parts: 5, chars: 8 },
    { seq: 9, parts: 5, chars: 11 },
    { seq: 10, parts: 5, chars: 11 },
  ]
  const placed = placedMarkers(turn, { parts, places })
  expect(numbers(placed.atStart)).toEqual([1])
  expect(numbers(placed.after.get(thoughtAnchor(0)))).toEqual([3])
  expect(placed.inText.get(textAnchor(0))).toEqual([{ at: 4, marker: marker(4) }])
  expect(numbers(placed.before.get(callAnchor('a')))).toEqual([5])
  expect(numbers(placed.after.get(callAnchor('a')))).toEqual([7])
  expect(placed.inText.get(textAnchor(1))?.map(({ at }) => at)).toEqual([2, 5])
  // Hearsay has no place, and neither has an event that came after the answer.
  expect(numbers(placed.atEnd)).toEqual([10, 11])
  expect(placedMarkers(turn, { parts, places })).toBe(placed)
  expect(placedMarkers(turn, { parts })).toBe(turn)
})

test('[F60] a text is parted behind a word, and never inside of code, a list, a table or bold text', () => {
  expect(piecesOf('First. Second.', mark(6))).toEqual([['First.', 6], [' Second.']])
  expect(piecesOf('First. Second.', mark(9))).toEqual([['First. Second', 9], ['.']])
  expect(piecesOf('One.\n\nTwo.', mark(4), mark(6), mark(99))).toEqual([
    ['One.', 4],
    ['\n\n', 6],
    ['Two.', 99],
  ])
  expect(piecesOf('a **bold word** b', mark(8))).toEqual([['a **bold word**', 8], [' b']])
  for (const block of ['```ts\nconst a = 1\n```\n', '* one\n* two\n', '| a | b |\n| --- | --- |\n| c | d |\n']) {
    const [first] = piecesOf(`${block}\nEnd.`, mark(9), mark(10))
    expect(first?.[0]).toBe(block.startsWith('*') ? block.trimEnd() : String(first?.[0]))
    expect(String(first?.[0]).trim()).toBe(block.trim())
    expect(first?.slice(1)).toEqual([9, 10])
  }
})

test('[F60] while a text grows a marker stays before what comes after it', () => {
  const settled = new Map<number, number>()
  const whole = 'Look.\n\nThen more, and more.\n\nEnd.'
  for (let length = 1; length <= whole.length; length++) {
    const pieces = textPieces(whole.slice(0, length), [mark(5)], settled)
    expect(pieces[0]?.text).toBe(whole.slice(0, Math.min(5, length)))
    expect(pieces.map(({ text }) => text).join('')).toBe(whole.slice(0, length))
  }
  expect(settled.get(5)).toBe(5)
})
