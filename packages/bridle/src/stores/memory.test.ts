import { storeContract } from './contract.suite.ts'
import { memoryStore } from './memory.ts'
import type { Harness } from './store.suite.ts'

const make = async (): Promise<Harness> => {
  const store = memoryStore()
  return {
    log: store.log,
    directory: store.directory,
    takeOver: async () => store.reopen(),
    restart: async () => store.reopen(),
    dispose: async () => {},
  }
}

storeContract('memory', make)
