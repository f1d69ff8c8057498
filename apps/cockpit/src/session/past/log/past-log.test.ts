import type { LogEntry } from 'bridle/history'
import { expect, test } from 'vitest'
import { type LogPage, PastLog } from './past-log.ts'

const session = { id: 's', agent: 'a' }

const entries = (count: number): LogEntry[] =>
  Array.from({ length: count }, (_, at): LogEntry => {
    const numbered = { seq: at + 1, at: at + 1 }
    if (at === 0) return { ...numbered, type: 'session_created', payload: { kind: 'chat', agent: 'a' } }
    return { ...numbered, type: 'custom_event', payload: { name: 'step', value: at } }
  })

const pages =
  (all: readonly LogEntry[], size: number, asked: number[] = []) =>
  async (after: number): Promise<LogPage> => {
    asked.push(after)
    return { session, entries: all.slice(after, after + size), head: all.length, incarnation: 1 }
  }

test('[C33] the log comes in pages, once, and is shown as far as it is here', async () => {
  const asked: number[] = []
  const log = new PastLog(pages(entries(250), 100, asked))
  const loaded: (number | undefined)[] = []
  log.subscribe(() => loaded.push(log.getSnapshot().log?.loaded))
  await Promise.all([log.load(), log.load()])
  expect(asked).toEqual([0, 100, 200])
  expect(loaded).toEqual([undefined, 100, 200, 250, 250])
  const { log: known, isLoading, error } = log.getSnapshot()
  expect([known?.history.head, known?.overview.head, known?.head, isLoading, error]).toEqual([
    250,
    250,
    250,
    false,
    null,
  ])
  expect(known?.history.at(41).seq).toBe(41)
})

test('[C33] new events join the log that is here', async () => {
  const all = entries(10)
  const asked: number[] = []
  const log = new PastLog(pages(all, 100, asked))
  await log.load()
  all.push(...entries(13).slice(10))
  await log.load()
  expect(asked).toEqual([0, 10])
  expect(log.getSnapshot().log?.loaded).toBe(13)
  expect(log.getSnapshot().log?.overview.weights).toHaveLength(13)
})

test('[C33] a page that does not come leaves what is here, and the next try goes on', async () => {
  let isBroken = true
  const read = pages(entries(150), 100)
  const log = new PastLog((after) => (isBroken && after > 0 ? Promise.reject(new Error('gone')) : read(after)))
  await log.load()
  expect([log.getSnapshot().error?.message, log.getSnapshot().log?.loaded]).toEqual(['gone', 100])
  isBroken = false
  await log.load()
  expect([log.getSnapshot().error, log.getSnapshot().log?.loaded]).toEqual([null, 150])
})

test('[C33] a log of another incarnation is begun anew', async () => {
  const all = entries(20)
  const log = new PastLog(pages(all, 100))
  await log.load()
  all.splice(0, all.length, ...entries(30).map((entry) => ({ ...entry, at: entry.at / 100 })))
  await log.load()
  expect(log.getSnapshot().error).not.toBe(null)
  await log.reload()
  expect([log.getSnapshot().error, log.getSnapshot().log?.loaded]).toEqual([null, 30])
})
