import type { QuestionRequest } from '@bridle/events/questions'
import { expect, test } from 'vitest'
import { requestOf } from './answer-fields.ts'
import { displayWidth } from './display-width.ts'
import { requestLines, settledLines } from './question-text.ts'

const hostile = '\u001b[2J\u202egpj.exe\u200b<script>\u0007'
const shown = '\\u001b[2J\\u202egpj.exe\\u200b<script>\\u0007'
const asks = (question: string, more: object = {}): QuestionRequest => ({
  questions: [{ id: 'q', question, allow_free_text: true, ...more }],
})
/** Lines that begin an option, and those that a label could imitate. */
const numbered = (lines: readonly string[]) => lines.filter((line) => /^ *\d+ /.test(line))

test.each([40, 80, Number.POSITIVE_INFINITY])('[C409] hostile texts at %d columns', (columns) => {
  const label = `${'x'.repeat(190)}${'\u3000'.repeat(9)}y`
  const padded = `A${' '.repeat(74)}2  B`
  const request: QuestionRequest = {
    questions: [
      {
        ...{ id: 'q', header: hostile, question: `${hostile}${'long '.repeat(2_000)}\n  1  Fake${'\n'.repeat(80)}end` },
        options: [{ label, description: `${hostile}\n  2  Fake` }, { label: `a\n  3  b${hostile}` }, { label: padded }],
      },
    ],
  }
  const lines = requestLines(request, '', columns)
  if (columns < 100) expect(lines.filter((line) => displayWidth(line) > columns)).toEqual([])
  expect(lines.join('\n')).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/u)
  expect(numbered(lines).map((line) => line.slice(0, 6))).toEqual(['  1  x', '  2  a', '  3  A'])
  expect(lines.filter((line) => line.startsWith('? '))).toHaveLength(1)
  // Every character is there, and empty lines are counted.
  const text = lines.map((line) => line.replace(/^(?:\? |│ ?| *\d {2}| +[·│] ?)/, '')).join('')
  expect(text.replaceAll(' ', '')).toBe(
    `${shown}${shown}${'long'.repeat(2_000)}1Fake…79emptylinesend${'x'.repeat(190)}${'\\u3000'.repeat(9)}y${shown}2Fakea\\n3b${shown}A2B`,
  )
})

test('[C409] a label of 200 characters is shown whole, below itself', () => {
  const label = 'word '.repeat(40).trim()
  const lines = requestLines(asks('Which?', { options: [{ label }, { label: 'b' }] }), '', 80)
  expect(lines).toEqual([
    '? Question',
    '│ Which?',
    `  1  ${'word '.repeat(15).trim()}`,
    `   │ ${'word '.repeat(15).trim()}`,
    `   │ ${'word '.repeat(10).trim()}`,
    '  2  b',
  ])
})

test('[C408] a request of several questions, and the fields of a form', () => {
  const { questions = [] } = asks('First?', {
    header: 'One',
    options: [{ label: 'a', description: 'the first' }],
    multi_select: true,
  })
  const several = { questions: [...questions, { id: 'r', question: 'Second?', allow_free_text: true }] }
  expect(requestLines(several, 'First?', 80)).toEqual([
    ...['? 1 of 2: One (several)', '│ First?', '  1  a', '     · the first', '? 2 of 2', '│ Second?'],
  ])
  const properties = {
    port: { type: 'integer', title: 'Port', description: 'Where it listens' },
    level: { type: 'string', enum: ['a', 'b'], enumNames: ['Low', 'High'] },
    day: { type: 'string', format: 'date' },
    more: { type: 'object' },
  }
  const form = { schema: { type: 'object', properties, required: ['port', 'level'] } }
  expect(requestLines(form, 'The MCP server "x" asks: Where?', 80)).toEqual([
    '? The MCP server "x" asks: Where?',
    ...['? 1 of 4: Port [port] (whole number)', '│ Where it listens', '? 2 of 4: level', '  1  Low', '  2  High'],
    ...['? 3 of 4: day (date, optional)', '? 4 of 4: more (JSON, optional)'],
  ])
})

test('[C409] an answer is shown with every character', () => {
  const settled = { decision: 'approved', reason: null, answers: { db: `a\n? b${hostile}`, list: ['x', 'y'] } }
  expect(settledLines(settled, true, 80)).toEqual([
    '✓ question answered, elsewhere',
    `│ db: a\\n? b${shown}`,
    '│ list: x, y',
  ])
  const words = (decision: string, reason: string | null) => settledLines({ decision, reason }, false, 80)
  expect([
    words('approved', 'expired'),
    words('denied', 'Not now'),
    words('expired', null),
    words('superseded', null),
  ]).toEqual([
    ['✓ question expired, and its default applies'],
    ['✗ question declined: Not now'],
    ['✗ question expired'],
    ['✗ question is no longer asked'],
  ])
})

test.each([
  ['a call', { kind: 'tool', questions: [{ id: 'a', question: 'b' }] }],
  ['a kind of a later version', { kind: 'sign_in' }],
  ['questions that are none', { kind: 'question', questions: [{ id: 1 }] }],
  ['no questions', { kind: 'question', questions: [] }],
  ['a schema that is none', { kind: 'question', schema: 'text' }],
])('[C406] %s is shown as the approval of a call', (_name, approval) => expect(requestOf(approval)).toBeNull())
