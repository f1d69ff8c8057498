// The memory of the loaded sessions, counted and not measured: in all and for each tenant. When it is too much, idle sessions
// leave, the largest first, so that one tenant's large sessions do not push out everybody's small ones.

/** After a search that left only busy sessions, the next one waits until they have grown by this factor: not with every token. */
const SEARCH_GROWTH = 1.02
/** Memory for loaded sessions: a quarter of the smallest default heap of Node. A tenant gets half of it. */
const MEMORY_BYTES = 256 * 1024 * 1024
/** Eviction frees memory down to this part of a limit, so that it does not run again at once. */
const MEMORY_TARGET_RATIO = 0.9

export interface MemoryLimits {
  /** All loaded sessions together. */
  readonly bytes: number
  readonly tenantBytes: number
}

export const memoryLimits = ({ bytes = MEMORY_BYTES, tenantBytes }: Partial<MemoryLimits> = {}): MemoryLimits => ({
  bytes,
  tenantBytes: tenantBytes ?? bytes / 2,
})

export interface LoadedSession {
  readonly tenant: string
  readonly bytes: number
  /** The session has nothing to do and no reader, and the log has all of it. */
  readonly idle: boolean
}

/**
 * The idle sessions that have to leave, the largest first: those of a tenant over its limit, then of all tenants that take more
 * than their share. A tenant within its share loses none, however much the others have at work.
 */
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
  // Sessions leave until the sum is somewhat below the limit, so that the next event does not start another search.
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

/** The sums, kept up to date session by session. */
export class MemoryBudget {
  readonly limits: MemoryLimits
  readonly #sizes = new Map<object, number>()
  readonly #tenants = new Map<string, number>()
  #total = 0
  /** The next search waits until the sum is this large: where all sessions are busy a search finds nothing. */
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

  /** Sets the size of a session; 0 = it has left. */
  set(session: object, tenant: string, bytes: number): void {
    const change = bytes - (this.#sizes.get(session) ?? 0)
    if (bytes > 0) this.#sizes.set(session, bytes)
    else this.#sizes.delete(session)
    this.#total += change
    const sum = this.bytesOf(tenant) + change
    if (sum > 0) this.#tenants.set(tenant, sum)
    else this.#tenants.delete(tenant)
  }

  /** Whether a search for sessions that could leave is worth its time. */
  needsRoom(tenant: string): boolean {
    const isOver = (who: string | null, bytes: number, most: number) =>
      bytes > most && bytes >= (this.#searchAt.get(who) ?? 0)
    return isOver(tenant, this.bytesOf(tenant), this.limits.tenantBytes) || isOver(null, this.#total, this.limits.bytes)
  }

  /** All sessions that a search left are busy: the next search is due when they have grown noticeably. */
  recordSearch(): void {
    this.#searchAt.clear()
    const again = (who: string | null, bytes: number, most: number) =>
      bytes > most && this.#searchAt.set(who, bytes * SEARCH_GROWTH)
    again(null, this.#total, this.limits.bytes)
    for (const [tenant, bytes] of this.#tenants) again(tenant, bytes, this.limits.tenantBytes)
  }

  /**
   * Whether the busy sessions of a tenant take so much that its next prompts have to wait: twice its limit, or more than its
   * share where all tenants together take twice their limit.
   */
  isExhausted(tenant: string): boolean {
    const { bytes, tenantBytes } = this.limits
    const own = this.bytesOf(tenant)
    return own > 2 * tenantBytes || (this.#total > 2 * bytes && own > (2 * bytes) / this.#tenants.size)
  }
}
