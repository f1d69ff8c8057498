import { validateWithSchema } from '@bridle/agents/schemas/standard-schema'
import type { Json, JsonObject } from '@bridle/events/json'
import { expect, test } from 'vitest'
import { argumentSchema } from './argument-check.ts'

const file: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string', pattern: '^(a+)+$' },
    lines: { type: 'integer', minimum: 1 },
    mode: { enum: ['r', 'w', null] },
    tags: { type: 'array', items: { type: ['string', 'number'] } },
    of: { type: 'object', properties: { kind: { const: 'x' } }, required: ['kind'] },
    odd: { type: 'hologram', items: true, required: 7 },
  },
  required: ['path'],
  additionalProperties: false,
}

test.each<[string, Json, string | null]>([
  ['everything fits', { path: '/a', lines: 3, mode: null, tags: ['x', 1], of: { kind: 'x' }, odd: [1] }, null],
  ['a name is missing', {}, 'path: It is missing.'],
  ['an inherited name is missing', JSON.parse('{"path":"a","of":{"toString":1}}'), 'of.kind: It is missing.'],
  ['a wrong type', { path: 7 }, 'path: This is not of the type string.'],
  ['not an integer', { path: 'a', lines: 1.5 }, 'lines: This is not of the type integer.'],
  ['not a choice', { path: 'a', mode: 'x' }, 'mode: This is not one of the values that are allowed.'],
  ['inside a list', { path: 'a', tags: ['x', null] }, 'tags.1: This is not of the type string or number.'],
  ['another constant', { path: 'a', of: { kind: 'y' } }, 'of.kind: This is not one of the values that are allowed.'],
  ['an unknown name', { path: 'a', paths: 1 }, 'paths: The tool has no argument of this name.'],
  ['the prototype', JSON.parse('{"path":"a","__proto__":1}'), '__proto__: The tool has no argument of this name.'],
  ['a list', [], 'This is not of the type object.'],
  // The pattern would take longer than the universe has.
  ['a pattern is for the server', { path: `${'a'.repeat(100_000)}b` }, null],
])('[N137] %s', async (_name, value, problem) => {
  const checked = await validateWithSchema(argumentSchema(file), value)
  expect('problem' in checked ? checked.problem : null).toEqual(
    problem === null ? null : expect.stringContaining(problem),
  )
})

test('[N137] a list of a million wrong items gives a few issues', async () => {
  const schema = argumentSchema({ type: 'object', properties: { all: { type: 'array', items: { type: 'string' } } } })
  const checked = await validateWithSchema(schema, { all: Array(1_000_000).fill(1) })
  expect('problem' in checked && checked.problem.length).toBeLessThan(5_000)
})

test('[N137] thousands of choices for each of thousands of items hold up nobody', async () => {
  const choices = Array.from({ length: 6_000 }, (_, n) => n)
  const schema = argumentSchema({ type: 'object', properties: { all: { type: 'array', items: { enum: choices } } } })
  const args = { all: Array(50_000).fill(5_999) }
  expect(await validateWithSchema(schema, args)).toEqual({ value: args })
})
