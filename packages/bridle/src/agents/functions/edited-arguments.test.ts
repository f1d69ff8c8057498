import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Refusal } from '../../kernel/commands.ts'
import { flushPending } from '../../kernel/host/host.suite.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { type AgentDefinition, agent, type RunContext } from '../agent.ts'
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

test.each<[string, AgentDefinition, (it: LoopWorld) => LoopWorld | Promise<LoopWorld>, string]>([
  ['passed no schema', paying(true, null).definition, (it) => it, 'completed'],
  ['began in another process', paying(true).definition, (it) => it.again(), 'failed'],
])('[S67] the call of a function that %s takes the arguments as they are', async (_name, definition, change, end) => {
  let it = new LoopWorld(definition)
  await it.ask('go')
  await it.clock.pass(10_000)
  it = await change(it)
  expect(await approve(it, { cent: 1 })).toMatchObject({ decision: 'approved' })
  await flushPending(40)
  expect((await it.payloads('turn_end')).at(-1)).toMatchObject({ status: end })
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
