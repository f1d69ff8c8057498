// Throttles the changes of a session. A newer row replaces the one that is queued.
import type { Clock } from '@bridle/kernel/ports/clock'
import type { DirectoryRow } from '@bridle/kernel/ports/directory'
import type { RowChange } from '@bridle/kernel/ports/row-observer'
import { listingText } from './change-messages.ts'

/** Four updates a second look live. */
const CHANGED_MS = 250
/** If only the time of the last event changed: lists show seconds at most. */
const TOUCHED_MS = 1_000

export interface SessionPacePorts {
  readonly clock: Clock
  /** `known` is the previously sent row, or null. */
  readonly send: (change: RowChange, known: DirectoryRow | null) => void
  /** Nothing is queued and the next change is due at once, so the pace can be dropped. */
  readonly onIdle: () => void
}

export class SessionPace {
  readonly #ports: SessionPacePorts
  /** `sent` holds back all changes. `resting` sends only changes visible in a list; the rest goes out when the phase ends. */
  #phase: 'ready' | 'sent' | 'resting' = 'ready'
  #known: DirectoryRow | null
  #sent: RowChange | null = null
  #pending: RowChange | null = null
  #clearPhase = () => {}
  #clearCheck: (() => void) | null = null

  constructor(known: DirectoryRow | null, ports: SessionPacePorts) {
    this.#known = known
    this.#ports = ports
  }

  /** Only stores the change, unless it is a removal: the session's writer waits for this call. */
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
