import { describe, expect, test } from 'vitest'
import type { AnyEvent } from '../event.ts'
import { emptyState, evolve } from '../projections/state.ts'
import { askItem, background, call, failed, finished, messageSummary, token } from '../rules/rules.suite.ts'
import { IDLE_SESSIONS_MAX } from './eviction.ts'
import { deferred, flushPending, key, RecordingListener, setUp, T0 } from './host.suite.ts'

const submit = (prompt = 'hello') => ({ type: 'submit', prompt }) as const
const seqs = (events: readonly AnyEvent[]) => events.map(({ seq }) => seq)
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe('opening', () => {
  test('one session per key, however the asking falls', async () => {
    const { host, log } = setUp()
    await host.send(key(), { type: 'create' })
    const opens: ReturnType<typeof host.open>[] = []
    const other = key('s2')
    for (let turn = 0; turn < 60; turn++) {
      opens.push(host.open(other))
      await null
    }
    const sessions = new Set(await Promise.all(opens))
    expect(sessions.size).toBe(1)
    expect(log.opened).toBe(2)
  })

  test('asking for an unknown session leaves nothing behind', async () => {
    const { host, events } = setUp()
    expect(await host.find(key())).toBeNull()
    expect(await host.send(key(), { type: 'pause' })).toMatchObject({ refused: 'session_not_found' })
    expect(host.counts()).toMatchObject({ sessions: 0 })
    expect(await events()).toEqual([])
  })

  test.each(range(0, 25))('somebody who looks for a session does not disturb its first command (%i)', async (turns) => {
    const { host } = setUp()
    const sent = host.send(key(), submit())
    for (let turn = 0; turn < turns; turn++) await null
    await host.find(key())
    expect(await sent).toMatchObject({ delivery: 'started' })
  })

  test('an agent that is not there', async () => {
    const { host } = setUp()
    await expect(host.send({ ...key(), agent: 'nobody' }, submit())).rejects.toMatchObject({ code: 'refused' })
  })

  test('idle sessions leave memory when there are too many, and come back when asked for', async () => {
    const { host, log } = setUp()
    await host.send(key('kept'), { type: 'create' })
    const watcher = new RecordingListener()
    ;(await host.open(key('kept'))).subscribers.add(watcher, 0)
    for (let index = 0; index < IDLE_SESSIONS_MAX + 10; index++) await host.send(key(`x${index}`), { type: 'create' })
    expect(host.counts().sessions).toBeLessThanOrEqual(IDLE_SESSIONS_MAX + 1)
    expect(watcher.closed).toBeNull()
    const opened = log.opened
    expect(await host.send(key('x0'), { type: 'pause' })).toMatchObject({ paused: true })
    expect(log.opened).toBe(opened + 1)
  })
})

describe('after a restart', () => {
  test('[S12] a chat run that its runner lost ends with one error and its text', async () => {
    const first = setUp()
    await first.host.send(key(), submit())
    await flushPending()
    await first.runner.last.reporter.report([token('half')])
    const next = await first.again()
    await next.host.start()
    expect(next.runner.attempts).toMatchObject([{ how: 'attach', job: { frame: 1 } }])
    next.runner.last.end('lost')
    await flushPending()
    const { state } = await next.host.open(key())
    expect(state.conversation.messages.map(messageSummary)).toEqual(['user complete: hello', 'assistant error: half'])
    expect((await next.events()).filter(({ type }) => type === 'error')).toMatchObject([
      { payload: { reason: 'interrupted' } },
    ])
    expect(next.runner.attempts).toHaveLength(1)
  })

  test('a run that was asked for and never started is started', async () => {
    const first = setUp()
    first.log.after = () => first.host.stop()
    await first.host.send(key(), submit()).catch(() => {})
    const next = await first.again()
    await next.host.start()
    await flushPending()
    expect(next.runner.attempts).toMatchObject([{ how: 'start', job: { runId: 'r-2', attempt: 1 } }])
  })

  test('[S13] a retry is due though nobody asks', async () => {
    const first = setUp()
    await first.host.send(key(), { ...submit(), opening: background({ maxRetries: 1 }) })
    await flushPending()
    await first.runner.last.reporter.report([failed()])
    const next = await first.again()
    await next.host.start()
    await next.clock.pass(999)
    expect(next.runner.attempts).toEqual([])
    await next.clock.pass(1_001)
    expect(next.runner.attempts).toMatchObject([{ how: 'start', job: { attempt: 2 } }])
  })

  test('[S15] an approval expires though nobody was running', async () => {
    const first = setUp()
    await first.host.send(key(), submit())
    await flushPending()
    await first.runner.last.reporter.report([call('c1'), askItem('c1', 5_000)])
    await first.host.stop()
    await first.clock.pass(60_000)
    const next = await first.again()
    await next.host.start()
    await flushPending()
    expect((await next.events()).filter(({ type }) => type === 'approval_decided')).toMatchObject([
      { payload: { decision: 'expired' } },
    ])
  })

  test('what is live equals what a replay gives', async () => {
    const first = setUp()
    await first.host.send(key(), submit())
    await flushPending()
    await first.runner.last.reporter.report([token('a'), call('c1'), finished()])
    const live = (await first.host.open(key())).state
    expect((await first.events()).reduce(evolve, emptyState)).toEqual(live)
    const next = await first.again()
    expect((await next.host.open(key())).state).toEqual(live)
  })
})

test('watchers who come at any time see the whole log, once and in order', async () => {
  const { host, runner, events } = setUp()
  await host.send(key(), submit())
  await flushPending()
  const session = await host.open(key())
  const watchers: RecordingListener[] = []
  for (let index = 0; index < 120; index++) {
    const reported = runner.last.reporter.report([token(`${index} `)])
    if (index % 3 === 0) {
      const watcher = new RecordingListener(`audience ${index % 4}`)
      watchers.push(watcher)
      session.subscribers.add(watcher, 0)
    }
    if (index % 2 === 0) await null
    if (index % 7 === 0) await reported
  }
  await flushPending()
  const log = await events()
  for (const watcher of watchers) expect(seqs(watcher.seen)).toEqual(seqs(log))
})

test('a store that holds one session back holds no other', async () => {
  const { host, log } = setUp()
  await host.send(key('a'), { type: 'create' })
  const gate = deferred()
  log.before = ({ events }) =>
    events.some(({ at }) => at === T0) && JSON.stringify(events).includes('slow') ? gate.promise : undefined
  const slow = host.send(key('a'), submit('slow'))
  expect(await host.send(key('b'), submit('fast'))).toMatchObject({ delivery: 'started' })
  gate.release()
  expect(await slow).toMatchObject({ delivery: 'started' })
})

test('a stopped host opens nothing and fires no timer', async () => {
  const { host, clock, runner } = setUp()
  await host.send(key(), { ...submit(), opening: background({ maxRetries: 1 }) })
  await flushPending()
  await runner.last.reporter.report([failed()])
  await host.start()
  await host.stop()
  await clock.pass(10_000)
  expect(runner.attempts).toHaveLength(1)
  expect(clock.pending).toBe(0)
})
