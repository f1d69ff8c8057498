// The way in, the same for a request and for a socket's upgrade: who asks, how often, by which scope, to which session.

import type { AppPorts } from '../router/app.ts'
import { Denial, extendDenial, isDenial, notFound } from '../router/denial.ts'
import type { Access, IncomingRequest, Scope } from './authenticate.ts'
import { isOtherUsersId } from './users.ts'

export interface AuthorizationRequest {
  readonly request: IncomingRequest
  readonly address: string
  readonly scope: Scope
  /** The session that the path names; undefined = none, null = the route finds out and checks for itself. */
  readonly sessionId: string | undefined | null
  /** A ticket does not open this route. */
  readonly refusesTickets?: boolean | undefined
}

export const authorize = async (
  { authenticator, limiter }: Pick<AppPorts, 'authenticator' | 'limiter'>,
  { request, address, scope, sessionId, refusesTickets }: AuthorizationRequest,
): Promise<Access | Denial> => {
  const access = await authenticator.authenticate(request, address)
  const who = isDenial(access) ? address : access.who
  const wait = limiter?.consume(who) ?? null
  if (wait !== null)
    return withRateLimitHeaders(
      new Denial('rate_limited', 'Too many requests.', { 'retry-after': String(wait) }),
      limiter,
      who,
    )
  if (isDenial(access)) return withRateLimitHeaders(access, limiter, who)
  if (!access.scopes.includes(scope)) return new Denial('forbidden', `This needs the scope "${scope}".`)
  if (refusesTickets && access.isTicket)
    return new Denial('forbidden', 'A ticket does not open this. Ask with a token.')
  if (sessionId === null) return access
  // A ticket for one session is for what concerns that session alone.
  if (access.sessionId !== null && sessionId !== access.sessionId) return notFound()
  return sessionId !== undefined && (await isOtherUsersId(access, sessionId)) ? notFound() : access
}

/** The answer, with how many requests the caller has left. */
export const withRateLimitHeaders = <T extends Response | Denial>(
  answer: T,
  limiter: AppPorts['limiter'],
  who: string,
): T | Denial => {
  const headers = limiter?.headersFor(who) ?? []
  if (isDenial(answer)) return extendDenial(answer, { headers: Object.fromEntries(headers) })
  for (const [name, value] of headers) answer.headers.set(name, value)
  return answer
}
