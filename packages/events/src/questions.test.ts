import { describe, expect, test } from 'vitest'
import { isQuestionList, parseQuestions } from './questions.ts'

const cyclic: { [name: string]: unknown } = { type: 'object', properties: {} }
cyclic.properties = { self: cyclic }
const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, { type: 'string' }]))
const one = (question: object) => ({ questions: [{ question: 'Which?', options: ['a'], ...question }] })

describe('[S71] the normal form of a request', () => {
  test.each<[string, unknown, unknown]>([
    [
      'ids where there are none, and options as objects',
      {
        questions: [
          { question: 'Which?', options: ['a', { label: 'b', description: 'B' }] },
          { question: 'Why?', allow_free_text: true },
        ],
      },
      {
        questions: [
          { id: 'q1', question: 'Which?', options: [{ label: 'a' }, { label: 'b', description: 'B' }] },
          { id: 'q2', question: 'Why?', allow_free_text: true },
        ],
      },
    ],
    [
      'flags that are false are absent, and unknown fields go',
      one({ id: 'db', header: 'DB', multi_select: false, allow_free_text: false, colour: 'red' }),
      { questions: [{ id: 'db', header: 'DB', question: 'Which?', options: [{ label: 'a' }] }] },
    ],
    [
      'a default that fits',
      { ...one({ id: 'db', multi_select: true }), default: { db: ['a'] } },
      {
        questions: [{ id: 'db', question: 'Which?', options: [{ label: 'a' }], multi_select: true }],
        default: { db: ['a'] },
      },
    ],
    [
      'a form stays as it is',
      { schema: { type: 'object', properties: { port: { type: 'integer' } } }, default: { port: 1 } },
      { schema: { type: 'object', properties: { port: { type: 'integer' } } }, default: { port: 1 } },
    ],
    [
      'hostile labels are kept',
      one({ options: ['\u202eevil<b>'] }),
      { questions: [{ id: 'q1', question: 'Which?', options: [{ label: '\u202eevil<b>' }] }] },
    ],
  ])('%s', (_name, asked, parsed) => expect(parseQuestions(asked)).toEqual(parsed))
})

test.each<[string, unknown, RegExp]>([
  ['no request', 'Which?', /`questions` or `schema`/],
  ['neither', {}, /either `questions` or `schema`/],
  ['both', { ...one({}), schema: {} }, /either `questions` or `schema`/],
  ['no questions', { questions: [] }, /at least one question/],
  [
    '17 questions',
    { questions: Array.from({ length: 17 }, () => ({ question: 'a?', allow_free_text: true })) },
    /17 questions; at most 16/,
  ],
  ['no text', one({ question: ' ' }), /Question 1 has no text/],
  [
    'an id twice',
    { questions: [one({ id: 'q2' }).questions[0], one({}).questions[0]] },
    /Two questions have the id "q2"/,
  ],
  ['an id that is no key', one({ id: '__proto__' }), /The id of question 1/],
  ['a long header', one({ header: 'x'.repeat(201) }), /header of question 1/],
  ['a question that nobody can answer', one({ options: [] }), /no options and takes no free text/],
  ['51 options', one({ options: Array.from({ length: 51 }, (_, index) => `o${index}`) }), /51 options; at most 50/],
  ['a label of 10,000 characters', one({ options: ['x'.repeat(10_000)] }), /10000 characters; at most 200/],
  ['an empty label', one({ options: [''] }), /empty label/],
  ['a label twice', one({ options: ['a', 'a'] }), /option "a" twice/],
  ['an option that is no text', one({ options: [1] }), /Option 1 of question 1/],
  ['a flag that is a text', one({ multi_select: 'yes' }), /`multi_select` of question 1/],
  ['64 kB', one({ question: 'x'.repeat(64_000) }), /at most 64000/],
  [
    'a default that does not fit',
    { ...one({}), default: { q1: 'b' } },
    /The default does not fit. "b" is not an option/,
  ],
  ['a cycle', { schema: cyclic }, /nested deeper than 20 levels, or contains itself/],
  ['no JSON', { schema: { type: 'object', properties: { n: { default: 1n } } } }, /not JSON/],
  ['500 fields', { schema: { type: 'object', properties: fields(500) } }, /500 fields; at most 100/],
  [
    'fields in fields',
    { schema: { type: 'object', properties: { a: { type: 'object', properties: fields(100) } } } },
    /101 fields/,
  ],
  ['a form of no object', { schema: { type: 'array', items: {} } }, /type "object"/],
  ['a form without fields', { schema: { type: 'object', properties: {} } }, /no fields/],
  [
    'a password',
    { schema: { type: 'object', properties: { key: { type: 'string', format: 'password' } } } },
    /field "key" has the format "password"/,
  ],
  ['a reference', { schema: { type: 'object', properties: { a: { $ref: '#' } } } }, /field "a" has a `\$ref`/],
  [
    'a field that is required and not there',
    { schema: { type: 'object', properties: { a: {} }, required: ['b'] } },
    /requires "b"/,
  ],
  [
    'a choice without options',
    { schema: { type: 'object', properties: { a: { type: 'string', enum: [] } } } },
    /"a" has no options/,
  ],
  [
    'a type that is no text',
    { schema: { type: 'object', properties: { a: { type: [{ toString: 1, valueOf: 1 }] } } } },
    /`type` of field "a" is not a type of JSON Schema/,
  ],
  [
    'an unknown type',
    { schema: { type: 'object', properties: { a: { type: '__proto__' } } } },
    /`type` of field "a" is not a type of JSON Schema/,
  ],
  [
    'a reference in a part that is not a field',
    { schema: { type: 'object', properties: { a: {} }, $defs: { b: { $ref: '#' } } } },
    /`\$ref` or the format "password" in a part that is not a field/,
  ],
  [
    'a password in a condition',
    { schema: { type: 'object', properties: { a: {} }, if: { properties: { a: { format: 'Password' } } } } },
    /the format "password" in a part/,
  ],
  [
    'required fields that are no texts',
    { schema: { type: 'object', properties: { a: {} }, required: [{ toString: 1, valueOf: 1 }] } },
    /`required` of the form is not a list of texts/,
  ],
  [
    'a long title',
    { schema: { type: 'object', properties: { a: { type: 'string', title: 'x'.repeat(201) } } } },
    /title of field "a"/,
  ],
])('[S71] a request is refused: %s', (_name, asked, problem) =>
  expect(parseQuestions(asked)).toEqual({ problem: expect.stringMatching(problem) }),
)

test.each([
  [[{ id: 'a', question: 'Which?' }], true],
  [[{ id: 'a', question: 'Which?', options: [{ label: 'x' }], more: 1 }], true],
  [[{ question: 'Which?' }], false],
  [[{ id: 'a', question: 'Which?', options: ['x'] }], false],
  [{}, false],
])('%j is a list of questions: %s', (value, is) => expect(isQuestionList(value)).toBe(is))
