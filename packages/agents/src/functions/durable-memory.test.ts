// The memory of a session, as agents use it, and definitions that change.
import { describe, expect, test } from 'vitest'
import type { AgentSession } from '../session.ts'
import { type AgentFunction, DurableProcess, defineAgents, keyOf } from './durable-world.suite.ts'

const [one, two, three] = [keyOf('a', 's1'), keyOf('a', 's2'), keyOf('b', 's3')]
const retried = { kind: 'background', maxRetries: 3 } as const
const end = (session: AgentSession) => session.approval({ subject: 'end', reason: 'Enough?' })

describe('the memory', () => {
  test('[N58] outlives turns, processes and branches; a function that begins again reads what it read before', async () => {
    const run: AgentFunction = async ({ session }) => {
      const count = (await session.memory.get<number>('count')) ?? 0
      await session.memory.set('count', count + 1)
      await session.memory.set(`turn ${count}`, { count }, { ttlMs: 10_000 })
      const keys = await session.memory.list()
      await end(session)
      if (count === 2) await session.memory.delete('count')
      return [count, await session.memory.get('count'), keys]
    }
    let process = new DurableProcess(defineAgents({ a: run, b: run }))
    for (let turn = 0; turn < 3; turn++) {
      for (const key of [one, three]) await process.submit(key, 'x')
      for (const key of [one, three]) await process.approval(key)
      process = await process.next()
      process = await process.next()
      for (const key of [one, three]) {
        await process.approve(key)
        await process.idle(key)
      }
      await process.clock.pass(6_000)
    }
    const expected = [
      [0, 1, ['count', 'turn 0']],
      [1, 2, ['count', 'turn 0', 'turn 1']],
      [2, null, ['count', 'turn 1', 'turn 2']],
    ]
    expect(await process.results(one)).toEqual(expected)
    expect(await process.results(three)).toEqual(expected)
    const second = (await process.events(one)).findLast(
      ({ type, payload }) => type === 'memory_set' && payload.key === 'turn 1',
    )
    await process.host.branch(one, second?.seq ?? 0, 's4', { prompt: 'y' })
    const branch = keyOf('a', 's4')
    await process.approve(branch)
    await process.idle(branch)
    expect((await process.results(branch)).at(-1)).toEqual([2, null, ['count', 'turn 2']])
  })

  test('[N58] has limits, and works with durable: false', async () => {
    const run: AgentFunction = async ({ session }) => {
      const { memory } = session
      const codes: string[] = []
      for (const attempt of [
        () => memory.set('large', 'x'.repeat(8_000)),
        () => memory.set('', 1),
        () => memory.set('big', 1n),
        () => memory.set('soon', 1, { ttlMs: 0 }),
      ])
        await attempt().catch(({ message }) => codes.push(message))
      for (let n = 0; n < 256; n++) await memory.set(`k${n}`, n)
      await memory.set('k0', 'again')
      await memory.set('one more', 1).catch(({ message }) => codes.push(message))
      return [codes, (await memory.list()).length, await memory.get('k0')]
    }
    const results = []
    for (const durable of [true, false]) {
      const process = new DurableProcess(defineAgents({ a: run }, durable))
      await process.submit(one, 'x')
      await process.idle(one)
      results.push(...(await process.results(one)))
    }
    const messages = [
      expect.stringMatching(/"large" has more than 8000 characters.*artifact/),
      expect.stringMatching(/A key of the memory is a text/),
      expect.stringMatching(/"big" is not JSON/),
      expect.stringMatching(/ttlMs is above 0/),
      expect.stringMatching(/has 256 keys. Delete one first/),
    ]
    expect(results).toEqual([
      [messages, 256, 'again'],
      [messages, 256, 'again'],
    ])
  })
})

describe('a definition', () => {
  const waiting: AgentFunction = async ({ session }) => {
    await end(session)
    return 'done'
  }

  test('[N59] that became durable: false ends the run with a reason', async () => {
    let process = new DurableProcess(defineAgents({ a: waiting, b: waiting }))
    await process.submit(one, 'x')
    await process.submit(two, 'x', retried)
    await process.approval(one)
    await process.approval(two)
    process = await process.next({ agents: defineAgents({ a: waiting, b: waiting }, false) })
    for (const key of [one, two]) {
      await process.idle(key)
      expect(await process.payloads(key, 'error')).toMatchObject([{ reason: 'not_durable' }])
    }
  })

  test('[N14] work that ends its process again and again without getting further is given up', async () => {
    let process = new DurableProcess(defineAgents({ a: () => new Promise(() => {}), b: waiting }))
    await process.submit(one, 'x')
    for (let life = 0; life < 6; life++) process = await process.next()
    await process.idle(one)
    expect(await process.payloads(one, 'error')).toMatchObject([{ reason: 'crash_loop' }])
  })
})
