import { describe, expect, test } from 'vitest'
import type { Key } from '../event.ts'
import { memoryStore } from '../memory/memory-store.ts'
import { statusOf } from '../projections/state.ts'
import { key, setUp } from './host.suite.ts'
import { FAULT_REPORT_ROUNDS, SUPERVISE_MS } from './supervision.ts'

/** A host whose directory fails for the rounds of `outage`, with two sessions that wait for a retry and sleep. */
const withFailingDirectory = async () => {
  const store = memoryStore()
  const before = setUp({}, store)
  const ids = ['one', 'two']
  for (const id of ids) {
    const opening = { kind: 'background' as const, maxRetries: 1 }
    await before.host.send(key(id), { type: 'submit', prompt: 'go', opening })
    await before.clock.pass(0)
    await before.runner.last.reporter.report([{ type: 'failed', message: 'x', transient: true }])
  }
  await before.host.stop()
  const reports: [Key | null, unknown][] = []
  const outage = { rounds: 0 }
  const next = store.reopen()
  const directory = {
    ...next.directory,
    due: async (now: number, limit: number) => {
      if (outage.rounds-- > 0) throw new Error('The directory is down.')
      return next.directory.due(now, limit)
    },
  }
  const host = setUp({ directory, onFault: (...fault) => reports.push(fault) }, next, before.clock)
  const statuses = async () => Promise.all(ids.map(async (id) => statusOf((await host.host.open(key(id))).state)))
  return { ...host, reports, statuses, outage }
}

describe('a directory that fails', () => {
  test('is reported, and the sessions that are due are opened once it answers again', async () => {
    const { host, clock, runner, reports, outage } = await withFailingDirectory()
    await host.start()
    outage.rounds = 3
    await clock.pass(3 * SUPERVISE_MS)
    expect(reports).toEqual([[null, new Error('The directory is down.')]])
    expect([runner.attempts.length, host.counts().sessions]).toEqual([0, 0])
    await clock.pass(2 * SUPERVISE_MS)
    expect([runner.attempts.length, host.counts().sessions]).toEqual([2, 2])
    await host.stop()
  })

  test('for long is reported now and then, and again when it fails the next time', async () => {
    const { host, clock, reports, outage, statuses } = await withFailingDirectory()
    await host.start()
    outage.rounds = 2 * FAULT_REPORT_ROUNDS
    await clock.pass(2 * FAULT_REPORT_ROUNDS * SUPERVISE_MS)
    expect(reports).toHaveLength(2)
    await clock.pass(SUPERVISE_MS)
    expect(await statuses()).toEqual(['running', 'running'])
    outage.rounds = 1
    await clock.pass(2 * SUPERVISE_MS)
    expect(reports).toHaveLength(3)
    await host.stop()
  })

  test('at the start stops the start: the server must not seem to work', async () => {
    const { host, reports, outage } = await withFailingDirectory()
    outage.rounds = 1
    await expect(host.start()).rejects.toThrow('The directory is down.')
    expect(reports).toEqual([])
    await host.stop()
  })
})
