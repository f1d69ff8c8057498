// An open approval in a list. Wraps the reason and arguments, and never truncates them.
import type { QuestionRequest } from '@bridle/events/questions'
import { requestLines } from '../terminal/question-text.ts'
import { escapeInvisible, wrapText } from '../terminal/text-lines.ts'

export interface InboxEntry {
  readonly reason: string
  /** Null if the server did not send them. */
  readonly args: unknown
  readonly request?: QuestionRequest | null
}

/** Indents every line, so that an agent's text cannot imitate output of this program. */
export const inboxLines = ({ reason, args, request = null }: InboxEntry, width: number): readonly string[] =>
  request === null
    ? callLines({ reason, args }, width)
    : requestLines(request, reason, width - INDENT.length).map((line) => INDENT + line)

const callLines = ({ reason, args }: Omit<InboxEntry, 'request'>, width: number): readonly string[] => [
  ...(reason === '' ? [] : reason.split(/\r\n|\n/).flatMap((line) => indented(line, width))),
  // A line per value, so that long commands stand out.
  ...(isEmpty(args) ? [] : JSON.stringify(args, null, 2).split('\n')).flatMap((line) => indented(line, width)),
]

const isEmpty = (args: unknown): boolean =>
  args === null || args === undefined || (typeof args === 'object' && Object.keys(args).length === 0)

const INDENT = '    '
/** Marks a wrapped line. An agent's text cannot fake it, because its lines have a different indent. */
const CONTINUED = '  … '

const indented = (line: string, width: number): readonly string[] =>
  wrapText(escapeInvisible(line), width - INDENT.length).map((piece, at) => (at === 0 ? INDENT : CONTINUED) + piece)
