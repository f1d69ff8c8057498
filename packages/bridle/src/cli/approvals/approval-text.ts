// The text of an approval: every character of what a person is asked to allow, and the reason on a line of its own.
import type { CliOutput } from '../terminal/output.ts'
import { columnCount, escapeInvisible, wrapText } from '../terminal/text-lines.ts'

export interface ApprovalDetails {
  /** The tool, or the subject of another question. */
  readonly subject: unknown
  readonly args?: unknown
  readonly reason?: unknown
}

export const printApproval = (out: CliOutput, request: ApprovalDetails): void => {
  for (const line of approvalLines(request, out.width)) {
    const mark = line.startsWith('?') ? out.style(['bold', 'yellow'], '?') : line.slice(0, 1)
    out.line(`${mark}${line.slice(1)}`)
  }
}

/** Lines without colour. Continued arguments begin with a bar, so that padding cannot imitate a line of this program. */
export const approvalLines = ({ subject, args, reason }: ApprovalDetails, columns: number): string[] => {
  const json = visibleArguments(args)
  const call = wrapText(`${escapeInvisible(textOf(subject))}${json === '' ? '' : ` ${json}`}`, columns - INDENT)
  return [...call.map((line, at) => `${at === 0 ? '?' : BAR} ${line}`), ...reasonLines(reason, columns)]
}

/** Arguments as JSON without invisible characters; the JSON parses to the same value. */
export const visibleArguments = (args: unknown): string => {
  const json = JSON.stringify(args)
  return json === undefined || json === '{}' || json === 'null' ? '' : escapeInvisible(json)
}

const reasonLines = (reason: unknown, columns: number): string[] => {
  const text = textOf(reason)
  if (text === '') return []
  const head = '  Reason: '
  const lines = text.split(/\r?\n/).flatMap((line) => wrapText(escapeInvisible(line), columns - columnCount(head)))
  return lines.map((line, at) => `${at === 0 ? head : '          '}${line}`)
}

/** An object where the wire promises a text is shown as JSON: a person must not approve what is not shown. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)

const BAR = '│'
/** The mark and a space. */
const INDENT = 2
