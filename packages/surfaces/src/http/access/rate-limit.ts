// Fixed window per caller, in memory. Limit at the proxy if there are several servers.

/** About 10 MB. With more callers, all counts restart from zero. */
const RATE_LIMIT_CALLERS_MAX = 100_000

export interface RateLimit {
  readonly windowMs: number
  readonly maxRequests: number
}

export class RateLimiter {
  readonly #limit: RateLimit
  readonly #now: () => number
  #window = 0
  #counts = new Map<string, number>()

  constructor(limit: RateLimit, now: () => number) {
    this.#limit = limit
    this.#now = now
  }

  /** Counts a request. Returns the seconds to wait, or null if it is within the limit. */
  consume(who: string): number | null {
    this.#rollWindow()
    const count = (this.#counts.get(who) ?? 0) + 1
    this.#counts.set(who, count)
    return count <= this.#limit.maxRequests ? null : this.#waitSeconds()
  }

  peek(who: string): number | null {
    this.#rollWindow()
    return (this.#counts.get(who) ?? 0) < this.#limit.maxRequests ? null : this.#waitSeconds()
  }

  /** Sends both the older header fields, which most clients read, and the current draft's. */
  headersFor(who: string): readonly (readonly [name: string, value: string])[] {
    this.#rollWindow()
    const { maxRequests, windowMs } = this.#limit
    const remaining = Math.max(0, maxRequests - (this.#counts.get(who) ?? 0))
    const resetS = this.#waitSeconds()
    return [
      ['ratelimit-limit', String(maxRequests)],
      ['ratelimit-remaining', String(remaining)],
      ['ratelimit-reset', String(resetS)],
      ['ratelimit-policy', `"default";q=${maxRequests};w=${Math.ceil(windowMs / 1_000)}`],
      ['ratelimit', `"default";r=${remaining};t=${resetS}`],
    ]
  }

  #rollWindow(): void {
    const window = Math.floor(this.#now() / this.#limit.windowMs)
    if (window !== this.#window || this.#counts.size > RATE_LIMIT_CALLERS_MAX) this.#counts = new Map()
    this.#window = window
  }

  #waitSeconds(): number {
    return Math.max(1, Math.ceil(((this.#window + 1) * this.#limit.windowMs - this.#now()) / 1_000))
  }
}
