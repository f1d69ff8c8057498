// A data folder, a server on it, and the rounds of one row: sessions begin, a fault strikes, and the promises are checked.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServerProcess } from '../packages/bridle/src/targets/tests/server-process.suite.ts'
import { Prng } from '../simulation/prng.ts'
import type { CrashAgent } from './agents.ts'
import { checkSession } from './checks.ts'
import { EFFECTS_FOLDER, effectsIn } from './durable/effects.ts'
import { request } from './http.ts'
import { PromiseTally } from './promises.ts'
import { CrashSession, sessionKinds } from './session.ts'
import type { SessionAddress } from './wire-client.ts'

const tenants = ['ada', 'bo', 'cy'] as const
/** The faults strike at any moment of the first turn, which takes a little longer. */
const STRIKE_MS = 250

export class CrashWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'bridle-crash-'))
  readonly data = join(this.folder, 'data')
  readonly tally = new PromiseTally()
  readonly effects = effectsIn(this.folder)
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

  constructor(seed: number, agent: CrashAgent, env: (folder: string) => NodeJS.ProcessEnv) {
    this.chance = new Prng(seed)
    this.#agent = agent
    mkdirSync(this.data, { mode: 0o700 })
    this.#env = { ...env(this.folder), [EFFECTS_FOLDER]: this.folder }
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

  async round(number: number, strike: () => Promise<void>): Promise<void> {
    const sessions = sessionKinds.map((kind, index) => {
      const tenant = tenants[(number + index) % tenants.length] as string
      return new CrashSession(kind, this.placeOf(tenant, `${kind}-${number}`), this.#agent, () => this.#line.signal)
    })
    this.#all.push(...sessions)
    for (const session of sessions) session.begin()
    await sleep(this.chance.next() * STRIKE_MS)
    for (const session of sessions) session.noteApprovals()
    await strike()
    await Promise.all(sessions.map((session) => session.goOn(this.tally)))
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
      isWithdrawable: id.startsWith('work') || name === 'thinker',
      url: () => this.url,
    }
  }

  /** Ends everything. After a failure the folder stays for inspection, with a copy of data that was on a separate disk. */
  async end(removeDisk: () => void): Promise<void> {
    for (const session of this.#all) session.stop()
    await Promise.all(this.killAll())
    const isBroken = this.tally.broken.length > 0
    if (isBroken) cpSync(this.data, join(this.folder, 'data-kept'), { recursive: true })
    removeDisk()
    if (!isBroken) rmSync(this.folder, { recursive: true, force: true })
  }

  /** The signals are sent at once. */
  killAll(): Promise<unknown>[] {
    return this.#processes.map((each) => each.kill('SIGKILL'))
  }

  async #listed(tenant: string): Promise<Set<string>> {
    const ids = new Set<string>()
    for (let cursor: unknown = ''; cursor !== undefined; ) {
      const path = `/sessions?limit=500${cursor === '' ? '' : `&cursor=${encodeURIComponent(String(cursor))}`}`
      const { sessions = [], next } = (await request(this.placeOf(tenant, ''), path))?.body ?? {}
      for (const { id } of sessions as { id: string }[]) ids.add(id)
      cursor = next
    }
    return ids
  }

  async #check(sessions: readonly CrashSession[]): Promise<void> {
    await Promise.all(sessions.map((session) => checkSession(session, this.tally, this.effects.lines)))
    for (const session of sessions) session.stop()
  }
}
