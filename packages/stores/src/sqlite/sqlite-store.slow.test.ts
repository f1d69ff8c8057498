// The contract on SQLite; folder.test.ts has what only a data folder can suffer.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeContract } from '../contract/contract.suite.ts'
import type { StoreHarness } from '../contract/store.suite.ts'
import { tailLimits } from '../data-folder.ts'
import { nodeDriver } from '../drivers/node-driver.ts'
import { beginIncarnation, bumpEpoch, migrate } from './schema.ts'
import { sqliteStore } from './sqlite-store.ts'
import { noTail, type TailLimits } from './tail.ts'

/** Without the folder's lock, so that two owners can fight over the same file. */
const on = (limits: TailLimits) => async (): Promise<StoreHarness> => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-'))
  const opened: (() => void)[] = []
  const owner = (isLoss = false) => {
    const driver = nodeDriver(join(folder, 'test.sqlite'))
    migrate(driver)
    if (isLoss) beginIncarnation(driver)
    const store = sqliteStore(driver, bumpEpoch(driver), limits)
    opened.push(() => {
      store.close()
      driver.close()
    })
    return store
  }
  return {
    ...owner(),
    takeOver: async () => owner(),
    async restart() {
      for (const close of opened.splice(0)) close()
      return owner()
    },
    async loseCommits() {
      for (const close of opened.splice(0)) close()
      return owner(true)
    },
    async dispose() {
      for (const close of opened.splice(0)) close()
      rmSync(folder, { recursive: true })
    },
  }
}

const variants: [string, TailLimits][] = [
  ['sqlite', tailLimits],
  ['sqlite, settling all the time', { ...tailLimits, segmentsMax: 2 }],
  ['sqlite, straight to the log', noTail],
]
for (const [name, limits] of variants) {
  storeContract(name, on(limits))
}
