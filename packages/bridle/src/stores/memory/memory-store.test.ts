import { expect, test } from 'vitest'
import { storeContract } from '../contract/contract.suite.ts'
import { event, key, row, type StoreHarness, seqs, startSession } from '../contract/store.suite.ts'
import { beginMemoryIncarnation, type MemoryData } from './memory-data.ts'
import { memoryStore } from './memory-store.ts'

const make = async (): Promise<StoreHarness> => {
  const data: MemoryData = { sessions: new Map(), tombstones: new Map(), epoch: 0, created: 0 }
  const store = memoryStore(data)
  return {
    log: store.log,
    directory: store.directory,
    takeOver: async () => store.reopen(),
    restart: async () => store.reopen(),
    async loseCommits() {
      beginMemoryIncarnation(data)
      return store.reopen()
    },
    dispose: async () => {},
  }
}

storeContract('memory', make)

test('a removed session is emptied when its last branch goes, and not before', async () => {
  const data: MemoryData = { sessions: new Map(), tombstones: new Map(), epoch: 0, created: 0 }
  const store = memoryStore(data)
  const { log } = store
  await startSession(store, key('a'), 4)
  for (const [id, parent] of [
    ['b', 'a'],
    ['c', 'b'],
    ['d', 'a'],
  ] as const) {
    const lease = (await log.open(key(id), { agent: key(parent).agent, id: parent, seq: 3 }))!
    await log.append(lease, { events: [event(4)], row: row() })
  }
  const sessions = ['a', 'b', 'c', 'd'].map((id) => [...data.sessions.values()].find(({ key }) => key.id === id)!)
  const counts = async (removed: string) => {
    await log.remove(key(removed))
    return sessions.map(({ events }) => events.length)
  }
  expect(await counts('a')).toEqual([4, 1, 1, 1])
  expect(await counts('b')).toEqual([4, 1, 1, 1])
  expect(seqs(await log.read(key('c'), 0, 9))).toEqual([1, 2, 3, 4])
  expect(await counts('d')).toEqual([4, 1, 1, 0])
  expect(await counts('c')).toEqual([0, 0, 0, 0])
})
