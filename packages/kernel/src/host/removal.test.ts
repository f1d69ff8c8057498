import { describe, expect, test } from 'vitest'
import type { AnyEvent } from '../event.ts'
import { messageSummary } from '../rules/rules.suite.ts'
import { flushPending, key, RecordingListener, setUp } from './host.suite.ts'

const submit = (prompt = 'hello') => ({ type: 'submit', prompt }) as const
const id = (commandId: string, bodyHash = 'h') => ({ commandId, bodyHash })
const seqs = (events: readonly AnyEvent[]) => events.map(({ seq }) => seq)
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe('[S23] removal', () => {
  test('tells its watchers, lets its run go, and a new session of that name goes on with the numbers', async () => {
    const { host, runner, events } = setUp()
    await host.send(key(), submit())
    await flushPending()
    const watcher = new RecordingListener()
    ;(await host.open(key())).subscribers.add(watcher, 0)
    await flushPending()
    const head = (await events()).length
    expect(await host.remove(key())).toBe(true)
    await flushPending()
    expect([watcher.closed, runner.aborted.length, runner.last.reporter.closed]).toEqual(['removed', 1, true])
    expect(await host.find(key())).toBeNull()
    expect(await host.remove(key())).toBe(false)
    expect(await events()).toEqual([])
    expect(await host.send(key(), submit('new'))).toMatchObject({ runId: `r-${head + 2}` })
    const log = await events()
    expect(seqs(log)).toEqual(range(head + 1, head + log.length))
    const { state } = await host.open(key())
    expect(state.conversation.messages.filter(({ role }) => role === 'user').map(messageSummary)).toEqual([
      'user complete: new',
    ])
    const late = new RecordingListener()
    ;(await host.open(key())).subscribers.add(late, 0)
    await flushPending()
    expect(seqs(late.seen)).toEqual(seqs(log))
  })

  test('its command ids are forgotten with it', async () => {
    const { host } = setUp()
    await host.send(key(), submit(), id('c1'))
    await host.remove(key())
    expect(await host.send(key(), submit('other'), id('c1', 'h2'))).toMatchObject({ delivery: 'started' })
  })
})
