// The way in, the same for a request and for a socket's upgrade: who asks, how often, by which scope, to which session.

import type { AppPorts } from '../router/app.ts'
import { failure, notFound } from '../router/errors.ts'
import type { Access, Asked, Scope } from './authenticate.ts'
import { isForeign } from './users.ts'

export interface Entry {
  readonly request: Asked
  readonly address: string
  readonly scope: Scope
  /** The session that the path names; undefined = none, null = the route finds out and checks for itself. */
  readonly sessionId: string | undefined | null
  /** A ticket does not open this route. */
  readonly refusesTickets?: boolean | undefined
}

export const enter = async (
  { door, limiter }: Pick<AppPorts, 'door' | 'limiter'>,
  { request, address, scope, sessionId, refusesTickets }: Entry,
): Promise<Access | Response> => {
  const access = await door.admit(request, address)
  const who = access instanceof Response ? address : access.who
  const wait = limiter?.take(who) ?? null
  if (wait !== null)
    return withLimit(failure('rate_limited', 'Too many requests.', { 'retry-after': String(wait) }), limiter, who)
  if (access instanceof Response) return withLimit(access, limiter, who)
  if (!access.scopes.includes(scope)) return failure('forbidden', `This needs the scope "${scope}".`)
  if (refusesTickets && access.isTicket) return failure('forbidden', 'A ticket does not open this. Ask with a token.')
  if (sessionId === null) return access
  // A ticket for one session is for what concerns that session alone.
  if (access.sessionId !== null && sessionId !== access.sessionId) return notFound()
  return sessionId !== undefined && (await isForeign(access, sessionId)) ? notFound() : access
}

/** The answer, with how many requests the caller has left. */
export const withLimit = (response: Response, limiter: AppPorts['limiter'], who: string): Response => {
  for (const [name, value] of limiter?.headersFor(who) ?? []) response.headers.set(name, value)
  return response
}
