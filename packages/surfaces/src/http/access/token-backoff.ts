// Callers that guess tokens have to wait: after some wrong tokens, every token of that address is refused until the window is
// over, right or wrong. A token that was right from there before still works: a guesser behind the same proxy locks nobody out.
import { type Denial, isDenial, rateLimited } from '../denials/denial.ts'
import { type Access, type Authenticator, tokenOf } from './authenticate.ts'
import { RateLimiter } from './rate-limit.ts'
import { digest, hex } from './secrets.ts'

/** Wrong tokens of one address: a person who mistypes needs a few, a guesser many thousands. */
const TOKEN_BACKOFF = { windowMs: 60_000, maxFailures: 30 }
/** Requests of one address without a credential: a page that polls every 100 ms and a test that walks all routes stay below it. */
export const ANONYMOUS_LIMIT = { windowMs: 10_000, maxRequests: 1_000 }
/** Pairs of an address and a token that was right from there, some 1 MB. Beyond it the older half is forgotten. */
const TRUSTED_CALLERS_MAX = 10_000

export interface TokenBackoff {
  readonly windowMs: number
  /** Wrong tokens that one address may send in a window. */
  readonly maxFailures: number
}

export const withTokenBackoff = (
  inner: Authenticator,
  now: () => number,
  { windowMs, maxFailures }: TokenBackoff = TOKEN_BACKOFF,
): Authenticator => {
  const failures = new RateLimiter({ windowMs, maxRequests: maxFailures }, now)
  const anonymous = new RateLimiter(ANONYMOUS_LIMIT, now)
  /** Counts refusals, not requests: a cookie or a ticket is only known to be missing after the check. */
  const withinLimit = (access: Access | Denial, address: string): Access | Denial => {
    const wait = isDenial(access) && access.denied === 'unauthorized' ? anonymous.consume(address) : null
    if (wait === null) return access
    const message = 'Too many requests without a credential came from this address.'
    // Closing the connection drops the requests that wait on it.
    return rateLimited(message, wait, { connection: 'close' })
  }
  /** Pairs of an address and a token that was right from there, oldest first. */
  const trusted = new Set<string>()
  return {
    ...inner,
    async authenticate(request, address) {
      // A ticket does not count: nobody can guess one, and a ticket that expired is no attack.
      const token = tokenOf(request)
      if (token === null) return withinLimit(await inner.authenticate(request, address), address)
      const wait = failures.peek(address)
      if (wait !== null && !trusted.has(`${address} ${hex(await digest(token))}`))
        return rateLimited('Too many wrong tokens came from this address.', wait)
      const access = await inner.authenticate(request, address)
      if (!isDenial(access)) {
        if (trusted.size >= TRUSTED_CALLERS_MAX)
          for (const oldest of [...trusted].slice(0, TRUSTED_CALLERS_MAX / 2)) trusted.delete(oldest)
        // A hook names no caller: `who` is then the address, and the digest of the token tells callers apart.
        trusted.add(`${address} ${access.who === address ? hex(await digest(token)) : access.who}`)
      } else if (access.denied === 'unauthorized') failures.consume(address)
      return access
    },
  }
}
