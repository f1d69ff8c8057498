// Text wrapped into the lines of a terminal, with nothing cut away.
import { COLUMNS_MIN } from '../limits.ts'

/** Breaks text into lines of at most this many columns, after a space where possible. The lines together are the text. */
export const wrapText = (text: string, columns: number): string[] => {
  const max = Math.max(columns, COLUMNS_MIN)
  const lines: string[] = []
  let line: string[] = []
  let width = 0
  for (const unit of text.match(units) ?? []) {
    const added = columnCount(unit)
    if (width + added > max) {
      // A word longer than half a line is broken: the line before it would look like an end.
      const space = line.lastIndexOf(' ')
      const rest = space + 1 > line.length / 2 ? line.splice(space + 1) : []
      lines.push(line.join(''))
      line = rest
      width = columnCount(rest.join(''))
    }
    line.push(unit)
    width += added
  }
  return [...lines, line.join('')]
}

/** The columns that text takes on a terminal: two for Chinese, Japanese, Korean and emoji, none for a combining mark. */
export const columnCount = (text: string): number => {
  let columns = 0
  for (const letter of text) columns += combining.test(letter) ? 0 : wide.test(letter) ? 2 : 1
  return columns
}

/** An escape such as \u001b stays in one piece, and a letter keeps its marks. */
const units = /\\u[\da-f]{4}|.\p{M}*/gsu
const combining = /^[\p{Mn}\p{Me}]$/u
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u

/**
 * Text in which every character that is invisible, or that moves others, is escaped like in JSON: \u001b. A person who approves
 * a command must not see a different one.
 */
export const escapeInvisible = (text: string): string =>
  text.replace(unseen, (letter) => {
    const name = letter === '\n' ? '\\n' : letter === '\t' ? '\\t' : null
    return name ?? [...Array(letter.length).keys()].map((at) => escaped(letter.charCodeAt(at))).join('')
  })

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

// Controls, format characters (bidi marks among them), half characters, private and unassigned ones, every space but the ordinary
// one, fillers and variation selectors, and an empty Braille cell.
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu
