// The wall clock is moved by a day while background sessions wait, run and sleep, and while nobody runs them.
import { expect, test } from 'vitest'
import type { Key } from '../event.ts'
import { statusOf } from '../projections/state.ts'
import { key, setUp, T0 } from './host.suite.ts'

const DAY = 86_400_000
const hour = 3_600_000
type ClockSetUp = ReturnType<typeof setUp>

const background = (more: object = {}) => ({ kind: 'background' as const, maxRetries: 2, ...more })
const start = ({ host }: ClockSetUp, id: string, more: object = {}) =>
  host.send(key(id), { type: 'submit', prompt: 'go', opening: background(more) })
const status = async ({ host }: ClockSetUp, where: Key) => statusOf((await host.open(where)).state)

/** Four sessions: the first runs, the second waits for its retry, the third for an approval, the fourth is paused and expires in half a day. */
const populated = async () => {
  const it = setUp()
  await start(it, 'runs')
  await it.clock.pass(0)
  await start(it, 'retries')
  await it.clock.pass(0)
  await it.runner.last.reporter.report([{ type: 'failed', message: 'once', transient: true }])
  await start(it, 'asks')
  await it.clock.pass(0)
  const { reporter } = it.runner.last
  await reporter.report([
    {
      type: 'event',
      event: { type: 'tool_call', payload: { name: 'w', arguments: {}, tool_call_id: 'c', effect: 'pure' } },
    },
    { type: 'ask', toolCallId: 'c', tool: 'w', arguments: {}, reason: 'r', digest: 'd', expiresMs: hour },
  ])
  await start(it, 'sleeps', { expiresAt: T0 + 12 * hour })
  await it.host.send(key('sleeps'), { type: 'pause' })
  await it.clock.pass(0)
  return it
}

test('forward, with the server running: what is due by then happens, and nothing else', async () => {
  const it = await populated()
  await it.host.start()
  it.clock.step(DAY)
  await it.clock.pass(60_000)
  expect(await status(it, key('asks'))).toBe('running')
  const decided = (await it.events(key('asks'))).find(({ type }) => type === 'approval_decided')
  expect(decided?.payload).toMatchObject({ decision: 'expired' })
  expect(await status(it, key('sleeps'))).toBe('failed')
  expect(await status(it, key('retries'))).toBe('running')
  expect((await it.events(key('retries'))).filter(({ type }) => type === 'run_requested')).toHaveLength(2)
  expect(await status(it, key('runs'))).toBe('running')
  await it.host.stop()
})

test('forward, while nobody ran: the next start finds all of it due', async () => {
  const it = await populated()
  const next = await it.again()
  next.clock.step(DAY)
  await next.host.start()
  await next.clock.pass(3_000)
  expect(await status(next, key('sleeps'))).toBe('failed')
  const last = (await next.events(key('sleeps'))).filter(({ type }) => type === 'session_checkpoint')
  expect(last.map(({ payload }) => payload)).toMatchObject([{ checkpoint_type: 'expired' }])
  expect(await status(next, key('retries'))).toBe('running')
  await next.host.stop()
})

test.each([-DAY, DAY])('by %i ms: numbers and times never go back, and a retry still comes', async (ms) => {
  const it = await populated()
  it.clock.step(ms)
  const session = await it.host.open(key('runs'))
  await it.runner.attempts[0]?.reporter.report([{ type: 'failed', message: 'again', transient: true }])
  expect(statusOf(session.state)).toBe('recovering')
  await it.clock.pass(5_000)
  expect(statusOf(session.state)).toBe('running')
  for (const id of ['runs', 'retries', 'asks', 'sleeps']) {
    const events = await it.events(key(id))
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted((a, b) => a - b))
  }
  await it.host.stop()
})
