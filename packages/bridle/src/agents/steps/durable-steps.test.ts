// Steps, sleeps, signals and memory of durable functions, over processes that come and go.
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { agent, type RunContext } from '../agent.ts'
import { type AgentsOf, DurableProcess, keyOf } from './durable-world.suite.ts'

type Run = (context: RunContext<JsonObject>, process: DurableProcess) => unknown
const define =
  (agents: { readonly [name: string]: Run }, durable = true): AgentsOf =>
  (process) =>
    Object.entries(agents).map(([name, run]) => {
      const bound = (context: RunContext<JsonObject>) => run(context, process)
      return agent({ name, durable, run: bound as () => Json })
    })
const [one, two, three] = [keyOf('a', 's1'), keyOf('a', 's2'), keyOf('b', 's3')]
const background = { kind: 'background', maxRetries: 3 } as const
const end = (session: RunContext<JsonObject>['session']) => session.approval({ subject: 'end', reason: 'Enough?' })

describe('a step', () => {
  test('[N54] runs once, and its result is the copy in the log each time; a name may come again', async () => {
    const seen: unknown[] = []
    const run: Run = async ({ session, input }, process) => {
      const values = []
      for (const n of [1, 2]) {
        const value = await session.step('draw', () =>
          process.act(`${input.prompt} ${n}`, { n, at: new Date(0), no: undefined }),
        )
        values.push(value)
        Object.assign(value, { n: 'changed' })
      }
      const nothing = await session.step('nothing', () => process.act(`${input.prompt} nothing`, undefined))
      const [left, right] = await Promise.all(
        ['left', 'right'].map((side) => session.step(side, () => process.act(`${input.prompt} ${side}`, side))),
      )
      seen.push([values.map(({ at }) => at), nothing, left, right])
      await end(session)
      return values
    }
    let process = new DurableProcess(define({ a: run, b: run }))
    for (const [key, prompt] of [
      [one, 'x'],
      [two, 'y'],
      [three, 'z'],
    ] as const)
      await process.submit(key, prompt)
    for (const key of [one, two, three]) await process.approval(key)
    process = await process.next()
    process = await process.next()
    for (const key of [three, two, one]) {
      await process.approve(key)
      await process.idle(key)
    }
    await process.submit(one, 'w')
    await process.approve(one)
    await process.idle(one)
    const times = ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z']
    for (const each of seen) expect(each).toEqual([times, undefined, 'left', 'right'])
    const entries = ['1', '2', 'nothing', 'left', 'right']
    expect(process.ledger.entries.toSorted()).toEqual(
      ['x', 'y', 'z', 'w'].flatMap((prompt) => entries.map((entry) => `${prompt} ${entry}`)).toSorted(),
    )
    expect((await process.payloads(two, 'step_done')).map(({ name }) => name)).toEqual([
      ...['draw', 'draw#2', 'nothing', 'left', 'right'],
    ])
  })

  test('[N54] that was under way runs again under its key; its error is kept, with its name and code', async () => {
    const keys: string[] = []
    let isStuck = true
    const run: Run = async ({ session }, process) => {
      const caught = await session
        .step('bad', async () => {
          await process.act('bad', 0)
          throw Object.assign(new RangeError('no'), { code: 'declined' })
        })
        .catch(({ name, message, code }) => `${name} ${message} ${code}`)
      const slow = await session.step('slow', async ({ stepKey }) => {
        keys.push(stepKey)
        return isStuck ? new Promise<string>(() => {}) : 'slow'
      })
      return [caught, slow]
    }
    let process = new DurableProcess(define({ a: run, b: run }))
    await process.submit(one, 'x')
    await process.until(() => keys.length === 1)
    isStuck = false
    process = await process.next()
    await process.idle(one)
    expect(await process.results(one)).toEqual([['RangeError no declined', 'slow']])
    expect(process.ledger.entries).toEqual(['bad'])
    expect(keys).toEqual([keys[0], keys[0]])
  })

  test('[N54] [N12] with a transient error runs again when the run is tried again, and not before', async () => {
    let tries = 0
    const run: Run = async ({ session }, process) => {
      await session.step('sure', () => process.act('sure', 1))
      await session
        .step('flaky', async () => {
          await process.act('flaky', 0)
          if (++tries < 3) throw Object.assign(new Error('busy'), { transient: true })
        })
        .catch(async (error) => {
          await session.approval({ subject: 'end', args: { tries }, reason: 'Enough?' })
          throw error
        })
      return 'done'
    }
    let process = new DurableProcess(define({ a: run, b: run }))
    await process.submit(one, 'x', background)
    for (let attempt = 1; attempt < 3; attempt++) {
      await process.approval(one)
      process = await process.next()
      await process.approve(one)
      await process.clock.pass(5_000)
    }
    await process.idle(one)
    expect(await process.results(one)).toEqual(['done'])
    expect(process.ledger.entries).toEqual(['sure', 'flaky', 'flaky', 'flaky'])
  })

  test.each<[string, Run, string, RegExp]>([
    [
      'two of one name at once',
      ({ session }) => Promise.all([session.step('a', () => 1), session.step('a', () => 2)]),
      'step_name_in_use',
      /Two steps called "a" run at once. Give each a name of its own/,
    ],
    [
      'a step inside a step',
      ({ session }) =>
        session.step('outer', async () => {
          await Promise.resolve()
          return session.step('inner', () => 1)
        }),
      'step_nested',
      /inside the step "outer".* Call it before or after/,
    ],
    [
      'text inside a step',
      ({ session }) => session.step('s', () => session.text('no')),
      'step_nested',
      /inside the step "s"/,
    ],
    ['a sleep without a time', ({ session }) => session.sleep('a', undefined as never), 'none', /ms is between 0 and/],
    ['no name', ({ session }) => session.step('', () => 1), 'step_name_invalid', /takes a name first/],
    ['a signal that nobody can send', ({ session }) => session.waitFor('a b'), 'step_name_invalid', /name of a signal/],
    ['a name with a number', ({ session }) => session.step('a#2', () => 1), 'step_name_invalid', /without "#"/],
    [
      'a result that is not JSON',
      ({ session }) => session.step('a', () => 1n),
      'step_result_invalid',
      /"a" is not JSON/,
    ],
    ['a function as a result', ({ session }) => session.step('a', () => () => 1), 'step_result_invalid', /is not JSON/],
    [
      'a result that is too large',
      ({ session }) => session.step('a', () => 'x'.repeat(1_000_000)),
      'step_result_too_large',
      /1000002 characters.*session.artifact\(\)/,
    ],
  ])('[N54] [N56] %s is refused', async (_name, run, code, message) => {
    const codes: unknown[] = []
    const catching: Run = async (context, process) => {
      try {
        await run(context, process)
      } catch (error) {
        codes.push((error as { code: string }).code)
        throw error
      }
    }
    const process = new DurableProcess(define({ a: catching, b: catching }))
    await process.submit(one, 'x')
    await process.idle(one)
    expect(codes).toEqual(code === 'none' ? [undefined] : [code])
    expect(await process.payloads(one, 'error')).toMatchObject([{ message: expect.stringMatching(message) }])
    // The first of two at once is a step like any other.
    expect((await process.payloads(one, 'step_done')).length).toBe(code === 'step_name_in_use' ? 1 : 0)
  })

  test('[N54] [N11] that hangs does not keep a run from being cancelled', async () => {
    let aborted = false
    let began = false
    const run: Run = ({ session }) =>
      session.step('hangs', ({ signal }) => {
        began = true
        signal.addEventListener('abort', () => {
          aborted = true
        })
        return new Promise(() => {})
      })
    const process = new DurableProcess(define({ a: run, b: run }))
    await process.submit(one, 'x')
    await process.until(() => began)
    await process.send(one, { type: 'cancel' })
    await process.idle(one)
    expect(aborted).toBe(true)
    expect(await process.payloads(one, 'turn_end')).toMatchObject([{ status: 'cancelled' }])
    expect(await process.payloads(one, 'step_done')).toEqual([])
  })
})

describe('a wait', () => {
  test('[N56] [N57] a sleep ends at its time, in whatever process; a waiting run is in nobody’s memory', async () => {
    const run: Run = async ({ session, input }, process) => {
      await session.sleep('rest', 60_000)
      await session.sleep('short', 500)
      await process.act(`woke ${input.prompt}`, 0)
      return process.clock.now()
    }
    let process = new DurableProcess(define({ a: run, b: run }))
    const began = process.clock.now()
    await process.submit(one, 'x')
    await process.submit(two, 'y', background)
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
    const run: Run = async ({ session }, process) => {
      const first = await session.waitFor<{ n: number }>('go')
      await process.act(`first ${session.id} ${first?.n}`, 0)
      const [second, third] = await Promise.all([session.waitFor('go'), session.waitFor('go')])
      const other = await session.waitFor('stop', { expiresMs: 10_000 })
      await end(session)
      return [first, second, third, other]
    }
    let process = new DurableProcess(define({ a: run, b: run }))
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
    let session: RunContext<JsonObject>['session'] | undefined
    let signal: AbortSignal | undefined
    let begun = 0
    const run: Run = async (context) => {
      begun += 1
      session ??= context.session
      signal ??= context.signal
      await end(context.session)
      return 'done'
    }
    const process = new DurableProcess(define({ a: run, b: run }))
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
    const run: Run = async ({ session }) => {
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
    const process = new DurableProcess(define({ a: run, b: run }))
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
    const run: Run = async ({ session, input }, process) => {
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
    let process = new DurableProcess(define({ a: run, b: run }))
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

describe('the memory', () => {
  test('[N58] outlives turns, processes and branches; a function that begins again reads what it read before', async () => {
    const run: Run = async ({ session }) => {
      const count = (await session.memory.get<number>('count')) ?? 0
      await session.memory.set('count', count + 1)
      await session.memory.set(`turn ${count}`, { count }, { ttlMs: 10_000 })
      const keys = await session.memory.list()
      await end(session)
      if (count === 2) await session.memory.delete('count')
      return [count, await session.memory.get('count'), keys]
    }
    let process = new DurableProcess(define({ a: run, b: run }))
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
    const run: Run = async ({ session }) => {
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
      const process = new DurableProcess(define({ a: run }, durable))
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
  const waiting: Run = async ({ session }) => {
    await end(session)
    return 'done'
  }

  test('[N59] that became durable: false ends the run with a reason', async () => {
    let process = new DurableProcess(define({ a: waiting, b: waiting }))
    await process.submit(one, 'x')
    await process.submit(two, 'x', background)
    await process.approval(one)
    await process.approval(two)
    process = await process.next({ agents: define({ a: waiting, b: waiting }, false) })
    for (const key of [one, two]) {
      await process.idle(key)
      expect(await process.payloads(key, 'error')).toMatchObject([{ reason: 'not_durable' }])
    }
  })

  test('[N14] work that ends its process again and again without getting further is given up', async () => {
    let process = new DurableProcess(define({ a: () => new Promise(() => {}), b: waiting }))
    await process.submit(one, 'x')
    for (let life = 0; life < 6; life++) process = await process.next()
    await process.idle(one)
    expect(await process.payloads(one, 'error')).toMatchObject([{ reason: 'crash_loop' }])
  })
})
