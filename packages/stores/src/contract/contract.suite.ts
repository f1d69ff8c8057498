// The whole contract of a store: what Log and Directory promise, wherever the data lies.
import { branchContract } from './branches.suite.ts'
import { directoryContract } from './directory.suite.ts'
import { incarnationContract } from './incarnation.suite.ts'
import { logContract } from './log.suite.ts'
import type { StoreHarness } from './store.suite.ts'

export const storeContract = (name: string, make: () => Promise<StoreHarness>): void => {
  logContract(name, make)
  branchContract(name, make)
  directoryContract(name, make)
  incarnationContract(name, make)
}
