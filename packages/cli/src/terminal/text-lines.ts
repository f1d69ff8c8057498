import { COLUMNS_MIN } from '../command/limits.ts'
import { displayWidth, type Glyph, glyphsOf } from './display-width.ts'

/** Wraps after spaces if possible. The concatenated lines equal the text. */
export const wrapText = (text: string, columns: number): string[] =>
  // Break words longer than half a line, because a short line would look like the end.
  wrap(text, columns, 1 / 2)

/** Keeps words and commands whole, so that they can be copied. */
export const wrapWords = (text: string, columns: number): string[] =>
  wrap(
    text.replace(commands, (command) => (command.length > columns ? command : command.replaceAll(' ', JOINED_SPACE))),
    columns,
    0,
  ).map((line) => line.replaceAll(JOINED_SPACE, ' '))

/** Keeps words whole, and leaves indented lines and lines without spaces alone: a terminal copies them whole. */
export const wrapRemark = (text: string, columns: number): string[] =>
  text
    .split('\n')
    .flatMap((line) => (/^ {2}|^\S*$/u.test(line) ? [line] : wrapWords(line, columns).map((each) => each.trimEnd())))

/** Puts a label before the first line and indents the others. */
export const behindLabel = (label: string, lines: readonly string[], columns = displayWidth(label)): string[] =>
  lines.map((line, at) => `${at === 0 ? label : ' '.repeat(columns)}${line}`.trimEnd())

/** Commands in advice: flags, quoted words, and apparent ids, paths or addresses. */
const commands =
  /\(cd \S+ && npm ci\)|npm (?:install|pkg set) [^\s;,]+|(?:npm run -s bridle --|npx bridle|(?<=\s)bridle)(?: [a-z]+){0,2}(?: (?:--?[a-z][a-z-]*|"[^"]*"|[^\s,;]*[-\d:/][^\s,;]*))*/gu

/** A no-break space. */
const JOINED_SPACE = '\u00a0'

/** Breaks at the last space if more than `share` of the line precedes it. */
const wrap = (text: string, columns: number, share: number): string[] => {
  const max = Math.max(columns, COLUMNS_MIN)
  const lines: string[] = []
  let line: Glyph[] = []
  let width = 0
  for (const unit of unitsOf(text)) {
    if (width + unit.columns > max) {
      const space = line.findLastIndex((each) => each.text === ' ')
      const rest = space + 1 > line.length * share ? line.splice(space + 1) : []
      lines.push(textOf(line))
      line = rest
      width = rest.reduce((sum, { columns: each }) => sum + each, 0)
    }
    line.push(unit)
    width += unit.columns
  }
  return [...lines, textOf(line)]
}

const textOf = (line: readonly Glyph[]): string => line.map(({ text }) => text).join('')

/** Graphemes. An escape such as \u001b stays in one piece. */
const unitsOf = (text: string): Glyph[] =>
  text.split(escapes).flatMap((part, at) => (at % 2 === 1 ? [{ text: part, columns: part.length }] : glyphsOf(part)))

const escapes = /(\\u[\da-f]{4})/u

/** Escapes every invisible or reordering character as in JSON, because an approved command must not look like another one. */
export const escapeInvisible = (text: string): string =>
  text.replace(unseen, (letter) => {
    const name = letter === '\n' ? '\\n' : letter === '\t' ? '\\t' : null
    return name ?? [...Array(letter.length).keys()].map((at) => escaped(letter.charCodeAt(at))).join('')
  })

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

// Controls, format characters including bidi marks, surrogates, private and unassigned characters, unusual spaces,
// fillers, variation selectors, and the empty Braille cell.
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu
