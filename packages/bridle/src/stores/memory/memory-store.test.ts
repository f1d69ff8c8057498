import { storeContract } from '../contract/contract.suite.ts'
import type { Harness } from '../contract/store.suite.ts'
import { beginIncarnation, type MemoryData } from './memory-data.ts'
import { memoryStore } from './memory-store.ts'

const make = async (): Promise<Harness> => {
  const data: MemoryData = { sessions: new Map(), tombstones: new Map(), epoch: 0, created: 0 }
  const store = memoryStore(data)
  return {
    log: store.log,
    directory: store.directory,
    takeOver: async () => store.reopen(),
    restart: async () => store.reopen(),
    async lose() {
      beginIncarnation(data)
      return store.reopen()
    },
    dispose: async () => {},
  }
}

storeContract('memory', make)
