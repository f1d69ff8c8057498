import { expect, test } from 'vitest'
import { editorRows } from './editor-rows.ts'
import { editorWith, emptyEditor } from './line-editor.ts'

const rowsOf = (text: string, cursor = text.length, columns = 10) =>
  editorRows({ ...emptyEditor, text, cursor }, '› ', 2, columns)

test.each([
  ['an empty line', '', undefined, ['› '], { row: 0, column: 2 }],
  ['a short one', 'abc', undefined, ['› abc'], { row: 0, column: 5 }],
  ['the cursor in the middle', 'abc', 1, ['› abc'], { row: 0, column: 3 }],
  ['a full row leaves the cursor in the next', 'abcdefgh', undefined, ['› abcdefgh', '  '], { row: 1, column: 2 }],
  ['a long one', 'abcdefghij', undefined, ['› abcdefgh', '  ij'], { row: 1, column: 4 }],
  ['the cursor at the beginning of a row', 'abcdefghij', 8, ['› abcdefgh', '  ij'], { row: 1, column: 2 }],
  ['lines', 'a\nb', undefined, ['› a', '  b'], { row: 1, column: 3 }],
  ['the cursor at the end of a line', 'a\nb', 1, ['› a', '  b'], { row: 0, column: 3 }],
  ['wide characters', '世界世界世', undefined, ['› 世界世界', '  世'], { row: 1, column: 4 }],
])('%s', (_name, text, cursor, rows, place) => {
  expect(rowsOf(text, cursor)).toEqual({ rows, cursor: place })
})

test('a text of many rows shows those around the cursor', () => {
  const text = Array.from({ length: 30 }, (_, at) => `l${at}`).join('\n')
  const { rows, cursor } = editorRows(editorWith(text), '› ', 2, 20)
  expect([rows.length, rows.at(-1), cursor.row]).toEqual([8, '  l29', 7])
  const top = rowsOf(text, 0)
  expect([top.rows.length, top.rows[0], top.cursor.row]).toEqual([8, '› l0', 0])
})
