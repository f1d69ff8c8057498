// A Worker whose objects each hold a store, message over a socket: the contract of stores, from inside the real runtime.
import { DurableObject } from 'cloudflare:workers'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { objectDriver } from '@bridle/stores/object/object-driver'
import type { ObjectNamespace } from '@bridle/stores/object/platform-types'
import { beginIncarnation } from '@bridle/stores/sqlite/schema'
import { type SqliteStore, sqliteStore } from '@bridle/stores/sqlite/sqlite-store'
import { noTail } from '@bridle/stores/sqlite/tail'
import { socketPair, upgradeResponse } from '../platform/platform.ts'
import { decode, encode, type StoreCall } from './do-store-wire.suite.ts'

export class Store extends DurableObject {
  readonly #owners: SqliteStore[] = []
  readonly #leases = new Map<number, unknown>()

  async fetch(): Promise<Response> {
    const { client, server } = socketPair()
    server.accept()
    const events = server as unknown as EventTarget
    events.addEventListener('message', async (event) => {
      const request = decode((event as MessageEvent).data) as StoreCall
      try {
        server.send(encode({ id: request.id, value: await this.#answer(request) }))
      } catch (error) {
        const { code, message } = error as StoreFault
        server.send(encode({ id: request.id, fault: { code: error instanceof StoreFault ? code : 'none', message } }))
      }
    })
    return upgradeResponse(client)
  }

  #answer({ owner, call, args }: StoreCall): unknown {
    if (call === 'own' || call === 'lose') {
      const driver = objectDriver(this.ctx.storage)
      if (call === 'lose') beginIncarnation(driver)
      return this.#owners.push(sqliteStore(driver, driver.epoch, noTail)) - 1
    }
    if (call === 'abort') return this.ctx.abort('restarted')
    if (call === 'tables')
      return this.ctx.storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").toArray()
    const store = this.#owners[owner] as SqliteStore
    const [part, method] = call.split('.') as ['log' | 'directory', string]
    const port = store[part] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
    if (call === 'log.append') args[0] = this.#leases.get(args[0] as number)
    const answered = port[method]?.(...args)
    return call === 'log.open' ? answered?.then((lease) => this.#kept(lease)) : answered
  }

  #kept(lease: unknown): unknown {
    if (lease === null) return null
    const handle = this.#leases.size + 1
    this.#leases.set(handle, lease)
    return { ...(lease as object), handle }
  }
}

export default {
  fetch: (request: Request, { STORE }: { STORE: ObjectNamespace }): Promise<Response> =>
    STORE.get(STORE.idFromName(new URL(request.url).pathname)).fetch(request),
}
