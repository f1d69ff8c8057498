// A data folder, a server on it, and the rounds of one row: sessions begin, a fault strikes, and the promises are checked.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServerProcess } from '@bridle/server/tests/server-process.suite'
import { Prng } from '../simulation/prng.ts'
import type { CrashAgent } from './agents.ts'
import { checkSession } from './checks.ts'
import { EFFECTS_FOLDER, effectsIn } from './durable/effects.ts'
import type { RoundGuest } from './guests/guest.ts'
import { request } from './http.ts'
import { PromiseTally } from './promises.ts'
import { CrashSession, sessionKinds } from './session.ts'
import type { SessionAddress } from './wire-client.ts'

export const tenants = ['ada', 'bo', 'cy'] as const
/** The faults strike at any moment of a turn, which takes a little longer. */
const STRIKE_MS = 250

/** The fields of a row that the checks compare. */
export interface ListedRow {
  readonly id: string
  readonly status: string
  readonly lastEventId: string
}

export interface RoundPlan {
  readonly strike: () => Promise<void>
  /** The turn of the chats that is struck. */
  readonly turn: 'first' | 'second'
  readonly guest: RoundGuest | null
}

export class CrashWorld {
  readonly folder: string
  readonly data: string
  readonly tally = new PromiseTally()
  readonly effects: ReturnType<typeof effectsIn>
  readonly chance: Prng
  server: ServerProcess
  /** Clients reach the server through this address, where a row puts something between them. */
  front: string | null = null
  readonly #agent: CrashAgent
  readonly #env: NodeJS.ProcessEnv
  readonly #processes: ServerProcess[] = []
  #line = new AbortController()
  #all: CrashSession[] = []
  /** Background work is checked a round later: its retry waits for a second. */
  #later: CrashSession[] = []

  /** Resolves when the world is ready for its first server. */
  static async make(
    seed: number,
    agent: CrashAgent,
    prepare: (folder: string) => Promise<NodeJS.ProcessEnv>,
  ): Promise<CrashWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'bridle-crash-'))
    return new CrashWorld(seed, agent, folder, await prepare(folder))
  }

  private constructor(seed: number, agent: CrashAgent, folder: string, env: NodeJS.ProcessEnv) {
    this.folder = folder
    this.data = join(folder, 'data')
    this.effects = effectsIn(folder)
    this.chance = new Prng(seed)
    this.#agent = agent
    mkdirSync(this.data, { recursive: true, mode: 0o700 })
    this.#env = { ...env, [EFFECTS_FOLDER]: folder }
    this.server = this.newServer()
  }

  get url(): string {
    return this.front ?? this.server.url
  }

  /** Starts another process on the same data; `server` stays the same. */
  newServer(): ServerProcess {
    const { cwd } = this.#agent
    const logFile = join(this.folder, 'server.log')
    const server = new ServerProcess(this.data, { env: this.#env, logFile, ...(cwd !== undefined && { cwd }) })
    this.#processes.push(server)
    return server
  }

  /** Moves the address to another server, and drops the old connections at once. */
  moveTo(server: ServerProcess): void {
    this.server = server
    this.#line.abort()
    this.#line = new AbortController()
    for (const session of this.#all) for (const client of session.clients) client.reconnect()
  }

  async round(number: number, { strike, turn, guest }: RoundPlan): Promise<void> {
    const sessions = sessionKinds.map((kind, index) => {
      const tenant = tenants[(number + index) % tenants.length] as string
      return new CrashSession(kind, this.placeOf(tenant, `${kind}-${number}`), this.#agent, () => this.#line.signal)
    })
    this.#all.push(...sessions)
    const chats = sessions.filter(({ kind }) => kind !== 'work')
    const settle = (some: readonly CrashSession[]) => Promise.all(some.map((session) => session.settle(this.tally)))
    if (turn === 'second') {
      for (const chat of chats) chat.begin()
      await settle(chats)
      for (const session of sessions) session.kind === 'work' ? session.begin() : session.beginSecond('whole')
    } else for (const session of sessions) session.begin()
    guest?.begin()
    await sleep(this.chance.next() * (this.#agent.strikeMs ?? STRIKE_MS))
    for (const session of sessions) session.noteApprovals()
    await strike()
    const guestDone = guest?.settle()
    await settle(sessions)
    if (turn === 'first') {
      for (const chat of chats) chat.beginSecond('short')
      await settle(chats)
    }
    await guestDone
    const due = [...this.#later, ...sessions.filter(({ kind }) => kind !== 'work')]
    this.#later = sessions.filter(({ kind }) => kind === 'work')
    await this.#check(due)
  }

  /** Checks the rest, and that every tenant has its own sessions and no other. */
  async finish(): Promise<void> {
    await this.#check(this.#later)
    this.#later = []
    for (const tenant of tenants) {
      const listed = await this.#listed(tenant)
      for (const { place } of this.#all)
        this.tally.check('1', listed.has(place.id) === (place.tenant === tenant), () =>
          listed.has(place.id) ? `${place.id} is listed for ${tenant}` : `${place.id} is not listed`,
        )
    }
  }

  placeOf(tenant: string, id: string): SessionAddress {
    const { name } = this.#agent
    return {
      tenant,
      id,
      agent: name,
      isWithdrawable: id.startsWith('work') || name === 'thinker' || name === 'claude',
      url: () => this.url,
    }
  }

  /** Ends everything. After a failure the folder stays for inspection, with a copy of data that was on a separate disk. */
  async end(removeDisk: () => void): Promise<void> {
    for (const session of this.#all) session.stop()
    await Promise.all(this.killAll())
    const isBroken = this.tally.broken.length + this.tally.harnessErrors.length > 0
    if (isBroken) cpSync(this.data, join(this.folder, 'data-kept'), { recursive: true })
    removeDisk()
    if (!isBroken) rmSync(this.folder, { recursive: true, force: true })
  }

  /** The signals are sent at once. */
  killAll(): Promise<unknown>[] {
    return this.#processes.map((each) => each.kill('SIGKILL'))
  }

  async #listed(tenant: string): Promise<Set<string>> {
    return new Set((await this.rowsOf(tenant)).keys())
  }

  /** The whole list of a tenant. */
  async rowsOf(tenant: string): Promise<Map<string, ListedRow>> {
    const rows = new Map<string, ListedRow>()
    for (let cursor: unknown = ''; cursor !== undefined; ) {
      const path = `/sessions?limit=500${cursor === '' ? '' : `&cursor=${encodeURIComponent(String(cursor))}`}`
      const { sessions = [], next } = (await request(this.placeOf(tenant, ''), path))?.body ?? {}
      for (const row of sessions as ListedRow[]) rows.set(row.id, row)
      cursor = next
    }
    return rows
  }

  async #check(sessions: readonly CrashSession[]): Promise<void> {
    await Promise.all(sessions.map((session) => checkSession(session, this.tally, this.effects.lines)))
    for (const session of sessions) session.stop()
  }
}
