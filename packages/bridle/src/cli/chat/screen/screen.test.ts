// The text for the terminal, read by a small terminal.
import { expect, test } from 'vitest'
import { afterResize, drawScreen, emptyScreen, eraseLive, type LiveRows, type ScreenState } from './screen.ts'

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
  let screen: ScreenState = emptyScreen
  const draw = (printed: string[], rows: LiveRows) => {
    const drawn = drawScreen(screen, printed, rows)
    screen = drawn.screen
    terminal.write(drawn.output)
  }
  draw(['one'], live(['open text', 'status', '› '], 2, 2))
  expect(terminal.rows).toEqual(['one', 'open text', 'status', '› '])
  expect(terminal.cursor()).toEqual([3, 2])
  draw(['open text is done', 'two'], live(['› a', '  b'], 0, 3))
  expect(terminal.rows).toEqual(['one', 'open text is done', 'two', '› a', '  b'])
  expect(terminal.cursor()).toEqual([3, 3])
  draw([], live(['status', '› a', '  b'], 2, 1))
  expect(terminal.rows).toEqual(['one', 'open text is done', 'two', 'status', '› a', '  b'])
  terminal.write(eraseLive(screen.live))
  expect(terminal.rows).toEqual(['one', 'open text is done', 'two', ''])
})

test('a drawing that changes nothing writes nothing', () => {
  const { screen } = drawScreen(emptyScreen, [], live(['› '], 0, 2))
  expect(drawScreen(screen, [], live(['› '], 0, 2)).output).toBe('')
})

test('[C190] a narrower window has broken the rows above the cursor', () => {
  const { screen } = drawScreen(emptyScreen, [], live(['x'.repeat(70), 'y', `› ${'z'.repeat(50)}`], 2, 52))
  const moved = afterResize(screen, 40, (row) => row.length)
  // Two rows for the first, one for the second, and the cursor is in the second row of the third.
  expect(moved.live.cursor.row).toBe(4)
  expect(afterResize(screen, 100, (row) => row.length).live.cursor.row).toBe(2)
})
