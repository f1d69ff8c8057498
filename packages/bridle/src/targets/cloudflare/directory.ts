// The object behind `/sessions` and the approval inbox: one for each tenant. What it knows was told by the sessions, so it
// can be lost: a session tells of itself again when it next writes.
import { DurableObject } from 'cloudflare:workers'
import type { Key } from '../../kernel/event.ts'
import { type ListFilter, StoreFault } from '../../kernel/ports.ts'
import { type ObjectDriver, objectDriver } from '../../stores/do-driver.ts'
import { openSessions, type Sessions } from '../../stores/sessions.ts'
import { sqliteStore } from '../../stores/sqlite.ts'
import { noTail, openTail } from '../../stores/tail.ts'
import type { DirectoryStub, Placed, Told } from './directory-port.ts'
import type { ObjectContext } from './platform.ts'

interface Home {
  readonly home: string
  readonly seq: number
  readonly removed: number
}

/** An object of the index. Bind it as `HARNESS_DIRECTORY`. */
export class HarnessDirectory extends DurableObject implements DirectoryStub {
  readonly #driver: ObjectDriver
  readonly #rows: Sessions
  readonly #directory: ReturnType<typeof sqliteStore>['directory']

  constructor(ctx: ObjectContext, env: unknown) {
    super(ctx, env)
    this.#driver = objectDriver(ctx.storage)
    // The same tables and the same questions as on Node; a session's head is kept as its base, since its log is elsewhere.
    this.#rows = openSessions(this.#driver, openTail(this.#driver, noTail))
    this.#directory = sqliteStore(this.#driver, this.#driver.epoch, noTail).directory
  }

  async register({ key, home }: Placed): Promise<string> {
    return this.#write(() => {
      const known = this.#homeOf(key)
      if (!known) this.#place(key, home, 0, 0)
      return known?.home ?? home
    })
  }

  async tell(told: readonly Told[]): Promise<void> {
    this.#write(() => {
      for (const each of told) this.#take(each)
    })
  }

  async find(tenant: string, id: string): Promise<Placed[]> {
    return this.#driver
      .all<{ agent: string; home: string }>(
        'SELECT agent, home FROM homes WHERE tenant = ? AND id = ? AND removed = 0 ORDER BY agent',
        ...[tenant, id],
      )
      .map(({ agent, home }) => ({ key: { tenant, agent, id }, home }))
  }

  list(tenant: string, filter: ListFilter) {
    return page(this.#directory.list(tenant, filter))
  }

  approvals(tenant: string, filter: { limit?: number; cursor?: string }) {
    return page(this.#directory.approvals(tenant, filter))
  }

  async redeem(nonce: string, expiresAt: number): Promise<boolean> {
    return this.#write(() => {
      this.#driver.run('DELETE FROM nonces WHERE expires_at < ?', Date.now())
      if (this.#driver.get('SELECT 1 FROM nonces WHERE nonce = ?', nonce)) return false
      this.#driver.run('INSERT INTO nonces (nonce, expires_at) VALUES (?, ?)', nonce, expiresAt)
      return true
    })
  }

  /** Guarded by the head: what was told late must not undo what was told since. */
  #take({ key, home, head, row }: Told): void {
    const known = this.#homeOf(key)
    if (known && (known.home !== home || known.seq > head)) return
    this.#place(key, home, head, row ? 0 : 1)
    const live = this.#rows.live(key)
    if (row) {
      const sid = live?.sid ?? this.#rows.create(key, { base: head, parent: null })
      this.#driver.run('UPDATE sessions SET base = ? WHERE sid = ?', head, sid)
      this.#rows.saveRow(sid, key, row)
    } else if (live) {
      this.#driver.run('DELETE FROM approvals WHERE sid = ?', live.sid)
      this.#driver.run('DELETE FROM sessions WHERE sid = ?', live.sid)
    }
  }

  #homeOf({ tenant, agent, id }: Key): Home | undefined {
    return this.#driver.get<Home>(
      'SELECT home, seq, removed FROM homes WHERE tenant = ? AND id = ? AND agent = ?',
      ...[tenant, id, agent],
    )
  }

  #place({ tenant, agent, id }: Key, home: string, seq: number, removed: number): void {
    this.#driver.run(
      `INSERT INTO homes (tenant, id, agent, home, seq, removed) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (tenant, id, agent) DO UPDATE SET seq = excluded.seq, removed = excluded.removed`,
      ...[tenant, id, agent, home, seq, removed],
    )
  }

  #write<T>(work: () => T): T {
    return this.#driver.transaction(() => {
      for (const table of tables) this.#driver.run(table)
      return work()
    })
  }
}

const tables = [
  `CREATE TABLE IF NOT EXISTS homes (
    tenant TEXT NOT NULL, id TEXT NOT NULL, agent TEXT NOT NULL, home TEXT NOT NULL, seq INTEGER NOT NULL,
    removed INTEGER NOT NULL, PRIMARY KEY (tenant, id, agent)) WITHOUT ROWID`,
  'CREATE TABLE IF NOT EXISTS nonces (nonce TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID',
]

/** Across objects an error keeps its text alone, so a refusal is a value. */
const page = async <T>(asked: Promise<T>): Promise<T | { refused: string }> => {
  try {
    return await asked
  } catch (error) {
    if (error instanceof StoreFault && error.code === 'refused') return { refused: error.message }
    throw error
  }
}
