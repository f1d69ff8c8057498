// Over a limit, the largest idle sessions are evicted, so that one tenant's large sessions do not push out small ones of others.

/** After a search that found only busy sessions, the next waits for this growth instead of running on every token. */
const SEARCH_GROWTH = 1.02
/** A quarter of the smallest default heap of Node. */
const MEMORY_BYTES = 256 * 1024 * 1024
/** Hysteresis: evict somewhat below the limit, so that the next event does not trigger another search. */
const MEMORY_TARGET_RATIO = 0.9

export interface MemoryLimits {
  readonly bytes: number
  readonly tenantBytes: number
}

const memoryLimits = ({ bytes = MEMORY_BYTES, tenantBytes }: Partial<MemoryLimits> = {}): MemoryLimits => ({
  bytes,
  tenantBytes: tenantBytes ?? bytes / 2,
})

export interface LoadedSession {
  readonly tenant: string
  readonly bytes: number
  /** Has no work, no readers and nothing unsaved. */
  readonly idle: boolean
}

/** Largest idle sessions first: of tenants over their limit, then of tenants over their equal share. Others lose none. */
export const sessionsToEvict = <S extends LoadedSession>(sessions: readonly S[], limits: MemoryLimits): S[] => {
  const sums = new Map<string, number>()
  for (const { tenant, bytes } of sessions) sums.set(tenant, (sums.get(tenant) ?? 0) + bytes)
  let total = sessions.reduce((sum, { bytes }) => sum + bytes, 0)
  const bytesOf = (tenant: string) => sums.get(tenant) ?? 0
  const leaving = new Set<S>()
  const leave = (session: S) => {
    leaving.add(session)
    sums.set(session.tenant, bytesOf(session.tenant) - session.bytes)
    total -= session.bytes
  }
  const idle = sessions.filter((session) => session.idle).toSorted((a, b) => b.bytes - a.bytes)

  const over = new Set([...sums].filter(([, bytes]) => bytes > limits.tenantBytes).map(([tenant]) => tenant))
  for (const session of idle)
    if (over.has(session.tenant) && bytesOf(session.tenant) > limits.tenantBytes * MEMORY_TARGET_RATIO) leave(session)

  if (total <= limits.bytes) return [...leaving]
  const share = limits.bytes / sums.size
  for (const session of idle) {
    if (total <= limits.bytes * MEMORY_TARGET_RATIO) break
    if (!leaving.has(session) && bytesOf(session.tenant) > share) leave(session)
  }
  return [...leaving]
}

export class MemoryBudget {
  readonly limits: MemoryLimits
  readonly #sizes = new Map<object, number>()
  readonly #tenants = new Map<string, number>()
  #total = 0
  /** The next search runs above this size: while all sessions are busy, a search finds nothing. */
  readonly #searchAt = new Map<string | null, number>()

  constructor(limits?: Partial<MemoryLimits>) {
    this.limits = memoryLimits(limits)
  }

  get bytes(): number {
    return this.#total
  }

  bytesOf(tenant: string): number {
    return this.#tenants.get(tenant) ?? 0
  }

  /** 0 removes the session. */
  set(session: object, tenant: string, bytes: number): void {
    const change = bytes - (this.#sizes.get(session) ?? 0)
    if (bytes > 0) this.#sizes.set(session, bytes)
    else this.#sizes.delete(session)
    this.#total += change
    const sum = this.bytesOf(tenant) + change
    if (sum > 0) this.#tenants.set(tenant, sum)
    else this.#tenants.delete(tenant)
  }

  needsRoom(tenant: string): boolean {
    const isOver = (who: string | null, bytes: number, most: number) =>
      bytes > most && bytes >= (this.#searchAt.get(who) ?? 0)
    return isOver(tenant, this.bytesOf(tenant), this.limits.tenantBytes) || isOver(null, this.#total, this.limits.bytes)
  }

  /** Records that the remaining sessions are busy, which postpones the next search. */
  recordSearch(): void {
    this.#searchAt.clear()
    const again = (who: string | null, bytes: number, most: number) =>
      bytes > most && this.#searchAt.set(who, bytes * SEARCH_GROWTH)
    again(null, this.#total, this.limits.bytes)
    for (const [tenant, bytes] of this.#tenants) again(tenant, bytes, this.limits.tenantBytes)
  }

  /** True above twice the tenant's limit, or above its equal share if all tenants together exceed twice the total limit. */
  isExhausted(tenant: string): boolean {
    const { bytes, tenantBytes } = this.limits
    const own = this.bytesOf(tenant)
    return own > 2 * tenantBytes || (this.#total > 2 * bytes && own > (2 * bytes) / this.#tenants.size)
  }
}
