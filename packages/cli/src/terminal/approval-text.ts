// The text of an approval shows every character to be approved, and the reason on a separate line.

import { isJsonObject } from '@bridle/events/json'
import type { ArgumentDraft } from '../approvals/argument-draft.ts'
import { argumentDiffLines, changeLines } from './argument-diff.ts'
import { displayWidth } from './display-width.ts'
import { type FileChange, type FileEdit, fileChangeOf, pathText } from './file-change.ts'
import type { CliOutput } from './output.ts'
import { escapeInvisible, wrapText, wrapWords } from './text-lines.ts'

export interface ApprovalDetails {
  /** The tool, or the subject of another kind of approval. */
  readonly subject: unknown
  readonly args?: unknown
  readonly reason?: unknown
  /** The sub-agent's session that asks. Absent: the session itself. */
  readonly child?: unknown
}

/** Wrapped arguments start with a bar, so that padding cannot imitate our output. File changes are shown as a diff. */
export const approvalLines = (
  { subject, args, reason, child }: ApprovalDetails,
  columns: number,
  style: CliOutput['style'] = (_format, text) => text,
  mark = style(['bold', 'yellow'], '?'),
): string[] => {
  const change = fileChangeOf(args)
  const shown = change === null ? visibleArguments(args) : pathText(change.path)
  const call = wrapText(`${escapeInvisible(textOf(subject))}${shown === '' ? '' : ` ${shown}`}`, columns - INDENT)
  return [
    ...call.map((line, at) => `${at === 0 ? mark : BAR} ${line}`),
    ...(change === null ? [] : change.edits.flatMap((edit, at) => editLines(edit, at, change, columns, style))),
    ...reasonLines(reason, columns),
    ...childLines(child, columns),
  ]
}

export const childLines = (child: unknown, columns: number): string[] => {
  if (!isJsonObject(child)) return []
  const words = `Asked by ${textOf(child.agent)}, session ${textOf(child.id)}`
  return wrapText(escapeInvisible(words), columns - INDENT).map((line) => `  ${line}`)
}

/** Replaces an approval that only the child session has in full. */
export const cutLines = (columns: number): string[] =>
  wrapWords('Too long to show here. Read it in that session.', columns - INDENT).map((line) => `  ${line}`)

const editLines = (
  { lines, options }: FileEdit,
  at: number,
  { edits }: FileChange,
  columns: number,
  style: CliOutput['style'],
): string[] => {
  const place = edits.length === 1 ? '' : `Edit ${at + 1} of ${edits.length}`
  const heading = [place, visibleArguments(options)].filter((each) => each !== '').join(' ')
  return [...(heading === '' ? [] : [`  ${heading}`]), ...changeLines(lines, columns, style)]
}

export const draftLines = (
  request: ApprovalDetails,
  { original, edited }: Pick<ArgumentDraft, 'original' | 'edited'>,
  columns: number,
  style: CliOutput['style'],
): string[] =>
  edited === null
    ? approvalLines(request, columns, style)
    : [
        ...approvalLines({ ...request, args: edited }, columns, style),
        ...argumentDiffLines(original, edited, columns, style),
      ]

/** JSON with invisible characters escaped. Parses to the same value. */
export const visibleArguments = (args: unknown): string => {
  const json = JSON.stringify(args)
  return json === undefined || json === '{}' || json === 'null' ? '' : escapeInvisible(json)
}

const reasonLines = (reason: unknown, columns: number): string[] => {
  const text = textOf(reason)
  if (text === '') return []
  const head = '  Reason: '
  const lines = text.split(/\r?\n/).flatMap((line) => wrapText(escapeInvisible(line), columns - displayWidth(head)))
  return lines.map((line, at) => `${at === 0 ? head : '          '}${line}`)
}

/** Shows unexpected objects as JSON, because nothing may be approved unseen. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)

const BAR = '│'
const INDENT = 2
