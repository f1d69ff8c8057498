// An open approval in a list: every character of the reason and of the arguments, wrapped and never cut.
import type { QuestionRequest } from '@bridle/events/questions'
import { requestLines } from '../terminal/question-text.ts'
import { escapeInvisible, wrapText } from '../terminal/text-lines.ts'

export interface InboxEntry {
  readonly reason: string
  /** Null = the server did not send them. */
  readonly args: unknown
  /** Absent or null: the approval is not a question. */
  readonly request?: QuestionRequest | null
}

/** Lines of at most `width` columns; each is indented, so that none can imitate a line of this program. */
export const inboxLines = ({ reason, args, request = null }: InboxEntry, width: number): readonly string[] =>
  request === null
    ? callLines({ reason, args }, width)
    : requestLines(request, reason, width - INDENT.length).map((line) => INDENT + line)

const callLines = ({ reason, args }: Omit<InboxEntry, 'request'>, width: number): readonly string[] => [
  ...(reason === '' ? [] : reason.split(/\r\n|\n/).flatMap((line) => indented(line, width))),
  // Each value on its line, so that a long command stands alone.
  ...(isEmpty(args) ? [] : JSON.stringify(args, null, 2).split('\n')).flatMap((line) => indented(line, width)),
]

const isEmpty = (args: unknown): boolean =>
  args === null || args === undefined || (typeof args === 'object' && Object.keys(args).length === 0)

const INDENT = '    '
/** Continues the line above: text of an agent cannot begin with it, since the indent of its own lines differs. */
const CONTINUED = '  … '

const indented = (line: string, width: number): readonly string[] =>
  wrapText(escapeInvisible(line), width - INDENT.length).map((piece, at) => (at === 0 ? INDENT : CONTINUED) + piece)
