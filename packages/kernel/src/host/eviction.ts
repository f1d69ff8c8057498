// The eviction of loaded sessions: a session that has nothing to do and no reader leaves memory, and the log rebuilds it when
// somebody asks. Sessions leave when there are too many of them, and when they take too much memory.
import type { Key } from '../event.ts'
import type { Session } from '../session/session.ts'
import { MemoryBudget, type MemoryLimits, sessionsToEvict } from './memory-budget.ts'

/** Sessions that one search for an idle session visits: a host full of busy sessions must not be searched as a whole. */
const EVICTION_LOOKS = 32
/** Sessions kept in memory with nothing to do. */
export const IDLE_SESSIONS_MAX = 500

/** The cause with which an evicted session is dropped. */
export const EVICTED = new Error('evicted')

export const evict = (session: Session): void => session.drop(EVICTED)

export class Eviction {
  readonly #live: Map<string, Session>
  readonly #memory: MemoryBudget

  /** `live` has the loaded sessions by name. The newest, and those that a search visited last, are at the end. */
  constructor(live: Map<string, Session>, limits?: Partial<MemoryLimits>) {
    this.#live = live
    this.#memory = new MemoryBudget(limits)
  }

  get bytes(): number {
    return this.#memory.bytes
  }

  /** Makes room for one more session where there are many. */
  admitSession(): void {
    if (this.#live.size < IDLE_SESSIONS_MAX) return
    // A session that has something to do goes to the end, so that each search looks at others.
    for (const [name, session] of [...this.#live].slice(0, EVICTION_LOOKS)) {
      if (session.idle) evict(session)
      else {
        this.#live.delete(name)
        this.#live.set(name, session)
      }
    }
  }

  /** A session was opened or has grown. */
  resize(session: Session): void {
    const { key, bytes } = session
    if (session.dropped) return
    this.#memory.set(session, key.tenant, bytes)
    if (this.#memory.needsRoom(key.tenant)) this.#makeRoom(session)
  }

  forget(session: Session): void {
    this.#memory.set(session, session.key.tenant, 0)
  }

  /** Evicts sessions that were busy or had readers at the last search, where memory is still short. */
  relieve(): void {
    if (this.#memory.bytes > this.#memory.limits.tenantBytes) this.#makeRoom(null)
  }

  /** Whether the busy sessions of a tenant take so much memory that its next prompts have to wait. */
  isExhausted({ tenant }: Key): boolean {
    if (!this.#memory.isExhausted(tenant)) return false
    this.#makeRoom(null)
    return this.#memory.isExhausted(tenant)
  }

  /** The largest idle sessions leave first, except the one that is being opened or was just written. */
  #makeRoom(needed: Session | null): void {
    const loaded = [...this.#live.values()].map((session) => ({
      ...{ session, tenant: session.key.tenant, bytes: session.bytes },
      idle: session !== needed && session.idle,
    }))
    for (const { session } of sessionsToEvict(loaded, this.#memory.limits)) evict(session)
    this.#memory.recordSearch()
  }
}
