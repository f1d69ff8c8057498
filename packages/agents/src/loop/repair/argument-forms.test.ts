import type { JsonObject } from '@bridle/events/json'
import { VirtualClock } from '@bridle/kernel/host/host.suite'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import type { StepCall } from '../../model/model.ts'
import { tool } from '../../tools/tool.ts'
import { draftCall, toolMeant } from '../calls/call-draft.ts'
import { repairJsonText } from './json-text.ts'

const input = v.object({
  sum: v.optional(v.pipe(v.number(), v.maxValue(100))),
  urgent: v.optional(v.boolean()),
  names: v.optional(v.array(v.string())),
  to: v.optional(v.object({ city: v.string(), zip: v.optional(v.number()) })),
  note: v.optional(v.nullable(v.string())),
  id: v.optional(v.string()),
  either: v.optional(v.union([v.number(), v.boolean()])),
})
const made = (name: string, effect: 'pure' | 'unsafe' = 'pure') =>
  tool({ name, description: name, effect, input, run: () => null })
const tools = new Map([made('send_letter'), made('read_file'), made('pay', 'unsafe')].map((each) => [each.name, each]))
const deadline = {
  clock: new VirtualClock(),
  signal: new AbortController().signal,
  ms: 1_000,
  error: () => new Error(),
}
const call = (name: string, args: JsonObject, more: Partial<StepCall> = {}): StepCall => ({
  ...{ type: 'call', id: 'c', provider_id: 'p', tool: name, input: args, ...more },
})
const drafted = async (made: StepCall) => {
  const { tool: found, args, checked, repaired } = await draftCall(made, tools, deadline)
  return { tool: found?.name ?? null, args: 'value' in checked ? args : null, isRepaired: repaired !== null }
}

test.each<[string, JsonObject, JsonObject | null]>([
  ['a number as a text', { sum: '12.5' }, { sum: 12.5 }],
  ['a number as no number', { sum: 'twelve' }, null],
  ['a number that does not fit', { sum: '1000' }, null],
  ['an empty text for a number', { sum: ' ' }, null],
  ['a boolean as a text', { urgent: 'true' }, { urgent: true }],
  ['another text for a boolean', { urgent: 'yes' }, null],
  ['a number for a text is no text', { id: 7 }, null],
  ['one value for a list', { names: 'Ada' }, { names: ['Ada'] }],
  ['a list as JSON', { names: '["Ada","Bo"]' }, { names: ['Ada', 'Bo'] }],
  ['numbers in a list of texts', { names: [1, 2] }, null],
  ['an object as JSON', { to: '{"city":"Rome","zip":"10"}' }, { to: { city: 'Rome', zip: 10 } }],
  ['a text that is no JSON for an object', { to: 'Rome' }, null],
  ['a field inside of an object', { to: { city: 'Rome', zip: '10' } }, { to: { city: 'Rome', zip: 10 } }],
  ['null for a field that may be missing', { sum: null, urgent: true }, { urgent: true }],
  ['null for a field inside', { to: { city: 'Rome', zip: null } }, { to: { city: 'Rome' } }],
  ['null for a field that must be there', { to: { city: null } }, null],
  ['null where it fits stays', { note: null, sum: '1' }, { note: null, sum: 1 }],
  ['several at once', { sum: '1', urgent: 'false', names: 'Ada' }, { sum: 1, urgent: false, names: ['Ada'] }],
  ['inside of input', { input: { to: { city: 'Rome' }, sum: 1 } }, { to: { city: 'Rome' }, sum: 1 }],
  ['an option of a union as a text', { either: '3' }, { either: 3 }],
])('[N99] %s', async (_name, args, expected) => {
  // Every field of the schema may be missing: only a strict one tells a wrapping apart.
  const strict = tool({ name: 'strict', description: 's', input: v.strictObject(input.entries), run: () => null })
  const draft = await draftCall(call('strict', args), new Map([['strict', strict]]), deadline)
  expect('value' in draft.checked ? draft.args : null).toEqual(expected)
  expect(draft.repaired !== null).toBe(expected !== null)
})

test.each(['input', 'arguments', 'args', 'parameters'])(
  '[N99] the arguments inside of %s, also as JSON',
  async (field) => {
    const strict = tool({ name: 's', description: 's', input: v.strictObject({ n: v.number() }), run: () => null })
    for (const inner of [{ n: 1 }, { n: '1' }, '{"n":1}']) {
      const draft = await draftCall(call('s', { [field]: inner }), new Map([['s', strict]]), deadline)
      expect([draft.args, draft.repaired !== null]).toEqual([{ n: 1 }, true])
    }
    const own = tool({
      name: 'own',
      description: 's',
      input: v.object({ [field]: v.object({ n: v.number() }) }),
      run: () => null,
    })
    const kept = await draftCall(call('own', { [field]: { n: 1 } }), new Map([['own', own]]), deadline)
    expect([kept.args, kept.repaired]).toEqual([{ [field]: { n: 1 } }, null])
  },
)

test('[N99] arguments that fit are not touched, and those that nothing helps are told as they came', async () => {
  expect(await drafted(call('pay', { sum: 1 }))).toEqual({ tool: 'pay', args: { sum: 1 }, isRepaired: false })
  const { args, checked, repaired } = await draftCall(call('pay', { sum: 'x' }), tools, deadline)
  expect([args, 'problem' in checked, repaired]).toEqual([{ sum: 'x' }, true, null])
})

test('[N99] the schema is asked a bounded number of times', async () => {
  let checks = 0
  const counted: typeof input = {
    ...input,
    '~standard': { ...input['~standard'], validate: () => ({ issues: [{ message: `${++checks}` }] }) },
  } as never
  const picky = tool({ name: 'picky', description: 'p', input: counted, run: () => null })
  await draftCall(call('picky', { input: { sum: '1', names: 'x' } }), new Map([['picky', picky]]), deadline)
  expect(checks).toBeLessThanOrEqual(5)
})

test('[N99] a schema that refers to itself, and arguments without end, are left alone', async () => {
  type Node = { children?: Node[]; n?: number }
  const node: v.GenericSchema<Node> = v.object({
    children: v.optional(v.array(v.lazy(() => node))),
    n: v.optional(v.number()),
  })
  const tree = tool({ name: 'tree', description: 't', input: node, run: () => null })
  const args = { children: [{ children: [{ n: '3' }] }] }
  const draft = await draftCall(call('tree', args), new Map([['tree', tree]]), deadline)
  expect(draft.args).toEqual({ children: [{ children: [{ n: 3 }] }] })
  const deep = Array.from({ length: 60 }).reduce<JsonObject>((inner) => ({ children: [inner] }), { n: '3' })
  expect('problem' in (await draftCall(call('tree', deep), new Map([['tree', tree]]), deadline)).checked).toBe(true)
})

test.each<[string, string, JsonObject | null]>([
  ['a fence', '```json\n{"n": 1}\n```', { n: 1 }],
  ['words around it', 'Here: {"n": 1} .', { n: 1 }],
  ['commas too many', '{"n": [1, 2,], "m": {"a": 1,},}', { n: [1, 2], m: { a: 1 } }],
  ['commas and brackets inside of a text', '{"n": "a,}\\",]", }', { n: 'a,}",]' }],
  ['a text that holds the JSON', '"{\\"n\\":1}"', { n: 1 }],
  ['nothing like it', 'not JSON', null],
  ['a list', '[1]', null],
  ['a cut', '{"n": [1', null],
])('[N99] JSON with %s', (_name, text, expected) => {
  expect(repairJsonText(text)).toEqual(expected)
})

test.each<[string, string | null]>([
  ['send_letter', 'send_letter'],
  ['Send_Letter', 'send_letter'],
  ['sendLetter', 'send_letter'],
  ['send-letter', 'send_letter'],
  ['functions.read_file', 'read_file'],
  ['read_fiel', 'read_file'],
  ['PAY', 'pay'],
  // A tool that acts is not called by a name that only looks like its own.
  ['pai', null],
  ['play', null],
  ['remove', null],
  ['', null],
])('[N100] %j means %j', (name, expected) => {
  expect(toolMeant(name, tools)?.name ?? null).toBe(expected)
})

test('[N100] a name that fits two tools means none', () => {
  const both = new Map([made('read_file'), made('readFile')].map((each) => [each.name, each]))
  expect(toolMeant('ReadFile', both)).toBeNull()
})
