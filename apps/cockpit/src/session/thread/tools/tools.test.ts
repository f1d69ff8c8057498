import type { HarnessToolCall } from 'bridle/client'
import { expect, test } from 'vitest'
import { toolBrief } from './tool-brief.ts'
import { toolOutput } from './tool-output.ts'
import { toolStateOf } from './tool-state.ts'

test('the row of a call has the argument that says most, in one visible line', () => {
  expect(toolBrief({ limit: 3, query: 'retry\n budget' })).toBe('retry budget')
  expect(toolBrief({ limit: 3 })).toBe('limit: 3')
  expect(toolBrief({ cmd: ['git', 'status'] })).toBe('git status')
  expect(toolBrief({ command: 'rm\u202e -rf' })).toBe('rm⟨U+202E⟩ -rf')
  expect(toolBrief({ nested: {} })).toBe('nested: {}')
})

test('results as text, with the code of a program', () => {
  expect(toolOutput('a')).toEqual({ text: 'a', exitCode: null, json: undefined })
  expect(toolOutput({ stdout: 'o', stderr: 'e', exit_code: 2 })).toMatchObject({ text: 'o\ne', exitCode: 2 })
  expect(toolOutput([1])).toEqual({ text: '', exitCode: null, json: [1] })
  expect(toolOutput(null)).toEqual({ text: '', exitCode: null, json: undefined })
})

const call = (more: Partial<HarnessToolCall>): HarnessToolCall => ({ id: 'c', name: 'run', status: 'running', ...more })

test.each([
  [call({}), false, 'running'],
  [call({ approval: { id: 'a', status: 'pending' } }), false, 'waiting'],
  [call({ approval: { id: 'a', status: 'pending' } }), true, 'cancelled'],
  [call({ approval: { id: 'a', status: 'denied' } }), true, 'denied'],
  [call({ status: 'complete' }), true, 'ok'],
  [call({ status: 'complete', outcome: 'artifact' }), true, 'artifact'],
  [call({ status: 'error', outcome: 'timeout' }), true, 'timeout'],
  [call({ status: 'error' }), true, 'error'],
  [call({ outcome: 'ok', superseded: true }), true, 'superseded'],
  // The run ended, or a branch left the question: the call never began, and nothing failed.
  [call({ status: 'error', outcome: 'error', approval: { id: 'a', status: 'cancelled' } }), true, 'cancelled'],
])('%j stands as it does', (given, isOver, state) => expect(toolStateOf(given, isOver)).toBe(state))
