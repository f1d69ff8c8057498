// Readers of `/changes`, one of each tenant: the list that a reader folds from the changes is the list of the server.

import { setTimeout as sleep } from 'node:timers/promises'
import type { TenantChange } from '@bridle/wire/changes/wire'
import { WebSocket } from 'ws'
import { PATIENCE_MS } from '../command.ts'
import { POLL_MS } from '../session.ts'
import { type CrashWorld, type ListedRow, tenants } from '../world.ts'
import type { GuestMaker } from './guest.ts'

const AGAIN_MS = 25

export const changesGuest: GuestMaker = (world) => {
  const readers = tenants.map((tenant) => new ChangesReader(world, tenant))
  return {
    round: () => ({
      begin: () => {
        for (const reader of readers) reader.start()
      },
      settle: async () => {},
    }),
    finish: async () => {
      for (const reader of readers) {
        await reader.checkRows()
        reader.stop()
      }
    },
  }
}

class ChangesReader {
  readonly #world: CrashWorld
  readonly #tenant: string
  #rows = new Map<string, ListedRow>()
  #socket: WebSocket | null = null
  #isStarted = false
  #isStopped = false

  constructor(world: CrashWorld, tenant: string) {
    this.#world = world
    this.#tenant = tenant
  }

  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    void this.#stay()
  }

  stop(): void {
    this.#isStopped = true
    this.#socket?.terminate()
  }

  /** The reader may be some moments behind. */
  async checkRows(): Promise<void> {
    const { tally } = this.#world
    let [known, listed] = ['', '']
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(POLL_MS)) {
      known = textOf(this.#rows)
      listed = textOf(await this.#world.rowsOf(this.#tenant))
      if (known === listed) break
    }
    tally.checkEqual('11', known, listed, `the rows that a reader of ${this.#tenant} has`)
  }

  async #stay(): Promise<void> {
    while (!this.#isStopped) {
      const url = `${this.#world.url.replace(/^http/, 'ws')}/changes/ws?tenant=${this.#tenant}`
      const socket = new WebSocket(url, { handshakeTimeout: 5_000 })
      this.#socket = socket
      socket.on('message', (data) => void this.#hear(JSON.parse(data.toString())))
      socket.on('error', () => {})
      await new Promise((resolve) => socket.once('close', resolve))
      await sleep(AGAIN_MS)
    }
  }

  async #hear(message: TenantChange | { readonly type: 'mark'; readonly seq: number }): Promise<void> {
    if (message.type === 'mark') this.#socket?.send(JSON.stringify({ type: 'seen', seq: message.seq }))
    else if (message.type === 'session') this.#learn(message.session as unknown as ListedRow)
    else if (message.type === 'session_removed') this.#rows.delete(message.session_id)
    else if (message.type === 'ready') {
      const listed = await this.#world.rowsOf(this.#tenant)
      for (const id of this.#rows.keys()) if (!listed.has(id)) this.#rows.delete(id)
      for (const row of listed.values()) this.#learn(row)
    }
  }

  /** A change that arrives before the list may be newer than the list. */
  #learn(row: ListedRow): void {
    const known = this.#rows.get(row.id)
    if (!known || seqOf(row) >= seqOf(known)) this.#rows.set(row.id, row)
  }
}

const seqOf = ({ lastEventId }: ListedRow): number => Number(/\d+/.exec(lastEventId)?.[0] ?? 0)

const textOf = (rows: ReadonlyMap<string, ListedRow>): string =>
  JSON.stringify([...rows.values()].map(({ id, status }) => [id, status]).toSorted())
