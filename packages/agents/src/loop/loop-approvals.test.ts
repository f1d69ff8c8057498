import type { SessionOptions } from '@bridle/kernel/commands'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { agent } from '../agent.ts'
import { tool } from '../tools/tool.ts'
import { type Answering, keyOf, LoopWorld, lastResults, openStream, stubModel } from './loop.suite.ts'

const hung = () => new Promise<never>(() => {})

/** An agent that calls `pay` once, says what came of it, and notes what really happened. */
const payer = (pay: object = {}, calls: readonly (readonly [string, object])[] = [['pay', { euros: 5 }]]) => {
  const paid: unknown[] = []
  const requests: number[] = []
  const answer: Answering = (prompt) => {
    requests.push(prompt.length)
    const results = lastResults(prompt.slice(0, prompt.findLastIndex(({ role }) => role === 'tool') + 1))
    return results ? { text: `Result: ${results.join('; ')}` } : { text: 'Paying. ', calls }
  }
  const definition = agent({
    name: 'tested',
    model: stubModel(answer),
    tools: [
      tool({
        name: 'pay',
        description: 'Pays.',
        input: v.object({ euros: v.pipe(v.number(), v.maxValue(100)) }),
        run: async ({ euros }, { stepKey }) => {
          paid.push([euros, stepKey])
          return `paid ${euros}`
        },
        ...pay,
      }),
    ],
  })
  return { definition, paid, requests }
}
const stepKey = 'acme/tested/s1:r-2.1.1'

describe('an approval', () => {
  const approved = (terms: boolean | object = true) => payer({ approve: terms })

  test.each<[string, 'approved' | 'denied', { euros: number } | undefined, unknown[], string]>([
    ['approved', 'approved', undefined, [[5, stepKey]], 'Result: paid 5'],
    ['denied', 'denied', undefined, [], 'Result: The call was not made: denied'],
    [
      'approved with other arguments',
      'approved',
      { euros: 3 },
      [[3, stepKey]],
      'Result: A person changed the arguments of this call to {"euros":3} and approved it.\npaid 3',
    ],
  ])('[N46] %s, in this process and after any number of restarts', async (_name, decision, args, expected, result) => {
    for (const restarts of [0, 1, 3]) {
      const { definition, paid, requests } = approved()
      let it = new LoopWorld(definition)
      await it.submit('go')
      await it.quiet()
      const id = await it.openApproval()
      expect(it.host.runningCount).toBe(0)
      for (let n = 0; n < restarts; n++) it = await it.again()
      expect([paid, await it.openApproval()]).toEqual([[], id])
      await it.approve(decision, args)
      expect(paid).toEqual(expected)
      expect(await it.result()).toEqual(result)
      expect(requests).toHaveLength(2)
      expect(await it.payloads('run_started')).toMatchObject([{ attempt: 1 }])
      expect(await it.payloads('approval_required')).toHaveLength(1)
    }
  })

  test('[N46] that expires while no process runs is a call that was not made', async () => {
    const { definition, paid } = approved({ reason: 'It costs money.', expiresMs: 60_000 })
    const before = new LoopWorld(definition)
    await before.submit('go')
    await before.quiet()
    before.kill()
    before.clock.step(3_600_000)
    const it = await before.again()
    expect(paid).toEqual([])
    expect(await it.result()).toBe('Result: The call was not made: expired')
    expect(await it.outcomes()).toEqual(['pay denied expired'])
  })

  test('[N46] an answer that was given and not used is used by the next process', async () => {
    const { definition, paid } = approved()
    const before = new LoopWorld(definition)
    await before.submit('go')
    await before.quiet()
    // The answer is in the log; the process ends before the run is taken up.
    before.log.after = () => before.kill()
    await before.approve().catch(() => {})
    expect(paid).toEqual([])
    const it = await before.again()
    expect(paid).toEqual([[5, stepKey]])
    expect(await it.result()).toBe('Result: paid 5')
  })

  test('[H79] with a pause: the call is made once, and the model is asked again only after a resume, whenever the process dies', async () => {
    for (const writes of [0, 1, 2, 3]) {
      const { definition, paid, requests } = approved()
      const keys = [keyOf('one'), keyOf('two')]
      const before = new LoopWorld(definition)
      for (const key of keys) await before.submit('go', key)
      await before.quiet()
      const answers = await Promise.all(keys.map((key) => before.openApproval(key)))
      let left = writes
      before.log.after = () => {
        if (left-- === 0) before.kill()
      }
      const [first = '', second = ''] = answers
      const answer = (it: LoopWorld, approvalId: string, key = keys[0]) =>
        it.send({ type: 'approve', approvalId, decision: 'approved', pause: true, actor: 'ann' }, key)
      await answer(before, first).catch(() => {})
      await before.quiet()
      const it = await before.again()
      // A call that a crash cut off may have happened: a person is asked, as ever.
      const state = async (key = keys[0]) => (await it.host.open(key ?? keyOf())).state
      if (Object.keys((await state()).approvals.open).length > 0) await it.approve('approved', undefined, keys[0])
      expect([writes, (await state()).lifecycle.paused]).toEqual([writes, true])
      expect([writes, requests.length]).toEqual([writes, 2])
      expect(paid.length).toBeGreaterThan(0)
      const made = paid.length
      await it.send({ type: 'resume' }, keys[0])
      await it.quiet()
      expect([await it.result(keys[0]), paid.length]).toEqual(['Result: paid 5', made])
      // The other session was not touched.
      expect((await state(keys[1])).lifecycle.paused).toBe(false)
      await answer(it, second, keys[1])
      await it.quiet()
      expect((await state(keys[1])).lifecycle.paused).toBe(true)
    }
  })

  test('[N46] calls without one are made meanwhile, later waves are not', async () => {
    const seen: string[] = []
    const look = tool({ name: 'look', description: 'Looks.', effect: 'pure', run: () => void seen.push('look') })
    const send = tool({
      name: 'send',
      description: 'Sends.',
      effect: 'pure',
      approve: true,
      run: () => void seen.push('send'),
    })
    const write = tool({ name: 'write', description: 'Writes.', run: () => void seen.push('write') })
    const it = new LoopWorld(
      agent({
        name: 'tested',
        model: stubModel((prompt) =>
          lastResults(prompt)
            ? { text: 'done' }
            : {
                calls: [
                  ['send', {}],
                  ['look', {}],
                  ['write', {}],
                ],
              },
        ),
        tools: [look, send, write],
      }),
    )
    await it.submit('go')
    await it.quiet()
    expect(seen).toEqual(['look'])
    await it.approve()
    expect(seen).toEqual(['look', 'send', 'write'])
    expect(await it.result()).toBe('done')
  })

  test('[N41] a steering prompt while a person is asked waits for the model', async () => {
    const { definition, requests } = approved()
    const it = new LoopWorld(definition)
    await it.submit('go')
    await it.quiet()
    await it.send({ type: 'steer', prompt: 'and hurry' })
    await it.quiet()
    expect(requests).toHaveLength(1)
    await it.approve()
    expect(await it.payloads('steer_delivered')).toHaveLength(1)
    expect(await it.payloads('turn_end')).toMatchObject([{ status: 'completed' }])
  })
})

describe('a call under way when its process ends', () => {
  /** The first process hangs in the call. */
  const interrupted = async (pay: object = {}) => {
    let isFirst = true
    const made = payer({
      ...pay,
      run: async ({ euros }: { euros: number }, context: { stepKey: string }) => {
        made.paid.push([euros, context.stepKey])
        return isFirst ? hung() : `paid ${euros}`
      },
    })
    const before = new LoopWorld(made.definition)
    await before.submit('go')
    await before.quiet()
    if (await before.openApproval().catch(() => null)) await before.approve('approved', { euros: 4 })
    expect(made.paid).toHaveLength(1)
    isFirst = false
    return { ...made, it: await before.again() }
  }

  test.each(['pure', 'idempotent'])('[N46] %s: it is made again, with the same step key', async (effect) => {
    const { it, paid } = await interrupted({ effect })
    expect(paid).toEqual([
      [5, stepKey],
      [5, stepKey],
    ])
    expect(await it.result()).toBe('Result: paid 5')
    expect(await it.payloads('approval_required')).toEqual([])
  })

  test('[N46] with arguments that a person changed, it is made again with these', async () => {
    const { it, paid } = await interrupted({ effect: 'idempotent', approve: true })
    expect(paid).toEqual([
      [4, stepKey],
      [4, stepKey],
    ])
    expect(await it.outcomes()).toEqual(['pay ok'])
  })

  test.each<['approved' | 'denied', number, unknown]>([
    ['approved', 2, 'Result: paid 5'],
    ['denied', 1, expect.stringContaining('Nobody knows whether it has happened')],
  ])('[N46] unsafe: a person is asked, and the turn goes on (%s)', async (decision, times, result) => {
    const { it, paid } = await interrupted()
    expect(await it.payloads('approval_required')).toMatchObject([
      { kind: 'unknown_outcome', tool_name: 'pay', arguments: { euros: 5 } },
    ])
    const later = await it.again()
    expect(paid).toHaveLength(1)
    await later.approve(decision)
    expect(paid).toHaveLength(times)
    expect(await later.result()).toEqual(result)
    expect(await later.payloads('approval_required')).toHaveLength(1)
  })

  test('[N40] some calls of a wave are done: only the others are made again, or asked about', async () => {
    let isFirst = true
    const made: string[] = []
    const touching = (name: string, effect: 'pure' | 'idempotent' | 'unsafe', hangs: boolean) =>
      tool({
        ...{ name, effect, description: name, resources: () => [name] },
        run: () => {
          made.push(name)
          return hangs && isFirst ? hung() : name
        },
      })
    const tools = [touching('a', 'unsafe', false), touching('b', 'idempotent', true), touching('c', 'unsafe', true)]
    const answer: Answering = (prompt) =>
      lastResults(prompt) ? { text: String(lastResults(prompt)) } : { calls: tools.map(({ name }) => [name, {}]) }
    const before = new LoopWorld(agent({ name: 'tested', model: stubModel(answer), tools }))
    await before.submit('go')
    await before.quiet()
    expect([made, await before.outcomes()]).toEqual([['a', 'b', 'c'], ['a ok']])
    expect(await before.payloads('tool_batch')).toMatchObject([{ tool_call_ids: ['r-2.1.1', 'r-2.1.2', 'r-2.1.3'] }])
    isFirst = false
    const it = await before.again()
    expect([made.slice(3), await it.outcomes()]).toEqual([['b'], ['a ok', 'b ok']])
    await it.approve()
    expect([made.slice(4), await it.result()]).toEqual([['c'], 'a,b,c'])
  })

  test('[N46] an approval is used once: an approved unsafe call that was under way is asked about', async () => {
    const { it, paid } = await interrupted({ approve: true })
    expect(paid).toHaveLength(1)
    expect(await it.payloads('approval_required')).toMatchObject([{ kind: 'tool' }, { kind: 'unknown_outcome' }])
    await it.approve()
    expect(paid).toEqual([
      [4, stepKey],
      [4, stepKey],
    ])
  })
})

describe('a stopped attempt', () => {
  const background: SessionOptions = { kind: 'background', policy: { health: { max_total_tokens: 20 } } }

  test('[N46] over its budget it stops before the next step; what was done stays done', async () => {
    const { definition, paid, requests } = payer({}, [['pay', { euros: 5 }]])
    const it = new LoopWorld(definition)
    await it.submit('go', keyOf(), { ...background, policy: { health: { max_total_tokens: 10 } } })
    await it.quiet()
    expect([paid.length, requests.length]).toEqual([1, 1])
    expect(await it.payloads('run_parked')).toMatchObject([{ reason: 'budget' }])
    const later = await it.again()
    await later.approve()
    expect([paid.length, requests.length]).toEqual([1, 2])
    expect(await later.result()).toBe('Result: paid 5')
    expect(await later.payloads('output_superseded')).toEqual([])
  })

  test('[N46] a pause keeps the open question and everything that was done', async () => {
    const { definition, paid, requests } = payer({ approve: true })
    const it = new LoopWorld(definition)
    await it.submit('go')
    await it.quiet()
    const id = await it.openApproval()
    await it.send({ type: 'pause' })
    await it.quiet()
    await it.send({ type: 'resume' })
    await it.quiet()
    expect(await it.openApproval()).toBe(id)
    await it.approve()
    expect([paid.length, requests.length]).toEqual([1, 2])
    expect(await it.result()).toBe('Result: paid 5')
  })

  test('[N46] a pause in the middle of an answer withdraws its text and asks again', async () => {
    let times = 0
    const it = new LoopWorld(
      agent({
        name: 'tested',
        model: {
          ...stubModel(() => ({ text: 'Whole answer.' })),
          doStream: async (options) => {
            times += 1
            if (times > 1) return stubModel(() => ({ text: 'Whole answer.' })).doStream(options)
            return {
              stream: openStream([
                { type: 'text-start', id: 't' },
                { type: 'text-delta', id: 't', delta: 'Half ' },
              ]),
            }
          },
        },
      }),
    )
    await it.submit('go')
    await it.quiet()
    expect(await it.payloads('token')).toEqual([{ text: 'Half ' }])
    await it.send({ type: 'pause' })
    await it.quiet()
    await it.send({ type: 'resume' })
    await it.quiet()
    expect(await it.payloads('output_superseded')).toMatchObject([{ keep: { chars: 0, parts: 0 } }])
    const { messages } = (await it.host.open(keyOf())).state.conversation
    expect(messages.at(-1)).toMatchObject({ content: 'Whole answer.', status: 'complete' })
  })
})
