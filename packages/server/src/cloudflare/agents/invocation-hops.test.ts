// An agent at work keeps its object in memory and continues in a fresh invocation every few steps; other work does neither.

import type { AnyEvent } from '@bridle/kernel/event'
import type { Job, RunEnd, Runner } from '@bridle/kernel/ports/runner'
import { get, isIdle, post, readFrames, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { alarmCount, callAlarm, incarnation, reset, startTestWorker } from '../tests/test-worker.suite.ts'
import { noTools, type WorkerdProcess } from '../tests/workerd.suite.ts'
import { HOP_MS, HOP_STEPS, InvocationHops, withInvocationHops } from './invocation-hops.ts'

const KEY = { tenant: 't', agent: 'a', id: 'i' }
const job = (awaiting: string[] = []): Job => ({ key: KEY, awaiting }) as unknown as Job
const did = (count: number, type = 'tool_call') =>
  Array.from({ length: count }, () => ({ type, payload: {} }) as unknown as AnyEvent)
const became = (status: string) => [{ type: 'session_state', payload: { status } } as unknown as AnyEvent]

const made = () => {
  const timers = new Set<() => void>()
  let count = 0
  const hops = new InvocationHops({
    hop: () => {
      count += 1
    },
    clock: {
      now: () => 0,
      after: (ms, call) => {
        expect(ms).toBe(HOP_MS)
        timers.add(call)
        return () => timers.delete(call)
      },
    },
  })
  const passTime = () => {
    for (const call of [...timers]) if (timers.delete(call)) call()
  }
  return { hops, passTime, count: () => count, isHeld: () => timers.size > 0 }
}

test('[CF13] it hops after so many steps, and text is none', () => {
  const { hops, count, isHeld } = made()
  hops.countSteps(KEY, did(HOP_STEPS))
  expect([count(), isHeld()]).toEqual([0, false])
  const end = hops.holdRun(job(), false)
  hops.countSteps(KEY, did(HOP_STEPS - 1))
  hops.countSteps(KEY, did(1_000, 'token'))
  hops.countSteps(KEY, did(1_000, 'thinking'))
  expect([count(), isHeld()]).toEqual([0, true])
  hops.countSteps(KEY, did(1))
  hops.countSteps(KEY, did(HOP_STEPS))
  expect([count(), isHeld()]).toEqual([2, true])
  end()
  expect(isHeld()).toBe(false)
  hops.countSteps(KEY, did(HOP_STEPS))
  expect(count()).toBe(2)
})

test('[CF13] and after so long, whatever was done', () => {
  const { hops, passTime, count, isHeld } = made()
  const end = hops.holdRun(job(), true)
  passTime()
  passTime()
  expect([count(), isHeld()]).toEqual([2, true])
  end()
  passTime()
  expect([count(), isHeld()]).toEqual([2, false])
})

test('[CF13] one that waits for an answer uses nothing up; it is held only if it could not be taken up', () => {
  const resting = made()
  resting.hops.holdRun(job(['c1']), true)
  expect(resting.isHeld()).toBe(false)
  resting.hops.countSteps(KEY, became('running'))
  expect(resting.isHeld()).toBe(true)
  resting.hops.countSteps(KEY, became('awaiting_approval'))
  expect([resting.count(), resting.isHeld()]).toEqual([0, false])

  const held = made()
  held.hops.holdRun(job(), false)
  held.hops.countSteps(KEY, became('awaiting_approval'))
  held.passTime()
  expect([held.count(), held.isHeld()]).toEqual([0, true])
  held.hops.countSteps(KEY, became('running'))
  held.passTime()
  expect([held.count(), held.isHeld()]).toEqual([1, true])
})

test('[CF13] a durable run in hand works, whatever is asked meanwhile: its steps count, and it hops', () => {
  for (const [first, events] of [
    [job(), [{ type: 'run_started', payload: { durable: true } } as unknown as AnyEvent]],
    [{ ...job(['c1']), course: {} } as unknown as Job, []],
  ] as const) {
    const { hops, passTime, count, isHeld } = made()
    const end = hops.holdRun(first, false)
    hops.countSteps(KEY, [...events, ...became('awaiting_approval'), ...did(HOP_STEPS - 2, 'step_done')])
    hops.countSteps(KEY, did(2, 'model_step'))
    expect([count(), isHeld()]).toEqual([1, true])
    passTime()
    expect([count(), isHeld()]).toEqual([2, true])
    end()
    expect(isHeld()).toBe(false)
  }
})

test('[CF13] a run that breaks is let go; the attempt after it is not', async () => {
  const { hops, isHeld } = made()
  const runner = {
    start: (): Promise<RunEnd> => Promise.reject(new Error('broke')),
    attach: async (): Promise<RunEnd> => 'lost',
  } as unknown as Runner
  const wrapped = withInvocationHops(runner, hops, { canRest: false })
  await expect(wrapped.start(job(), {} as never)).rejects.toThrow('broke')
  expect(await wrapped.attach(job(), {} as never)).toBe('lost')
  expect(isHeld()).toBe(false)
  const endFirst = hops.holdRun(job(), false)
  const endSecond = hops.holdRun(job(), false)
  endFirst()
  expect(isHeld()).toBe(true)
  endSecond()
  expect(isHeld()).toBe(false)
})

describe.skipIf(noTools)('in workerd', () => {
  let world: WorkerdProcess
  const walker = (id: string) => `${world.url}/agents/walker/${id}`
  const mayfly = (id: string) => `${world.url}/agents/mayfly/${id}`
  const scripted = (id: string) => `${world.url}/agents/scripted/${id}`
  const approvalOf = async (id: string): Promise<string> => {
    const find = async () => {
      const { approvals } = (await get(`${world.url}/approvals`)).body as {
        approvals: { approvalId: string; sessionId: string }[]
      }
      return approvals.find(({ sessionId }) => sessionId === id)?.approvalId
    }
    await expect.poll(find).toBeDefined()
    return `${world.url}/sessions/${id}/approvals/${await find()}/approve`
  }

  beforeAll(async () => {
    world = await startTestWorker()
  })
  afterAll(() => world?.dispose())

  /** Sessions that have nothing to do from the first test on: it takes ten seconds until the runtime evicts an idle object. */
  let idle: { readonly since: number; readonly lives: readonly string[]; readonly approvals: readonly string[] }
  const idleLives = () =>
    Promise.all([
      incarnation(world, 'over', 'walker'),
      incarnation(world, 'script-asks'),
      incarnation(world, 'durable-asks', 'walker'),
      incarnation(world, 'function-asks', 'mayfly'),
    ])

  test('[CF13] a run ends, and three others come to wait for an answer', async () => {
    const ask = { approve: 'write', id: 'c1', args: {}, reason: 'asks' }
    expect((await post(walker('over'), { steps: 100 })).body.result).toBe('walked')
    await post(scripted('script-asks'), scriptBody(ask, { text: 'written' }), { prefer: 'respond-async' })
    await post(walker('durable-asks'), { asks: true, steps: 2 }, { prefer: 'respond-async' })
    await post(mayfly('function-asks'), { asks: true, steps: 2 }, { prefer: 'respond-async' })
    const approvals = await Promise.all(['script-asks', 'durable-asks', 'function-asks'].map(approvalOf))
    idle = { lives: await idleLives(), approvals, since: Date.now() }
  })

  test('[CF13] a long run goes on in one fresh invocation after the other', async () => {
    expect((await post(walker('long'), { steps: 100 })).body.result).toBe('walked')
    expect(await alarmCount(world, 'long', 'walker')).toBeGreaterThanOrEqual(5)
    const steps = Array.from({ length: 60 }, () => ({ tool: 'step', result: {}, ms: 5 }))
    await post(scripted('long'), scriptBody(...steps))
    expect(await alarmCount(world, 'long')).toBeGreaterThanOrEqual(2)
  })

  test('[CF13] a short run does not, nor does one that only talks', async () => {
    expect((await post(walker('short'), { steps: 3 })).body.result).toBe('walked')
    await post(scripted('talk'), scriptBody({ text: 'x'.repeat(2_000), chunks: 1_000 }))
    expect([await alarmCount(world, 'short', 'walker'), await alarmCount(world, 'talk')]).toEqual([0, 0])
  })

  test('[CF8] [CF13] reset on its way, a function that is not durable ends with its reason, and the next one works', async () => {
    await post(mayfly('reset'), { steps: 1_000, everyMs: 5 }, { prefer: 'respond-async' })
    await expect.poll(() => alarmCount(world, 'reset', 'mayfly')).toBeGreaterThan(1)
    await reset(world, 'reset', 'mayfly')
    const all = await readFrames(`${mayfly('reset')}/stream`, isIdle)
    expect(all.at(-2)?.data).toMatchObject({ type: 'error', data: { reason: 'interrupted' } })
    expect((await post(mayfly('reset'), { steps: 1 })).body.result).toBe('walked')
  })

  test('[CF8] [CF13] reset on its way, a durable function goes on, hops and makes no step twice', async () => {
    await post(walker('reset-too'), { steps: 100, everyMs: 5 }, { prefer: 'respond-async' })
    await expect.poll(() => alarmCount(world, 'reset-too', 'walker')).toBeGreaterThan(1)
    await reset(world, 'reset-too', 'walker')
    const all = await readFrames(`${walker('reset-too')}/stream`, isIdle)
    expect(all.at(-2)?.data.data.result).toBe('walked')
    const steps = all.filter(({ data }) => data.type === 'tool_end').map(({ data }) => data.data.toolCallId)
    expect([steps.length, new Set(steps).size]).toEqual([100, 100])
    expect(await alarmCount(world, 'reset-too', 'walker')).toBeGreaterThan(1)
  })

  test('[CF13] nobody else can ring: no route leads there, and the platform lets no other Worker', async () => {
    for (const path of ['/alarm', '/agents/scripted/x/alarm', '/sessions/x/alarm'])
      expect((await post(`${world.url}${path}`, {})).status).toBe(404)
    await expect(callAlarm(world, 'outside')).rejects.toThrow(/alarm/)
    expect(await alarmCount(world, 'outside')).toBe(0)
  })

  test('[CF13] over, it sleeps; while it waits for an answer a script and a durable function sleep, and another function is held', async () => {
    await new Promise((resolve) => setTimeout(resolve, idle.since + 14_000 - Date.now()))
    const after = await idleLives()
    expect(after.map((life, index) => life === idle.lives[index])).toEqual([false, false, false, true])
    for (const approval of idle.approvals) expect((await post(approval, {})).status).toBe(200)
    for (const [stream, result] of [
      [scripted('script-asks'), 'written'],
      [walker('durable-asks'), 'walked'],
      [mayfly('function-asks'), 'walked'],
    ])
      expect((await readFrames(`${stream}/stream`, isIdle)).at(-2)?.data.data.result).toBe(result)
  })
})
