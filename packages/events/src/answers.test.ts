import { expect, test } from 'vitest'
import { answeredArguments, answerProblem, isAnswers } from './answers.ts'
import { formFields } from './forms.ts'
import type { QuestionRequest } from './questions.ts'

const options = [{ label: 'SQLite' }, { label: 'PostgreSQL' }]
const one: QuestionRequest = { questions: [{ id: 'db', question: 'Which?', options }] }
const several: QuestionRequest = { questions: [{ id: 'db', question: 'Which?', options, multi_select: true }] }
const free: QuestionRequest = { questions: [{ id: 'db', question: 'Which?', options, allow_free_text: true }] }
const two: QuestionRequest = {
  questions: [...one.questions, { id: 'why', question: 'Why?', allow_free_text: true }],
}

test.each<[string, QuestionRequest, unknown, RegExp | null]>([
  ['an option', one, { db: 'SQLite' }, null],
  ['an unknown option', one, { db: 'Oracle' }, /^"Oracle" is not an option of question "db"\.$/],
  ['an unknown question', one, { db: 'SQLite', other: 'x' }, /no question "other"; the questions are "db"/],
  ['no answer', two, { db: 'SQLite' }, /Question "why" has no answer/],
  ['an inherited name is no answer', { questions: [{ id: 'toString', question: 'a?', options }] }, {}, /has no answer/],
  ['two answers to a single choice', one, { db: ['SQLite', 'PostgreSQL'] }, /"db" takes one answer/],
  ['a number', one, { db: 1 }, /"db" must be a text/],
  ['no object', one, ['SQLite'], /`answers` must be an object/],
  ['several answers', several, { db: ['SQLite', 'PostgreSQL'] }, null],
  ['none of several', several, { db: [] }, null],
  ['one text for several', several, { db: 'SQLite' }, /"db" takes a list/],
  ['an unknown option among several', several, { db: ['SQLite', 'Oracle'] }, /"Oracle" is not an option/],
  ['an answer twice', several, { db: ['SQLite', 'SQLite'] }, /"SQLite" twice/],
  ['a free text', free, { db: 'DuckDB' }, null],
  ['an empty text', free, { db: ' ' }, /empty answer/],
  ['a long wrong answer is cut', one, { db: 'x'.repeat(200) }, /^"x{80}…" is not/],
])('[S72] answers: %s', (_name, request, answers, problem) => {
  const found = answerProblem(request, { answers })
  if (problem === null) expect(found).toBeNull()
  else expect(found).toMatch(problem)
})

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 2, maxLength: 5 },
    mail: { type: 'string', format: 'email' },
    page: { type: 'string', format: 'uri' },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    share: { type: 'number', minimum: 0, maximum: 1, default: 0.5 },
    port: { type: 'integer', minimum: 1 },
    keep: { type: 'boolean', default: true },
    env: { type: 'string', enum: ['dev', 'prod'] },
    size: {
      type: 'string',
      oneOf: [
        { const: 's', title: 'Small' },
        { const: 'l', title: 'Large' },
      ],
    },
    old: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
    tags: { type: 'array', items: { type: 'string', enum: ['x', 'y', 'z'] }, minItems: 1, maxItems: 2 },
    marks: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'm', title: 'M' },
          { const: 'n', title: 'N' },
        ],
      },
    },
    nested: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false },
    maybe: { type: ['string', 'null'] },
  },
  required: ['name'],
} as const

test.each<[string, object, RegExp | null]>([
  ['all that is required', { name: 'Ada' }, null],
  [
    'all fields',
    {
      ...{
        name: 'Ada',
        mail: 'a@example.com',
        page: 'https://example.com/a',
        day: '2024-02-29',
        at: '2026-11-19T18:30:00+01:00',
      },
      ...{
        share: 0.5,
        port: 80,
        keep: false,
        env: 'dev',
        size: 'l',
        old: 'b',
        tags: ['x', 'z'],
        marks: [],
        nested: { a: 1 },
        maybe: null,
      },
    },
    null,
  ],
  ['nothing', {}, /Field "name" is required/],
  ['an unknown field', { name: 'Ada', more: 1 }, /no field "more"/],
  ['a number for a text', { name: 5 }, /"name" must be a text/],
  ['a short text', { name: 'A' }, /"name" must have at least 2 characters/],
  ['a long text', { name: 'Adaaaa' }, /at most 5 characters/],
  ['characters, not units', { name: '🐎🐎🐎🐎🐎' }, null],
  ['no address', { name: 'Ada', mail: 'a' }, /"mail" must be an e-mail address/],
  ['no uri', { name: 'Ada', page: 'example' }, /"page" must be an address/],
  ['no day', { name: 'Ada', day: '2026-02-29' }, /"day" must be a date/],
  ['no time', { name: 'Ada', at: '2026-11-19' }, /"at" must be a date and time/],
  ['too little', { name: 'Ada', share: -1 }, /"share" must be at least 0/],
  ['too much', { name: 'Ada', share: 2 }, /"share" must be at most 1/],
  ['a fraction', { name: 'Ada', port: 1.5 }, /"port" must be a whole number/],
  ['a text for a flag', { name: 'Ada', keep: 'yes' }, /"keep" must be true or false/],
  ['an unknown choice', { name: 'Ada', env: 'test' }, /"env" must be one of "dev", "prod"/],
  ['an unknown titled choice', { name: 'Ada', size: 'Large' }, /"size" must be one of "s", "l"/],
  ['too few choices', { name: 'Ada', tags: [] }, /"tags" must have at least 1 entry/],
  ['too many choices', { name: 'Ada', tags: ['x', 'y', 'z'] }, /"tags" must have at most 2 entries/],
  ['a choice twice', { name: 'Ada', tags: ['x', 'x'] }, /"tags" has a choice twice/],
  ['an unknown one of several', { name: 'Ada', marks: ['o'] }, /"marks", entry 1, must be one of "m", "n"/],
  ['a nested value that lacks something', { name: 'Ada', nested: {} }, /"nested" must have "a"/],
  [
    'a nested value of the wrong type',
    { name: 'Ada', nested: { a: 'x' } },
    /"nested", property "a", must be a whole number/,
  ],
  ['a nested value with more', { name: 'Ada', nested: { a: 1, b: 2 } }, /"nested" has no property "b"/],
])('[S72] values: %s', (_name, values, problem) => {
  const found = answerProblem({ schema }, { values })
  if (problem === null) expect(found).toBeNull()
  else expect(found).toMatch(problem)
})

test.each(['__proto__', 'constructor', 'toString', '__defineGetter__'])(
  '[S72] a field of the unknown type %s takes any value',
  (type) =>
    expect(
      answerProblem({ schema: { type: 'object', properties: { a: { type } } } }, { values: { a: 'x' } }),
    ).toBeNull(),
)

test.each<[string, QuestionRequest, object, RegExp]>([
  [
    'a list of 201 texts',
    { questions: [{ id: 'a', question: 'Which?', multi_select: true, allow_free_text: true }] },
    { answers: { a: Array.from({ length: 201 }, (_, index) => `t${index}`) } },
    /"a" takes at most 200 answers/,
  ],
  [
    'a list of 201 choices',
    { schema: { type: 'object', properties: { a: { type: 'array', items: { enum: ['x'] } } } } },
    { values: { a: Array.from({ length: 201 }, () => 'x') } },
    /"a" must have at most 200 entries/,
  ],
  [
    'more than 64,000 characters',
    { schema: { type: 'object', properties: { a: { type: 'string' } } } },
    { values: { a: 'x'.repeat(64_000) } },
    /64008 characters as JSON; at most 64000/,
  ],
])('[S72] answers have limits: %s', (_name, request, given, problem) =>
  expect(answerProblem(request, given)).toMatch(problem),
)

test('a default of a field that does not fit is not offered', () => {
  const properties = { a: { type: 'integer', default: 'x' }, b: { type: 'integer', default: 7 } }
  expect(formFields({ type: 'object', properties }).map((field) => field.default)).toEqual([undefined, 7])
})

test('a form takes values, and questions take answers', () => {
  expect(answerProblem({ schema }, { answers: {} })).toBe('A form takes `values`, not `answers`.')
  expect(answerProblem(one, { values: {} })).toBe('Questions take `answers`, not `values`.')
  expect(answerProblem({ schema }, {})).toMatch(/`values` must be an object/)
  expect(answerProblem(one, {})).toMatch(/`answers` must be an object/)
})

test('the fields of a form, as a surface draws them', () => {
  expect(
    formFields(schema).map(({ name, type, options = [] }) => [name, type, ...options.map(({ label }) => label)]),
  ).toEqual([
    ['name', 'text'],
    ['mail', 'text'],
    ['page', 'text'],
    ['day', 'text'],
    ['at', 'text'],
    ['share', 'number'],
    ['port', 'integer'],
    ['keep', 'boolean'],
    ['env', 'choice', 'dev', 'prod'],
    ['size', 'choice', 'Small', 'Large'],
    ['old', 'choice', 'A', 'B'],
    ['tags', 'choices', 'x', 'y', 'z'],
    ['marks', 'choices', 'M', 'N'],
    ['nested', 'json'],
    ['maybe', 'json'],
  ])
  expect(formFields(schema)[0]).toEqual({
    name: 'name',
    type: 'text',
    label: 'Name',
    isRequired: true,
    least: 2,
    most: 5,
  })
  expect(formFields(schema)[5]).toEqual({
    name: 'share',
    type: 'number',
    label: 'share',
    isRequired: false,
    default: 0.5,
    least: 0,
    most: 1,
  })
})

test('[S73] the asker gets its arguments with the answer added', () => {
  expect(answeredArguments({ a: 1 }, { answers: { db: 'x' } })).toEqual({ a: 1, answers: { db: 'x' } })
  expect(answeredArguments({ a: 1 }, { values: { b: 2 } })).toEqual({ a: 1, values: { b: 2 } })
  expect(answeredArguments({ a: 1 }, {})).toEqual({ a: 1 })
})

test.each([
  [{ a: 'x', b: ['y'] }, true],
  [{ a: 1 }, false],
  [['x'], false],
])('%j are answers: %s', (value, are) => expect(isAnswers(value)).toBe(are))
