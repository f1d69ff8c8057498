import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { StandardSchema } from '../schemas/standard-schema.ts'
import { inputSchemaOf, jsonSchemaOf, objectSchemaOf } from './json-schema.ts'

const text = { type: 'string' }
const schema = (jsonSchema: unknown): StandardSchema => ({
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }), jsonSchema },
})

describe('a schema as JSON Schema', () => {
  test.each<[string, StandardSchema, unknown]>([
    [
      'Valibot: what goes in, without what JSON Schema cannot say',
      v.pipe(
        v.object({
          path: v.pipe(v.string(), v.minLength(1), v.description('A path.')),
          lines: v.optional(
            v.pipe(
              v.number(),
              v.check((count) => count % 2 === 0),
            ),
            10,
          ),
          at: v.pipe(
            v.string(),
            v.transform((text) => new Date(text)),
          ),
        }),
        v.check(() => true),
      ),
      {
        schema: {
          type: 'object',
          properties: {
            path: { type: 'string', minLength: 1, description: 'A path.' },
            lines: { type: 'number', default: 10 },
            at: text,
          },
          required: ['path', 'at'],
        },
      },
    ],
    [
      'Zod',
      z.object({ path: z.string().describe('A path.'), at: z.string().transform((text) => new Date(text)) }),
      {
        schema: {
          type: 'object',
          properties: { path: { type: 'string', description: 'A path.' }, at: text },
          required: ['path', 'at'],
        },
      },
    ],
    [
      'any library that follows the specification',
      schema({ input: ({ target }: { target: string }) => ({ $schema: target, type: 'object', title: target }) }),
      { schema: { type: 'object', title: 'draft-07' } },
    ],
    [
      'a library that knows the newer dialect only',
      schema({
        input: ({ target }: { target: string }) => {
          if (target !== 'draft-2020-12') throw new Error('unknown target')
          return { type: 'object', title: target }
        },
      }),
      { schema: { type: 'object', title: 'draft-2020-12' } },
    ],
    [
      'Valibot: a date',
      v.object({ at: v.date() }),
      { problem: expect.stringMatching(/model needs: The "date" schema/) },
    ],
    ['Zod: a date', z.object({ at: z.date() }), { problem: expect.stringMatching(/model needs: Date cannot be/) }],
    [
      'a library without it',
      schema(undefined),
      { problem: expect.stringMatching(/"test" has no ~standard.jsonSchema. Use Zod/) },
    ],
    ['a converter that is none', schema(true), { problem: expect.stringMatching(/^cannot be written as JSON Schema/) }],
    [
      'a converter that gives nothing',
      schema({ input: () => {} }),
      { problem: expect.stringMatching(/The JSON Schema is not JSON/) },
    ],
  ])('[N23] %s', (_name, given, expected) => {
    expect(jsonSchemaOf(given)).toEqual(expected)
  })
})

describe('arguments are an object', () => {
  const left = v.object({ kind: v.literal('left') })
  const right = v.object({ kind: v.literal('right'), by: v.number() })

  test.each<[string, StandardSchema | null, unknown]>([
    ['no schema', null, { schema: { type: 'object', properties: {} } }],
    ['a union of objects', v.union([left, right]), { schema: { type: 'object', anyOf: [{}, {}] } }],
    ['a variant', v.variant('kind', [left, right]), { schema: { type: 'object' } }],
    [
      'a discriminated union',
      z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })]),
      { schema: { type: 'object' } },
    ],
    ['a text', v.string(), { problem: expect.stringMatching(/is not the schema of an object/) }],
    ['a list', v.array(left), { problem: expect.stringMatching(/is not the schema of an object/) }],
    [
      'an object or a text',
      v.union([left, v.string()]),
      { problem: expect.stringMatching(/is not the schema of an object/) },
    ],
    ['anything', v.any(), { problem: expect.stringMatching(/is not the schema of an object/) }],
  ])('[N23] %s', (_name, given, expected) => {
    expect(objectSchemaOf(given)).toMatchObject(expected as object)
  })
})

test('[H75] the schema of an agent’s input, where it can be written', () => {
  const city = { type: 'object', properties: { city: text }, required: ['city'] }
  expect(inputSchemaOf({ input: v.object({ city: v.string() }) })).toEqual(city)
  expect(inputSchemaOf({ input: z.object({ city: z.string() }) })).toMatchObject(city)
  expect(inputSchemaOf({ input: null })).toBeNull()
  expect(inputSchemaOf({ input: schema(undefined) })).toBeNull()
})
