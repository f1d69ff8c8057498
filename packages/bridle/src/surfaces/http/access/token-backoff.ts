// Callers that guess tokens have to wait: after some wrong tokens an address is refused unheard, right or wrong, until the window is
// over. A token that was right from that address before goes on working, so that a guesser behind the same proxy locks nobody out.

import { TOKEN_BACKOFF, TRUSTED_CALLERS_MAX } from '../limits.ts'
import { Denial, isDenial } from '../router/denial.ts'
import type { Authenticator, IncomingRequest } from './authenticate.ts'
import { RateLimiter } from './rate-limit.ts'
import { digest, hex } from './secrets.ts'

export interface TokenBackoff {
  readonly windowMs: number
  /** Wrong tokens of one address in a window. */
  readonly maxFailures: number
}

export const withTokenBackoff = (
  inner: Authenticator,
  now: () => number,
  { windowMs, maxFailures }: TokenBackoff = TOKEN_BACKOFF,
): Authenticator => {
  const failures = new RateLimiter({ windowMs, maxRequests: maxFailures }, now)
  const known = new Set<string>()
  return {
    async authenticate(request, address) {
      const token = tokenOf(request)
      if (token === null) return inner.authenticate(request, address)
      const wait = failures.peek(address)
      if (wait !== null && !known.has(`${address} ${hex(await digest(token))}`))
        return new Denial('rate_limited', 'Too many wrong tokens came from this address.', {
          'retry-after': String(wait),
        })
      const access = await inner.authenticate(request, address)
      if (!isDenial(access)) {
        if (known.size >= TRUSTED_CALLERS_MAX)
          for (const oldest of [...known].slice(0, TRUSTED_CALLERS_MAX / 2)) known.delete(oldest)
        // Where a hook lets in, callers are told apart by address alone.
        known.add(`${address} ${access.who === address ? hex(await digest(token)) : access.who}`)
      } else if (access.denied === 'unauthorized') failures.consume(address)
      return access
    },
  }
}

/** The token that a request brings. A ticket is not one: it is too long to be guessed, and honest ones expire. */
export const tokenOf = (request: Pick<IncomingRequest, 'url' | 'headers'>): string | null =>
  /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ??
  (new URL(request.url).searchParams.get('token') || null)
