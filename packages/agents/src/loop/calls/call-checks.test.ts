import type { JsonObject } from '@bridle/events/json'
import { VirtualClock } from '@bridle/kernel/host/host.suite'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import type { StepCall } from '../../model/model.ts'
import type { StandardSchema } from '../../schemas/standard-schema.ts'
import { tool } from '../../tools/tool.ts'
import { resourcesOf } from './arguments.ts'
import { type CallCheck, checkCalls } from './call-checks.ts'

const deadline = {
  ...{ clock: new VirtualClock(), signal: new AbortController().signal, ms: 1_000 },
  error: () => new Error('It took too long.'),
}

const run = () => null
const read = tool({
  name: 'read',
  description: 'x',
  input: v.object({ path: v.string(), lines: v.optional(v.number(), 10) }),
  effect: 'pure',
  resources: ({ path }) => [path],
  run,
})
const write = tool({
  name: 'write',
  description: 'x',
  resources: () => {
    throw new Error('broken')
  },
  run,
})
const odd = tool({ name: 'odd', description: 'x', resources: (() => 'a') as never, run })
const tools = [read, write, odd]

let count = 0
const call = (name: string, input: JsonObject = {}, more: Partial<StepCall> = {}): StepCall => {
  count += 1
  return { type: 'call', id: `c${count}`, tool: name, input, provider_id: `p${count}`, ...more }
}
const open = (each: StepCall) => ({ call: each, outcome: null })
const ended = (each: StepCall, reason?: string) => ({
  call: each,
  outcome: reason === undefined ? {} : { reason, error: 'Why.' },
})
const check = (...calls: StepCall[]) => checkCalls(calls.map(open), () => true, tools, deadline)
/** `made`, or the reason of the refusal. */
const short = (check: CallCheck) => ('refusal' in check ? `${check.refusal.status}/${check.refusal.reason}` : 'made')

describe('the check of a call', () => {
  test('[N25] resources that come later, or fail later, are none', async () => {
    for (const resources of [async () => ['a'], () => Promise.reject(new Error('broken'))]) {
      const late = tool({ name: 'late', description: 'x', resources: resources as never, run })
      expect(resourcesOf(late, {})).toBe(null)
    }
  })

  test('[N24] a call that fits has its input as the schema returns it, its effect and its resources', async () => {
    const calls = [call('read', { path: 'a' }), call('write', { any: 1 }), call('odd')]
    expect(await check(...calls)).toEqual([
      {
        call: calls[0],
        args: { path: 'a' },
        tool: read,
        input: { path: 'a', lines: 10 },
        effect: 'pure',
        resources: ['a'],
        ruling: null,
      },
      {
        call: calls[1],
        args: { any: 1 },
        tool: write,
        input: { any: 1 },
        effect: 'unsafe',
        resources: null,
        ruling: null,
      },
      { call: calls[2], args: {}, tool: odd, input: {}, effect: 'unsafe', resources: null, ruling: null },
    ])
  })

  test.each<[string, StepCall, object]>([
    [
      'an unknown tool',
      call('rite'),
      { status: 'error', reason: 'unknown_tool', error: 'There is no tool "rite". The tools are: read, write, odd.' },
    ],
    ['a tool of the prototype', call('constructor'), { status: 'error', reason: 'unknown_tool' }],
    [
      'arguments that do not fit',
      call('read', { path: 1 }),
      { status: 'error', reason: 'arguments_invalid', error: expect.stringMatching(/"read" do not fit: path: /) },
    ],
    [
      'arguments that are no JSON object',
      call('write', {}, { problem: 'The arguments are not valid JSON.' }),
      { status: 'error', reason: 'arguments_invalid', error: 'The arguments are not valid JSON.' },
    ],
  ])('[N27] %s', async (_name, each, refusal) => {
    expect(await check(each)).toMatchObject([{ call: each, refusal }])
  })

  test('[N27] an agent without tools says so', async () => {
    expect(await checkCalls([open(call('read'))], () => true, [], deadline)).toMatchObject([
      { refusal: { error: 'There is no tool "read", and no other.' } },
    ])
  })

  const bad = () => call('read')
  const good = () => call('read', { path: String(count) })
  const same = () => call('write', { same: true })

  test.each<[string, StepCall[], string[]]>([
    [
      '[N27] the third misfit in a row is denied, and the tool rests, also for calls that fit',
      [bad(), call('write', { n: 1 }), bad(), bad(), good(), call('write', { n: 2 }), bad()],
      [
        'error/arguments_invalid',
        'made',
        'error/arguments_invalid',
        'denied/tool_rests',
        'denied/tool_rests',
        'made',
        'denied/tool_rests',
      ],
    ],
    [
      '[N27] a call that fits begins the count anew',
      [bad(), call('write'), bad(), good(), bad(), call('odd'), bad()],
      [
        'error/arguments_invalid',
        'made',
        'error/arguments_invalid',
        'made',
        'error/arguments_invalid',
        'made',
        'error/arguments_invalid',
      ],
    ],
    [
      '[N28] the third equal call in a row is not made, nor are those after it',
      [same(), same(), same(), same(), call('write'), same(), same(), same()],
      ['made', 'made', 'denied/repeated', 'denied/repeated', 'made', 'made', 'made', 'denied/repeated'],
    ],
  ])('%s', async (_name, calls, expected) => {
    expect((await check(...calls)).map(short)).toEqual(expected)
  })

  test('[N28] calls of earlier answers count, and calls that have begun are checked no more', async () => {
    const past = [ended(same()), open(same())]
    const next = [same(), good()]
    const checks = await checkCalls(
      [...past, ...next.map(open)],
      (id) => next.some((each) => each.id === id),
      tools,
      deadline,
    )
    expect(checks.map(({ call: each }) => each.id)).toEqual(next.map(({ id }) => id))
    expect(checks.map(short)).toEqual(['denied/repeated', 'made'])
  })

  test('[N27] a later answer, and another process, decide as the first did', async () => {
    const calls = [ended(bad(), 'arguments_invalid'), ended(bad(), 'arguments_invalid'), open(bad())]
    const id = calls[2]?.call.id
    expect((await checkCalls(calls, (each) => each === id, tools, deadline)).map(short)).toEqual(['denied/tool_rests'])
  })

  test('[N27] a schema that never answers is given up, and so is one whose run ends', async () => {
    const never = new Promise<never>(() => {})
    const slow: StandardSchema<object> = {
      '~standard': {
        version: 1,
        vendor: 'slow',
        validate: () => never,
        jsonSchema: { input: () => ({ type: 'object' }) },
      },
    }
    const tools = [tool({ name: 'slow', description: 'x', input: slow, run })]
    const ending = new AbortController()
    const clock = new VirtualClock()
    const late = { ...deadline, clock, signal: ending.signal }
    const checking = () => checkCalls([open(call('slow'))], () => true, tools, late)
    const first = checking()
    await clock.pass(1_000)
    expect(await first).toMatchObject([
      {
        refusal: {
          reason: 'arguments_invalid',
          error: expect.stringMatching(/could not be checked: It took too long/),
        },
      },
    ])
    const second = checking()
    ending.abort(new Error('The run is over.'))
    expect(await second).toMatchObject([{ refusal: { error: expect.stringMatching(/The run is over/) } }])
    expect(clock.pending).toBe(0)
  })

  test('500 calls at once are checked one by one', async () => {
    const calls = Array.from({ length: 500 }, (_, index) => call('read', { path: `f${index}` }))
    expect((await check(...calls)).map(short)).toEqual(Array(500).fill('made'))
  })
})
