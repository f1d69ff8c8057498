import { expect, test } from 'vitest'
import { formFields, type JsonSchema } from './form-field.ts'
import { formValue, initialDrafts } from './form-value.ts'

const schema: JsonSchema = {
  type: 'object',
  $defs: {
    Level: { enum: ['low', 'high'] },
    Loop: { type: 'object', properties: { again: { $ref: '#/$defs/Loop' } } },
  },
  properties: {
    title: { type: 'string', description: 'A line for people' },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
    ratio: { type: ['number', 'null'] },
    urgent: { type: 'boolean' },
    level: { $ref: '#/$defs/Level', default: 'high' },
    labels: { type: 'array', items: { type: 'string' } },
    range: { type: 'array', items: { type: 'number' } },
    issue: {
      type: 'object',
      required: ['number'],
      properties: { number: { type: 'integer' }, body: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    },
    loop: { $ref: '#/$defs/Loop' },
    any: {},
  },
  required: ['title', 'ratio', 'urgent', 'labels'],
}
const fields = formFields(schema) ?? []

test('each part of a schema is a field of its kind', () => {
  expect(fields.map(({ kind, label, isRequired }) => [label, kind, isRequired])).toEqual([
    ['title', 'text', true],
    ['count', 'number', false],
    ['ratio', 'number', true],
    ['urgent', 'switch', true],
    ['level', 'choice', false],
    ['labels', 'lines', true],
    ['range', 'json', false],
    ['issue', 'group', false],
    ['loop', 'group', false],
    ['any', 'json', false],
  ])
  expect(fields[0]?.description).toBe('A line for people')
  expect(formFields({ type: 'string' })).toBeNull()
  expect(formFields({ type: 'object' })).toBeNull()
})

test('an empty form has its defaults, null and empty lists where it may, and says what is missing', () => {
  expect(formValue(fields, initialDrafts(fields))).toEqual({
    value: { count: 3, ratio: null, urgent: false, level: 'high', labels: [] },
    problems: [{ id: 'title', message: 'This is required.' }],
  })
})

test('texts become values', () => {
  const drafts = {
    title: ' a ',
    count: '9',
    ratio: '0.5',
    urgent: true,
    level: '0',
    labels: 'one\n\n two ',
    range: '[1, 2]',
    'issue/number': '7',
    any: '{"x": null}',
  }
  expect(formValue(fields, drafts)).toEqual({
    value: {
      title: ' a ',
      count: 9,
      ratio: 0.5,
      urgent: true,
      level: 'low',
      labels: ['one', 'two'],
      range: [1, 2],
      issue: { number: 7 },
      any: { x: null },
    },
    problems: [],
  })
})

test.each([
  [{ count: 'x' }, 'count', 'This must be a number.'],
  [{ count: '1.5' }, 'count', 'This must be a whole number.'],
  [{ count: '0' }, 'count', 'This must be at least 1.'],
  [{ count: '10' }, 'count', 'This must be at most 9.'],
  [{ level: '7' }, 'level', 'Choose one of the values.'],
  [{ 'issue/body': 'text' }, 'issue/number', 'This is required.'],
])('%j is refused', (drafts, id, message) =>
  expect(formValue(fields, { title: 'a', ...drafts }).problems).toEqual([{ id, message }]),
)

test('JSON that is none says where; a name of the language is a name', () => {
  const [problem] = formValue(fields, { title: 'a', any: '{"a" 1}' }).problems
  expect(problem?.id).toBe('any')
  expect(problem?.message).toMatch(/^This is not JSON: /)
  const odd = formFields({ type: 'object', properties: JSON.parse('{"__proto__": {"type": "string"}}') }) ?? []
  expect(JSON.stringify(formValue(odd, JSON.parse('{"__proto__": "x"}')).value)).toBe('{"__proto__":"x"}')
})
