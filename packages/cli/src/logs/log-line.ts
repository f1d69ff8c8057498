import { type CliOutput, truncateLine } from '../terminal/output.ts'
import type { LogEvent } from './log-event.ts'
import { toolOf } from './log-filter.ts'

/** Columns of an event's id in a line of the log: ev-9999; a longer one moves its line. */
const EVENT_COLUMNS = 7
/** Columns of an event's type: the longest types that are common. */
const TYPE_COLUMNS = 18

export const logLine = (out: CliOutput, event: LogEvent): string => {
  const { seq, type, timestamp } = event
  const head = `${clockTime(timestamp)} ${`ev-${seq}`.padEnd(EVENT_COLUMNS)} `
  const name = truncateLine(type, TYPE_COLUMNS).padEnd(TYPE_COLUMNS)
  const text = truncateLine(summaryOf(event), Math.max(out.width - head.length - name.length - 1, 0))
  return `${out.style('dim', head)}${out.style(isTrouble(event) ? 'red' : 'cyan', name)} ${text}`.trimEnd()
}

/** The words that a person looks for first, then the rest of the payload. */
const summaryOf = (event: LogEvent): string => {
  const { name: _name, tool_name: _tool, status, text, message, summary_text: summary, ...rest } = event.payload
  const words = [toolOf(event) ?? _name, status, text ?? message ?? summary].filter((each) => typeof each === 'string')
  // The card of the session would fill the line behind every change of its status.
  const more =
    event.type === 'session_state' ? '' : JSON.stringify(rest.arguments ?? rest.result ?? rest, withoutCallId)
  return [...words, more === '{}' ? '' : more].filter(Boolean).join(' ')
}

/** A call carries its id once more among its arguments. */
const withoutCallId = (name: string, value: unknown): unknown => (name === '_tool_call_id' ? undefined : value)

const isTrouble = ({ type, payload }: LogEvent): boolean =>
  type === 'error' || payload.status === 'error' || payload.status === 'failed' || payload.status === 'denied'

/** The local time of day: a person compares it with a clock on the wall. */
const clockTime = (iso: string): string => new Date(iso).toTimeString().slice(0, 8)
