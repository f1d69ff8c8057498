// Sleeps and signals of durable functions, over processes that come and go.
import { describe, expect, test } from 'vitest'
import type { AgentSession } from '../session.ts'
import { type AgentFunction, DurableProcess, defineAgents, keyOf } from './durable-world.suite.ts'

const [one, two, three] = [keyOf('a', 's1'), keyOf('a', 's2'), keyOf('b', 's3')]
const retried = { kind: 'background', maxRetries: 3 } as const
const end = (session: AgentSession) => session.approval({ subject: 'end', reason: 'Enough?' })

describe('a wait', () => {
  test('[N56] [N57] a sleep ends at its time, in whatever process; a waiting run is in nobody’s memory', async () => {
    const run: AgentFunction = async ({ session, input }, process) => {
      await session.sleep('rest', 60_000)
      await session.sleep('short', 500)
      await process.act(`woke ${input.prompt}`, 0)
      return process.clock.now()
    }
    let process = new DurableProcess(defineAgents({ a: run, b: run }))
    const began = process.clock.now()
    await process.submit(one, 'x')
    await process.submit(two, 'y', retried)
    await process.clock.pass(2_000)
    for (const key of [one, two]) {
      expect(await process.isWaiting(key)).toBe(true)
      expect((await process.host.open(key)).quiet).toBe(true)
      expect((await process.payloads(key, 'run_waiting')).map(({ until }) => until)).toEqual([began + 60_000])
    }
    process = await process.next()
    await process.clock.pass(57_000)
    expect(process.ledger.entries).toEqual([])
    await process.clock.pass(2_000)
    expect(await process.results(one)).toEqual([began + 60_500])
    expect(await process.results(two)).toEqual([began + 60_500])
    // The short one ended within the second in which a function stays in memory.
    expect(await process.payloads(one, 'run_waiting')).toHaveLength(1)
  })

  test('[N56] a signal answers waitFor, also one that came before, and each only once', async () => {
    const run: AgentFunction = async ({ session }, process) => {
      const first = await session.waitFor<{ n: number }>('go')
      await process.act(`first ${session.id} ${first?.n}`, 0)
      const [second, third] = await Promise.all([session.waitFor('go'), session.waitFor('go')])
      const other = await session.waitFor('stop', { expiresMs: 10_000 })
      await end(session)
      return [first, second, third, other]
    }
    let process = new DurableProcess(defineAgents({ a: run, b: run }))
    for (const key of [one, two, three]) await process.submit(key, 'x')
    const go = (key: typeof one, n: number) => process.send(key, { type: 'signal', name: 'go', payload: { n } })
    await go(one, 1)
    await go(one, 2)
    await process.clock.pass(3_000)
    await go(two, 1)
    process = await process.next()
    await go(two, 2)
    await go(one, 3)
    await go(two, 3)
    await process.clock.pass(3_000)
    await process.send(two, { type: 'signal', name: 'stop', payload: 'now' })
    process = await process.next()
    await process.clock.pass(11_000)
    expect(await process.isWaiting(three)).toBe(true)
    for (const key of [one, two]) {
      await process.approve(key)
      await process.idle(key)
    }
    const numbers = [{ n: 1 }, { n: 2 }, { n: 3 }]
    expect(await process.results(one)).toEqual([[...numbers, null]])
    expect(await process.results(two)).toEqual([[...numbers, 'now']])
    await process.send(three, { type: 'cancel' })
    await process.idle(three)
    await expect(process.send(three, { type: 'signal', name: 'go', payload: null })).rejects.toThrow('refused')
  })

  test('[N57] promises of a function that was let go never settle, and what it calls does nothing', async () => {
    const settled: unknown[] = []
    let session: AgentSession | undefined
    let signal: AbortSignal | undefined
    let begun = 0
    const run: AgentFunction = async (context) => {
      begun += 1
      session ??= context.session
      signal ??= context.signal
      await end(context.session)
      return 'done'
    }
    const process = new DurableProcess(defineAgents({ a: run, b: run }))
    await process.submit(one, 'x')
    await process.clock.pass(2_000)
    expect(await process.isWaiting(one)).toBe(true)
    expect(begun).toBe(1)
    const { length } = await process.events(one)
    for (const call of [session?.text('late'), session?.step('late', () => 1), session?.tool('late', {}, () => 1)])
      call?.then(
        () => settled.push('value'),
        () => settled.push('error'),
      )
    await process.clock.pass(5_000)
    expect(settled).toEqual([])
    expect(await process.events(one)).toHaveLength(length)
    expect(signal?.aborted).toBe(false)
    expect(process.clock.pending).toBeLessThanOrEqual(1)
    await process.approve(one)
    await process.idle(one)
    expect(await process.results(one)).toEqual(['done'])
    expect(begun).toBe(2)
  })

  test('[N57] work under way keeps the function in memory; news within the second cost no new beginning', async () => {
    let begun = 0
    let release = () => {}
    const run: AgentFunction = async ({ session }) => {
      begun += 1
      const working = session.tool(
        'work',
        {},
        () =>
          new Promise<void>((resolve) => {
            release = resolve
          }),
        { effect: 'pure' },
      )
      await Promise.all([working, end(session)])
      return 'done'
    }
    const process = new DurableProcess(defineAgents({ a: run, b: run }))
    await process.submit(one, 'x')
    await process.approval(one)
    await process.clock.pass(60_000)
    expect(await process.isWaiting(one)).toBe(false)
    release()
    await process.clock.pass(900)
    await process.approve(one)
    await process.idle(one)
    expect(begun).toBe(1)
  })

  test('[N57] before a stop, what has begun ends and is logged, nothing new begins, and nobody is asked anything', async () => {
    let release = () => {}
    const run: AgentFunction = async ({ session, input }, process) => {
      const paid = await session.tool('pay', {}, async () => {
        await process.act(`pay ${input.prompt}`, 0)
        await new Promise<void>((resolve) => {
          const before = release
          release = () => {
            before()
            resolve()
          }
        })
        await session.text('Paying: ')
        return 'paid'
      })
      await session.text(`${paid} `)
      await session.tool('ship', {}, () => process.act(`ship ${input.prompt}`, 0))
      await session.text('and sent')
    }
    let process = new DurableProcess(defineAgents({ a: run, b: run }))
    for (const [key, prompt] of [
      [one, 'x'],
      [two, 'y'],
      [three, 'z'],
    ] as const)
      await process.submit(key, prompt)
    await process.until(() => process.ledger.entries.length === 3)
    const resting = process.host.rest()
    release()
    await resting
    await process.host.handOver()
    await process.host.stop()
    expect(process.ledger.entries).toEqual(['pay x', 'pay y', 'pay z'])
    process = await process.next()
    for (const key of [one, two, three]) {
      await process.idle(key)
      expect(await process.results(key)).toEqual(['Paying: paid and sent'])
      expect(await process.payloads(key, 'approval_required')).toEqual([])
    }
    expect(process.ledger.entries.slice(3).toSorted()).toEqual(['ship x', 'ship y', 'ship z'])
  })
})
