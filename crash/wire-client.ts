// A client that reconnects: it reads until the connection is cut, and resumes after the last event, until the round stops it.
// The client records everything, and checks only the order.
import { setTimeout as sleep } from 'node:timers/promises'

export interface SessionAddress {
  readonly tenant: string
  readonly id: string
  readonly agent: string
  /** Text that was shown may be withdrawn: by a retry of background work, or by a model that is asked again. */
  readonly isWithdrawable: boolean
  /** The server's address now; it changes with each start. */
  readonly url: () => string
}

export interface ChatMessage {
  readonly role: string
  readonly content: string
}

/** An event as a wire sends it. */
export interface WireEvent {
  readonly seq: number
  /** The event's id on the wire: the cursor to resume with. */
  readonly cursor: string
  readonly type: string
  /** The event as it came, byte for byte. */
  readonly raw: string
  readonly body: EventBody
}

/** The fields that the checks read; each wire has some of them. */
export interface EventBody {
  readonly data?: {
    readonly runId?: string
    readonly delta?: string
    readonly chars?: number
    readonly approvalId?: string
    readonly decision?: string
    readonly result?: unknown
  }
  readonly payload?: { readonly request_id?: string; readonly reset?: boolean }
  readonly turn_id?: string
}

/** The number in a cursor: `12`, `ev-12`, or `12~2` in a later life of the log. */
export const seqOf = (cursor: string): number => Number.parseInt(cursor.replace('ev-', ''), 10)

const RETRY_MS = 25

export interface ClientFault {
  /** 1: something that was shown is taken back. 3: a gap or a repetition. */
  readonly promise: '1' | '3'
  readonly text: string
}

export abstract class WireClient {
  abstract readonly wire: string
  /** Violations that no client should ever see. */
  readonly faults: ClientFault[] = []
  protected readonly place: SessionAddress
  #isStopped = false
  #hangUp = () => {}

  constructor(place: SessionAddress) {
    this.place = place
  }

  /** The texts of the assistant's messages, as this wire's client folds them. */
  abstract texts(): string[]
  /** The ids of all approvals that were shown. */
  abstract approvals(): string[]
  abstract get seq(): number

  /** A connection, from opening to its end. `hangUp` ends it. */
  protected abstract connect(hangUp: (end: () => void) => void): Promise<void>

  start(): void {
    void this.#stay()
  }

  /** Drops the connection without a close, as when an address moves to another machine. */
  reconnect(): void {
    this.#hangUp()
  }

  stop(): void {
    this.#isStopped = true
    this.#hangUp()
  }

  async #stay(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.connect((end) => {
          this.#hangUp = end
          if (this.#isStopped) end()
        })
      } catch {
        // Refused or cut: a client does not care which.
      }
      if (!this.#isStopped) await sleep(RETRY_MS)
    }
  }
}

/** The events of a log as one wire sends them, over any number of connections. */
export class EventRecord {
  readonly events: WireEvent[] = []
  readonly #faults: ClientFault[]

  constructor(faults: ClientFault[]) {
    this.#faults = faults
  }

  get seq(): number {
    return this.events.at(-1)?.seq ?? 0
  }

  get cursor(): string | null {
    return this.events.at(-1)?.cursor ?? null
  }

  add(event: WireEvent): void {
    if (event.seq <= this.seq)
      this.#faults.push({ promise: '3', text: `event ${event.seq} (${event.type}) came after event ${this.seq}` })
    this.events.push(event)
  }

  /** The server reset the client: its log is gone. No fault of the matrix excuses that. */
  reset(): void {
    this.#faults.push({ promise: '1', text: `a reset came behind event ${this.seq}` })
    this.events.length = 0
  }
}
