// The spend of one run on the server's key. The worst case of a request is reserved before it is sent and settled when its cost is
// known, so that concurrent requests cannot each pass the same limit.
import { OPEN_REQUEST_BYTES_MAX, OPEN_REQUESTS_MAX } from '../limits.ts'
import { type ProxyRefusal, spendRefusal, tooManyRequests } from '../request-rules.ts'

export interface SpendSums {
  readonly spentUsd: number
  /** The worst-case cost of open requests. */
  readonly reservedUsd: number
}

export interface SpendLedgerOptions {
  readonly maxUsd: number | null
  readonly spentUsd?: number
  /** Called before a request is sent and after it is settled: a process that dies in between must find what was reserved. */
  readonly saveSums?: (sums: SpendSums) => void
}

/** A request that may be sent. `settle` counts once. */
export interface Reservation {
  settle(usd: number): void
}

interface WaitingRequest {
  readonly usd: number
  readonly answer: (answer: Reservation | ProxyRefusal) => void
}

/** A request beyond the rest of the limit is sent alone: its worst case is seldom its cost. One request at most overspends. */
export const whenToSend = (
  { spentUsd, reservedUsd, maxUsd }: SpendSums & { readonly maxUsd: number | null },
  usd: number,
): 'now' | 'later' | 'never' => {
  if (maxUsd === null) return 'now'
  if (spentUsd >= maxUsd) return 'never'
  return reservedUsd === 0 || spentUsd + reservedUsd + usd <= maxUsd ? 'now' : 'later'
}

export class SpendLedger {
  #maxUsd: number | null
  readonly #saveSums: SpendLedgerOptions['saveSums']
  #spentUsd: number
  readonly #reserved = new Set<{ readonly usd: number }>()
  #waiting: WaitingRequest[] = []
  #openRequests = 0
  #openRequestBytes = 0

  constructor({ maxUsd, spentUsd = 0, saveSums }: SpendLedgerOptions) {
    this.#maxUsd = maxUsd
    this.#spentUsd = spentUsd
    this.#saveSums = saveSums
  }

  get spentUsd(): number {
    return this.#spentUsd
  }

  get sums(): SpendSums {
    let reservedUsd = 0
    for (const { usd } of this.#reserved) reservedUsd += usd
    return { spentUsd: this.#spentUsd, reservedUsd }
  }

  get isIdle(): boolean {
    return this.#openRequests === 0
  }

  /** A raised limit lets waiting requests be sent. */
  setLimit(maxUsd: number | null): void {
    this.#maxUsd = maxUsd
    this.#releaseWaiting()
  }

  /** A slot for a request of any kind, until it is released. */
  openSlot(): RequestSlot | ProxyRefusal {
    if (this.#openRequests >= OPEN_REQUESTS_MAX) return tooManyRequests
    this.#openRequests += 1
    let bytes = 0
    let hasLeft = false
    return {
      // Requests that wait keep their bodies, so their bytes have a limit together.
      addBytes: (more) => {
        if (this.#openRequestBytes + more > OPEN_REQUEST_BYTES_MAX) {
          // A request that is refused keeps nothing.
          this.#openRequestBytes -= bytes
          bytes = 0
          return false
        }
        bytes += more
        this.#openRequestBytes += more
        return true
      },
      release: () => {
        if (hasLeft) return
        hasLeft = true
        this.#openRequests -= 1
        this.#openRequestBytes -= bytes
      },
    }
  }

  get refusal(): ProxyRefusal | null {
    return spendRefusal(this.#spentUsd, this.#maxUsd)
  }

  /** Resolves when the request may be sent, or is refused. Requests are served in their order. */
  reserve(usd: number, signal?: AbortSignal): Promise<Reservation | ProxyRefusal> {
    return new Promise((resolve) => {
      const waiting: WaitingRequest = { usd, answer: resolve }
      this.#waiting.push(waiting)
      signal?.addEventListener('abort', () => this.#cancelWaiting(waiting), { once: true })
      if (signal?.aborted) this.#cancelWaiting(waiting)
      this.#releaseWaiting()
    })
  }

  #cancelWaiting(waiting: WaitingRequest): void {
    if (!this.#waiting.includes(waiting)) return
    this.#waiting = this.#waiting.filter((each) => each !== waiting)
    waiting.answer(['too_many_requests', 'The request left before it was sent.'])
    this.#releaseWaiting()
  }

  #releaseWaiting(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const verdict = whenToSend({ ...this.sums, maxUsd: this.#maxUsd }, next.usd)
      if (verdict === 'later') return
      this.#waiting.shift()
      next.answer(verdict === 'now' ? this.#reserve(next.usd) : (this.refusal ?? tooManyRequests))
    }
  }

  #reserve(usd: number): Reservation | ProxyRefusal {
    const reserved = { usd }
    this.#reserved.add(reserved)
    if (this.#maxUsd !== null && !this.#trySave()) {
      this.#reserved.delete(reserved)
      return [
        'upstream_failed',
        'This server cannot keep account of what the run spends. Look at its disk and its log.',
      ]
    }
    return {
      settle: (cost) => {
        if (!this.#reserved.delete(reserved)) return
        this.#spentUsd += cost
        if (cost > 0 || this.#maxUsd !== null) this.#trySave()
        this.#releaseWaiting()
      },
    }
  }

  #trySave(): boolean {
    try {
      this.#saveSums?.(this.sums)
      return true
    } catch {
      return false
    }
  }
}

export interface RequestSlot {
  /** False: the bodies of open requests are too large together. */
  addBytes(bytes: number): boolean
  release(): void
}

export const isProxyRefusal = (answer: object): answer is ProxyRefusal => Array.isArray(answer)
