// The text for the terminal, read by a small terminal.
import { expect, test } from 'vitest'
import { afterResize, drawScreen, eraseLive, type LiveRows, noRows } from './screen.ts'

const tokens = /\p{Cc}\[\??\d*[A-Za-z]|\r|\n|[^\p{Cc}]+/gu
const moves = /^\p{Cc}\[(\d*)([A-Z])$/u

/** Rows without end, and the few sequences that the screen uses. */
const tinyTerminal = () => {
  const rows: string[] = ['']
  let [row, column] = [0, 0]
  const write = (output: string) => {
    for (const [token] of output.matchAll(tokens)) {
      const [, amount, letter] = moves.exec(token) ?? []
      if (token === '\r') column = 0
      else if (token === '\n') rows[++row] ??= ''
      else if (letter === 'A') row -= Number(amount || 1)
      else if (letter === 'C') column += Number(amount || 1)
      else if (letter === 'J') {
        rows.length = row + 1
        rows[row] = (rows[row] ?? '').slice(0, column)
      } else if (!token.startsWith('\u001b')) {
        rows[row] =
          (rows[row] ?? '').padEnd(column).slice(0, column) + token + (rows[row] ?? '').slice(column + token.length)
        column += token.length
      }
    }
  }
  return { write, rows, cursor: () => [row, column] }
}

const live = (rows: string[], row = rows.length - 1, column = 0): LiveRows => ({ rows, cursor: { row, column } })

test('[C190] printed lines scroll above the live rows, which are replaced each time', () => {
  const terminal = tinyTerminal()
  let shown = noRows
  const draw = (printed: string[], rows: LiveRows) => {
    terminal.write(drawScreen(shown, printed, rows))
    shown = rows
  }
  draw(['one'], live(['open text', 'status', '› '], 2, 2))
  expect(terminal.rows).toEqual(['one', 'open text', 'status', '› '])
  expect(terminal.cursor()).toEqual([3, 2])
  draw(['open text is done', 'two'], live(['› a', '  b'], 0, 3))
  expect(terminal.rows).toEqual(['one', 'open text is done', 'two', '› a', '  b'])
  expect(terminal.cursor()).toEqual([3, 3])
  draw([], live(['status', '› a', '  b'], 2, 1))
  expect(terminal.rows).toEqual(['one', 'open text is done', 'two', 'status', '› a', '  b'])
  terminal.write(eraseLive(shown))
  expect(terminal.rows).toEqual(['one', 'open text is done', 'two', ''])
})

test('a drawing that changes nothing writes nothing', () => {
  expect(drawScreen(live(['› '], 0, 2), [], live(['› '], 0, 2))).toBe('')
})

test('[C190] a narrower window has broken the rows above the cursor', () => {
  const shown = live(['x'.repeat(70), 'y', `› ${'z'.repeat(50)}`], 2, 52)
  const moved = afterResize(shown, 40, (row) => row.length)
  // Two rows for the first, one for the second, and the cursor is in the second row of the third.
  expect(moved.cursor.row).toBe(4)
  expect(afterResize(shown, 100, (row) => row.length).cursor.row).toBe(2)
})
