import type { JsonObject } from '@bridle/events/json'
import { VirtualClock } from '@bridle/kernel/host/host.suite'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { StandardSchema } from '../../schemas/standard-schema.ts'
import { objectSchemaOf } from '../../tools/json-schema.ts'
import { checkArguments } from '../calls/arguments.ts'
import { answerOf, answerTool } from './answer.ts'

const deadline = {
  ...{ clock: new VirtualClock(), signal: new AbortController().signal, ms: 1_000 },
  error: () => new Error('It took too long.'),
}

const severity = v.object({ severity: v.picklist(['low', 'high']) })
const list = v.array(v.string())
const dated = v.object({
  at: v.pipe(
    v.string(),
    v.transform((text) => new Date(text)),
  ),
})

describe('the tool that takes the output', () => {
  test('[N34] has the schema of an object as it is', () => {
    expect(objectSchemaOf(answerTool(severity).input)).toEqual({
      schema: {
        type: 'object',
        properties: { severity: { type: 'string', enum: ['low', 'high'] } },
        required: ['severity'],
      },
    })
    expect(answerTool(severity)).toMatchObject({ name: 'answer', effect: 'pure', approve: false })
    expect(answerTool(severity)).toBe(answerTool(severity))
  })

  test('[N34] takes anything else as the argument `value`', () => {
    expect(objectSchemaOf(answerTool(list).input)).toEqual({
      schema: {
        type: 'object',
        properties: { value: { type: 'array', items: { type: 'string' } } },
        required: ['value'],
      },
    })
  })

  test('[N34] references of a recursive schema still lead to it', () => {
    type Tree = string | Tree[]
    const tree: v.GenericSchema<Tree> = v.union([v.string(), v.array(v.lazy(() => tree))])
    const nested: z.ZodType = z.union([z.string(), z.array(z.lazy(() => nested))])
    for (const schema of [tree, nested]) {
      const converted = objectSchemaOf(answerTool(schema).input) as { schema: JsonObject }
      const references = [...JSON.stringify(converted.schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, path]) => path)
      expect(references.length).toBeGreaterThan(0)
      for (const path of references) {
        const steps = String(path).split('/').slice(1)
        const found = steps.reduce<unknown>((at, step) => (at as JsonObject | undefined)?.[step], converted.schema)
        expect([path, found]).toEqual([path, expect.objectContaining({ anyOf: expect.anything() })])
      }
    }
  })

  test.each<[string, StandardSchema, JsonObject, unknown]>([
    ['an object', severity, { severity: 'low' }, { value: { severity: 'low' } }],
    ['a list', list, { value: ['a', 'b'] }, { value: ['a', 'b'] }],
    ['a value that becomes JSON', dated, { at: '1970-01-01' }, { value: { at: '1970-01-01T00:00:00.000Z' } }],
  ])('[N34] %s is the result', async (_name, output, args, expected) => {
    expect(await checkArguments(answerTool(output), args, deadline)).toEqual(expected)
    expect(await answerOf(output, args)).toEqual(expected)
  })

  test.each<[string, StandardSchema, JsonObject, RegExp]>([
    ['a field', severity, { severity: 'middle' }, /^The arguments of "answer" do not fit: severity: /],
    ['nothing', severity, {}, /severity: /],
    ['an item of a list', list, { value: ['a', 1] }, /do not fit: value\.1: /],
    ['a list without its name', list, {}, /do not fit: value: /],
    [
      'too much',
      v.object({ text: v.string() }),
      { text: 'x'.repeat(1_600_000) },
      /too large; publish it as an artifact/,
    ],
  ])('[N34] the model is told what does not fit: %s', async (_name, output, args, problem) => {
    expect(await checkArguments(answerTool(output), args, deadline)).toEqual({
      problem: expect.stringMatching(problem),
    })
    expect(await answerOf(output, args)).toEqual({ problem: expect.any(String) })
  })

  test('[N34] an output that cannot be written as JSON Schema says why', () => {
    expect(objectSchemaOf(answerTool(v.object({ at: v.date() })).input)).toEqual({
      problem: expect.stringMatching(/^cannot be written as JSON Schema, which the model needs: The "date" schema/),
    })
  })
})
