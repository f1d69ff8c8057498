// The updates of one object, and the order in which they arrive.
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { key, row } from '../contract/store.suite.ts'
import { DirectoryOutbox } from './directory-outbox.ts'
import { sessionObjectMigrations } from './object-schema.ts'

const made = () => {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE sessions (tenant, agent, id, row, removed, owner)')
  const { tenant, agent, id } = key('a')
  database.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, 0, NULL)').run(tenant, agent, id, JSON.stringify(row()))
  for (const sql of sessionObjectMigrations.flat()) database.exec(sql)
  const driver = {
    run: (sql: string, ...values: string[]) => void database.prepare(sql).run(...values),
    get: (sql: string, ...values: string[]) => database.prepare(sql).get(...values),
    all: (sql: string, ...values: string[]) => database.prepare(sql).all(...values),
  }
  const arrived: string[] = []
  /** Each waits for the other side. */
  const onTheirWay: ((isHeard: boolean) => void)[] = []
  const outbox = new DirectoryOutbox({
    driver: driver as never,
    log: { open: async () => ({ head: 3 }) } as never,
    directory: () => ({
      register: async ({ home }) => home,
      update: async (told) => {
        const isHeard = await new Promise<boolean>((resolve) => onTheirWay.push(resolve))
        if (!isHeard) throw new Error('Network connection lost.')
        arrived.push(...told.map((each) => (each.row ? 'there' : 'removed')))
      },
    }),
    home: () => 'home',
    now: () => 0,
    retry: () => {},
  })
  return { outbox, database, arrived, onTheirWay }
}

test('[CF5] a session that is removed while its object greets is told as removed last', async () => {
  const { outbox, database, arrived, onTheirWay } = made()
  const greeted = outbox.announce()
  await expect.poll(() => onTheirWay.length).toBe(1)
  database.exec('UPDATE sessions SET removed = 1')
  outbox.mark(key('a'))
  const told = outbox.publish()
  // The update that was sent last arrives first.
  await new Promise((resolve) => setTimeout(resolve))
  onTheirWay.pop()?.(true)
  await greeted
  await expect.poll(() => onTheirWay.length).toBe(1)
  onTheirWay.pop()?.(true)
  await told
  expect(arrived).toEqual(['there', 'removed'])
})

test('[CF5] a damaged row is passed over, and nobody waits for it', async () => {
  const { outbox, database, arrived, onTheirWay } = made()
  database.prepare("INSERT INTO sessions SELECT tenant, agent, 'b', '{', 0, NULL FROM sessions").run()
  for (const id of ['a', 'b']) outbox.mark(key(id))
  const told = outbox.publish()
  await expect.poll(() => onTheirWay.length).toBe(1)
  onTheirWay.pop()?.(true)
  await told
  expect([arrived, database.prepare('SELECT id FROM untold').all()]).toEqual([['there'], []])
})

test('[CF5] an object greets once in its life, and again when nobody heard', async () => {
  const { outbox, arrived, onTheirWay } = made()
  for (const isHeard of [false, true]) {
    const greeted = outbox.announce()
    expect(outbox.announce()).toBe(greeted)
    await expect.poll(() => onTheirWay.length).toBe(1)
    onTheirWay.pop()?.(isHeard)
    await greeted
  }
  await outbox.announce()
  expect(arrived).toEqual(['there'])
})
