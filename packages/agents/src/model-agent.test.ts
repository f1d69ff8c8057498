import type { JsonObject } from '@bridle/events/json'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { agent, isAgent } from './agent.ts'
import type { LanguageModel } from './model/model.ts'
import type { StandardSchema } from './schemas/standard-schema.ts'
import { tool } from './tools/tool.ts'

const model = (version: string = 'v3') =>
  ({
    specificationVersion: version,
    provider: 'test',
    modelId: 'm',
    doStream: () => new Promise(() => {}),
  }) as LanguageModel
const first = model('v3')
const second = model('v4')
const search = tool({ name: 'search', description: 'Searches.', run: () => [] })
const read = tool({ name: 'read', description: 'Reads.', run: () => '' })
const run = () => 'done'
const mute: StandardSchema = { '~standard': { version: 1, vendor: 'mute', validate: (value) => ({ value }) } }

describe('a model agent', () => {
  test('[N20] is a frozen value with everything filled in', () => {
    const made = agent({ name: 'helper', model: first, instructions: 'Help.', tools: [search, read] })
    expect({ ...made }).toEqual({
      name: 'helper',
      engine: null,
      description: '',
      input: null,
      output: null,
      triggers: { webhook: false },
      run: null,
      durable: true,
      directives: {},
      model: [first],
      instructions: 'Help.',
      skills: [],
      tools: [search, read],
      policy: [],
      use: [],
      limits: { steps: 50, calls: 200, turnMs: 1_800_000, toolMs: 60_000, stallMs: 120_000 },
      settings: {},
    })
    expect([made, made.model, made.tools, made.limits, made.settings].every(Object.isFrozen)).toBe(true)
    expect(isAgent(made)).toBe(true)
  })

  test('[N20] takes models in a row, names of models, limits and settings', () => {
    const made = agent({
      name: 'chain',
      model: [first, second, 'anthropic/claude'],
      limits: { steps: 3, toolMs: 1_000 },
      settings: { temperature: 0, reasoning: 'low', providerOptions: { test: { fast: true } } },
    })
    expect(made.model).toEqual([first, second, 'anthropic/claude'])
    expect(made.limits).toMatchObject({ steps: 3, calls: 200, toolMs: 1_000 })
    expect(made.settings).toEqual({ temperature: 0, reasoning: 'low', providerOptions: { test: { fast: true } } })
  })

  test.each<[string, object, RegExp]>([
    ['run and model', { model: first, run }, /"a" has both run and model/],
    ['durable', { model: first, durable: true }, /durable of "a" is for agents with a run function/],
    ['a model that is none', { model: {} }, /the model of "a": This model names no interface version/],
    ['null as a model', { model: null }, /the model of "a": This is not a model/],
    ['an older interface', { model: model('v2') }, /the model of "a": "test\/m" has the interface version "v2"/],
    ['no models', { model: [] }, /the model of "a" is an empty list/],
    ['a bad second model', { model: [first, 1] }, /the model of "a": This is not a model/],
    ['a name without a provider', { model: 'claude' }, /"claude" is no name of a model. Write provider\/model-id/],
    [
      'odd instructions',
      { model: first, instructions: 1 },
      /the instructions of "a" are neither a text nor a function/,
    ],
    ['tools that are no list', { model: first, tools: search }, /the tools of "a" are not a list/],
    [
      'a tool that is none',
      { model: first, tools: [search, { ...read }] },
      /the tools of "a" have an entry that is no tool/,
    ],
    ['one name twice', { model: first, tools: [search, read, search] }, /"a" has two tools with the name "search"/],
    ['odd limits', { model: first, limits: 5 }, /the limits of "a" are not an object/],
    [
      'an unknown limit',
      { model: first, limits: { step: 5 } },
      /limits.step of "a" is no limit: there are steps, calls/,
    ],
    ['no steps', { model: first, limits: { steps: 0 } }, /limits.steps of "a" is not a whole number above 0/],
    ['half a call', { model: first, limits: { calls: 1.5 } }, /limits.calls of "a" is not a whole number/],
    ['endless time', { model: first, limits: { turnMs: Infinity } }, /limits.turnMs of "a" is not a whole number/],
    ['odd settings', { model: first, settings: [] }, /the settings of "a" are not an object/],
    ['an unknown setting', { model: first, settings: { topK: 1 } }, /settings.topK of "a" is no setting/],
    [
      'a cold temperature',
      { model: first, settings: { temperature: -1 } },
      /settings.temperature of "a" is not a number/,
    ],
    ['an odd effort', { model: first, settings: { reasoning: 'much' } }, /settings.reasoning of "a" is not one of/],
    [
      'flat options',
      { model: first, settings: { providerOptions: { fast: true } } },
      /providerOptions of "a" is not an/,
    ],
    [
      'an output without JSON Schema',
      { model: first, output: mute },
      /the output of "a" cannot be written as JSON Schema/,
    ],
    [
      'a tool in the place of the output',
      { model: first, output: v.object({}), tools: [tool({ name: 'answer', description: 'x', run })] },
      /give your tool another name/,
    ],
  ])('[N20] %s is refused', (_name, options, message) => {
    expect(() => agent({ name: 'a', ...options } as Parameters<typeof agent>[0])).toThrow(message)
  })

  test('types follow from the schemas', () => {
    agent({
      name: 'typed',
      model: first,
      input: v.object({ topic: v.string(), depth: v.optional(v.number(), 1) }),
      instructions: ({ input, prompt }) => {
        expectTypeOf(input).toEqualTypeOf<{ topic: string; depth: number }>()
        return `${prompt}: ${input.topic}`
      },
    })
    agent({
      name: 'untyped',
      model: [first, second],
      instructions: async (turn) => {
        expectTypeOf(turn.input.prompt).toEqualTypeOf<string>()
        return ''
      },
    })
    // @ts-expect-error: an agent has a run function or a model
    expect(() => agent({ name: 'both', model: first, run })).toThrow(TypeError)
    // @ts-expect-error: an agent has a run function or a model
    expect(() => agent({ name: 'neither' })).toThrow(TypeError)
    // @ts-expect-error: no model in the list
    expect(() => agent({ name: 'none', model: [] })).toThrow(TypeError)
    // @ts-expect-error: no name of a model
    expect(() => agent({ name: 'short', model: 'claude' })).toThrow(TypeError)
    // @ts-expect-error: tools belong to a model
    expect(() => agent({ name: 'tools', run, tools: [search] })).toThrow(TypeError)
    // @ts-expect-error: only a function may opt out
    expect(() => agent({ name: 'opt', model: first, durable: false })).toThrow(TypeError)
    // @ts-expect-error: a plain object is no tool
    expect(() => agent({ name: 'plain', model: first, tools: [{ name: 'x' }] })).toThrow(TypeError)
  })
})

describe('a tool', () => {
  test('[N22] is a frozen value with everything filled in', () => {
    expect({ ...search }).toMatchObject({
      name: 'search',
      description: 'Searches.',
      input: null,
      effect: 'unsafe',
      resources: null,
      approve: false,
      timeoutMs: null,
    })
    expect(Object.isFrozen(search)).toBe(true)
  })

  test.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /it takes an object/],
    ['no name', { description: 'x', run }, /the name may have letters/],
    ['a name with a dot', { name: 'a.b', description: 'x', run }, /the name may have letters/],
    ['a long name', { name: 'a'.repeat(65), description: 'x', run }, /the name may have letters/],
    ['no run', { name: 'a', description: 'x' }, /"a" has no run function/],
    ['no description', { name: 'a', run }, /"a" has no description/],
    [
      'an input that is none',
      { name: 'a', description: 'x', input: {}, run },
      /the input of "a" is not a Standard Schema/,
    ],
    [
      'an input without JSON Schema',
      { name: 'a', description: 'x', input: mute, run },
      /the input of "a" cannot be written as JSON Schema, which the model needs: "mute" has no ~standard.jsonSchema. Use/,
    ],
    ['an odd effect', { name: 'a', description: 'x', effect: 'safe', run }, /the effect of "a" is not pure/],
    [
      'odd resources',
      { name: 'a', description: 'x', resources: ['x'], run },
      /the resources of "a" are not a function/,
    ],
    [
      'an odd approval',
      { name: 'a', description: 'x', approve: 'yes', run },
      /approve of "a" is neither a boolean nor/,
    ],
    ['an odd reason', { name: 'a', description: 'x', approve: { reason: 1 }, run }, /the reason in approve of "a"/],
    ['an odd expiry', { name: 'a', description: 'x', approve: { expiresMs: -1 }, run }, /expiresMs in approve of "a"/],
    [
      'a misspelt field',
      { name: 'a', description: 'x', efect: 'pure', run },
      /"a": "efect" is no field. Did you mean "effect"\?/,
    ],
    ['no time', { name: 'a', description: 'x', timeoutMs: 0, run }, /timeoutMs of "a" is not between 1/],
  ])('[N22] %s is refused', (_name, declaration, message) => {
    expect(() => tool(declaration as Parameters<typeof tool>[0])).toThrow(message)
  })

  test('types follow from the schema, whoever made it', () => {
    tool({
      name: 'valibot',
      description: 'x',
      input: v.object({ path: v.string(), lines: v.optional(v.number(), 10) }),
      effect: 'pure',
      resources: ({ path }) => [path],
      approve: ({ lines }) => lines > 100 && { reason: 'many lines' },
      run: (input, { signal, stepKey, session }) => {
        expectTypeOf(input).toEqualTypeOf<{ path: string; lines: number }>()
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
        expectTypeOf(stepKey).toEqualTypeOf<string>()
        expectTypeOf(session.id).toEqualTypeOf<string>()
        // @ts-expect-error: the model writes the answer
        session.emit('token', { text: 'x' })
      },
    })
    tool({
      name: 'zod',
      description: 'x',
      input: z.object({ at: z.string().transform((text) => text.length) }),
      run: (input) => expectTypeOf(input).toEqualTypeOf<{ at: number }>(),
    })
    tool({ name: 'free', description: 'x', run: (input) => expectTypeOf(input).toEqualTypeOf<JsonObject>() })
    // @ts-expect-error: the arguments of a call are an object
    tool({ name: 'text', description: 'x', input: v.string(), run })
    // @ts-expect-error: a person cannot approve with a text
    expect(() => tool({ name: 'odd', description: 'x', approve: 'yes', run })).toThrow(TypeError)
    // @ts-expect-error: there is no description
    expect(() => tool({ name: 'mute', run })).toThrow(TypeError)
  })
})
