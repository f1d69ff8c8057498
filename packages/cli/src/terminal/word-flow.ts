// Wraps streamed text at word boundaries. Every letter is printed immediately; a word that outgrows its line is erased
// and moved to the next one.
import { COLUMNS_MIN } from '../command/limits.ts'
import { displayWidth } from './display-width.ts'

/** The usual tab stop of terminals. */
const TAB_COLUMNS = 8

export interface WordFlow {
  /** Terminal output, including sequences that erase a word. */
  readonly push: (text: string) => string
  /** Call when the next text starts a new line. */
  readonly startLine: () => void
}

/** `width` is called per word, because the window may be resized. */
export const createWordFlow = (width: () => number): WordFlow => {
  /** Columns before the current word, and its printed part. */
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
    // The terminal wrapped a word longer than a line.
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
    // Chinese has no spaces, so a line may break around every character.
    endWord()
    const written = addWord(part)
    endWord()
    return written
  }
  return { push: (text) => (text.match(parts) ?? []).map(add).join(''), startLine }
}

/** Leaves the last column free, because the cursor position after filling it is ambiguous. */
const lineColumns = (width: () => number): number => Math.max(width(), COLUMNS_MIN) - 1

/** Moves the cursor left and clears the rest of the line. */
const takeBack = (text: string): string => (text === '' ? '' : `\u001b[${displayWidth(text)}D\u001b[K`)

/** Line breaks, spaces, wide characters, and everything else. */
const parts =
  /[\n \t]|[\u1100-\u115f\u2e80-\uffdc\u{17000}-\u{3fffd}]\p{M}*|[^\n \t\u1100-\u115f\u2e80-\uffdc\u{17000}-\u{3fffd}]+/gu
