import type { JsonObject } from '@bridle/events/json'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { agent, isAgent, nonAgentProblem } from './agent.ts'
import { acceptInput, parseRunInput, parseRunResult } from './schemas/input.ts'
import { type StandardSchema, validateWithSchema } from './schemas/standard-schema.ts'

const run = () => 'done'
const issue = v.object({ title: v.string(), labels: v.optional(v.array(v.string()), []) })

describe('the definition', () => {
  test('[N1] is a frozen value with everything filled in', () => {
    const made = agent({ name: 'triage', input: issue, run })
    expect({ ...made }).toEqual({
      name: 'triage',
      description: '',
      directives: {},
      input: issue,
      output: null,
      triggers: { webhook: false },
      run,
      durable: true,
      engine: null,
      model: null,
      instructions: null,
      skills: [],
      tools: [],
      policy: [],
      use: [],
      limits: { steps: 50, calls: 200, turnMs: 1_800_000, toolMs: 60_000, stallMs: 120_000 },
      settings: {},
    })
    expect(Object.isFrozen(made) && Object.isFrozen(made.triggers)).toBe(true)
    expect(isAgent(made)).toBe(true)
  })

  test.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /it takes an object/],
    ['no name', { run }, /the name may have letters/],
    ['a name with a slash', { name: 'a/b', run }, /the name may have letters/],
    ['no run', { name: 'a' }, /"a" has no run function, no model and no engine/],
    ['an odd durable', { name: 'a', durable: 'no', run }, /durable of "a" is not a boolean/],
    ['tools without a model', { name: 'a', tools: [], run }, /tools of "a" is for agents with a model/],
    [
      'a schema that is none',
      { name: 'a', input: { type: 'object' }, run },
      /the input of "a" is not a Standard Schema/,
    ],
    ['an output that is none', { name: 'a', output: 'string', run }, /the output of "a" is not a Standard Schema/],
    ['odd triggers', { name: 'a', triggers: true, run }, /the triggers of "a" are not an object/],
    ['an odd webhook', { name: 'a', triggers: { webhook: 'yes' }, run }, /triggers.webhook of "a" is not a boolean/],
    [
      'a misspelt field',
      { name: 'a', desription: 'x', run },
      /"a": "desription" is no field. Did you mean "description"\?/,
    ],
    ['a misspelt name', { nmae: 'a', run }, /^agent\(\): "nmae" is no field. Did you mean "name"\?$/],
    ['a misspelt run', { name: 'a', rnu: run }, /^agent\(\): "a": "rnu" is no field. Did you mean "run"\?$/],
    ['a misspelt policy', { name: 'a', model: 'x/y', polcy: [] }, /"a": "polcy" is no field. Did you mean "policy"\?/],
    [
      'a field of nothing',
      { name: 'a', colour: 'red', run },
      /"a": "colour" is no field: there are name, description, /,
    ],
    [
      'a misspelt trigger',
      { name: 'a', triggers: { webhok: true }, run },
      /"webhok" is no field. Did you mean "webhook"\?/,
    ],
    ['an odd description', { name: 'a', description: 1, run }, /the description of "a" is not a text/],
  ])('[N1] [N197] %s is refused', (_name, options, message) => {
    expect(() => agent(options as Parameters<typeof agent>[0])).toThrow(message)
  })

  test.each<[string, unknown, RegExp]>([
    ['a function', run, /is a function, not an agent/],
    ['a plain object', { name: 'a', run }, /is a plain object, not an agent/],
    ['a copy of an agent', { ...agent({ name: 'a', run }) }, /is a plain object, not an agent/],
    ['nothing', undefined, /There is no default export/],
    ['null', null, /is a null, not an agent/],
  ])('[N1] %s is no agent', (_name, value, message) => {
    expect(isAgent(value)).toBe(false)
    expect(nonAgentProblem(value, 'file')).toMatch(message)
  })

  test('[N1] the problem names the place where the value stands', () => {
    expect([undefined, run].map((value) => nonAgentProblem(value, 'options'))).toEqual([
      'An entry of agents is undefined. Write: agents: [agent({ name, run })].',
      'An entry of agents is a function, not an agent. Write: agents: [agent({ name, run })].',
    ])
  })

  test('types follow from the schemas', () => {
    agent({
      name: 'typed',
      input: issue,
      output: v.object({ severity: v.picklist(['low', 'high']) }),
      run: ({ input }) => {
        expectTypeOf(input).toEqualTypeOf<{ title: string; labels: string[] }>()
        return { severity: 'low' }
      },
    })
    agent({ name: 'untyped', run: ({ input }) => expectTypeOf(input.prompt).toEqualTypeOf<string>() })
    // @ts-expect-error: not what the output schema takes
    agent({ name: 'wrong', output: v.number(), run: () => 'text' })
  })
})

describe('input', () => {
  const triage = agent({ name: 'triage', input: issue, run })
  const free = agent({ name: 'free', run })
  const chat = agent({ name: 'chat', input: v.object({ prompt: v.string() }), run })

  test.each<[string, typeof triage, JsonObject, unknown]>([
    ['a prompt alone', chat, { prompt: 'hi' }, { prompt: 'hi' }],
    ['a prompt alone, undeclared', free, { prompt: 'hi' }, { prompt: 'hi' }],
    [
      'a prompt and files',
      free,
      { prompt: 'hi', attachments: [] },
      { prompt: 'hi', input: { prompt: 'hi', attachments: [] } },
    ],
    ['a misspelt prompt', free, { promt: 'hi' }, { problem: '"promt" is not known here. Did you mean "prompt"?' }],
    [
      'a field that nobody declares',
      free,
      { prompt: 'hi', n: 1 },
      { problem: '"n" is not known here. This agent takes { "prompt": "…" }.' },
    ],
    [
      'a prompt and a misspelt field',
      free,
      { prompt: 'hi', atachments: [] },
      { problem: '"atachments" is not known here. Did you mean "attachments"?' },
    ],
    ['a prompt that is no text', free, { prompt: 7 }, { problem: 'The body must have a "prompt" that is a text.' }],
    ['no prompt', triage, { title: 'x' }, { prompt: '{"title":"x"}', input: { title: 'x' } }],
    ['nothing', free, {}, { problem: 'The body must have a "prompt" that is a text.' }],
    [
      'what does not fit',
      triage,
      { labels: ['a', 1] },
      { problem: expect.stringMatching(/^The input does not fit: title: .*; labels\.1: /) },
    ],
  ])('[N2] [N4] of a request: %s', async (_name, definition, body, expected) => {
    expect(await acceptInput(definition, body)).toEqual(expected)
  })

  test.each<[string, typeof triage, string, JsonObject | null, unknown]>([
    ['a prompt of a chat', chat, 'hi', null, { value: { prompt: 'hi' } }],
    ['JSON that only fits as itself', triage, '{"title":"x"}', null, { value: { title: 'x', labels: [] } }],
    ['JSON that fits as a prompt', chat, '{"title":"x"}', null, { value: { prompt: '{"title":"x"}' } }],
    ['the input as submitted', triage, 'whatever', { title: 'y' }, { value: { title: 'y', labels: [] } }],
    ['a text that does not fit', triage, 'hi', null, { problem: expect.stringMatching(/title: /) }],
    ['half of JSON', triage, '{"title":', null, { problem: expect.stringMatching(/title: /) }],
  ])('[N3] of a run: %s', async (_name, definition, prompt, input, expected) => {
    expect(await parseRunInput(definition, prompt, input)).toEqual(expected)
  })
})

describe('output', () => {
  const typed = agent({ name: 'typed', output: v.object({ at: v.date() }), run: () => ({ at: new Date(0) }) })
  const free = agent({ name: 'free', run })
  const circle: { self?: unknown } = {}
  circle.self = circle

  test.each<[string, typeof typed, unknown, unknown]>([
    ['fits and becomes JSON', typed, { at: new Date(0) }, { value: { at: '1970-01-01T00:00:00.000Z' } }],
    ['does not fit', typed, { at: 1 }, { problem: expect.stringMatching(/^The output does not fit: at: /) }],
    ['nothing', free, undefined, { value: undefined }],
    ['nothing where something was promised', typed, undefined, { problem: expect.stringMatching(/does not fit/) }],
    ['anything', free, [1, 'a'], { value: [1, 'a'] }],
    ['a circle', free, circle, { problem: 'The output is not JSON.' }],
    ['a function', free, () => 1, { problem: 'The output is not JSON.' }],
    ['too much', free, 'x'.repeat(1_600_000), { problem: expect.stringMatching(/too large/) }],
  ])('[N5] %s', async (_name, definition, returned, expected) => {
    expect(await parseRunResult(definition, returned)).toEqual(expected)
  })
})

describe('schemas of other libraries', () => {
  const schema = (validate: StandardSchema['~standard']['validate']): StandardSchema => ({
    '~standard': { version: 1, vendor: 'test', validate },
  })

  test.each<[string, StandardSchema, unknown]>([
    ['a value', schema((value) => ({ value: [value] })), { value: [1] }],
    ['a promise', schema(async () => ({ value: 2 })), { value: 2 }],
    ['issues without a path', schema(() => ({ issues: [{ message: 'no' }] })), { problem: 'no' }],
    [
      'paths of keys and of objects',
      schema(() => ({
        issues: [
          { message: 'no', path: ['a', 0, { key: 'b' }] },
          { message: 'nor', path: ['c'] },
        ],
      })),
      { problem: 'a.0.b: no; c: nor' },
    ],
    [
      'one that throws',
      schema(() => {
        throw new Error('broken')
      }),
      { problem: 'it could not be checked: broken' },
    ],
  ])('%s', async (_name, given, expected) => {
    expect(await validateWithSchema(given, 1)).toEqual(expected)
  })

  test('a schema may be a function', () => {
    const callable = Object.assign(
      () => {},
      schema((value) => ({ value })),
    )
    expect(agent({ name: 'callable', input: callable, run }).input).toBe(callable)
  })
})
