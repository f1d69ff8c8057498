// Text that comes in pieces, broken into the lines of a terminal between words. Every letter is shown at once: nobody knows when the
// next piece comes. A word that turns out too long for its line is taken back and begins the next one.
import { COLUMNS_MIN } from '../command/limits.ts'
import { displayWidth } from './display-width.ts'

/** Columns that a tab takes at most. */
const TAB_COLUMNS = 8

export interface WordFlow {
  /** The text to write, with the commands that take a word back. */
  readonly push: (text: string) => string
  /** The next text begins a new line. */
  readonly startLine: () => void
}

/** `width` is asked for each word: the window may change its size. */
export const createWordFlow = (width: () => number): WordFlow => {
  /** The columns before the word, and the part of the word that is shown. */
  let before = 0
  let shown = ''

  const startLine = () => {
    before = 0
    shown = ''
  }
  const addWord = (more: string): string => {
    const word = shown + more
    const isTooLong = before > 0 && before + displayWidth(word) > lineColumns(width)
    const written = isTooLong ? `${takeBack(shown)}\n${word}` : more
    if (isTooLong) before = 0
    shown = word
    return written
  }
  const endWord = () => {
    const columns = before + displayWidth(shown)
    // The terminal has broken a word that is longer than a line.
    before = columns > lineColumns(width) ? columns % width() : columns
    shown = ''
  }
  const addSpace = (space: string): string => {
    endWord()
    const columns = space === '\t' ? TAB_COLUMNS : 1
    const hasRoom = before + columns <= lineColumns(width)
    before = hasRoom ? before + columns : lineColumns(width)
    return hasRoom ? space : ''
  }
  const add = (part: string): string => {
    if (part === '\n') {
      startLine()
      return part
    }
    if (part === ' ' || part === '\t') return addSpace(part)
    if (displayWidth(part) !== 2 || [...part].length > 1) return addWord(part)
    // Chinese has no spaces: a line may end before and after every character.
    endWord()
    const written = addWord(part)
    endWord()
    return written
  }
  return { push: (text) => (text.match(parts) ?? []).map(add).join(''), startLine }
}

/** The last column stays free: a terminal that has filled it is between two lines. */
const lineColumns = (width: () => number): number => Math.max(width(), COLUMNS_MIN) - 1

/** Moves the cursor to the left, and clears the line from there. */
const takeBack = (text: string): string => (text === '' ? '' : `\u001b[${displayWidth(text)}D\u001b[K`)

/** Line ends, spaces, characters of two columns, and what is between them. */
const parts =
  /[\n \t]|[\u1100-\u115f\u2e80-\uffdc\u{17000}-\u{3fffd}]\p{M}*|[^\n \t\u1100-\u115f\u2e80-\uffdc\u{17000}-\u{3fffd}]+/gu
