import { expect, test } from 'vitest'
import { matchText } from './match.ts'
import { eventOf, findItems, markedPieces } from './palette/palette-item.ts'

const marked = (query: string, text: string): string | null => {
  const match = matchText(query, text)
  return (
    match &&
    markedPieces(text, 0, match.ranges)
      .map((piece) => (piece.isMarked ? `[${piece.text}]` : piece.text))
      .join('')
  )
}

test.each([
  ['bra', 'Branch from here', '[Bra]nch from here'],
  ['bra', 'Compare two branches', 'Compare two [bra]nches'],
  ['her bra', 'Branch from here', '[Bra]nch from [her]e'],
  ['anch', 'Branch from here', 'Br[anch] from here'],
  ['bfh', 'Branch from here', '[B]ranch [f]rom [h]ere'],
  ['brfrom', 'Branch from here', '[Br]anch [from] here'],
  ['bra', 'Events as bridle command', null],
  ['', 'Anything', 'Anything'],
  ['zz', 'Branch', null],
  ['x', 'Next row', 'Ne[x]t row'],
  ['ä', 'Änderung', '[Ä]nderung'],
  ['.*', 'Branch', null],
])('[C65] "%s" in "%s" is %s', (query, text, shown) => {
  expect(marked(query, text)).toBe(shown)
})

const item = (words: string, detail?: string) => ({
  key: words,
  icon: 'dot' as const,
  words,
  ...(detail !== undefined && { detail }),
  run: () => words,
})

test('[C65] what fits best stands first, in its group; groups without a row are left out', () => {
  const groups = [
    { title: 'Actions', items: [item('Compare two branches'), item('Branch from here'), item('Pause')] },
    { title: 'Sessions', items: [item('Budget by deadline', 'branch at 52')] },
    { title: 'Agents', items: [item('triage')] },
  ]
  expect(findItems('bra', groups).map(({ title, items }) => [title, items.map(({ words }) => words)])).toEqual([
    ['Actions', ['Branch from here', 'Compare two branches']],
    ['Sessions', ['Budget by deadline']],
  ])
  expect(findItems(' ', groups).flatMap(({ items }) => items)).toHaveLength(5)
})

test('marks in the detail are places after the words', () => {
  const [group] = findItems('bra', [{ title: 'Sessions', items: [item('Deadline', 'branch at 52')] }])
  const [found] = group?.items ?? []
  expect(markedPieces('branch at 52', 'Deadline '.length, found?.ranges ?? [])).toEqual([
    { text: 'bra', isMarked: true },
    { text: 'nch at 52', isMarked: false },
  ])
})

test.each([
  ['41', 41],
  ['event 41', 41],
  ['go to event 41', 41],
  ['ev-41', 41],
  ['#7', 7],
  ['4.1', null],
  ['event', null],
  ['9999999999999999', null],
])('"%s" names event %s', (query, event) => {
  expect(eventOf(query)).toBe(event)
})
