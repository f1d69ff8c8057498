// Sessions without work or readers are evicted when there are too many or they use too much memory. The log restores them.
import type { Key } from '../event.ts'
import type { Session } from '../session/session.ts'
import { MemoryBudget, type MemoryLimits, sessionsToEvict } from './memory-budget.ts'

/** Bounds one search for an idle session, so that a busy host is not scanned as a whole. */
const EVICTION_LOOKS = 32
/** Beyond this, idle sessions are evicted even if memory allows more. */
export const IDLE_SESSIONS_MAX = 500

export const EVICTED = new Error('evicted')

export const evict = (session: Session): void => session.drop(EVICTED)

export class Eviction {
  readonly #live: Map<string, Session>
  readonly #memory: MemoryBudget

  /** `live` is ordered: newly opened and recently visited sessions come last. */
  constructor(live: Map<string, Session>, limits?: Partial<MemoryLimits>) {
    this.#live = live
    this.#memory = new MemoryBudget(limits)
  }

  get bytes(): number {
    return this.#memory.bytes
  }

  admitSession(): void {
    if (this.#live.size < IDLE_SESSIONS_MAX) return
    // Move busy sessions to the end, so that each search visits others.
    for (const [name, session] of [...this.#live].slice(0, EVICTION_LOOKS)) {
      if (session.idle) evict(session)
      else {
        this.#live.delete(name)
        this.#live.set(name, session)
      }
    }
  }

  resize(session: Session): void {
    const { key, bytes } = session
    if (session.dropped) return
    this.#memory.set(session, key.tenant, bytes)
    if (this.#memory.needsRoom(key.tenant)) this.#makeRoom(session)
  }

  forget(session: Session): void {
    this.#memory.set(session, session.key.tenant, 0)
  }

  /** Retries the eviction of sessions that were busy or had readers at the last search. */
  relieve(): void {
    if (this.#memory.bytes > this.#memory.limits.tenantBytes) this.#makeRoom(null)
  }

  /** Whether busy sessions of the tenant use so much memory that its prompts must wait. */
  isExhausted({ tenant }: Key): boolean {
    if (!this.#memory.isExhausted(tenant)) return false
    this.#makeRoom(null)
    return this.#memory.isExhausted(tenant)
  }

  /** Largest idle sessions first, except the one being opened or just written. */
  #makeRoom(needed: Session | null): void {
    const loaded = [...this.#live.values()].map((session) => ({
      ...{ session, tenant: session.key.tenant, bytes: session.bytes },
      idle: session !== needed && session.idle,
    }))
    for (const { session } of sessionsToEvict(loaded, this.#memory.limits)) evict(session)
    this.#memory.recordSearch()
  }
}
