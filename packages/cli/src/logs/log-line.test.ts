import { expect, test } from 'vitest'
import type { CliOutput } from '../terminal/output.ts'
import type { LogEvent } from './log-event.ts'
import { logLine } from './log-line.ts'

const out = { width: 60, style: (_format: unknown, text: string) => text } as CliOutput
const lineOf = (type: string, payload: LogEvent['payload']): string =>
  logLine(out, { seq: 7, type, payload, timestamp: '2026-01-01T00:00:00.000Z' } as LogEvent).slice('00:00:00 '.length)

test.each<[string, LogEvent['payload'], string]>([
  ['session_state', { status: 'running', provider: null, model: null }, 'ev-7    session_state      running'],
  ['turn_end', { status: 'completed', queued: 0 }, 'ev-7    turn_end           completed {"queued":0}'],
  ['tool_call', { name: 'read', arguments: { p: 1, _tool_call_id: 'c' } }, 'ev-7    tool_call          read {"p":1}'],
  ['token', { text: 'Hi\nyou' }, 'ev-7    token              Hi you'],
])('[C287] %s %j', (type, payload, line) => expect(lineOf(type, payload)).toBe(line))
