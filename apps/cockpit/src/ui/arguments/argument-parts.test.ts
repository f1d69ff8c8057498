import { expect, test } from 'vitest'
import { argumentParts, argumentSummary, folderOf } from './argument-parts.ts'

test.each([
  [
    'a command, and the rest by key',
    { command: 'rm -rf dist', timeout: 5 },
    [
      { type: 'command', key: 'command', text: 'rm -rf dist' },
      { type: 'json', key: 'timeout', value: 5 },
    ],
    'rm -rf dist',
  ],
  [
    'a list of words is quoted where it must be',
    { command: ['bash', '-lc', 'echo "a b"'] },
    [{ type: 'command', key: 'command', text: 'bash -lc "echo \\"a b\\""' }],
    'bash -lc "echo \\"a b\\""',
  ],
  [
    'a command that is no text',
    { command: { run: 1 } },
    [{ type: 'json', key: 'command', value: { run: 1 } }],
    'command: {"run":1}',
  ],
  [
    'an edit of a file',
    { path: 'a.ts', old_text: 'x', new_text: 'y', all: true },
    [
      { type: 'edit', path: 'a.ts', before: 'x', after: 'y' },
      { type: 'json', key: 'all', value: true },
    ],
    'a.ts',
  ],
  [
    'an edit without a path',
    { old_string: '', new_string: 'y' },
    [{ type: 'edit', path: null, before: '', after: 'y' }],
    'an edit',
  ],
  [
    'several edits of a file',
    {
      file_path: 'a.ts',
      edits: [
        { old_string: 'a', new_string: 'b' },
        { old_string: 'c', new_string: 'd' },
      ],
    },
    [
      { type: 'edit', path: 'a.ts', before: 'a', after: 'b' },
      { type: 'edit', path: 'a.ts', before: 'c', after: 'd' },
    ],
    'a.ts',
  ],
  [
    'an edit with a field that a diff would hide',
    { edits: [{ old_string: 'a', new_string: 'b', also: 'c' }] },
    [{ type: 'json', key: 'edits', value: [{ old_string: 'a', new_string: 'b', also: 'c' }] }],
    'edits: [{"old_string":"a","new_string":"b","also":"c"}]',
  ],
  ['a whole file', { path: 'a.ts', content: 'x\n' }, [{ type: 'file', path: 'a.ts', content: 'x\n' }], 'a.ts'],
  [
    'content without a path, and keys of all objects',
    JSON.parse('{"content":"x","__proto__":{"a":1}}'),
    [
      { type: 'text', key: 'content', text: 'x' },
      { type: 'json', key: '__proto__', value: { a: 1 } },
    ],
    'x',
  ],
  [
    'a text says more than a number before it',
    { limit: 3, query: 'retry\nbudget' },
    [
      { type: 'json', key: 'limit', value: 3 },
      { type: 'text', key: 'query', text: 'retry\nbudget' },
    ],
    'retry\nbudget',
  ],
  [
    'a file to read',
    { mode: 'text', file_path: 'a.ts' },
    [
      { type: 'text', key: 'mode', text: 'text' },
      { type: 'text', key: 'file_path', text: 'a.ts' },
    ],
    'a.ts',
  ],
  [
    'an edit under other names',
    { old_str: 'x', new_str: 'y' },
    [{ type: 'edit', path: null, before: 'x', after: 'y' }],
    'an edit',
  ],
  ['nothing', {}, [], ''],
])('%s', (_name, args, parts, summary) => {
  expect(argumentParts(args)).toEqual(parts)
  expect(argumentSummary(args)).toBe(summary)
})

test('the folder of a command', () => {
  expect(folderOf(argumentParts({ command: 'npm test', cwd: '/a' }))).toBe('/a')
  expect(folderOf(argumentParts({ command: 'npm test', cwd: 3 }))).toBeNull()
})
