// The storage of a Durable Object on node:sqlite, as far as the driver uses it.
import { DatabaseSync } from 'node:sqlite'
import type { ObjectStorage } from './object-driver.ts'

export const memoryObjectStorage = (database = new DatabaseSync(':memory:')): ObjectStorage => {
  let depth = 0
  return {
    sql: { exec: (sql, ...values) => ({ toArray: () => database.prepare(sql).all(...values) }) },
    transactionSync: (work) => {
      const name = `t${depth++}`
      database.exec(`SAVEPOINT ${name}`)
      try {
        return work()
      } catch (error) {
        database.exec(`ROLLBACK TO ${name}`)
        throw error
      } finally {
        database.exec(`RELEASE ${name}`)
        depth -= 1
      }
    },
  }
}
