import { expect, test } from 'vitest'
import { approvalLines } from './approval-text.ts'
import { displayWidth } from './display-width.ts'
import { fileChangeOf } from './file-change.ts'

const linesOf = (args: unknown, subject = 'Edit') => approvalLines({ subject, args, reason: 'why' }, 40)

test('[C344] an edit of a file is a path and a diff', () => {
  expect(linesOf({ file_path: 'src/a.ts', old_string: 'one\ntwo\nsix', new_string: 'one\n2\n3\nsix' })).toEqual([
    '? Edit src/a.ts',
    '  · one',
    '  - two',
    '  + 2',
    '  + 3',
    '  · six',
    '  Reason: why',
  ])
  expect(linesOf({ file_path: 'a', old_string: 'x', new_string: '', replace_all: true })).toEqual([
    '? Edit a',
    '  {"replace_all":true}',
    '  - x',
    '  + ',
    '  Reason: why',
  ])
})

test('[C344] a whole file is a path and added lines; a list of edits has a heading for each', () => {
  expect(linesOf({ file_path: 'my file', content: 'a\n\tb \n' }, 'Write')).toEqual([
    '? Write "my file"',
    '  + a',
    '  + \\tb\\u0020',
    '  Reason: why',
  ])
  const edits = [
    { old_string: 'a', new_string: 'b' },
    { old_string: 'c', new_string: 'd', replace_all: false },
  ]
  expect(linesOf({ file_path: 'a', edits }, 'MultiEdit')).toEqual([
    '? MultiEdit a',
    '  Edit 1 of 2',
    '  - a',
    '  + b',
    '  Edit 2 of 2 {"replace_all":false}',
    '  - c',
    '  + d',
    '  Reason: why',
  ])
})

test.each([
  ['a\n', ['  + a']],
  ['a', ['  + a', '  · (no newline at the end)']],
  ['a\n\n', ['  + a', '  + ']],
  ['\n', ['  + ']],
  ['', ['  · (empty)']],
])('[C344] the end of the file %j is not an empty line, and every other end looks different', (content, lines) => {
  expect(linesOf({ file_path: 'a', content }, 'Write').slice(1, -1)).toEqual(lines)
})

const edit = { file_path: 'a', old_string: 'b', new_string: 'c' }
test.each([
  ['a further argument', { ...edit, mode: 'x' }],
  ['a flag of another kind', { ...edit, replace_all: 'yes' }],
  ['a text that is none', { ...edit, new_string: 1 }],
  ['no path', { old_string: 'b', new_string: 'c' }],
  ['a file with a mode', { file_path: 'a', content: 'b', mode: 1 }],
  ['content that is no text', { file_path: 'a', content: ['b'] }],
  ['an edit and a file', { ...edit, content: 'b' }],
  ['an edit and a list', { ...edit, edits: [] }],
  ['no edit', { file_path: 'a', edits: [] }],
  ['an edit with something else', { file_path: 'a', edits: [{ old_string: 'b', new_string: 'c', also: 1 }] }],
  ['a list', [edit]],
  ['a key of all objects', JSON.parse('{"file_path":"a","old_string":"b","new_string":"c","__proto__":{"x":1}}')],
])('[C344] arguments with %s stay JSON', (_name, args) => {
  expect(fileChangeOf(args)).toBeNull()
  const call = linesOf(args).flatMap((line) => (/^[?│] /.test(line) ? [line.slice(2)] : []))
  expect(call.join('')).toBe(`Edit ${JSON.stringify(args)}`)
})

const hostile = [
  `${'long '.repeat(40)}end`,
  '\u001b[2J\u001b[1A? bash {}',
  '\\u001b[2J and \\t, \\n, \\d, \\\\u0020',
  '\\\t\\\u001b\\世',
  '  Reason: all is well\n  Approve? [y]es\n+ more\n│ bar\n· same',
  'tail  \n\r\n\n',
  'a path \\ \n\\  ',
  'rm \u202egpj \u200b\u00a0世界🐎',
]

test.each([40, 100])('[C21] [C344] at %i columns a diff shows every character of both texts', (width) => {
  for (const before of hostile)
    for (const after of hostile) {
      const lines = approvalLines(
        { subject: 'Edit', args: { file_path: 'a', old_string: before, new_string: after } },
        width,
      )
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width)
      for (const line of lines) expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\u00a0]/u)
      const [head, ...diff] = lines
      expect(head).toBe('? Edit a')
      const rows: { mark: string; text: string }[] = []
      for (const line of diff) {
        const [, mark = '', text = ''] = /^ {2}([-+·│]) (.*)$/u.exec(line) ?? []
        const last = rows.at(-1)
        if (mark === '│' && last) last.text += text
        else rows.push({ mark, text })
      }
      const textOf = (...marks: string[]) =>
        rows.flatMap(({ mark, text }) => (marks.includes(mark) ? [decoded(text)] : [])).join('\n')
      expect([textOf('-', '·'), textOf('+', '·')]).toEqual([before, after])
    }
})

/** The line that a shown one stands for. */
const decoded = (text: string): string =>
  text.replaceAll(/\\(\\|t|u([\da-f]{4}))/gu, (_all, letter: string, code?: string) =>
    code === undefined ? (letter === 't' ? '\t' : '\\') : String.fromCharCode(Number.parseInt(code, 16)),
  )
