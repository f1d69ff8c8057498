// What an object's storage throws, as the faults that callers are answered by. The shared store says its own; this is for
// what belongs into the same write beside it: the mark for the directory, the alarm, and the wait until all is durable.
import type { Log } from '../../kernel/ports/store.ts'
import { type SqlDriver, toStoreFault } from '../drivers/driver.ts'

export const withStoreFaults = (log: Log, driver: SqlDriver): Log => {
  const known = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw toStoreFault(driver, error, 'The object')
    }
  }
  return {
    ...log,
    append: (lease, append) => known(log.append(lease, append)),
    remove: (key) => known(log.remove(key)),
  }
}
