// The pace of one session: the newest row waits until it may be sent, and replaces the one that waited before it.
import type { Clock } from '@bridle/kernel/ports/clock'
import type { DirectoryRow } from '@bridle/kernel/ports/directory'
import type { RowChange } from '@bridle/kernel/ports/row-observer'
import { listingText } from './change-messages.ts'

/** A session that changes all the time is sent this often: four times a second look alive to a person. */
const CHANGED_MS = 250
/** A session of which only the time of the last event has changed is sent this often: a list shows seconds at most. */
const TOUCHED_MS = 1_000

export interface SessionPacePorts {
  readonly clock: Clock
  /** `known` is the row that was sent before; null = none. */
  readonly send: (change: RowChange, known: DirectoryRow | null) => void
  /** Nothing waits, and the next change may be sent at once: the pace can be forgotten. */
  readonly onIdle: () => void
}

/**
 * `ready` = the next change is sent at once. `sent` = nothing is sent. `resting` = a change is sent if a list would show it, and
 * with the end of the rest in any case.
 */
type PacePhase = 'ready' | 'sent' | 'resting'

export class SessionPace {
  readonly #ports: SessionPacePorts
  #phase: PacePhase = 'ready'
  #known: DirectoryRow | null
  /** The change that was sent last; null = none. */
  #sent: RowChange | null = null
  #pending: RowChange | null = null
  #clearPhase = () => {}
  #clearCheck: (() => void) | null = null

  /** `known` is the row before the first change. */
  constructor(known: DirectoryRow | null, ports: SessionPacePorts) {
    this.#known = known
    this.#ports = ports
  }

  /** Only stores the change, unless it is a removal: a session that has just written waits for this call. */
  add(change: RowChange): void {
    this.#pending = change
    if (change.row === null) this.#send(change)
    else if (this.#phase !== 'sent') this.#clearCheck ??= this.#ports.clock.after(0, () => this.#check())
  }

  stop(): void {
    this.#clearPhase()
    this.#clearCheck?.()
    this.#clearCheck = null
  }

  #check(): void {
    this.#clearCheck = null
    const pending = this.#pending
    if (pending && (this.#phase === 'ready' || this.#hasNewListing(pending))) this.#send(pending)
  }

  #rest(): void {
    this.#phase = 'resting'
    this.#clearPhase = this.#ports.clock.after(TOUCHED_MS - CHANGED_MS, () => this.#wake())
    this.#check()
  }

  #wake(): void {
    if (this.#pending) return this.#send(this.#pending)
    this.stop()
    this.#ports.onIdle()
  }

  #hasNewListing(change: RowChange): boolean {
    return this.#sent === null || listingText(change) !== listingText(this.#sent)
  }

  #send(change: RowChange): void {
    const { clock, send, onIdle } = this.#ports
    const { row } = change
    const known = this.#known
    this.stop()
    this.#pending = null
    this.#known = row
    this.#sent = change
    this.#phase = 'sent'
    if (row !== null) this.#clearPhase = clock.after(CHANGED_MS, () => this.#rest())
    send(change, known)
    if (row === null) onIdle()
  }
}
