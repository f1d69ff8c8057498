// Appends carry, beside events, the directory row, wake and snapshot if they changed.

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

/** Bounds the events folded on open. Branching from old events folds two or three times as many. */
export const SNAPSHOT_EVERY = 500

export interface PlannedWork {
  readonly effects: readonly WantedEffect[]
  /** Lets the next process find the session. */
  readonly wake: Wake
  /** For the session's timer, including heartbeats. */
  readonly due: number | null
}

export interface SessionWriterOptions {
  readonly log: Log
  readonly lease: Lease
  readonly incarnations: Incarnations
  readonly snapshot: StoredState['snapshot']
  readonly snapshotEvery?: number | undefined
  readonly openedAt: number
  /** As of opening. */
  readonly state: SessionState
  readonly rows?: RowObserver | undefined
}

export class SessionWriter {
  readonly #options: SessionWriterOptions
  readonly #snapshotEvery: number
  #row: RowSnapshot | null = null
  /** As last written. */
  #state: SessionState
  /** When the row was last touched, initially when the session was opened. */
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

  /** Branches share these. */
  get settledPieces(): { readonly seq: number; readonly pieces: readonly MessagePiece[] } {
    return { seq: this.#snapshotSeq, pieces: this.#snapshotPieces }
  }

  /** Returns the work that follows from the new state. */
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

  /** After an opening there is no previous row in memory, so it is derived from the opened state. */
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

  /** Silent runs touch their row now and then, so that lists show them as alive. */
  isHeartbeatDue(state: SessionState, now: number): boolean {
    return statusOf(state) === 'running' && now >= this.#heartbeatAt + HEARTBEAT_MS
  }

  /** When the run was last known to be alive: its last event, or this process owning it. */
  lastHeartbeatAt(state: SessionState): number | null {
    const { health, lifecycle, at } = state
    // A silent run counts from the opening; the row of an earlier owner is not read again.
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
