// Shows a tool call in one or two lines: name, short arguments, outcome and duration.
import type { HarnessToolCall } from '@bridle/client/index'
import { elapsedText } from '@bridle/words/index'
import { inlineValue, outcomeText, pathArgument } from '../../terminal/conversation-text.ts'
import { cutToColumns, displayWidth, endInColumns } from '../../terminal/display-width.ts'
import { oneLine } from '../../terminal/output.ts'
import type { Paint } from '../markdown/wrap.ts'

/** The cockpit shows the rest. */
const TOOL_TEXT_COLUMNS_MAX = 160
/** Scanned before truncating to a line. */
const TOOL_TEXT_CHARS_MAX = 2_000

export const runningToolRow = (
  call: HarnessToolCall,
  elapsedMs: number | null,
  columns: number,
  paint: Paint,
): string => {
  const waits = call.approval?.status === 'pending' ? 'waits for approval' : null
  return toolRow(
    paint.style('blue', '●'),
    call,
    waits ?? (elapsedMs === null ? '' : elapsedText(elapsedMs)),
    columns,
    paint,
  )
}

/** For a call that continues while other output follows. */
export const startedToolRow = (call: HarnessToolCall, columns: number, paint: Paint): string =>
  toolRow(paint.style('blue', '●'), call, 'runs', columns, paint)

export const finishedToolRows = (
  call: HarnessToolCall,
  elapsedMs: number | null,
  columns: number,
  paint: Paint,
): string[] => {
  // A call that ended before this chat attached has only the server's duration.
  const facts =
    elapsedMs === null ? outcomeText(call.toolOutcome) : outcomeText({ ...call.toolOutcome, elapsed_ms: elapsedMs }, 0)
  if (call.status === 'running') return [toolRow(paint.style('yellow', '✗'), call, 'stopped', columns, paint)]
  const isError = call.status === 'error'
  const outcome = call.outcome && call.outcome !== 'ok' && call.outcome !== 'artifact' ? [call.outcome] : []
  const mark = isError ? paint.style('red', '✗') : paint.style('green', '✓')
  const child = call.child ? [`session ${shortLine(call.child.id)}`] : []
  const head = toolRow(mark, call, [...outcome, ...child, ...(facts === '' ? [] : [facts])].join(' · '), columns, paint)
  const text = shortLine(inlineValue(call.result) || (isError ? (call.error ?? '') : ''))
  return text === '' ? [head] : [head, `  ${paint.style('dim', cutToColumns(text, textColumns(columns - 2)))}`]
}

const toolRow = (mark: string, call: HarnessToolCall, remark: string, columns: number, paint: Paint): string => {
  const name = cutToColumns(shortLine(call.name), textColumns(columns - 2))
  const tail = remark === '' ? '' : ` · ${remark}`
  const room = textColumns(columns - 2) - displayWidth(name) - displayWidth(tail) - 1
  const args = room < 4 ? '' : shortArguments(call.arguments, room)
  const tailText = tail === '' ? '' : paint.style('dim', tail)
  return `${mark} ${paint.style('bold', name)}${args === '' ? '' : ` ${args}`}${tailText}`
}

/** Shows the command or file of a call, or a single value, without its name. */
const shortArguments = (args: HarnessToolCall['arguments'], columns: number): string => {
  const values = Object.entries(args ?? {})
  const main = values.find(([name]) => MAIN_ARGUMENTS.has(name)) ?? (values.length === 1 ? values[0] : undefined)
  if (main && typeof main[1] === 'string') {
    const text = shortLine(main[1])
    return main[1] === pathArgument(args) ? endInColumns(text, columns) : cutToColumns(text, columns)
  }
  return values.length === 0 ? '' : cutToColumns(shortLine(JSON.stringify(args)), columns)
}

const MAIN_ARGUMENTS = new Set(['command', 'cmd', 'path', 'file_path', 'pattern', 'query', 'url', 'prompt'])

const shortLine = (text: string): string => oneLine(text.slice(0, TOOL_TEXT_CHARS_MAX).toWellFormed())

const textColumns = (columns: number): number => Math.min(columns, TOOL_TEXT_COLUMNS_MAX)
