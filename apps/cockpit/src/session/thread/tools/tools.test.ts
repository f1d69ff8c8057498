import type { HarnessToolCall } from 'bridle/client'
import { expect, test } from 'vitest'
import { toolOutput } from './tool-output.ts'
import { briefOf, toolShape } from './tool-shape.ts'
import { toolStateOf } from './tool-state.ts'

test.each([
  [
    { command: 'npm test', cwd: '/a' },
    { kind: 'command', command: 'npm test', folder: '/a' },
  ],
  [{ cmd: ['git', 'status'] }, { kind: 'command', command: 'git status', folder: null }],
  [
    { path: 'a', old_text: 'x', new_text: 'y' },
    { kind: 'edit', path: 'a', before: 'x', after: 'y' },
  ],
  [
    { file_path: 'a', old_string: '', new_string: 'y' },
    { kind: 'edit', path: 'a', before: '', after: 'y' },
  ],
  [
    { path: 'a', content: 'x' },
    { kind: 'file', path: 'a', content: 'x' },
  ],
  [{ command: { nested: 1 } }, { kind: 'plain' }],
  [{}, { kind: 'plain' }],
])('%j is shown as %j', (args, shape) => expect(toolShape(args)).toEqual(shape))

test('the row of a call has the argument that says most, in one visible line', () => {
  expect(briefOf({ limit: 3, query: 'retry\n budget' })).toBe('retry budget')
  expect(briefOf({ limit: 3 })).toBe('3')
  expect(briefOf({ command: 'rm\u202e -rf' })).toBe('rm⟨U+202E⟩ -rf')
  expect(briefOf({ nested: {} })).toBe('')
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
])('%j stands as it does', (given, isOver, state) => expect(toolStateOf(given, isOver)).toBe(state))
