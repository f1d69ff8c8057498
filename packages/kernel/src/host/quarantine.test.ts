// Runs that end their process, and runs that were only there: who is taken up when, and what counts.

import { describe, expect, test } from 'vitest'
import type { AnyEvent, Key } from '../event.ts'
import type { Job, RunEnd, Runner } from '../ports/runner.ts'
import { statusOf } from '../projections/state.ts'
import { eventReport, finished } from '../rules/rules.suite.ts'
import { RESUMES_MAX } from '../rules/runs/durable-runs.ts'
import type { RunReporter } from '../session/run-reporter.ts'
import { flushPending, key, setUp } from './host.suite.ts'
import { QUARANTINE_MS, TRIAL_MS } from './quarantine.ts'

/** Durable runs at work in one process. */
const workplace = () => {
  const working = new Map<string, RunReporter>()
  const begin = async (item: 'started' | 'resumed', { key: { id } }: Job, reporter: RunReporter): Promise<RunEnd> => {
    await reporter.report([item === 'started' ? { type: 'started', durable: true } : { type: 'resumed' }])
    working.set(id, reporter)
    return new Promise((resolve) =>
      reporter.onClose(() => {
        working.delete(id)
        resolve('done')
      }),
    )
  }
  const runner: Runner = {
    start: (job, reporter) => begin('started', job, reporter),
    attach: (job, reporter) => begin('resumed', job, reporter),
    abort: async () => null,
    answer: async () => {},
  }
  return { runner, working }
}

/** Lives of a server with the same data; each one dies without a word. */
class Lives {
  place = workplace()
  world = setUp({ runner: () => this.place.runner })

  get atWork(): string[] {
    return [...this.place.working.keys()].sort()
  }

  async submit(id: string, opening: object = {}): Promise<void> {
    await this.world.host.send(key(id), { type: 'submit', prompt: 'go', opening })
    await this.settle()
  }

  async die(times = 1): Promise<void> {
    for (let n = 0; n < times; n++) {
      this.place = workplace()
      const { runner } = this.place
      this.world = await this.world.again({ runner: () => runner })
      await this.world.host.start()
      await this.settle()
    }
  }

  async step(id: string): Promise<void> {
    await this.place.working.get(id)?.report([eventReport('step_done', { name: 'one', result: 1 })])
    await this.settle()
  }

  async finish(id: string): Promise<void> {
    await this.place.working.get(id)?.report([finished()])
    await this.settle()
  }

  async pass(ms: number): Promise<void> {
    await this.world.clock.pass(ms)
    await this.settle()
  }

  async settle(): Promise<void> {
    for (let n = 0; n < 5; n++) await flushPending()
  }

  async payloads(id: string, type: string): Promise<AnyEvent['payload'][]> {
    return (await this.world.events(key(id))).flatMap((event) => (event.type === type ? [event.payload] : []))
  }

  async status(id: string): Promise<string> {
    return statusOf((await this.world.host.open(key(id))).state)
  }
}

const three = async (): Promise<Lives> => {
  const lives = new Lives()
  for (const id of ['a', 'b', 'c']) await lives.submit(id)
  return lives
}

describe('[S68] suspects', () => {
  test('are resumed one at a time after the third crash, and progress of one lets the next one start', async () => {
    const lives = await three()
    await lives.die(2)
    expect(lives.atWork).toEqual(['a', 'b', 'c'])
    await lives.die()
    expect(lives.atWork).toEqual(['a'])
    await lives.step('a')
    expect(lives.atWork).toEqual(['a', 'b'])
    await lives.finish('b')
    expect(lives.atWork).toEqual(['a', 'c'])
    await lives.step('c')
    for (const id of ['a', 'c']) await lives.finish(id)
    for (const id of ['a', 'b', 'c']) expect(await lives.payloads(id, 'error')).toEqual([])
  })

  test('the one that ends its process is found, and only that one fails', async () => {
    const lives = await three()
    await lives.submit('fresh')
    for (let deaths = 0; deaths < 20 && (await lives.payloads('b', 'error')).length === 0; deaths++) {
      await lives.die()
      // The process crashes as soon as `b` is at work, before the others can make progress.
      for (let steps = 0; steps < 4 && !lives.atWork.includes('b'); steps++)
        for (const id of lives.atWork) await lives.step(id)
    }
    expect(await lives.payloads('b', 'error')).toMatchObject([
      { reason: 'crash_loop', message: expect.stringContaining('Up to 3 other runs were open.') },
    ])
    for (const id of ['a', 'c', 'fresh']) {
      await lives.finish(id)
      expect([id, await lives.payloads(id, 'error'), await lives.status(id)]).toEqual([id, [], 'idle'])
    }
  })

  test('a death beside others never counts, however often it comes', async () => {
    const lives = await three()
    await lives.die(3)
    for (let deaths = 0; deaths < 4 * RESUMES_MAX; deaths++) {
      await lives.pass(QUARANTINE_MS + TRIAL_MS)
      // All are at work by now, and the one that was alone is excused.
      expect(lives.atWork).toEqual(['a', 'b', 'c'])
      await lives.die()
      // Trials of runs that outlive them grow; nobody waits for longer than this.
      await lives.pass(80_000)
    }
    for (const id of ['a', 'b', 'c']) expect(await lives.payloads(id, 'error')).toEqual([])
  })

  test('one that was on trial beside another when its process died is the first one in the next process', async () => {
    const lives = await three()
    await lives.die(3)
    await lives.step('a')
    expect(lives.atWork).toEqual(['a', 'b'])
    expect(await lives.payloads('b', 'run_resumed')).toMatchObject([{}, {}, { times: 3, alone: false, others: 2 }])
    await lives.die()
    expect(lives.atWork).toEqual(['b'])
    expect((await lives.payloads('b', 'run_resumed')).at(-1)).toEqual({
      ...{ run_id: 'r-2', attempt: 1, times: 3, alone: true, others: 2 },
    })
  })

  test('alone on its server a run needs six lives, however long each one is', async () => {
    const lives = new Lives()
    await lives.submit('a')
    for (let death = 1; death <= RESUMES_MAX; death++) {
      await lives.die()
      await lives.pass(3_600_000)
    }
    expect((await lives.payloads('a', 'run_resumed')).map((each) => (each as { times: number }).times)).toEqual([
      ...[1, 2, 3, 4, 5],
    ])
    await lives.die()
    expect(await lives.payloads('a', 'error')).toMatchObject([
      { reason: 'crash_loop', message: expect.stringContaining('No other run was open.') },
    ])
  })
})

describe('[S68] other runs', () => {
  test('new ones wait for the trial, and no longer', async () => {
    const lives = new Lives()
    await lives.submit('a')
    await lives.die(3)
    await lives.submit('new')
    expect(lives.atWork).toEqual(['a'])
    await lives.pass(TRIAL_MS - 1)
    expect(lives.atWork).toEqual(['a'])
    await lives.pass(1)
    expect(lives.atWork).toEqual(['a', 'new'])
    expect(await lives.payloads('a', 'run_excused')).toMatchObject([{ reason: 'company' }])
    await lives.die()
    expect((await lives.payloads('a', 'run_resumed')).at(-1)).toMatchObject({ times: 3, alone: true, others: 1 })
  })

  test('one that comes later excuses the suspect that is at work alone, before it begins', async () => {
    const lives = new Lives()
    await lives.submit('a')
    await lives.die(3)
    await lives.pass(TRIAL_MS)
    expect(await lives.payloads('a', 'run_excused')).toEqual([])
    await lives.submit('new')
    expect(lives.atWork).toEqual(['a', 'new'])
    expect(await lives.payloads('a', 'run_excused')).toMatchObject([{ reason: 'company' }])
  })

  test('one that is cancelled while it waits never begins', async () => {
    const lives = await three()
    await lives.die(3)
    await lives.world.host.send(key('b'), { type: 'cancel' })
    await lives.step('a')
    expect(lives.atWork).toEqual(['a', 'c'])
    expect(await lives.status('b')).toBe('idle')
  })

  test('a child waits for the trial of its parent no longer than for any other', async () => {
    const lives = new Lives()
    await lives.submit('parent')
    await lives.submit('child', { parentSessionId: 'parent' })
    await lives.die(3)
    expect(lives.atWork).toEqual(['parent'])
    await lives.pass(TRIAL_MS)
    expect(lives.atWork).toEqual(['child', 'parent'])
  })
})

test('[S68] an announced stop costs nothing, also in the middle of a call', async () => {
  const lives = await three()
  for (let n = 0; n < 3 * RESUMES_MAX; n++) {
    await lives.world.host.rest()
    await lives.die()
    expect(lives.atWork).toEqual(['a', 'b', 'c'])
  }
  expect((await lives.payloads('a', 'run_resumed')).every((each) => (each as { times: number }).times === 0)).toBe(true)
})

test('[S68] a store that fails is no death', async () => {
  const lives = new Lives()
  await lives.die()
  await lives.submit('a')
  for (let n = 0; n < 2 * RESUMES_MAX; n++) {
    const session = await lives.world.host.open(key('a') satisfies Key)
    session.drop(new Error('the store failed'))
    await lives.pass(1_000)
    expect(lives.atWork).toEqual(['a'])
  }
  expect(await lives.payloads('a', 'error')).toEqual([])
})

test('[S68] in background work a crash loop spends a retry, and the next attempt is as suspect', async () => {
  const lives = new Lives()
  await lives.submit('a', { kind: 'background', maxRetries: 1 })
  await lives.die(RESUMES_MAX + 1)
  expect(await lives.payloads('a', 'retry_scheduled')).toMatchObject([{ attempt: 2, code: 'crash_loop' }])
  expect(await lives.status('a')).toBe('recovering')
  await lives.pass(60_000)
  expect(lives.atWork).toEqual(['a'])
  await lives.die(2)
  expect(await lives.payloads('a', 'error')).toMatchObject([{ reason: 'crash_loop' }])
  expect(await lives.status('a')).toBe('failed')
})
