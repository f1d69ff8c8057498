// The text of an approval: every character of what a person is asked to allow, and the reason on a line of its own.
import type { Output } from '../terminal/output.ts'
import { columnsOf, visible, wrapped } from '../terminal/text-lines.ts'

export interface ApprovalRequest {
  /** The tool, or whatever else waits. */
  readonly subject: unknown
  readonly args?: unknown
  readonly reason?: unknown
}

export const showApproval = (out: Output, request: ApprovalRequest): void => {
  for (const line of approvalLines(request, out.width)) {
    const mark = line.startsWith('?') ? out.style(['bold', 'yellow'], '?') : line.slice(0, 1)
    out.line(`${mark}${line.slice(1)}`)
  }
}

/** Lines without colour. Those that continue the arguments begin with a bar, so that padding cannot pass for a line of ours. */
export const approvalLines = ({ subject, args, reason }: ApprovalRequest, columns: number): string[] => {
  const json = argumentsText(args)
  const call = wrapped(`${visible(textOf(subject))}${json === '' ? '' : ` ${json}`}`, columns - INDENT)
  return [...call.map((line, at) => `${at === 0 ? '?' : BAR} ${line}`), ...reasonLines(reason, columns)]
}

/** Arguments as JSON in which nothing is invisible; it parses to the same value. */
export const argumentsText = (args: unknown): string => {
  const json = JSON.stringify(args)
  return json === undefined || json === '{}' || json === 'null' ? '' : visible(json)
}

const reasonLines = (reason: unknown, columns: number): string[] => {
  const text = textOf(reason)
  if (text === '') return []
  const head = '  Reason: '
  const lines = text.split(/\r?\n/).flatMap((line) => wrapped(visible(line), columns - columnsOf(head)))
  return lines.map((line, at) => `${at === 0 ? head : '          '}${line}`)
}

/** An object where the wire promises a word is shown as JSON: text that fails to appear must not be approved. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)

const BAR = '│'
/** The mark and a space. */
const INDENT = 2
