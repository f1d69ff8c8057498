// Text that a person approves, with long runs of blanks replaced by a count: 80 line ends would push the rest of a command out of sight.
// Every character is in exactly one piece, so the counts and the text add up to the original.
import { exactText } from './exact-text.ts'

/** Empty lines in a row that are shown as they are: two separate paragraphs and functions, more only make distance. */
export const BLANK_LINES_MAX = 2

/** Characters in a row that draw nothing and are shown as they are: enough for the indentation of most code. */
const BLANKS_MAX = 20
/** Kinds of characters that a count names. */
const BLANK_KINDS_SHOWN = 4

export interface TextPiece {
  /** `blank`: characters that draw nothing, as a count. The page draws it unlike text, so that no text can imitate it. */
  readonly type: 'text' | 'blank'
  readonly text: string
}

/** `⟨79 empty lines⟩` for more than two empty lines, `⟨3000 spaces⟩` for more than 20 characters that draw nothing. */
export const textPieces = (text: string): TextPiece[] => {
  const pieces: TextPiece[] = []
  let plain = ''
  const flush = (): void => {
    if (plain !== '') pieces.push({ type: 'text', text: exactText(plain) })
    plain = ''
  }
  const count = (words: string): void => {
    flush()
    pieces.push({ type: 'blank', text: `⟨${words}⟩` })
  }
  const addBlanks = (blanks: string): void => {
    if ([...blanks].length > BLANKS_MAX) count(kindsText(blanks))
    else plain += blanks
  }
  let end = 0
  for (const { 0: run, index } of text.matchAll(BLANKS)) {
    plain += text.slice(end, index)
    end = index + run.length
    const [before = '', ...lines] = run.split('\n')
    const after = lines.pop()
    if (after === undefined) {
      addBlanks(before)
      continue
    }
    // In front of the text there is no line that the first of them ends.
    if (index === 0) lines.unshift(before)
    else {
      addBlanks(before)
      plain += '\n'
    }
    if (lines.length > BLANK_LINES_MAX) {
      count(linesText(lines))
      plain += '\n'
    } else
      for (const line of lines) {
        addBlanks(line)
        plain += '\n'
      }
    addBlanks(after)
  }
  plain += text.slice(end)
  flush()
  return pieces
}

/** True if nothing of the line is drawn. */
export const isBlank = (line: string): boolean => line.replace(BLANKS, '') === ''

/** `79 empty lines`, `79 blank lines: 158 spaces`. */
export const linesText = (lines: readonly string[]): string => {
  const inside = lines.join('')
  return inside === '' ? `${lines.length} empty lines` : `${lines.length} blank lines: ${kindsText(inside)}`
}

/** `3000 spaces`, `2 tabs, 40 U+00A0`: characters by kind, in the order in which they first occur. */
const kindsText = (blanks: string): string => {
  const counts = new Map<string, number>()
  for (const character of blanks) counts.set(character, (counts.get(character) ?? 0) + 1)
  const kinds = [...counts]
  const shown = kinds.slice(0, BLANK_KINDS_SHOWN).map(([character, count]) => `${count} ${kindText(character, count)}`)
  const others = kinds.slice(BLANK_KINDS_SHOWN).reduce((sum, [, count]) => sum + count, 0)
  return others > 0 ? `${shown.join(', ')}, ${others} others` : shown.join(', ')
}

const kindText = (character: string, count: number): string => {
  const word = { ' ': 'space', '\t': 'tab' }[character]
  if (word !== undefined) return count === 1 ? word : `${word}s`
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Controls, formats, spaces of every width, separators, fillers, and the signs that are empty: braille without a dot, a note without a head, hieroglyphs. */
const BLANKS = /[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}\u{13441}\u{13442}]+/gu
