// Progress of a function that people see: its steps, sleeps and waits, calls that begin together, and arguments that do not fit.
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { type AgentFunction, background, DurableProcess, defineAgents, keyOf } from './durable-world.suite.ts'

const keys = [keyOf('a', 's1'), keyOf('a', 's2'), keyOf('b', 's3')]
const input = v.object({ n: v.number() }) as never

const shownSteps = async (process: DurableProcess, key: (typeof keys)[number]) =>
  (await process.payloads(key, 'step_progress')).map(({ index, step_id: id, status }) => `${index} ${id} ${status}`)

const openings = [
  ['a chat', undefined],
  ['background work', background],
] as const

test.each(openings)(
  '[N236] each step of %s is shown where it begins and ends, and once over processes that end',
  async (_kind, opening) => {
    let isLast = false
    const run: AgentFunction = async ({ session }, process) => {
      await session.step('load', () => process.act('load', 1))
      await session.step('load', () => process.act('load again', 2))
      await session.step('fail', () => Promise.reject(new Error('no'))).catch(() => {})
      await session.sleep('nap', 5_000)
      // The process ends in the middle of this step, and again in the next one.
      await session.step('work', () => (isLast ? process.act('work', 3) : new Promise(() => {})))
      await session.waitFor('go')
      await session.waitFor('never', { expiresMs: 1_000 })
    }
    let process = new DurableProcess(defineAgents({ a: run, b: run }))
    for (const key of keys) await process.submit(key, 'go', opening)
    await process.clock.pass(6_000)
    for (const last of [false, true]) {
      isLast = last
      process = await process.next()
      await process.clock.pass(2_000)
    }
    for (const key of keys) await process.until(() => process.isWaiting(key))
    for (const key of keys) await process.send(key, { type: 'signal', name: 'go', payload: 1 })
    for (const key of keys) await process.until(async () => (await shownSteps(process, key)).length > 12)
    await process.clock.pass(3_000)
    for (const key of keys) {
      await process.idle(key)
      expect(await shownSteps(process, key)).toEqual([
        ...['1 load running', '1 load completed', '2 load#2 running', '2 load#2 completed'],
        ...['3 fail running', '3 fail failed', '4 sleep:nap running', '4 sleep:nap completed'],
        ...['5 work running', '5 work completed', '6 signal:go running', '6 signal:go completed'],
        ...['7 signal:never running', '7 signal:never completed'],
      ])
    }
    const titles = (await process.payloads(keys[0]!, 'step_progress')).map(({ title }) => title)
    expect(titles).toEqual(
      expect.arrayContaining(['load', 'Wait for the signal "go"', 'Wait for the signal "never": none came in time']),
    )
    expect(titles).toContainEqual(expect.stringMatching(/^Sleep "nap" until \d{4}-\d\d-\d\dT/))
  },
)

test('[N236] a step that failed for a while is shown again, under its number, when the run is tried again', async () => {
  let tries = 0
  const run: AgentFunction = async ({ session }) => {
    await session.step('first', () => 1)
    await session.step('busy', () => {
      if (++tries === 1) throw Object.assign(new Error('busy'), { transient: true })
    })
  }
  const process = new DurableProcess(defineAgents({ a: run }))
  const [key] = keys as [(typeof keys)[number]]
  await process.submit(key, 'go', { kind: 'background', maxRetries: 1 })
  await process.until(async () => (await process.payloads(key, 'retry_scheduled')).length > 0)
  await process.clock.pass(60_000)
  await process.idle(key)
  expect((await shownSteps(process, key)).slice(2)).toEqual([
    ...['2 busy running', '2 busy failed', '2 busy running', '2 busy completed'],
  ])
})

const kinds = [true, false].flatMap((durable) => openings.map(([kind, opening]) => [durable, kind, opening] as const))

test.each(kinds)('[N237] calls that begin together are a batch (durable: %s, %s)', async (durable, _kind, opening) => {
  const run: AgentFunction = async ({ session }, process) => {
    const call = (name: string) => session.tool(name, {}, () => process.act(name, name), { effect: 'pure' })
    await call('alone')
    await Promise.all(['a', 'b', 'c'].map(call))
    await Promise.all(['d', 'e'].map(call))
    await session.approval({ subject: 'end', reason: 'Enough?' })
  }
  let process = new DurableProcess(defineAgents({ a: run, b: run }, durable))
  for (const key of keys) await process.submit(key, 'go', opening)
  for (const key of keys) await process.approval(key)
  if (durable) process = await process.next()
  for (const key of keys) await process.approve(key)
  for (const key of keys) {
    await process.idle(key)
    const idOf = new Map((await process.payloads(key, 'tool_call')).map(({ name, tool_call_id: id }) => [id, name]))
    const batches = await process.payloads(key, 'tool_batch')
    expect(
      batches.map(({ wave, mode, tool_call_ids: ids }) => [wave, mode, (ids as string[]).map((id) => idOf.get(id))]),
    ).toEqual([
      [1, 'parallel', ['a', 'b', 'c']],
      [2, 'parallel', ['d', 'e']],
    ])
  }
})

test.each(kinds)(
  '[N238] arguments that do not fit are told ahead of the outcome (durable: %s, %s)',
  async (durable, _kind, opening) => {
    const run: AgentFunction = async ({ session }) => {
      await session.tool('add', { n: 'x' }, () => 1, { input }).catch(() => {})
      await session.tool('add', { n: 1 }, () => Promise.reject(new TypeError('its own')), { input }).catch(() => {})
      await session.approval({ subject: 'end', reason: 'Enough?' })
    }
    let process = new DurableProcess(defineAgents({ a: run, b: run }, durable))
    for (const key of keys) await process.submit(key, 'go', opening)
    for (const key of keys) await process.approval(key)
    if (durable) process = await process.next()
    for (const key of keys) await process.approve(key)
    for (const key of keys) {
      await process.idle(key)
      const events = (await process.events(key)).filter(({ type }) =>
        ['tool_call', 'tool_validation_error', 'tool_outcome'].includes(type),
      )
      expect(events.slice(0, 5).map(({ type }) => type)).toEqual([
        ...['tool_call', 'tool_validation_error', 'tool_outcome', 'tool_call', 'tool_outcome'],
      ])
      expect(await process.payloads(key, 'tool_validation_error')).toEqual([
        {
          ...{ tool_call_id: events[0]!.payload.tool_call_id, tool_name: 'add' },
          error: expect.stringMatching(/^The arguments of "add" do not fit: n: /),
        },
      ])
    }
  },
)
