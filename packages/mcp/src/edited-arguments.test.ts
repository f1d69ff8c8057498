import { agent } from '@bridle/agents/agent'
import { keyOf, LoopWorld, lastResults, stubModel } from '@bridle/agents/loop/loop.suite'
import type { StandardSchema } from '@bridle/agents/schemas/standard-schema'
import { tool } from '@bridle/agents/tools/tool'
import type { ToolSource } from '@bridle/agents/tools/tool-source'
import type { JsonObject } from '@bridle/events/json'
import type { Refusal } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { argumentSchema } from './argument-check.ts'

const ASKED = { euros: 5 }

/** An agent that calls `pay` once, and the inputs that the tool got. */
const payer = (input: StandardSchema | null, { isSourced = false } = {}) => {
  const paid: unknown[] = []
  const opened: boolean[] = []
  const pay = tool({
    ...{ name: 'pay', description: 'Pays.', approve: true },
    ...(input && { input: input as StandardSchema<object, unknown> }),
    run: (given) => {
      paid.push(given)
      return 'paid'
    },
  })
  const source: ToolSource = {
    name: 'bank',
    open: () => {
      const place = opened.push(true) - 1
      return {
        tools: [pay],
        close: () => {
          opened[place] = false
        },
      }
    },
  }
  const definition = agent({
    name: 'tested',
    model: stubModel((prompt) => (lastResults(prompt) ? { text: 'Done.' } : { calls: [['pay', ASKED]] })),
    tools: [isSourced ? source : pay],
  })
  return { definition, paid, opened }
}

const approve = async (it: LoopWorld, args: JsonObject, key: Key) => {
  const command = { type: 'approve', approvalId: await it.openApproval(key), decision: 'approved', args } as const
  const answer = await it.host.send(key, command)
  await it.quiet()
  return answer
}

const later = <T extends StandardSchema>(schema: T): StandardSchema => ({
  '~standard': {
    ...schema['~standard'],
    validate: async (value) => {
      await null
      return schema['~standard'].validate(value)
    },
  },
})

const zod = z.object({ euros: z.number().max(100) })
const json: JsonObject = { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] }

test.each<[string, StandardSchema, JsonObject, RegExp]>([
  ['Zod', zod, { euro: 3 }, /^The arguments of "pay" do not fit: euros: /],
  ['Zod, a value', zod, { euros: 300 }, /^The arguments of "pay" do not fit: euros: /],
  ['a schema that takes its time', later(zod), { euros: 'all' }, /^The arguments of "pay" do not fit: euros: /],
  [
    'strict Zod, a misspelt optional name',
    z.strictObject({ euros: z.number(), note: z.string().optional() }),
    { euros: 3, noet: 'rent' },
    /^The arguments of "pay" do not fit: .*"noet"/,
  ],
  ['Valibot, a name too many', v.strictObject({ euros: v.number() }), { euros: 3, too: 1 }, /do not fit: too: /],
  ['a JSON Schema', argumentSchema(json), { euro: 3 }, /^The arguments of "pay" do not fit: .*euros/],
  [
    'a closed JSON Schema, a name too many',
    argumentSchema({ ...json, additionalProperties: false }),
    { euros: 3, too: 1 },
    /^The arguments of "pay" do not fit: /,
  ],
  [
    'a schema that fails',
    { '~standard': { ...zod['~standard'], validate: (value) => failFor(value) } },
    { euros: 13 },
    /it could not be checked: no connection/,
  ],
])(
  '[S67] edited arguments that do not fit are refused in three sessions: %s',
  async (_name, schema, wrong, problem) => {
    for (const isSourced of [false, true]) {
      const { definition, paid, opened } = payer(schema, { isSourced })
      let it = new LoopWorld(definition)
      const keys = ['a', 'b', 'c'].map((id) => keyOf(id))
      for (const key of keys) await it.submit('go', key)
      await it.quiet()
      for (const restart of [false, true]) {
        if (restart) it = await it.again()
        for (const key of keys) {
          const before = await it.events(key)
          const answer = (await approve(it, wrong, key)) as Refusal
          expect(answer).toEqual({ refused: 'arguments_invalid', message: expect.stringMatching(problem) })
          expect(answer.message).not.toContain('\n')
          expect(await it.events(key)).toEqual(before)
          expect(await it.openApproval(key)).toBeDefined()
        }
      }
      expect(paid).toEqual([])
      for (const [n, key] of keys.entries()) await approve(it, { euros: n + 1 }, key)
      expect(paid).toEqual([{ euros: 1 }, { euros: 2 }, { euros: 3 }])
      expect(opened).not.toContain(true)
    }
  },
)

const failFor = (value: unknown) => {
  if ((value as JsonObject).euros === 13) throw new Error('no connection')
  return { value }
}

test('[S67] a schema that ignores unknown names takes an edit with a misspelt one, without it; the log keeps the edit', async () => {
  const { definition, paid } = payer(z.object({ euros: z.number(), note: z.string().optional() }))
  const it = new LoopWorld(definition)
  const key = keyOf('s')
  await it.submit('go', key)
  await it.quiet()
  const edit = { euros: 3, noet: 'rent' }
  expect(await approve(it, edit, key)).toMatchObject({ decision: 'approved' })
  expect(paid).toEqual([{ euros: 3 }])
  expect(JSON.stringify(await it.events(key))).toContain(JSON.stringify(edit))
})

test('[S67] sessions of several agents are checked with the tools of their own agent', async () => {
  const agents = {
    one: payer(zod).definition,
    two: payer(z.object({ euros: z.number().min(500) }).or(z.object({ euros: z.literal(5) }))).definition,
    three: payer(null).definition,
  }
  const it = new LoopWorld(agents)
  const keys = Object.keys(agents).map((name) => keyOf('s', name))
  for (const key of keys) await it.submit('go', key)
  await it.quiet()
  const answers = await Promise.all(keys.map((key) => approve(it, { euros: 300 }, key)))
  expect(answers.map((answer) => ('refused' in answer ? answer.refused : answer.decision))).toEqual([
    'arguments_invalid',
    'arguments_invalid',
    'approved',
  ])
})

test('[S67] what a schema makes of the arguments stays out of the log', async () => {
  const schema = z.object({ euros: z.coerce.number(), note: z.string().default('none') })
  const { definition, paid } = payer(schema)
  const it = new LoopWorld(definition)
  await it.ask('go')
  expect(await approve(it, { euros: '7' }, keyOf())).toMatchObject({ decision: 'approved' })
  expect(paid).toEqual([{ euros: 7, note: 'none' }])
  expect(await it.payloads('approval_applied')).toMatchObject([{ arguments: { euros: '7' } }])
})

test('[S67] only an edit is checked, and only while the approval is open', async () => {
  let checks = 0
  const counted: StandardSchema = {
    '~standard': {
      ...zod['~standard'],
      validate: (value) => {
        checks += 1
        return zod['~standard'].validate(value)
      },
    },
  }
  const { definition } = payer(counted)
  const it = new LoopWorld(definition)
  await it.ask('go')
  const approvalId = await it.openApproval()
  const send = (args: JsonObject) => it.host.send(keyOf(), { type: 'approve', approvalId, decision: 'approved', args })
  const before = checks
  await send({ euros: 'x' })
  expect(checks).toBe(before + 1)
  await it.host.send(keyOf(), { type: 'approve', approvalId, decision: 'denied', args: { euros: 'x' } })
  await it.quiet()
  expect(await send({ euros: 'x' })).toMatchObject({ refused: 'approval_settled' })
  expect(checks).toBe(before + 1)
})

test.each<[string, (definition: ReturnType<typeof payer>['definition']) => () => typeof definition]>([
  [
    'the agent is gone',
    () => () => {
      throw new Error('There is no such agent.')
    },
  ],
  ['its tool is gone', (definition) => () => agent({ name: 'tested', model: definition.model?.[0] as never })],
  ['it has become a function', () => () => agent({ name: 'tested', run: () => 'x' })],
  [
    'the source of its tools fails',
    (definition) => () =>
      agent({
        ...{ name: 'tested', model: definition.model?.[0] as never },
        tools: [
          {
            name: 'bank',
            open: () => {
              throw new Error('closed')
            },
          },
        ],
      }),
  ],
])('[S67] an approval is taken as it is where %s', async (_name, change) => {
  const { definition, paid } = payer(zod)
  let it = new LoopWorld(definition)
  await it.ask('go')
  it = await it.again({ tested: change(definition) })
  expect(await approve(it, { euro: 1 }, keyOf())).toMatchObject({ decision: 'approved' })
  expect(paid).toEqual([])
})

test('[S67] a source that takes too long is not waited for', async () => {
  const { definition } = payer(zod)
  const slow = agent({
    ...{ name: 'tested', model: definition.model?.[0] as never, limits: { toolMs: 50 } },
    tools: [{ name: 'bank', open: () => new Promise<never>(() => {}) }],
  })
  let it = new LoopWorld(definition)
  await it.ask('go')
  it = await it.again(slow)
  const answer = approve(it, { euro: 1 }, keyOf())
  await it.quiet()
  await it.clock.pass(51)
  expect(await answer).toMatchObject({ decision: 'approved' })
})
