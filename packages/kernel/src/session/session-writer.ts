// The writer of a session: each append carries, beside its events, the directory's row, the wake and a snapshot where they have
// changed, and the writer remembers what it wrote last.

import { HEARTBEAT_MS } from '@bridle/events/limits'
import type { Event } from '../event.ts'
import { ownerOf } from '../owner.ts'
import type { DirectoryRow } from '../ports/directory.ts'
import type { Lease, Log, StoredAnswer, Wake } from '../ports/log.ts'
import type { RowObserver } from '../ports/row-observer.ts'
import type { Incarnations } from '../positions/incarnation.ts'
import { type SessionState, statusOf } from '../projections/state.ts'
import { dueTimes, wakeOf } from '../rules/due-time.ts'
import { type WantedEffect, wantedEffects } from '../rules/wanted-effects.ts'
import { heartbeatOf, nextRow, type RowSnapshot } from '../views/directory-row.ts'
import type { MessagePiece } from './message-pieces.ts'
import { takeSnapshot } from './snapshot.ts'
import type { StoredState } from './stored-state.ts'

/** Events between snapshots: opening folds at most this many, and a branch far back some two or three times as many. */
export const SNAPSHOT_EVERY = 500

/** The effects that a state wants, and the moments at which time alone changes it. */
export interface PlannedWork {
  readonly effects: readonly WantedEffect[]
  /** For the store: it finds the session by it when this process is gone. */
  readonly wake: Wake
  /** For the session's timer: also the next heartbeat. */
  readonly due: number | null
}

export interface SessionWriterOptions {
  readonly log: Log
  readonly lease: Lease
  readonly incarnations: Incarnations
  /** The stored snapshot; null = there is none. */
  readonly snapshot: StoredState['snapshot']
  readonly snapshotEvery?: number | undefined
  readonly openedAt: number
  /** The state of the session as it was opened. */
  readonly state: SessionState
  /** Learns of each row that is written; absent = nobody does. */
  readonly rows?: RowObserver | undefined
}

export class SessionWriter {
  readonly #options: SessionWriterOptions
  readonly #snapshotEvery: number
  #row: RowSnapshot | null = null
  /** The state that is written. */
  #state: SessionState
  /** When the row was last touched; at first, when the session was opened. */
  #heartbeatAt: number
  #wake: Wake | null = null
  #snapshotPieces: readonly MessagePiece[]
  #snapshotSeq: number

  constructor(options: SessionWriterOptions) {
    const { lease, snapshot, snapshotEvery = SNAPSHOT_EVERY, openedAt } = options
    this.#options = options
    this.#snapshotEvery = snapshotEvery
    this.#heartbeatAt = openedAt
    this.#state = options.state
    this.#snapshotSeq = snapshot?.seq ?? lease.parent?.seq ?? 0
    this.#snapshotPieces = snapshot?.pieces ?? []
  }

  /** The settled pieces of the last snapshot, for branches to share. */
  get settledPieces(): { readonly seq: number; readonly pieces: readonly MessagePiece[] } {
    return { seq: this.#snapshotSeq, pieces: this.#snapshotPieces }
  }

  /** Appends, and returns the work that follows from the new state. */
  async append(
    state: SessionState,
    events: readonly Event[],
    results: readonly StoredAnswer[],
    now: number,
  ): Promise<PlannedWork> {
    const { log, lease, incarnations } = this.#options
    const last = this.#row
    const next = nextRow(lease.key, state, last, now, incarnations)
    const { row } = next
    this.#heartbeatAt = heartbeatOf(row) ?? this.#heartbeatAt
    const planned = this.plan(state, now)
    const snapshot = this.#nextSnapshot(state)
    await log.append(lease, {
      events,
      ...(next !== last && { row }),
      ...(!isSameWake(planned.wake, this.#wake) && { wake: planned.wake }),
      ...(results.length > 0 && { results }),
      ...(snapshot && { snapshot: snapshot.write }),
    })
    if (next !== last) this.#notifyObserver(row, state, now)
    this.#row = next
    this.#state = state
    this.#wake = planned.wake
    if (snapshot) {
      this.#snapshotPieces = snapshot.pieces
      this.#snapshotSeq = state.head
    }
    return planned
  }

  /** The first row after an opening has none before it in memory: the state that was opened says how it looked. */
  #notifyObserver(row: DirectoryRow, state: SessionState, now: number): void {
    const { lease, incarnations, rows } = this.#options
    const { key } = lease
    if (!rows?.isObserved(key.tenant)) return
    const wasListed = this.#state.lifecycle.created && lease.exists
    const before = this.#row?.row ?? (wasListed ? nextRow(key, this.#state, null, now, incarnations).row : null)
    rows.observe({ key, owner: ownerOf(key, state), head: state.head, incarnation: incarnations.own, row, before })
  }

  plan(state: SessionState, now: number): PlannedWork {
    const { key, epoch } = this.#options.lease
    const effects = wantedEffects(key, state, epoch)
    const times = dueTimes(state, now)
    const wake = wakeOf(effects.length > 0, times)
    if (effects.length === 0 || statusOf(state) !== 'running') return { effects, wake, due: times.next }
    const heartbeatAt = this.#heartbeatAt + HEARTBEAT_MS
    return { effects, wake, due: Math.min(times.next ?? Number.POSITIVE_INFINITY, heartbeatAt) }
  }

  /** A run that says nothing still touches its row now and then, so that lists show it is alive. */
  isHeartbeatDue(state: SessionState, now: number): boolean {
    return statusOf(state) === 'running' && now >= this.#heartbeatAt + HEARTBEAT_MS
  }

  /** The last sign of life of the run in a state: an event of it, or that this process has it. */
  lastHeartbeatAt(state: SessionState): number | null {
    const { health, lifecycle, at } = state
    // A silent run is in hand since this process opened the session; the row of an earlier owner is not read again.
    const inHand = statusOf(state) === 'running' ? this.#heartbeatAt : 0
    const row = this.#row === null ? 0 : (heartbeatOf(this.#row.row) ?? 0)
    return Math.max(health.activeAt, lifecycle.run ? at : 0, inHand, row) || null
  }

  #nextSnapshot(state: SessionState): ReturnType<typeof takeSnapshot> | null {
    if (state.head - this.#snapshotSeq < this.#snapshotEvery) return null
    return takeSnapshot(state, this.#snapshotPieces, this.#snapshotSeq, 2 * this.#snapshotEvery)
  }
}

const isSameWake = (a: Wake, b: Wake | null): boolean => a.inHand === b?.inHand && a.dueAt === b.dueAt
