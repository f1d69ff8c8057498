import type { Json, JsonObject } from '@bridle/events/json'
import type { Refusal } from '@bridle/kernel/commands'
import { flushPending } from '@bridle/kernel/host/host.suite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { agent, type RunContext } from '../agent.ts'
import { keyOf, LoopWorld } from '../loop/loop.suite.ts'

const cents = z.object({ cents: z.number() })

/** Pays once, and returns what was paid. */
const paying = (durable: boolean, input: typeof cents | null = cents) => {
  const paid: unknown[] = []
  const run = ({ session }: RunContext<JsonObject>) =>
    session.tool('pay', { cents: 5 }, (args) => void paid.push(args), { approve: true, ...(input && { input }) })
  return { definition: agent({ name: 'tested', durable, run: run as unknown as () => Json }), paid }
}

const approve = async (it: LoopWorld, args: JsonObject, key = keyOf()) => {
  const approvalId = await it.openApproval(key)
  const answer = await it.host.send(key, { type: 'approve', approvalId, decision: 'approved', args })
  await it.quiet()
  return answer
}

test.each([
  ['durable', true],
  ['not durable', false],
])(
  '[S67] a %s function: edited arguments that do not fit its schema are refused in three sessions',
  async (_name, durable) => {
    const { definition, paid } = paying(durable)
    const it = new LoopWorld(definition)
    const keys = ['a', 'b', 'c'].map((id) => keyOf(id))
    for (const key of keys) await it.submit('go', key)
    await it.quiet()
    // A durable function that only waits is let go.
    await it.clock.pass(10_000)
    await it.quiet()
    for (const key of keys) {
      const before = await it.events(key)
      expect((await approve(it, { cent: 1 }, key)) as Refusal).toEqual({
        refused: 'arguments_invalid',
        message: expect.stringMatching(/^The arguments of "pay" do not fit: cents: /),
      })
      expect(await it.events(key)).toEqual(before)
    }
    for (const [n, key] of keys.entries()) await approve(it, { cents: n }, key)
    expect(paid).toEqual([{ cents: 0 }, { cents: 1 }, { cents: 2 }])
  },
)

test('[S67] the call of a function that passed no schema takes the arguments as they are', async () => {
  const it = new LoopWorld(paying(true, null).definition)
  await it.ask('go')
  await it.clock.pass(10_000)
  expect(await approve(it, { cent: 1 })).toMatchObject({ decision: 'approved' })
  expect((await it.payloads('turn_end')).at(-1)).toMatchObject({ status: 'completed' })
})

test('[S67] in another process a durable function asks anew about an edit that does not fit, in three sessions', async () => {
  const { definition, paid } = paying(true)
  const before = new LoopWorld(definition)
  const keys = ['a', 'b', 'c'].map((id) => keyOf(id))
  for (const key of keys) await before.submit('go', key)
  await before.quiet()
  await before.clock.pass(10_000)
  const it = await before.again()
  for (const key of keys) {
    expect(await approve(it, { cent: 1 }, key)).toMatchObject({ decision: 'approved' })
    await flushPending(40)
    const asked = (await it.payloads('approval_required', key)).slice(1)
    expect(asked).toMatchObject([
      {
        tool_name: 'pay',
        arguments: { cents: 5 },
        reason: expect.stringMatching(/^The arguments of "pay" do not fit: cents: .*[^.]\. Nothing was done\.$/),
      },
    ])
  }
  expect(paid).toEqual([])
  // The function is back, and its schema with it.
  for (const [n, key] of keys.entries()) {
    expect(await approve(it, { cent: 1 }, key)).toMatchObject({ refused: 'arguments_invalid' })
    await approve(it, { cents: n }, key)
    expect((await it.payloads('turn_end', key)).at(-1)).toMatchObject({ status: 'completed' })
  }
  expect(paid).toEqual([{ cents: 0 }, { cents: 1 }, { cents: 2 }])
})

test('[S67] a function that was changed meanwhile: its old schema says nothing any more', async () => {
  let current = paying(true).definition
  const it = new LoopWorld({ tested: () => current })
  await it.ask('go')
  await it.clock.pass(10_000)
  await it.quiet()
  const { definition, paid } = paying(true, z.object({ cent: z.number() }) as never)
  current = definition
  expect(await approve(it, { cent: 1 })).toMatchObject({ decision: 'approved' })
  expect(paid).toEqual([{ cent: 1 }])
})
