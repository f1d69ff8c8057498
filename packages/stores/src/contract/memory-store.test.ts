import { beginMemoryIncarnation, type MemoryData } from '@bridle/kernel/memory/memory-data'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import { storeContract } from './contract.suite.ts'
import type { StoreHarness } from './store.suite.ts'

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
