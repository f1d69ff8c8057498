// The contract of stores inside the real runtime, each test in an object of its own.
import { fileURLToPath } from 'node:url'
import type { Lease } from '@bridle/kernel/ports/log'
import { StoreFault, type StoreFaultCode } from '@bridle/kernel/ports/store-fault'
import { storeContract } from '@bridle/stores/contract/contract.suite'
import {
  event,
  expectFault,
  key,
  row,
  type StoreHarness,
  type StoreOwner,
  startSession,
} from '@bridle/stores/contract/store.suite'
import { objectDriver } from '@bridle/stores/object/object-driver'
import { sqliteStore } from '@bridle/stores/sqlite/sqlite-store'
import { noTail } from '@bridle/stores/sqlite/tail'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decode, encode, type StoreReply } from './do-store-wire.suite.ts'
import { bundleWorker, noTools, startWorkerd, type WorkerdProcess } from './workerd.suite.ts'

let workerd: WorkerdProcess
let objects = 0

beforeAll(async () => {
  if (noTools) return
  const code = await bundleWorker(fileURLToPath(new URL('./do-store-worker.suite.ts', import.meta.url)))
  workerd = await startWorkerd({ code, objects: { STORE: 'Store' } })
})
afterAll(() => workerd?.dispose())

/** A socket to one object. */
class StoreSocket {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (cause: unknown) => void }>()
  #calls = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.onmessage = ({ data }) => {
      const { id, value, fault } = decode(String(data)) as StoreReply
      const call = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (fault) call?.reject(new StoreFault(fault.code as StoreFaultCode, fault.message))
      else call?.resolve(value)
    }
    socket.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('closed'))
    }
  }

  static async to(name: string): Promise<StoreSocket> {
    const socket = new WebSocket(`${workerd.url.replace('http', 'ws')}/${name}`)
    await new Promise((resolve, reject) => {
      socket.onopen = resolve
      socket.onerror = () => reject(new Error(`no socket: ${workerd.stderrLines.join('\n')}`))
    })
    return new StoreSocket(socket)
  }

  ask(owner: number, call: string, ...args: unknown[]): Promise<unknown> {
    const id = ++this.#calls
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#socket.send(encode({ id, owner, call, args }))
    })
  }

  close(): void {
    this.#socket.close()
  }
}

const handles = new WeakMap<Lease, number>()

const ownerOn = async (socket: StoreSocket, call: 'own' | 'lose' = 'own'): Promise<StoreOwner> => {
  const owner = (await socket.ask(0, call)) as number
  const ask = (call: string, ...args: unknown[]): Promise<never> => socket.ask(owner, call, ...args) as Promise<never>
  return {
    log: {
      open: async (...args) => {
        const opened = (await ask('log.open', ...args)) as (Lease & { handle: number }) | null
        if (!opened) return null
        const { handle, ...lease } = opened
        handles.set(lease, handle)
        return lease
      },
      append: (lease, append) => ask('log.append', handles.get(lease), append),
      read: (...args) => ask('log.read', ...args),
      result: (...args) => ask('log.result', ...args),
      remove: (...args) => ask('log.remove', ...args),
      reserve: (...args) => ask('log.reserve', ...args),
    },
    directory: {
      list: (...args) => ask('directory.list', ...args),
      approvals: (...args) => ask('directory.approvals', ...args),
      settled: (...args) => ask('directory.settled', ...args),
      due: (...args) => ask('directory.due', ...args),
      inHand: (...args) => ask('directory.inHand', ...args),
      find: (...args) => ask('directory.find', ...args),
    },
  }
}

const make = async (): Promise<StoreHarness> => {
  const name = `object-${++objects}`
  let socket = await StoreSocket.to(name)
  return {
    ...(await ownerOn(socket)),
    takeOver: () => ownerOn(socket),
    async restart() {
      await socket.ask(0, 'abort').catch(() => {})
      socket = await StoreSocket.to(name)
      return ownerOn(socket)
    },
    loseCommits: () => ownerOn(socket, 'lose'),
    dispose: async () => socket.close(),
  }
}

describe.skipIf(noTools)('in workerd', () => {
  storeContract('durable object', make)

  test('an object that was only asked leaves no tables behind', async () => {
    const socket = await StoreSocket.to('blank')
    const { log, directory } = await ownerOn(socket)
    expect(await log.open(key('a'))).toMatchObject({ exists: false, head: 0 })
    expect(await log.read(key('a'), 0, 9)).toEqual([])
    expect(await log.remove(key('a'))).toBe(false)
    expect(await directory.list('acme', {})).toEqual({ sessions: [] })
    expect(await socket.ask(0, 'tables')).toEqual([])
    socket.close()
  })

  test('what a row or a statement may not hold is refused before the platform is asked', async () => {
    const store = await make()
    const lease = await startSession(store, key('a'), 1)
    const tooLarge = row({ title: 'x'.repeat(2_000_000) })
    await expect(store.log.append(lease, { events: [], results: [], row: tooLarge })).rejects.toMatchObject({
      code: 'refused',
    })
    await store.dispose()
  })
})

describe('a storage that throws', () => {
  test.each<[string, StoreFaultCode]>([
    ['database or disk is full: SQLITE_FULL', 'full'],
    ['database disk image is malformed: SQLITE_CORRUPT', 'corrupt'],
    ['UNIQUE constraint failed: log.sid: SQLITE_CONSTRAINT', 'refused'],
    ['string or blob too big: SQLITE_TOOBIG', 'refused'],
    ['disk I/O error: SQLITE_IOERR', 'outcome_unknown'],
    ['Durable Object storage operation exceeded timeout which caused object to be reset.', 'outcome_unknown'],
    ['Do not know how to serialize a BigInt', 'refused'],
  ])('%s: %s', async (message, code) => {
    let isBroken = false
    const driver = objectDriver({
      sql: {
        exec: () => {
          if (isBroken) throw new Error(message)
          return { toArray: () => [] }
        },
      },
      transactionSync: (work) => work(),
    })
    const { log } = sqliteStore(driver, driver.epoch, noTail)
    const lease = (await log.open(key('a')))!
    isBroken = true
    await expectFault(log.append(lease, { events: [event(1)], row: row() }), code)
  })
})
