// Session objects report their records again with every request and write, so losing this index is harmless.
import type { Key } from '@bridle/kernel/event'
import { ownerFromId, rowOwner } from '@bridle/kernel/owner'
import type {
  DirectoryRow,
  ListedSession,
  ListFilter,
  ListReader,
  SettledListing,
} from '@bridle/kernel/ports/directory'
import type { RowChange, RowObserver } from '@bridle/kernel/ports/row-observer'
import { hasFaultCode } from '@bridle/kernel/ports/store-fault'
import type { SqlDriver } from '../drivers/driver.ts'
import { openSessionTable, type SessionTable } from '../sqlite/session-table.ts'
import {
  type ApprovalListing,
  directoryScans,
  type PageOptions,
  rowWithOwner,
  type Scan,
  storedRow,
} from '../sqlite/sqlite-directory.ts'
import { noTail, openTail } from '../sqlite/tail.ts'
import type {
  DirectoryRecord,
  DirectoryStub,
  DirectoryUpdate,
  SessionLocation,
  SessionPlacement,
  ShardScan,
} from './remote-directory.ts'
import { shardOf } from './shards.ts'

/** Bounds an answer between directory objects, since rows may be large. */
const RECORDS_PAGE = 200

interface HomeRow {
  readonly home: string
  readonly seq: number
  readonly removed: number
}

export class DirectoryIndex implements Omit<DirectoryStub, 'adopt' | 'secret'> {
  readonly #driver: SqlDriver
  readonly #observer: RowObserver | null
  readonly #rows: SessionTable
  readonly #scans: ReturnType<typeof directoryScans>

  constructor(driver: SqlDriver, observer: RowObserver | null = null, slicesMax?: number) {
    this.#driver = driver
    this.#observer = observer
    // The base column holds the head, because a session's log is in another object.
    this.#rows = openSessionTable(driver, openTail(driver, noTail))
    this.#scans = directoryScans(driver, this.#rows, (work) => work(), slicesMax)
  }

  async register({ key, home }: SessionPlacement): Promise<string> {
    return this.#driver.transaction(() => {
      const known = this.#homeOf(key)
      if (!known) this.#saveHome(key, home, 0, 0)
      return known?.home ?? home
    })
  }

  async tell(updates: readonly DirectoryUpdate[]): Promise<void> {
    const changes = this.#driver.transaction(() => updates.flatMap((update) => this.#observeUpdate(update) ?? []))
    for (const change of changes) this.#observer?.observe(change)
  }

  /** The change visible in lists. Null if there is none, or the tenant has no observer. */
  #observeUpdate(update: DirectoryUpdate): RowChange | null {
    const { key, head, row } = update
    if (!this.#observer?.isObserved(key.tenant)) {
      this.#applyUpdate(update)
      return null
    }
    const before = this.#listedRow(key)
    const shown = row ?? before
    if (!this.#applyUpdate(update) || !shown) return null
    return { key, owner: rowOwner(key, shown), head, incarnation: 1, row, before }
  }

  async find(tenant: string, id: string): Promise<SessionLocation[]> {
    return this.#driver
      .all<{ agent: string; home: string; removed: number; owner: string | null }>(
        `SELECT h.agent, h.home, h.removed, s.owner FROM homes AS h
         LEFT JOIN sessions AS s ON s.tenant = h.tenant AND s.id = h.id AND s.agent = h.agent AND s.removed = 0
         WHERE h.tenant = ? AND h.id = ?
         ORDER BY s.sid IS NULL, CASE WHEN json_valid(s.row) THEN json_extract(s.row, '$.createdAt') END, s.sid`,
        ...[tenant, id],
      )
      .map(({ agent, home, removed, owner }) => ({
        ...{ key: { tenant, agent, id }, home, owner: owner ?? ownerFromId(id) },
        isRemoved: removed === 1,
      }))
  }

  list(tenant: string, filter: ListFilter, who?: string): Promise<ShardScan<ListedSession>> {
    return unlessBusy(this.#scans.list(tenant, filter, readerOf(who)))
  }

  approvals(tenant: string, page: PageOptions, who?: string): Promise<ShardScan<ApprovalListing | null>> {
    return unlessBusy(this.#scans.approvals(tenant, page, readerOf(who)))
  }

  settled(tenant: string, page: PageOptions, who?: string): Promise<ShardScan<ApprovalListing<SettledListing> | null>> {
    return unlessBusy(this.#scans.settled(tenant, page, readerOf(who)))
  }

  async redeem(nonce: string, expiresAt: number): Promise<boolean> {
    return this.#driver.transaction(() => {
      this.#driver.run('DELETE FROM nonces WHERE expires_at < ?', Date.now())
      if (this.#driver.get('SELECT 1 FROM nonces WHERE nonce = ?', nonce)) return false
      this.#driver.run('INSERT INTO nonces (nonce, expires_at) VALUES (?, ?)', nonce, expiresAt)
      return true
    })
  }

  /** The caller takes over these records, so this object must take over again if its number of shards returns. */
  async known(tenant: string, after: Key | null): Promise<DirectoryRecord[]> {
    if (this.#hasTakenOver(tenant)) this.#driver.run('DELETE FROM taken_over WHERE tenant = ?', tenant)
    const rows = this.#driver.all<{ id: string; agent: string; row: string | null; owner: string | null } & HomeRow>(
      `SELECT h.id, h.agent, h.home, h.seq, h.removed, s.row, s.owner FROM homes AS h
       LEFT JOIN sessions AS s ON s.tenant = h.tenant AND s.id = h.id AND s.agent = h.agent AND s.removed = 0
       WHERE h.tenant = ? AND (h.id, h.agent) > (?, ?) ORDER BY h.id, h.agent LIMIT ?`,
      ...[tenant, after?.id ?? '', after?.agent ?? '', RECORDS_PAGE],
    )
    return rows.map(({ id, agent, home, seq, removed, row, owner }) => ({
      ...{ key: { tenant, agent, id }, home, head: seq },
      row: row === null ? null : rowWithOwner(row, owner),
      isRemoved: removed === 1,
    }))
  }

  /** Adopts page by page and records completion at the end. Concurrent updates are newer and win. */
  async adoptFrom(
    tenant: string,
    { index, of }: { readonly index: number; readonly of: number },
    from: readonly Pick<DirectoryStub, 'known'>[],
  ): Promise<void> {
    if (this.#hasTakenOver(tenant)) return
    let isEmpty = true
    for (const source of from) {
      for (let after: Key | null = null; ; ) {
        const page: DirectoryRecord[] = await source.known(tenant, after)
        const ours = page.filter(({ key }) => shardOf(key.id, of) === index)
        if (ours.length > 0)
          this.#driver.transaction(() => {
            for (const each of ours) this.#inherit(each)
          })
        const last = page.at(-1)
        if (last) isEmpty = false
        if (!last || page.length < RECORDS_PAGE) break
        after = last.key
      }
    }
    // Leave no row for a tenant without records.
    if (!isEmpty) this.#driver.run('INSERT OR IGNORE INTO taken_over (tenant) VALUES (?)', tenant)
  }

  #hasTakenOver(tenant: string): boolean {
    return this.#driver.get('SELECT 1 FROM taken_over WHERE tenant = ?', tenant) !== undefined
  }

  #inherit(record: DirectoryRecord): void {
    if (record.row || record.isRemoved) this.#applyUpdate(record)
    else if (!this.#homeOf(record.key)) this.#saveHome(record.key, record.home, record.head, 0)
  }

  /** Heads order updates: a late one must not undo a newer one. False if nothing changed. */
  #applyUpdate({ key, home, head, row }: DirectoryUpdate): boolean {
    const known = this.#homeOf(key)
    if (known && (known.home !== home || known.seq > head)) return false
    // A recreated session has a higher head, so this row predates the removal.
    if (known?.removed && row && known.seq === head) return false
    if (known?.seq === head && row && storedRow(this.#driver, key)?.row === JSON.stringify(row)) return false
    this.#saveHome(key, home, head, row ? 0 : 1)
    const live = this.#rows.live(key)
    if (row) {
      const sid = live?.sid ?? this.#rows.create(key, { base: head, parent: null, incarnation: 1 })
      this.#driver.run('UPDATE sessions SET base = ? WHERE sid = ?', head, sid)
      this.#rows.saveRow(sid, key, row)
    } else if (live) {
      this.#driver.run('DELETE FROM approvals WHERE sid = ?', live.sid)
      this.#driver.run('DELETE FROM settled_approvals WHERE sid = ?', live.sid)
      this.#driver.run('DELETE FROM sessions WHERE sid = ?', live.sid)
    }
    return true
  }

  #listedRow(key: Key): DirectoryRow | null {
    const found = storedRow(this.#driver, key)
    return found ? rowWithOwner(found.row, found.owner) : null
  }

  #homeOf({ tenant, agent, id }: Key): HomeRow | undefined {
    return this.#driver.get<HomeRow>(
      'SELECT home, seq, removed FROM homes WHERE tenant = ? AND id = ? AND agent = ?',
      ...[tenant, id, agent],
    )
  }

  #saveHome({ tenant, agent, id }: Key, home: string, seq: number, removed: number): void {
    this.#driver.run(
      `INSERT INTO homes (tenant, id, agent, home, seq, removed) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (tenant, id, agent) DO UPDATE SET seq = excluded.seq, removed = excluded.removed`,
      ...[tenant, id, agent, home, seq, removed],
    )
  }
}

const readerOf = (who: string | undefined): ListReader | undefined => (who === undefined ? undefined : { who })

/** A fault's code is lost in calls between objects. */
const unlessBusy = async <T>(scan: Promise<Scan<T>>): Promise<ShardScan<T>> => {
  try {
    return await scan
  } catch (cause) {
    if (hasFaultCode(cause, 'busy')) return { found: [], end: null, isBusy: true }
    throw cause
  }
}
