import { describe, expect, test } from 'vitest'
import type { AnyEvent } from '../event.ts'
import { StoreFault } from '../ports/store-fault.ts'
import { flushPending, key, RecordingListener, setUp } from './host.suite.ts'

const submit = (prompt = 'hello') => ({ type: 'submit', prompt }) as const
const id = (commandId: string, bodyHash = 'h') => ({ commandId, bodyHash })
const seqs = (events: readonly AnyEvent[]) => events.map(({ seq }) => seq)
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)
const prompts = (events: readonly AnyEvent[]) => events.filter(({ type }) => type === 'prompt_queued').length

describe('[O29] when another owner has taken over the data', () => {
  test('sessions in memory are let go, watched or not, and shown to nobody', async () => {
    const { host, clock, store } = setUp()
    await host.start()
    const watchers: RecordingListener[] = []
    for (const name of ['a', 'b', 'c']) {
      await host.send(key(name), submit())
      const watcher = new RecordingListener()
      ;(await host.open(key(name))).subscribers.add(watcher, 0)
      watchers.push(watcher)
    }
    await flushPending()
    const next = setUp({}, store.reopen(), clock)
    await expect(host.find(key('a'))).rejects.toMatchObject({ code: 'fenced' })
    expect(host.counts()).toMatchObject({ sessions: 0, running: 0 })
    expect(watchers.map(({ closed }) => closed)).toEqual(['moved', 'moved', 'moved'])
    for (const name of ['a', 'b', 'c', 'new'])
      await expect(host.send(key(name), submit())).rejects.toMatchObject({ code: 'fenced' })
    await next.host.start()
    expect(next.host.counts().running).toBe(3)
  })

  test('also when nobody asks', async () => {
    const { host, clock, store } = setUp()
    await host.start()
    const watchers = ['a', 'b', 'c'].map(() => new RecordingListener())
    for (const [index, watcher] of watchers.entries()) (await host.open(key(`s${index}`))).subscribers.add(watcher, 0)
    store.reopen()
    await clock.pass(1_000)
    expect(watchers.map(({ closed }) => closed)).toEqual(['moved', 'moved', 'moved'])
  })
})

describe('[S25] when the store does not say whether it wrote', () => {
  test.each(['before', 'after'] as const)(
    'a command with an id is tried again and has one effect (%s the write)',
    async (when) => {
      const { host, log, events } = setUp()
      await host.send(key(), { type: 'create' })
      let failures = 1
      log[when] = () => {
        if (failures-- > 0) throw new StoreFault('outcome_unknown', 'lost')
      }
      const answer = await host.send(key(), submit(), id('c1'))
      expect(answer).toMatchObject({ delivery: 'started' })
      expect(await host.send(key(), submit(), id('c1'))).toEqual(answer)
      expect(prompts(await events())).toBe(1)
    },
  )

  test('one without an id is not, and its caller is told', async () => {
    const { host, log, events } = setUp()
    await host.send(key(), { type: 'create' })
    let failures = 1
    log.after = () => {
      if (failures-- > 0) throw new StoreFault('outcome_unknown', 'lost')
    }
    await expect(host.send(key(), submit())).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(prompts(await events())).toBe(1)
    // The append was written after all: the run is taken up although no caller asks.
    const { lifecycle } = (await host.open(key())).state
    expect(lifecycle.run).toMatchObject({ text: 'hello' })
  })

  test('it is not tried for ever', async () => {
    const { host, log } = setUp()
    log.before = () => {
      throw new StoreFault('outcome_unknown', 'lost')
    }
    await expect(host.send(key(), submit(), id('c1'))).rejects.toMatchObject({ code: 'outcome_unknown' })
  })

  test('the first command of a session, too', async () => {
    const { host, log, events } = setUp()
    let failures = 1
    log.after = () => {
      if (failures-- > 0) throw new StoreFault('outcome_unknown', 'lost')
    }
    expect(await host.send(key(), submit(), id('c1'))).toMatchObject({ runId: 'r-2' })
    expect(prompts(await events())).toBe(1)
  })
})

test('[S25] a full store is told, and later the session goes on from what is there', async () => {
  const { host, log, runner, clock, faults, events } = setUp()
  await host.send(key(), submit())
  await flushPending()
  const head = (await events()).length
  log.before = () => {
    throw new StoreFault('full', 'no room')
  }
  await expect(host.send(key(), submit('second'), id('c1'))).rejects.toMatchObject({ code: 'full' })
  expect(await events()).toHaveLength(head)
  expect(faults).toHaveLength(1)
  log.before = () => {}
  await clock.pass(1_000)
  expect(runner.last.how).toBe('attach')
  expect(await host.send(key(), submit('second'), id('c1'))).toMatchObject({ delivery: 'queued' })
})

test('a deposed owner changes nothing and lets go', async () => {
  const first = setUp()
  await first.host.send(key(), submit())
  await flushPending()
  const watcher = new RecordingListener()
  const session = await first.host.open(key())
  session.subscribers.add(watcher, 0)
  await flushPending()
  const second = setUp({}, first.store.reopen(), first.clock)
  await second.host.send(key(), submit('second'))
  await expect(first.host.send(key(), submit('deposed'), id('c1'))).rejects.toMatchObject({ code: 'fenced' })
  expect(watcher.closed).toBe('moved')
  expect(first.runner.last.reporter.closed).toBe(true)
  await expect(first.host.send(key(), submit('deposed'))).rejects.toMatchObject({ code: 'fenced' })
  const log = await second.events()
  expect(seqs(log)).toEqual(range(1, log.length))
  expect(JSON.stringify(log)).not.toContain('deposed')
})
