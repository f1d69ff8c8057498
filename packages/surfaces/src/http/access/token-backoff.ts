// Too many wrong tokens block an address, except for tokens that worked from there before: a guesser behind a shared proxy
// locks nobody out.
import { type Denial, isDenial, rateLimited } from '../denials/denial.ts'
import { type Access, type Authenticator, tokenOf } from './authenticate.ts'
import { RateLimiter } from './rate-limit.ts'
import { digest, hex } from './secrets.ts'

/** Typos need a few attempts, guessing needs many thousands. */
const TOKEN_BACKOFF = { windowMs: 60_000, maxFailures: 30 }
/** Above a page that polls every 100 ms, and a test that walks all routes. */
export const ANONYMOUS_LIMIT = { windowMs: 10_000, maxRequests: 1_000 }
/** About 1 MB. Beyond it, the older half is dropped. */
const TRUSTED_CALLERS_MAX = 10_000

export interface TokenBackoff {
  readonly windowMs: number
  readonly maxFailures: number
}

export const withTokenBackoff = (
  inner: Authenticator,
  now: () => number,
  { windowMs, maxFailures }: TokenBackoff = TOKEN_BACKOFF,
): Authenticator => {
  const failures = new RateLimiter({ windowMs, maxRequests: maxFailures }, now)
  const anonymous = new RateLimiter(ANONYMOUS_LIMIT, now)
  /** Counts refusals rather than requests, because only authentication shows that cookie and ticket are missing. */
  const withinLimit = (access: Access | Denial, address: string): Access | Denial => {
    const wait = isDenial(access) && access.denied === 'unauthorized' ? anonymous.consume(address) : null
    if (wait === null) return access
    const message = 'Too many requests without a credential came from this address.'
    // Closing the connection also drops its queued requests.
    return rateLimited(message, wait, { connection: 'close' })
  }
  /** Address and token digest, oldest first. */
  const trusted = new Set<string>()
  return {
    ...inner,
    async authenticate(request, address) {
      // Tickets do not count: they cannot be guessed, and an expired one is not an attack.
      const token = tokenOf(request)
      if (token === null) return withinLimit(await inner.authenticate(request, address), address)
      const wait = failures.peek(address)
      if (wait !== null && !trusted.has(`${address} ${hex(await digest(token))}`))
        return rateLimited('Too many wrong tokens came from this address.', wait)
      const access = await inner.authenticate(request, address)
      if (!isDenial(access)) {
        if (trusted.size >= TRUSTED_CALLERS_MAX)
          for (const oldest of [...trusted].slice(0, TRUSTED_CALLERS_MAX / 2)) trusted.delete(oldest)
        // Hooks name no caller. `who` is then the address, so use the token's digest.
        trusted.add(`${address} ${access.who === address ? hex(await digest(token)) : access.who}`)
      } else if (access.denied === 'unauthorized') failures.consume(address)
      return access
    },
  }
}
