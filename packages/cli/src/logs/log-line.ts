import { type CliOutput, truncateLine } from '../terminal/output.ts'
import type { LogEvent } from './log-event.ts'
import { toolOf } from './log-filter.ts'

/** Fits ev-9999. Longer ids shift their line. */
const EVENT_COLUMNS = 7
/** The longest common types. */
const TYPE_COLUMNS = 18

export const logLine = (out: CliOutput, event: LogEvent): string => {
  const { seq, type, timestamp } = event
  const head = `${clockTime(timestamp)} ${`ev-${seq}`.padEnd(EVENT_COLUMNS)} `
  const name = truncateLine(type, TYPE_COLUMNS).padEnd(TYPE_COLUMNS)
  const text = truncateLine(summaryOf(event), Math.max(out.width - head.length - name.length - 1, 0))
  return `${out.style('dim', head)}${out.style(isTrouble(event) ? 'red' : 'cyan', name)} ${text}`.trimEnd()
}

const summaryOf = (event: LogEvent): string => {
  const { name: _name, tool_name: _tool, status, text, message, summary_text: summary, ...rest } = event.payload
  const words = [toolOf(event) ?? _name, status, text ?? message ?? summary].filter((each) => typeof each === 'string')
  // The session card would fill a line on every status change.
  const more =
    event.type === 'session_state' ? '' : JSON.stringify(rest.arguments ?? rest.result ?? rest, withoutCallId)
  return [...words, more === '{}' ? '' : more].filter(Boolean).join(' ')
}

/** A call repeats its id in its arguments. */
const withoutCallId = (name: string, value: unknown): unknown => (name === '_tool_call_id' ? undefined : value)

const isTrouble = ({ type, payload }: LogEvent): boolean =>
  type === 'error' || payload.status === 'error' || payload.status === 'failed' || payload.status === 'denied'

/** Local time, comparable with a wall clock. */
const clockTime = (iso: string): string => new Date(iso).toTimeString().slice(0, 8)
