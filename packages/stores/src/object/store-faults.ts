// The shared store translates its own errors. This covers the rest of the same write: directory mark, alarm, and sync.
import type { Log } from '@bridle/kernel/ports/log'
import { type SqlDriver, toStoreFault } from '../drivers/driver.ts'

export const withStoreFaults = (log: Log, driver: SqlDriver): Log => {
  const translated = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw toStoreFault(driver, error, 'The object')
    }
  }
  return {
    ...log,
    append: (lease, append) => translated(log.append(lease, append)),
    remove: (key) => translated(log.remove(key)),
  }
}
