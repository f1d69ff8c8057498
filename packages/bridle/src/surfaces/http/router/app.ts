// The one router. Every wire adds its rows to it; each target serves it unchanged.
import { type Context, Hono } from 'hono'
import type { AgentInfo } from '../../../kernel/agent-info.ts'
import { isId } from '../../../kernel/event.ts'
import type { SessionService } from '../../../kernel/host/host.ts'
import type { Clock, Directory } from '../../../kernel/ports/store.ts'
import { type Access, type AccessOptions, type Authenticator, createAuthenticator } from '../access/authenticate.ts'
import { authorize, withRateLimitHeaders } from '../access/authorize.ts'
import type { Exposure } from '../access/exposure.ts'
import { callerOf, type ProxyTrust } from '../access/proxy-headers.ts'
import { type RateLimit, RateLimiter } from '../access/rate-limit.ts'
import { redactUrl } from '../access/secrets.ts'
import { MemoryTicketStore, type TicketStore, ticketRoutes } from '../access/tickets.ts'
import { withTokenBackoff } from '../access/token-backoff.ts'
import { approvalRoutes } from '../sessions/approvals.ts'
import { artifactRoutes } from '../sessions/artifacts.ts'
import { auditRoutes } from '../sessions/audit.ts'
import type { RelatedSessions } from '../sessions/related-sessions.ts'
import { sessionRoutes } from '../sessions/routes.ts'
import type { Workspaces } from '../sessions/workspaces.ts'
import type { BuildManifest } from './build-manifest.ts'
import { allowOrigin, preflight } from './cors.ts'
import { Denial, isDenial, serverStopping, toResponse } from './denial.ts'
import { faultDenial } from './kernel-denials.ts'
import { allowedMethods, methodNotAllowed } from './methods.ts'
import { openapiRoutes } from './openapi.ts'
import { type FileServer, firstSegment, pageOr404, redirectToDocs } from './pages.ts'
import { probeRoutes } from './probes.ts'
import { type Route, serveRoute, startsWork } from './route.ts'
import { type Traffic, traffic } from './traffic.ts'

export interface AppOptions extends AccessOptions, Exposure, ProxyTrust {
  readonly host: SessionService
  readonly directory: Directory
  /** Behind a gateway that has looked at what concerns other sessions: the directory here knows only those that live here. */
  readonly behindGateway?: boolean
  /** Where sessions that hang from one here may live elsewhere. */
  readonly relatedSessions?: RelatedSessions
  readonly clock: Clock
  readonly agents: ReadonlyMap<string, AgentInfo>
  /** Whom a session talks to when nobody said. */
  readonly defaultAgent: string
  readonly rateLimit?: RateLimit
  readonly maxBodyBytes?: number
  readonly heartbeatMs?: number
  /** How long a reader of an event stream waits before it comes back; default 2 s. */
  readonly retryMs?: number
  /** An event stream ends by itself after this, and is resumed by id; default: never. */
  readonly streamMs?: number
  /** A socket that says nothing for this long is closed; default 45 s. */
  readonly deadAfterMs?: number
  /** Prepares folders for write-capable work; a target without a disk has none. */
  readonly workspaces?: Workspaces
  /** Builds on this machine, newest first; a target that builds nothing has none. */
  readonly builds?: () => readonly BuildManifest[]
  /** What the target knows of itself, for /ready. */
  readonly workspace?: { readonly [name: string]: string | number | boolean | null }
  /** The caller's address, as the platform tells it. */
  readonly callerAddress?: (c: Context) => string
  /** Why it takes no requests; null = it does. */
  readonly notReadyReason?: () => string | null
  /** Acknowledged commits that the store found missing when it was opened, as far as it can tell; absent = none. */
  readonly lostCommits?: number
  /** The server is about to stop: sessions can be looked at, stopped and answered, and nothing new begins. */
  readonly isStopping?: () => boolean
  readonly onRequest?: (seen: RequestLogEntry) => void
  /** Who lets callers in, where that is not by these options. */
  readonly authenticator?: Authenticator
  /** Where tickets are kept; default: in this process. */
  readonly tickets?: TicketStore
  /** The files of a web app, for what no row knows; default: none. */
  readonly files?: FileServer
  /** Rows that are answered somewhere else are served as what this makes of them. */
  readonly forward?: (row: Route) => Route
}

/** What a log line says of a request. Never a token, never a body. */
export interface RequestLogEntry {
  readonly method: string
  readonly url: string
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly correlationId: string
}

export interface AppPorts extends AppOptions {
  readonly tickets: TicketStore
  readonly authenticator: Authenticator
  readonly limiter: RateLimiter | null
  readonly traffic: Traffic
}

export interface App {
  readonly fetch: (request: Request, env?: unknown) => Response | Promise<Response>
  readonly ports: AppPorts
}

/** Every route there is: nothing else is served but the files of a web app. */
export const routeTable = (wires: readonly (readonly Route[])[]): readonly Route[] => {
  const shared = [probeRoutes, ticketRoutes, sessionRoutes, approvalRoutes, artifactRoutes, auditRoutes]
  const own = [...shared, ...wires].flat()
  return [...own, ...openapiRoutes(own)]
}

export const createApp = (options: AppOptions, wires: readonly (readonly Route[])[]): App => {
  const tickets = options.tickets ?? new MemoryTicketStore(options.clock.now)
  const limiter = options.rateLimit ? new RateLimiter(options.rateLimit, options.clock.now) : null
  const admits = options.authenticator ?? createAuthenticator(options, tickets)
  const ports: AppPorts = {
    ...options,
    tickets,
    // Within, the gateway has looked already.
    authenticator: options.behindGateway ? admits : withTokenBackoff(admits, options.clock.now, options.authBackOff),
    limiter,
    traffic: traffic(),
  }
  const rows = routeTable(wires)
  const app = new Hono()
  const { files } = options
  const roots = new Set(rows.map(({ path }) => firstSegment(path)))
  const methods = allowedMethods(rows)
  app.notFound(async (c) => {
    const allowed = methods(c.req.raw)
    if (allowed === null)
      return rendered(files ? await pageOr404(c.req.raw, { files, roots }) : redirectToDocs(c.req.raw))
    return allowOrigin(rendered(methodNotAllowed(c.req.raw, allowed)), c.req.raw, options.allowedOrigins)
  })
  app.options('*', (c) => preflight(c.req.raw, methods(c.req.raw), options.allowedOrigins))

  const { forward = (row: Route) => row } = options
  for (const row of rows.map(forward)) {
    app.on(row.method.toUpperCase(), row.path, async (c) => {
      const seen = observeRequest(ports, c, row)
      return seen(rendered(await authorizeAndServe(row, c, ports).catch(faultDenial)))
    })
  }
  return { fetch: (request, env) => app.fetch(request, env as object), ports }
}

const rendered = (answer: Response | Denial): Response => (isDenial(answer) ? toResponse(answer) : answer)

const authorizeAndServe = async (row: Route, c: Context, ports: AppPorts): Promise<Response | Denial> => {
  if (row.scope === 'open') return serveRoute(row, c, anonymousAccess, ports)
  const { scope, refusesTickets } = row
  const caller = callerOf(ports, c.req.raw, ports.callerAddress?.(c) ?? '')
  const access = await authorize(ports, { ...caller, scope, sessionId: c.req.param('id'), refusesTickets })
  if (isDenial(access)) return access
  return withRateLimitHeaders(await serveAuthorized(row, c, access, ports), ports.limiter, access.who)
}

const serveAuthorized = async (row: Route, c: Context, access: Access, ports: AppPorts): Promise<Response | Denial> => {
  if (ports.isStopping?.() && startsWork(row)) return serverStopping()
  if (row.concerns === 'server' && access.isBound)
    return new Denial(
      'forbidden',
      'This concerns the whole server: it needs a token that is bound to no tenant and no user.',
    )
  return serveRoute(row, c, access, ports)
}

const anonymousAccess: Access = { tenant: 'default', scopes: [], sessionId: null, user: null, who: '' }

/** Counts a request, names it for the logs, and hands the name back to the caller. */
const observeRequest = (ports: AppPorts, c: Context, row: Route): ((response: Response) => Response) => {
  const started = ports.clock.now()
  const correlationId = correlationIdOf(c.req.header('x-correlation-id'))
  return (response) => {
    const { status } = response
    ports.traffic.count(row.method, row.path, status)
    const { method, url } = c.req
    ports.onRequest?.({
      method,
      url: redactUrl(url),
      route: row.path,
      status,
      ms: ports.clock.now() - started,
      correlationId,
    })
    response.headers.set('x-correlation-id', correlationId)
    // No other page may embed an answer, and no browser may take it for something else than it says.
    response.headers.set('cross-origin-resource-policy', 'same-origin')
    response.headers.set('x-content-type-options', 'nosniff')
    // An answer is of its moment and for its caller; the few that may be kept say so themselves.
    if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store')
    allowOrigin(response, c.req.raw, ports.allowedOrigins)
    return response
  }
}

/** The caller's name for the request, else one of ours. */
export const correlationIdOf = (given: string | null | undefined): string => (isId(given) ? given : crypto.randomUUID())
