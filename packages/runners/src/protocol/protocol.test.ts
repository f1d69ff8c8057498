// The messages of the runner protocol, as either end reads them.
import { expect, test } from 'vitest'
import {
  ackSchema,
  approvalAnswerSchema,
  cancelSchema,
  envSchema,
  parseBody,
  parseRunnerEvent,
  querySchema,
  steerSchema,
  stopTaskSchema,
} from './protocol.ts'

test.each([
  ['a query', querySchema, { prompt: 'x', settings: { model: 'm', mood: 1 } }],
  ['an approval’s answer', approvalAnswerSchema, { decision: 'approved' }],
  ['a further message', steerSchema, { id: 'm-1', text: 'x' }],
  ['the end of a task', stopTaskSchema, { taskId: 't-1' }],
  ['an acknowledgement', ackSchema, { frame: 1 }],
  ['a cancellation', cancelSchema, {}],
  ['variables', envSchema, { vars: { A: 'b' } }],
])('[R25] unknown fields of %s are ignored', (_name, schema, body) => {
  expect(parseBody(schema as typeof querySchema, { ...body, mood: { calm: true } })).toMatchObject({ value: body })
})

test.each([
  { type: 'run.started', requestId: 'r-1' },
  { type: 'assistant.delta', text: 'x' },
  { type: 'tool.completed', toolUseId: 't', toolName: 'read', outcome: { status: 'ok', extra: 1 } },
])('[R25] unknown fields of an event are ignored: $type', (event) => {
  expect(parseRunnerEvent(JSON.stringify({ ...event, mood: { calm: true } }))).toMatchObject(event)
})
