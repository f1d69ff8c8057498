// A question to a person, whole: every character of the reason and of the arguments, wrapped and never cut. A character that
// a terminal would obey or not show is written as its escape, so that what is read is what is approved.
import { inspect } from 'node:util'

export interface InboxText {
  readonly reason: string
  /** Null = nobody knows them here. */
  readonly args: unknown
}

/** Lines of at most `width` characters; each is indented, so that none can pass for a line of ours. */
export const inboxLines = ({ reason, args }: InboxText, width: number): readonly string[] => [
  ...(reason === '' ? [] : wrapped(reason.split(/\r\n|\n/).map(visible), width)),
  ...(isEmpty(args) ? [] : wrapped(argumentText(args).split('\n').map(visible), width)),
]

/** Control and format characters, other separators of lines, and halves of characters, as `\u{…}`. A tab is one too. */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`)

/** JSON over several lines: one for each value, so that long commands stand alone. */
const argumentText = (args: unknown): string => JSON.stringify(args, null, 2) ?? inspect(args)

const isEmpty = (args: unknown): boolean =>
  args === null || args === undefined || (typeof args === 'object' && Object.keys(args).length === 0)

const INDENT = '    '
/** Continues the line above: text of an agent cannot begin with it, since the indent of its own lines differs. */
const CONTINUED = '  … '
const WIDTH_MIN = 20

const wrapped = (lines: readonly string[], width: number): readonly string[] =>
  lines.flatMap((line) => {
    const room = Math.max(width - INDENT.length, WIDTH_MIN)
    const letters = [...line]
    const pieces = Array.from({ length: Math.max(1, Math.ceil(letters.length / room)) }, (_, index) =>
      letters.slice(index * room, (index + 1) * room).join(''),
    )
    return pieces.map((piece, index) => (index === 0 ? INDENT : CONTINUED) + piece)
  })
