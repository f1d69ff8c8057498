import { DatabaseSync } from 'node:sqlite'
import type { Wake } from '@bridle/kernel/ports/log'
import { expect, test } from 'vitest'
import { key, startSession } from '../contract/store.suite.ts'
import { migrations } from '../sqlite/schema.ts'
import { sqliteStore } from '../sqlite/sqlite-store.ts'
import { noTail } from '../sqlite/tail.ts'
import { nextWake } from './next-wake.ts'
import { type ObjectStorage, objectDriver } from './object-driver.ts'

const NOW = 1_000

const memoryStorage = (database = new DatabaseSync(':memory:')): ObjectStorage => ({
  sql: { exec: (text, ...values) => ({ toArray: () => database.prepare(text).all(...values) }) },
  transactionSync: (work) => work(),
})

test.each<[string, readonly Wake[], Wake]>([
  ['no session', [], { inHand: false, dueAt: null }],
  ['nothing to wake for', [{ inHand: false, dueAt: null }], { inHand: false, dueAt: null }],
  ['an effect in hand', [{ inHand: true, dueAt: null }], { inHand: true, dueAt: null }],
  [
    'the earliest moment of all sessions',
    [
      { inHand: false, dueAt: NOW + 9 },
      { inHand: true, dueAt: NOW + 8 },
      { inHand: false, dueAt: null },
    ],
    { inHand: true, dueAt: NOW + 8 },
  ],
  ['a moment that has passed', [{ inHand: false, dueAt: NOW - 5 }], { inHand: false, dueAt: NOW - 5 }],
  [
    'a moment that has passed with an effect in hand: its owner acts on it',
    [
      { inHand: true, dueAt: NOW },
      { inHand: true, dueAt: NOW + 7 },
    ],
    { inHand: true, dueAt: NOW + 7 },
  ],
])('[CF3] the wake of an object: %s', async (_name, wakes, expected) => {
  const driver = objectDriver(memoryStorage())
  const store = sqliteStore(driver, driver.epoch, noTail)
  for (const [index, wake] of wakes.entries()) await startSession(store, key(`s${index}`), 1, { wake })
  expect(nextWake(driver, NOW)).toEqual(expected)
})

test('[CF3] an object that an older version wrote still has its effects in hand and its moments', () => {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID')
  for (const sql of migrations.slice(0, 6).flat()) database.exec(sql)
  database.exec("INSERT INTO meta VALUES ('schema', 6), ('epoch', 3)")
  const add = database.prepare(
    `INSERT INTO sessions (tenant, agent, id, base, kind, status, updated_at, wake_at, search, row)
     VALUES ('acme', 'scripted', ?, 0, 'chat', 'idle', 1, ?, '', '')`,
  )
  const wakeTimes: [string, number | null][] = [
    ['hand', 0],
    ['later', NOW + 20],
    ['never', null],
    ['soon', NOW + 10],
  ]
  for (const [id, wakeAt] of wakeTimes) add.run(id, wakeAt)
  const driver = objectDriver(memoryStorage(database))
  expect([nextWake(driver, NOW), driver.epoch]).toEqual([{ inHand: true, dueAt: NOW + 10 }, 4])
})
