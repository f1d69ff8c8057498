// A long conversation is opened from its snapshot page by page: other sessions get turns between two pages.

import type { Key } from '@bridle/kernel/event'
import { Host } from '@bridle/kernel/host/host'
import { key, ManualRunner, VirtualClock } from '@bridle/kernel/host/host.suite'
import { finished, token } from '@bridle/kernel/rules/rules.suite'
import type { EventLoop } from '@bridle/kernel/session/reading/read-scheduler'
import { READ_SLICE_MS } from '@bridle/kernel/session/reading/read-scheduler'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tailLimits } from '../data-folder.ts'
import type { SqlDriver } from '../drivers/driver.ts'
import { type NodeDriver, nodeDriver } from '../drivers/node-driver.ts'
import { bumpEpoch, migrate } from './schema.ts'
import { sqliteStore } from './sqlite-store.ts'

const TURNS = 60
const ANSWER = 'x'.repeat(20_000)
/** The characters of snapshot texts that were read in each turn of the loop. */
let readInTurn: number[]
let real: NodeDriver
let at = 0

const loop: EventLoop = {
  // A slow machine: there is one step in each slice.
  now: () => {
    at += 0.6 * READ_SLICE_MS
    return at
  },
  nextTurn: async () => {
    await new Promise<void>((resolve) => setImmediate(resolve))
    readInTurn.push(0)
  },
}

const openHost = () => {
  const driver: SqlDriver = {
    ...real,
    all: (sql, ...values) => {
      const rows = real.all(sql, ...values)
      if (/FROM texts AS t/.test(sql))
        readInTurn[readInTurn.length - 1]! += rows.reduce<number>(
          (chars, row) => chars + (row as { body: string }).body.length,
          0,
        )
      return rows as never
    },
  }
  const store = sqliteStore(driver, bumpEpoch(real), tailLimits)
  const runner = new ManualRunner()
  const digest = async (text: string) => text
  const { log, directory } = store
  const clock = new VirtualClock()
  const host = new Host({
    log,
    directory,
    clock,
    digest,
    runner: () => runner,
    tokenPaceMs: 0,
    snapshotEvery: 50,
    eventLoop: loop,
  })
  return { host, runner, store }
}

const fill = async ({ host, runner }: ReturnType<typeof openHost>, where: Key, turns: number): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) {
    await host.send(where, { type: 'submit', prompt: `turn ${turn}` })
    while (runner.attempts.length <= turn) await new Promise<void>((resolve) => setImmediate(resolve))
    await runner.last.reporter.report([token(`${turn} ${ANSWER}`)])
    await runner.last.reporter.report([finished()])
  }
}

beforeEach(() => {
  readInTurn = [0]
  real = nodeDriver(':memory:')
  migrate(real)
})
afterEach(() => real.close())

test('[S69] the pieces of a long conversation are read in pages, and the conversation is the same', async () => {
  const first = openHost()
  await fill(first, key(), TURNS)
  const before = (await first.host.open(key())).state
  await first.host.stop()

  readInTurn = [0]
  const second = openHost()
  const opening = second.host.open(key())
  // Another session is served while the long one is opened.
  await second.host.send(key('other'), { type: 'submit', prompt: 'hello' })
  const turnsBefore = readInTurn.length
  const { state } = await opening
  expect(state).toEqual(before)
  const total = readInTurn.reduce((sum, chars) => sum + chars, 0)
  expect(total).toBeGreaterThan(TURNS * ANSWER.length * 0.8)
  // The first page has at most four pieces, and later ones follow their sizes.
  expect(Math.max(...readInTurn)).toBeLessThan(7 * ANSWER.length)
  expect(readInTurn.length).toBeGreaterThan(turnsBefore)
  await second.host.stop()
})

test('[S69] a damaged piece late in a conversation passes over the snapshot, and the log is folded instead', async () => {
  const first = openHost()
  await fill(first, key(), TURNS)
  const before = (await first.host.open(key())).state
  await first.host.stop()
  const { idx } = real.get<{ idx: number }>('SELECT max(idx) AS idx FROM texts')!
  real.run("UPDATE texts SET body = replace(body, 'xxxx', 'yyyy') WHERE idx = ?", idx)
  const second = openHost()
  expect((await second.host.open(key())).state).toEqual(before)
  await second.host.stop()
})
