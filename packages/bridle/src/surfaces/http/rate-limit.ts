// A fixed window per caller, in memory: enough for one server. In front of several, limit upstream.
export interface RateLimit {
  readonly windowMs: number
  readonly maxRequests: number
}

/** Callers remembered per window. */
const CALLERS_MAX = 100_000

export class RateLimiter {
  readonly #limit: RateLimit
  readonly #now: () => number
  #window = 0
  #counts = new Map<string, number>()

  constructor(limit: RateLimit, now: () => number) {
    this.#limit = limit
    this.#now = now
  }

  /** Whether this caller has used up the window; asking does not count. */
  isSpent(who: string): boolean {
    const { windowMs, maxRequests } = this.#limit
    const isCurrent = Math.floor(this.#now() / windowMs) === this.#window
    return isCurrent && (this.#counts.get(who) ?? 0) >= maxRequests
  }

  /** Null = go on; a number = try again in so many seconds. */
  take(who: string): number | null {
    const { windowMs, maxRequests } = this.#limit
    const now = this.#now()
    const window = Math.floor(now / windowMs)
    if (window !== this.#window || this.#counts.size > CALLERS_MAX) this.#counts = new Map()
    this.#window = window
    const count = (this.#counts.get(who) ?? 0) + 1
    this.#counts.set(who, count)
    return count <= maxRequests ? null : Math.max(1, Math.ceil(((window + 1) * windowMs - now) / 1_000))
  }
}
