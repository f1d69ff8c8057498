// Parts that several servers of the fan-out benchmark share.
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** A log for servers that have none: a plain SQLite table, as durable as the product's. */
export const plainLog = (folder: string): ((entry: object) => void) => {
  const db = new DatabaseSync(join(folder, 'log.sqlite'))
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE log (seq INTEGER PRIMARY KEY, body TEXT)')
  const insert = db.prepare('INSERT INTO log (body) VALUES (?)')
  return (entry) => insert.run(JSON.stringify(entry))
}

export const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => resolve((server.address() as AddressInfo).port))
  })
