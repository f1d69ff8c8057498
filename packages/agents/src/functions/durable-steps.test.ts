// Steps of durable functions, over processes that come and go.
import { describe, expect, test } from 'vitest'
import type { AgentSession } from '../session.ts'
import { type AgentFunction, DurableProcess, defineAgents, keyOf } from './durable-world.suite.ts'

const [one, two, three] = [keyOf('a', 's1'), keyOf('a', 's2'), keyOf('b', 's3')]
const retried = { kind: 'background', maxRetries: 3 } as const
const end = (session: AgentSession) => session.approval({ subject: 'end', reason: 'Enough?' })

describe('a step', () => {
  test('[N54] runs once, and its result is the copy in the log each time; a name may come again', async () => {
    const seen: unknown[] = []
    const run: AgentFunction = async ({ session, input }, process) => {
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
    let process = new DurableProcess(defineAgents({ a: run, b: run }))
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
    const run: AgentFunction = async ({ session }, process) => {
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
    let process = new DurableProcess(defineAgents({ a: run, b: run }))
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
    const run: AgentFunction = async ({ session }, process) => {
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
    let process = new DurableProcess(defineAgents({ a: run, b: run }))
    await process.submit(one, 'x', retried)
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

  test.each<[string, AgentFunction, string, RegExp]>([
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
    const catching: AgentFunction = async (context, process) => {
      try {
        await run(context, process)
      } catch (error) {
        codes.push((error as { code: string }).code)
        throw error
      }
    }
    const process = new DurableProcess(defineAgents({ a: catching, b: catching }))
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
    const run: AgentFunction = ({ session }) =>
      session.step('hangs', ({ signal }) => {
        began = true
        signal.addEventListener('abort', () => {
          aborted = true
        })
        return new Promise(() => {})
      })
    const process = new DurableProcess(defineAgents({ a: run, b: run }))
    await process.submit(one, 'x')
    await process.until(() => began)
    await process.send(one, { type: 'cancel' })
    await process.idle(one)
    expect(aborted).toBe(true)
    expect(await process.payloads(one, 'turn_end')).toMatchObject([{ status: 'cancelled' }])
    expect(await process.payloads(one, 'step_done')).toEqual([])
  })
})
