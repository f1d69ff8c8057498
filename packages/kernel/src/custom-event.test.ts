import { expect, test } from 'vitest'
import { customEventProblem } from './custom-event.ts'

test.each(['a', 'vendor.name:part_1-2', 'X'.repeat(64)])('an agent can emit %s', (name) => {
  expect(customEventProblem(name, {})).toBeNull()
})

const badName = (shown: string) =>
  `"${shown}" is not an event that an agent can emit: a name begins with a letter and has letters, digits and . _ : - only, at most 64.`

test.each<[name: string, event: unknown, data: unknown, problem: string]>([
  ['an empty name', '', {}, badName('')],
  ['a name that is not a text', 7, {}, badName('7')],
  ['a name that is too long, of which the message has the beginning', 'x'.repeat(65), {}, badName('x'.repeat(64))],
  ['a name of the catalogue', 'run_started', {}, '"run_started" is not an event that an agent can emit.'],
  ['a name of a surface', 'health_snapshot', {}, '"health_snapshot" is not an event that an agent can emit.'],
  ['a payload that is not an object', 'note', [], 'The payload of "note" is not an object.'],
])('an agent cannot emit %s', (_name, event, data, problem) => {
  expect(customEventProblem(event, data)).toBe(problem)
})
