// Authorizes requests and socket upgrades: caller, rate limit, scope and session.

import type { JsonObject } from '@bridle/events/json'
import type { AppPorts } from '../../app.ts'
import {
  agentInQuery,
  Denial,
  extendDenial,
  isDenial,
  notFound,
  rateLimited,
  sessionNotFound,
} from '../denials/denial.ts'
import type { RequestBody } from '../requests/body.ts'
import type { Access, IncomingRequest, Scope } from './authenticate.ts'
import { isOtherUsersId } from './users.ts'

export interface AuthorizationRequest {
  readonly request: IncomingRequest
  readonly address: string
  readonly scope: Scope
  /** Session in the path. Undefined: none. Null: the route finds and checks it. */
  readonly sessionId: string | undefined | null
  readonly agent?: string | undefined
  readonly refusesTickets?: boolean | undefined
}

export const authorize = async (
  { authenticator, limiter }: Pick<AppPorts, 'authenticator' | 'limiter'>,
  { request, address, scope, sessionId, agent, refusesTickets }: AuthorizationRequest,
): Promise<Access | Denial> => {
  const access = await authenticator.authenticate(request, address)
  const who = isDenial(access) ? address : access.who
  const wait = limiter?.consume(who) ?? null
  if (wait !== null) return withRateLimitHeaders(rateLimited('Too many requests.', wait), limiter, who)
  if (isDenial(access)) return withRateLimitHeaders(access, limiter, who)
  if (!access.scopes.includes(scope)) return new Denial('forbidden', `This needs the scope "${scope}".`)
  if (refusesTickets && access.isTicket)
    return new Denial('forbidden', 'A ticket does not open this. Ask with a token.')
  if (sessionId === null) return access
  // A ticket for one session must not open routes about others.
  const isTicketForOther = access.sessionId !== null && sessionId !== access.sessionId
  if (sessionId === undefined) return isTicketForOther ? notFound() : access
  if (isTicketForOther || (await isOtherUsersId(access, sessionId)))
    return sessionNotFound(sessionId, agent ?? agentInQuery(request))
  return access
}

/** Access to the tenant named in the body. An invalid credential is denied before its body is read. */
export const authorizeTenant = async (
  { authenticator }: Pick<AppPorts, 'authenticator'>,
  { request, address, scope }: AuthorizationRequest,
  first: Access | Denial,
  {
    tenant: tenantOf,
    rawBody,
  }: { readonly tenant: (body: JsonObject) => string | null; readonly rawBody: RequestBody },
): Promise<Access | Denial> => {
  // `bad_request` means a missing or malformed tenant; the credential was valid.
  if (isDenial(first) && first.denied !== 'bad_request') return first
  const body = await rawBody.object()
  const tenant = isDenial(body) ? null : tenantOf(body)
  const field = transportField(request)
  if (tenant === null || (!isDenial(first) && first.tenant === tenant))
    return isDenial(first) ? withField(first, field) : first
  if (field !== null || (!isDenial(first) && first.isTicket))
    return new Denial('forbidden', 'The message and its transport name different tenants.')
  const access = await authenticator.authenticate(
    {
      ...(request.host !== undefined && { host: request.host }),
      ...(request.scheme !== undefined && { scheme: request.scheme }),
      ...(request.httpVersion !== undefined && { httpVersion: request.httpVersion }),
      url: request.url,
      ...(request.method !== undefined && { method: request.method }),
      headers: {
        get: (name) => (name === 'x-fabric-tenant' ? tenant : request.headers.get(name)),
        keys: () => request.headers.keys(),
      },
      toRequest: () => request.toRequest?.() ?? (request as Request),
    },
    address,
  )
  if (isDenial(access)) return withField(access, null)
  return access.scopes.includes(scope) ? access : new Denial('forbidden', `This needs the scope "${scope}".`)
}

const transportField = ({ headers, url }: IncomingRequest): string | null => {
  if (headers.get('x-fabric-tenant') !== null) return 'x-fabric-tenant'
  return new URL(url).searchParams.has('tenant') ? 'tenant' : null
}

const withField = (denial: Denial, field: string | null): Denial =>
  denial.denied === 'bad_request'
    ? extendDenial(denial, { details: { details: { field: field ?? 'auth.tenant_id' } } })
    : denial

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
