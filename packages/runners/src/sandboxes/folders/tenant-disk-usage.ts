// How much the session folders of each tenant hold together, so that one tenant does not fill the disk of all.

import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { formatBytes } from '../resources/byte-sizes.ts'
import { folderKey } from './session-paths.ts'

/** A few dozen sessions with a large project each. */
const TENANT_BYTES_MAX = 20 * 1024 ** 3
/** Each new session asks for the sizes, and measuring them takes seconds. */
const MEASUREMENT_TRUST_MS = 60_000
/** `du` reads a million files in this time; the caller of a new session waits for it. */
const TENANT_MEASURE_MS = 60_000
/** Folders that one `du` measures: their paths fit a command line many times over. */
const MEASURED_FOLDERS = 200

export class TenantDiskUsage {
  readonly #folder: string
  readonly #max: number
  readonly #now: () => number
  readonly #tenants = new Map<string, string>()
  readonly #sizes = new Map<string, { readonly bytes: number; readonly measuredAt: number }>()
  #measuring: Promise<void> | null = null

  constructor(data: string, { max = TENANT_BYTES_MAX, now = Date.now }: { max?: number; now?: () => number } = {}) {
    this.#folder = join(data, 'workspaces')
    this.#max = max
    this.#now = now
  }

  /** Bytes that the tenant may still add; throws when it may add nothing. Measures first. */
  async measureRoom(tenant: string): Promise<number> {
    await this.#measure()
    return this.#roomLeft(tenant)
  }

  /** The same check with the last measurement: the start of a session does not wait for a new one. */
  checkRoom(tenant: string): void {
    this.#measure().catch(() => {})
    this.#roomLeft(tenant)
  }

  fullMessage(tenant: string): string {
    const [used, max] = [formatBytes(this.#total(tenant)), formatBytes(this.#max)]
    return `The session folders of this tenant hold ${used} and may hold ${max} together. Delete sessions to make room, or have the operator raise workspaces.maxTenantBytes.`
  }

  #roomLeft(tenant: string): number {
    const room = this.#max - this.#total(tenant)
    if (room <= 0) throw new TenantDiskFullError(this.fullMessage(tenant))
    return room
  }

  #total(tenant: string): number {
    let total = 0
    for (const [name, { bytes }] of this.#sizes) if (this.#tenants.get(name) === tenant) total += bytes
    return total
  }

  #measure(): Promise<void> {
    this.#measuring ??= this.#measureAll().finally(() => {
      this.#measuring = null
    })
    return this.#measuring
  }

  async #measureAll(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => [])
    const there = new Set(names)
    for (const name of this.#sizes.keys()) if (!there.has(name)) this.#forget(name)
    const old = names.filter(
      (name) => this.#now() - (this.#sizes.get(name)?.measuredAt ?? -Infinity) >= MEASUREMENT_TRUST_MS,
    )
    for (const name of old) {
      const key = this.#tenants.has(name) ? null : await folderKey(join(this.#folder, name))
      if (key) this.#tenants.set(name, key.tenant)
    }
    const known = old.filter((name) => this.#tenants.has(name))
    for (let at = 0; at < known.length; at += MEASURED_FOLDERS)
      await this.#measureSome(known.slice(at, at + MEASURED_FOLDERS))
  }

  async #measureSome(names: readonly string[]): Promise<void> {
    const measuredAt = this.#now()
    for (const line of (await runDu(this.#folder, names)).split('\n')) {
      const [, kib, name] = /^(\d+)\s+(.+)$/.exec(line) ?? []
      if (name !== undefined) this.#sizes.set(name, { bytes: Number(kib) * 1024, measuredAt })
    }
  }

  #forget(name: string): void {
    this.#sizes.delete(name)
    this.#tenants.delete(name)
  }
}

export class TenantDiskFullError extends Error {}

/** `du` follows no links, and runs in another process. If it cannot read some folders, the others still count. */
const runDu = (cwd: string, names: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const options = { cwd, timeout: TENANT_MEASURE_MS, env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C' } }
    execFile('du', ['-sk', '--', ...names], options, (_error, output) => resolve(output))
  })
