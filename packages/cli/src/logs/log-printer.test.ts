import { expect, test } from 'vitest'
import type { CliOutput } from '../terminal/output.ts'
import type { LogEvent } from './log-event.ts'
import { LogPrinter } from './log-printer.ts'

let seq = 0
const event = (type: string, text: string, more: Partial<LogEvent> = {}): LogEvent => ({
  ...{ type, payload: { text }, seq: ++seq, session_id: 's', timestamp: '2026-01-01T00:00:00.000Z', turn_id: 'r-1' },
  ...more,
})
const events = [
  ...['He', 'll', 'o'].map((text) => event('token', text)),
  event('turn_end', 'done'),
  event('token', 'One.'),
  event('token', 'Two', { turn_id: 'r-2' }),
  event('token', ' three', { turn_id: 'r-2' }),
  event('thinking', 'Hm', { turn_id: 'r-2' }),
  event('token', 'mine', { custom: true }),
  event('token', '!'),
]

test('[C378] pieces of a text are one line, and JSON has every event', () => {
  const lines: string[] = []
  const rows: unknown[] = []
  const style = (_format: unknown, text: string) => text
  const out = { width: 80, style, isJson: false, line: (line: string) => lines.push(line) } as unknown as CliOutput
  const people = new LogPrinter(out)
  const programs = new LogPrinter({
    ...out,
    isJson: true,
    row: (row: unknown) => rows.push(row),
  } as unknown as CliOutput)
  for (const each of events) {
    people.print(each)
    programs.print(each)
  }
  for (const printer of [people, people, programs]) printer.flush()
  expect(lines.map((line) => line.slice('00:00:00 '.length).replace(/ +/g, ' '))).toEqual([
    'ev-1 token × 3 Hello',
    'ev-4 turn_end done',
    'ev-5 token One.',
    'ev-6 token × 2 Two three',
    'ev-8 thinking Hm',
    'ev-9 token mine',
    'ev-10 token !',
  ])
  expect(rows).toEqual(events)
})
