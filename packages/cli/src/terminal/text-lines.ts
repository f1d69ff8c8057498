// Text wrapped into the lines of a terminal, with nothing cut away.
import { COLUMNS_MIN } from '../command/limits.ts'
import { displayWidth, type Glyph, glyphsOf } from './display-width.ts'

/** Breaks text into lines of at most this many columns, after a space where possible. The lines together are the text. */
export const wrapText = (text: string, columns: number): string[] =>
  // A word longer than half a line is broken: the line before it would look like an end.
  wrap(text, columns, 1 / 2)

/** The same for advice: a word that fits into a line stays whole, and so does a command, since people copy it. */
export const wrapWords = (text: string, columns: number): string[] =>
  wrap(
    text.replace(commands, (command) => (command.length > columns ? command : command.replaceAll(' ', JOINED_SPACE))),
    columns,
    0,
  ).map((line) => line.replaceAll(JOINED_SPACE, ' '))

/** A remark: its words stay whole, and a line to copy, which is indented or has no space, stays as it is. A terminal copies such a line whole. */
export const wrapRemark = (text: string, columns: number): string[] =>
  text
    .split('\n')
    .flatMap((line) => (/^ {2}|^\S*$/u.test(line) ? [line] : wrapWords(line, columns).map((each) => each.trimEnd())))

/** Lines below each other, the first of them behind a label or a mark. */
export const behindLabel = (label: string, lines: readonly string[], columns = displayWidth(label)): string[] =>
  lines.map((line, at) => `${at === 0 ? label : ' '.repeat(columns)}${line}`.trimEnd())

/** The commands that advice tells people to type, with flags, quoted words, and what looks like an id, a path or an address. */
const commands =
  /\(cd \S+ && npm ci\)|npm (?:install|pkg set) [^\s;,]+|(?:npm run -s bridle --|npx bridle|(?<=\s)bridle)(?: [a-z]+){0,2}(?: (?:--?[a-z][a-z-]*|"[^"]*"|[^\s,;]*[-\d:/][^\s,;]*))*/gu

/** A space at which no line is broken: the no-break space. */
const JOINED_SPACE = '\u00a0'

/** A line is broken at its last space if more than this share of it stands before that space. */
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

/** Characters as a person sees them; an escape such as \u001b stays in one piece. */
const unitsOf = (text: string): Glyph[] =>
  text.split(escapes).flatMap((part, at) => (at % 2 === 1 ? [{ text: part, columns: part.length }] : glyphsOf(part)))

const escapes = /(\\u[\da-f]{4})/u

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
