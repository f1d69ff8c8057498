// The sessions in memory. Concurrent callers share one session per key. Sessions whose store failed are reopened.
import { present } from '@bridle/events/json'
import { type Key, keyText } from '../event.ts'
import type { BranchParent } from '../ports/log.ts'
import { hasFaultCode, StoreFault } from '../ports/store-fault.ts'
import type { SessionState } from '../projections/state.ts'
import type { ChildNotice } from '../rules/children/child-notice.ts'
import { ReadScheduler } from '../session/reading/read-scheduler.ts'
import { Session } from '../session/session.ts'
import { EVICTED, Eviction, evict } from './eviction.ts'
import type { HostPorts } from './host.ts'
import { Quarantine } from './quarantine.ts'

/** Long enough for a brief fault to pass, short enough for readers to wait. */
const REOPEN_MS = 1_000

export interface LiveSessionsPorts extends Omit<HostPorts, 'directory' | 'digest' | 'onFault'> {
  readonly notifyParent: (notice: ChildNotice) => Promise<void>
  readonly cancelChild: (child: Key, parent: Key) => Promise<boolean>
  /** Resolves when the session is not being removed. */
  readonly removalOf: (key: Key) => Promise<void>
  readonly onFault?: (key: Key, cause: unknown) => void
}

export interface PendingBranch {
  readonly from: BranchParent
  readonly source: Session
  /** The state at the branch point, which saves a second fold, and the last event of the first append. */
  readonly known?: { readonly state: SessionState; readonly upTo: number }
}

export class LiveSessions {
  readonly #ports: LiveSessionsPorts
  readonly #opening = new Map<string, Promise<Session>>()
  readonly #live = new Map<string, Session>()
  readonly #eviction: Eviction
  readonly #reopening = new Set<string>()
  /** Damaged while open: stopped until the next start. Callers get the cause. */
  readonly #damaged = new Map<string, unknown>()
  /** Failed to open: supervision skips them. */
  readonly #broken = new Set<string>()
  readonly #readScheduler: ReadScheduler | null
  readonly quarantine: Quarantine
  #isResting = false
  #stopped = false
  #eventCount = 0

  constructor(ports: LiveSessionsPorts) {
    this.#ports = ports
    this.quarantine = new Quarantine(ports.clock)
    this.#eviction = new Eviction(this.#live, ports.memory)
    this.#readScheduler = ports.eventLoop ? new ReadScheduler(ports.eventLoop) : null
  }

  get sessions(): readonly Session[] {
    return [...this.#live.values()]
  }

  get eventCount(): number {
    return this.#eventCount
  }

  get memory(): Pick<Eviction, 'bytes' | 'relieve' | 'isExhausted'> {
    return this.#eviction
  }

  /** Returns the live session, even if nothing was ever appended to it. A `branch` opens with its parent's history. */
  async open(key: Key, branch: PendingBranch | null = null): Promise<Session> {
    if (this.#stopped) throw new StoreFault('fenced', 'The host stopped.')
    const fault = this.checkStore()
    if (fault) throw fault
    const name = keyText(key)
    if (this.#damaged.has(name)) throw this.#damaged.get(name)
    const live = this.#live.get(name) ?? this.#opening.get(name)
    if (live) return live
    this.#eviction.admitSession()
    // Register as live before `opening` is cleared: a gap would let a second session open.
    const opening = this.#load(key, branch)
      .then((session) => {
        if (!session.dropped) {
          this.#live.set(name, session)
          this.#eviction.resize(session)
        }
        this.#broken.delete(name)
        return session
      })
      .finally(() => this.#opening.delete(name))
    this.#opening.set(name, opening)
    try {
      return await opening
    } catch (cause) {
      if (hasFaultCode(cause, 'refused')) throw cause
      if (!(cause instanceof StoreFault) || cause.code === 'corrupt') this.#broken.add(name)
      else if (cause.code !== 'fenced' && cause.code !== 'gone') this.reopenLater(key)
      this.#ports.onFault?.(key, cause)
      throw cause
    }
  }

  async find(key: Key): Promise<Session | null> {
    const session = await this.open(key)
    if (session.exists) return session
    this.discardUnused(session)
    return null
  }

  /** Evicts a session that was opened for a caller but does not exist. */
  discardUnused(session: Session): void {
    if (!session.exists && session.idle) evict(session)
  }

  /** Waits if the session is being opened. Null if it is not loaded. */
  async loaded(key: Key): Promise<Session | null> {
    const name = keyText(key)
    await this.#opening.get(name)?.catch(() => {})
    return this.#live.get(name) ?? null
  }

  /** Whether supervision may open the session. */
  isAsleep(key: Key): boolean {
    const name = keyText(key)
    return !this.#live.has(name) && !this.#broken.has(name) && this.#ports.runner(key.agent) !== null
  }

  /** Supervision would not find a session that has an effect in hand but is not due. */
  reopenLater(key: Key): void {
    const name = keyText(key)
    if (this.#reopening.has(name)) return
    this.#reopening.add(name)
    this.#ports.clock.after(REOPEN_MS, () => {
      this.#reopening.delete(name)
      if (!this.#stopped) this.find(key).catch(() => {})
    })
  }

  /** The next session under this key starts clean. */
  forgetFaults(key: Key): void {
    this.#damaged.delete(keyText(key))
    this.#broken.delete(keyText(key))
  }

  /** The fault that makes all sessions unsafe to show. If another process owns the data, sessions in memory are stale and dropped. */
  checkStore(): StoreFault | null {
    try {
      this.#ports.log.check?.()
      return null
    } catch (cause) {
      if (!(cause instanceof StoreFault)) throw cause
      if (cause.code === 'fenced') for (const session of this.sessions) session.drop(cause)
      return cause
    }
  }

  /** Durable runs finish their current step; sessions do not resume any more. */
  async rest(): Promise<void> {
    this.#isResting = true
    this.quarantine.close()
    await Promise.allSettled(this.#opening.values())
    await Promise.all(this.sessions.map((session) => session.rest()))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.allSettled(this.#opening.values())
    for (const session of this.sessions) session.drop(new StoreFault('fenced', 'The host stopped.'))
  }

  async #load(key: Key, branch: PendingBranch | null): Promise<Session> {
    const { log, clock, runner: runnerOf, notifyParent, cancelChild, tokenPaceMs, snapshotEvery, rows } = this.#ports
    const runner = runnerOf(key.agent)
    if (!runner) throw new StoreFault('refused', `There is no agent "${key.agent}".`)
    await this.#ports.removalOf(key)
    const { seq, pieces } = branch?.source.settledPieces ?? NO_PIECES
    const known = branch?.known ? { ...branch.known, chars: branch.source.chars } : null
    const held = { seq, count: pieces.length, ...(known && { hasState: true as const }) }
    const lease = await log.open(key, branch?.from, held, this.#readScheduler?.takeTurns)
    if (!lease) throw new StoreFault('fenced', 'Another owner has the session.')
    let opened: Session | null = null
    opened = await Session.open(
      {
        ...{ log, clock, runner, notifyParent, cancelChild, isResting: this.#isResting, gate: this.quarantine },
        onCommit: (events) => {
          this.#eventCount += events.length
          if (opened) this.#eviction.resize(opened)
          this.#ports.onCommit?.(key, events)
        },
        onDrop: (session, cause) => this.#onDrop(session, cause),
        ...present({ readScheduler: this.#readScheduler ?? undefined, rows, tokenPaceMs, snapshotEvery }),
      },
      lease,
      { pieces, state: known },
    )
    return opened
  }

  #onDrop(session: Session, cause: unknown): void {
    const { key } = session
    this.#live.delete(keyText(key))
    this.#eviction.forget(session)
    if (cause === EVICTED || hasFaultCode(cause, 'fenced') || this.#stopped) return
    this.#ports.onFault?.(key, cause)
    if (hasFaultCode(cause, 'corrupt')) this.#damaged.set(keyText(key), cause)
    else if (!hasFaultCode(cause, 'gone')) this.reopenLater(key)
  }
}

const NO_PIECES: Session['settledPieces'] = { seq: 0, pieces: [] }
