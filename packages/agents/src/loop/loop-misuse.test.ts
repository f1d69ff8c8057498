// Tools and models that misbehave, through the whole loop: each call has one typed outcome, and the turn ends.

import { flushPending } from '@bridle/kernel/host/host.suite'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { agent } from '../agent.ts'
import { tool } from '../tools/tool.ts'
import { type Answering, keyOf, LoopWorld, lastResults, lastText, type Reply, stubModel } from './loop.suite.ts'

const read = tool({
  name: 'read',
  description: 'Reads.',
  input: v.object({ path: v.string() }),
  effect: 'pure',
  run: ({ path }) => `text of ${path}`,
})
const broken = (name: string, run: () => unknown, more: object = {}) =>
  tool({ name, description: 'Fails.', effect: 'pure', run, ...more })

/** Makes the calls of the first answer, then ends the turn. */
const once =
  (...calls: NonNullable<Reply['calls']>): Answering =>
  (prompt) =>
    lastResults(prompt) ? { text: 'Done.' } : { calls }
const reasons = async (it: LoopWorld) => (await it.payloads('error')).map(({ reason }) => reason)
/** Waits until the turns of all sessions have ended. */
const ended = async (it: LoopWorld, keys = [keyOf()]) => {
  for (let tries = 0; tries < 400; tries++) {
    const ends = await Promise.all(keys.map((key) => it.payloads('turn_end', key)))
    if (ends.every((each) => each.length > 0)) return ends.map((each) => each.at(-1))
    await flushPending(5)
  }
  throw new Error('The turn did not end.')
}

describe('tools that misbehave', () => {
  const tools = [
    read,
    broken('throws', () => {
      throw new Error('no such file')
    }),
    broken('rejects', () => Promise.reject(Object.create(null))),
    broken('bigint', () => 1n),
    broken('huge', () => 'x'.repeat(100_000_000)),
    broken('hangs', () => new Promise(() => {}), { timeoutMs: 1_000 }),
  ]
  const calls = tools.slice(1).map(({ name }): [string, object] => [name, {}])

  test('[N26] end in typed outcomes, the model reads a sentence for each, and three sessions do not disturb each other', async () => {
    const told: unknown[] = []
    const model = stubModel((prompt) => {
      const results = lastResults(prompt)
      if (!results) return { calls: lastText(prompt) === 'all' ? calls : [['read', { path: 'a' }]] }
      told.push(results)
      return { text: 'Done.' }
    })
    const it = new LoopWorld(agent({ name: 'tested', model, tools }))
    const keys = ['s1', 's2', 's3'].map((id) => keyOf(id))
    for (const [index, key] of keys.entries()) await it.submit(index === 1 ? 'read' : 'all', key)
    await it.quiet()
    await it.clock.pass(1_000)
    expect((await ended(it, keys)).map((end) => end?.status)).toEqual(['completed', 'completed', 'completed'])
    const expected = [
      'bigint error result_invalid',
      'hangs timeout',
      'huge error result_too_large',
      'rejects error',
      'throws error',
    ]
    for (const key of [keys[0], keys[2]]) expect((await it.outcomes(key)).sort()).toEqual(expected)
    expect(await it.outcomes(keys[1])).toEqual(['read ok'])
    expect(told).toContainEqual([
      'no such file',
      'Unknown error.',
      'The result of "bigint" is not JSON, or nested too deep.',
      'The result of "huge" has more than 10000000 characters. Ask it for less.',
      '"hangs" took longer than 1000 ms.',
    ])
  })

  test('[N26] a tool that settles after the end of its turn changes nothing', async () => {
    const late: (() => void)[] = []
    const slow = broken('slow', () => new Promise((resolve) => late.push(() => resolve('late'))), { timeoutMs: 10 })
    const it = new LoopWorld(
      agent({ name: 'tested', model: stubModel(once(['slow', {}], ['slow', {}])), tools: [slow] }),
    )
    await it.submit('go')
    await it.quiet()
    await it.clock.pass(10)
    await ended(it)
    const before = await it.events()
    for (const settle of late) settle()
    await it.quiet()
    expect(await it.events()).toEqual(before)
    expect(await it.outcomes()).toEqual(['slow timeout', 'slow timeout'])
  })
})

describe('models that misbehave', () => {
  test('[N27] unknown tools, malformed and endless arguments are told, and the turn goes on', async () => {
    const model = stubModel(
      once(
        ['rm', {}],
        ['read', '{"path":'],
        ['read', JSON.stringify({ path: 'x'.repeat(2_000_000) })],
        ['read', { path: 'a' }],
      ),
    )
    const it = new LoopWorld(agent({ name: 'tested', model, tools: [read] }))
    expect(await it.ask('go')).toMatchObject({ status: 'completed' })
    expect((await it.outcomes()).sort()).toEqual([
      'read error arguments_invalid',
      'read error arguments_invalid',
      'read ok',
      'rm error unknown_tool',
    ])
  })

  test('[N27] a tool that the model cannot use rests, and the others go on', async () => {
    const answer: Answering = (prompt) => {
      const steps = prompt.filter(({ role }) => role === 'assistant').length
      if (steps < 4) return { calls: [['read', { file: steps }]] }
      return steps === 4 ? { calls: [['list', {}]] } : { text: 'Done.' }
    }
    const list = tool({ name: 'list', description: 'Lists.', effect: 'pure', run: () => [] })
    const it = new LoopWorld(agent({ name: 'tested', model: stubModel(answer), tools: [read, list] }))
    expect(await it.ask('go')).toMatchObject({ status: 'completed' })
    expect(await it.outcomes()).toEqual([
      'read error arguments_invalid',
      'read error arguments_invalid',
      'read denied tool_rests',
      'read denied tool_rests',
      'list ok',
    ])
  })

  test('[N28] the same call for ever ends the turn, and the next turn begins anew', async () => {
    const it = new LoopWorld(
      agent({ name: 'tested', model: stubModel(() => ({ calls: [['read', { path: 'a' }]] })), tools: [read] }),
    )
    const turn = ['read ok', 'read ok', 'read denied repeated', 'read denied repeated', 'read denied repeated']
    expect(await it.ask('go')).toMatchObject({ status: 'failed' })
    expect(await it.outcomes()).toEqual(turn)
    expect(await it.ask('again')).toMatchObject({ status: 'failed' })
    expect(await it.outcomes()).toEqual([...turn, ...turn])
    expect(await reasons(it)).toEqual(['loop', 'loop'])
  })

  test('[N25] 500 calls at once are made in waves of eight, each with one outcome', async () => {
    let running = 0
    let most = 0
    const count = tool({
      name: 'count',
      description: 'Counts.',
      effect: 'pure',
      run: async () => {
        running += 1
        most = Math.max(most, running)
        await flushPending(1)
        running -= 1
      },
    })
    const calls = Array.from({ length: 500 }, (_, n): [string, object] => ['count', { n }])
    const many = agent({ name: 'tested', model: stubModel(once(...calls)), tools: [count], limits: { calls: 500 } })
    const it = new LoopWorld(many)
    await it.submit('go')
    expect(await ended(it)).toMatchObject([{ status: 'completed' }])
    expect(new Set((await it.payloads('tool_outcome')).map(({ tool_call_id }) => tool_call_id)).size).toBe(500)
    expect(await it.payloads('tool_outcome')).toHaveLength(500)
    expect(most).toBe(8)
  })
})

describe('an output', () => {
  const output = v.array(v.picklist(['low', 'high']))
  const answers =
    (...replies: Reply[]): Answering =>
    (prompt) =>
      replies[prompt.filter(({ role }) => role === 'assistant').length] ?? { text: 'Nothing more.' }
  const world = (...replies: Reply[]) =>
    new LoopWorld(agent({ name: 'tested', model: stubModel(answers(...replies)), tools: [read], output }))
  const wrong: Reply = { calls: [['answer', { value: ['middle'] }]] }
  const right: Reply = { calls: [['answer', { value: ['high'] }]] }

  test.each<[string, Reply[], unknown]>([
    ['at once', [right], ['high']],
    ['after a call', [{ calls: [['read', { path: 'a' }]] }, right], ['high']],
    [
      'beside another call',
      [
        {
          calls: [
            ['answer', { value: ['low'] }],
            ['read', { path: 'a' }],
          ],
        },
      ],
      ['low'],
    ],
    ['after two that do not fit', [wrong, wrong, right], ['high']],
    ['after two reminders', [{ text: 'High, I think.' }, { text: 'Well.' }, right], ['high']],
    ['that is empty', [{ calls: [['answer', { value: [] }]] }], []],
  ])('[N34] %s is the result', async (_name, replies, expected) => {
    const it = world(...replies)
    expect(await it.ask('go')).toMatchObject({ status: 'completed' })
    expect(await it.result()).toEqual(expected)
  })

  test.each<[string, Reply[]]>([
    ['three that do not fit', [wrong, wrong, wrong, right]],
    ['three answers in words', [{ text: 'a' }, { text: 'b' }, { text: 'c' }, right]],
    ['both', [{ text: 'a' }, wrong, { text: 'c' }, right]],
  ])('[N34] is given up after %s', async (_name, replies) => {
    const it = world(...replies)
    expect(await it.ask('go')).toMatchObject({ status: 'failed' })
    expect(await reasons(it)).toEqual(['output_invalid'])
  })
})

describe('an agent whose own code misbehaves', () => {
  const never = () => new Promise<never>(() => {})
  const silent = { '~standard': { version: 1, vendor: 'test', validate: never } } as const
  const model = stubModel(() => ({ text: 'Done.' }))
  const agents = {
    instructions: agent({ name: 'instructions', model, instructions: never }),
    input: agent({ name: 'input', model, input: silent }),
    none: agent({ name: 'none', model, instructions: (() => undefined) as unknown as () => string }),
    cancelled: agent({ name: 'cancelled', model, instructions: never }),
  }

  test('[N48] fails its turn when the time of a tool is over, and can be cancelled before', async () => {
    const it = new LoopWorld(agents)
    const keys = Object.keys(agents).map((name) => keyOf(`s-${name}`, name))
    for (const key of keys) await it.submit('go', key)
    await it.quiet()
    await it.send({ type: 'cancel' }, keys[3])
    await it.quiet()
    await it.clock.pass(60_000)
    const ends = await ended(it, keys)
    expect(ends.map((end) => end?.status)).toEqual(['failed', 'failed', 'failed', 'cancelled'])
    const errors = await Promise.all(keys.slice(0, 3).map((key) => it.payloads('error', key)))
    expect(errors.map(([error]) => error?.message)).toEqual([
      'The instructions of the agent took longer than 60000 ms.',
      'The input schema of the agent took longer than 60000 ms.',
      'The function `instructions` of an agent returns a text.',
    ])
  })
})
