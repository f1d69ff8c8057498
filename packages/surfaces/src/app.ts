// The router, identical on every target. Denials become responses here.

import type { AgentInfo } from '@bridle/kernel/agent-info'
import type { SessionService } from '@bridle/kernel/host/host'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Directory } from '@bridle/kernel/ports/directory'
import type { Uploads } from '@bridle/kernel/ports/uploads'
import type { VoiceLines } from '@bridle/kernel/ports/voice'
import type { BuildManifest } from '@bridle/wire/http/wire'
import { type Context, Hono } from 'hono'
import { type Access, type AccessOptions, type Authenticator, createAuthenticator } from './http/access/authenticate.ts'
import { authorize, authorizeTenant, withRateLimitHeaders } from './http/access/authorize.ts'
import type { Exposure } from './http/access/exposure.ts'
import { callerOf, type ProxyTrust } from './http/access/proxy-headers.ts'
import { type RateLimit, RateLimiter } from './http/access/rate-limit.ts'
import { redactUrl } from './http/access/secrets.ts'
import { MemoryTicketStore, type TicketStore, ticketRoutes } from './http/access/tickets.ts'
import { withTokenBackoff } from './http/access/token-backoff.ts'
import { Denial, isDenial, serverStopping, toResponse } from './http/denials/denial.ts'
import { settle } from './http/denials/kernel-denials.ts'
import { exportRoutes } from './http/history/export-routes.ts'
import { importRoutes } from './http/history/import-routes.ts'
import { historyRoutes, treeRoutes } from './http/history/routes.ts'
import { openapiRoutes } from './http/openapi/routes.ts'
import { createRequestBody, type RequestBody } from './http/requests/body.ts'
import { correlationIdOf } from './http/router/correlation-id.ts'
import { allowOrigin, preflight } from './http/router/cors.ts'
import { allowedMethods, methodNotAllowed } from './http/router/methods.ts'
import type { Metric } from './http/router/metrics.ts'
import type { OpenHarnessOptions } from './http/router/openharness-options.ts'
import { type FileServer, firstSegment, pageOr404, redirectToDocs } from './http/router/pages.ts'
import { matchPath } from './http/router/path-pattern.ts'
import { probeRoutes } from './http/router/probes.ts'
import { type Route, type RouteContext, serveRoute, startsWork } from './http/router/route.ts'
import { createTraffic, type Traffic } from './http/router/traffic.ts'
import { approvalRoutes } from './http/sessions/approvals.ts'
import { artifactRoutes } from './http/sessions/artifacts.ts'
import { auditRoutes } from './http/sessions/audit.ts'
import { channelRoutes } from './http/sessions/channel-page.ts'
import { commandRoutes } from './http/sessions/command-routes.ts'
import { memoryRoutes } from './http/sessions/memory.ts'
import type { RelatedSessions } from './http/sessions/related-sessions.ts'
import { sessionRoutes } from './http/sessions/routes.ts'
import type { ChangeReaders } from './http/streams/change-readers.ts'
import type { FileFetcher } from './http/uploads/file-fetcher.ts'
import { uploadRoutes } from './http/uploads/routes.ts'
import { workspaceFileRoutes } from './http/workspaces/workspace-files.ts'
import type { WorkspaceFiles, Workspaces } from './http/workspaces/workspaces.ts'

export interface AppOptions extends AccessOptions, Exposure, ProxyTrust {
  readonly host: SessionService
  readonly directory: Directory
  /** The gateway has already checked access to other sessions; `directory` only lists sessions of this process. */
  readonly behindGateway?: boolean
  /** Child sessions may live in another process. */
  readonly relatedSessions?: RelatedSessions
  readonly clock: Clock
  readonly agents: ReadonlyMap<string, AgentInfo>
  /** For sessions whose creator names none. */
  readonly defaultAgent: string
  readonly rateLimit?: RateLimit
  /** CPU time of this thread in milliseconds. Absent if the platform does not report it. */
  readonly cpuMs?: () => number
  readonly maxBodyBytes?: number
  readonly heartbeatMs?: number
  /** Reconnect delay of event streams. Default: 2 s. */
  readonly retryMs?: number
  /** Maximum duration of an event stream; its reader then resumes by id. Default: unlimited. */
  readonly streamMs?: number
  /** Default: 45 s of silence. */
  readonly deadAfterMs?: number
  readonly changes?: ChangeReaders
  readonly voice?: VoiceLines
  /** False: voice clients must not add instructions to their agent's. */
  readonly voiceInstructions?: boolean
  /** Absent without a disk. */
  readonly workspaces?: Workspaces
  /** Absent without a disk. */
  readonly workspaceFiles?: WorkspaceFiles
  /** Newest first. */
  readonly builds?: () => readonly BuildManifest[]
  /** For /ready. */
  readonly workspace?: { readonly [name: string]: string | number | boolean | null }
  readonly callerAddress?: (c: Context) => string
  /** Absent if the platform terminates HTTP. */
  readonly httpVersion?: (c: Context) => string | undefined
  readonly notReadyReason?: () => string | null
  /** Acknowledged commits that the store found missing when it opened. */
  readonly lostCommits?: number
  readonly metrics?: () => readonly Metric[]
  /** While stopping, sessions can be read, cancelled and approved, but no work starts. */
  readonly isStopping?: () => boolean
  readonly onRequest?: (entry: RequestLogEntry) => void
  /** Overrides the access options. */
  readonly authenticator?: Authenticator
  /** Default: in memory. */
  readonly tickets?: TicketStore
  /** Web app, for paths that match no route. */
  readonly files?: FileServer
  readonly uploads?: Uploads
  /** Absent: attachments stay URLs. */
  readonly fileFetcher?: FileFetcher
  readonly openharness?: OpenHarnessOptions
  /** Secret for continuation tokens. Default: generated per process. */
  readonly signingSecret?: () => Promise<string>
  /** Replaces a route that another process serves. */
  readonly forward?: (row: Route) => Route
}

/** Contains neither tokens nor bodies. */
export interface RequestLogEntry {
  readonly method: string
  readonly url: string
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly correlationId: string
  /** Cause of a generic denial, which callers must not see. */
  readonly cause?: string
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

export const routeTable = (wires: readonly (readonly Route[])[]): readonly Route[] => {
  const shared = [
    probeRoutes,
    ticketRoutes,
    sessionRoutes,
    approvalRoutes,
    commandRoutes,
    artifactRoutes,
    auditRoutes,
    channelRoutes,
    historyRoutes,
    exportRoutes,
    importRoutes,
    memoryRoutes,
    treeRoutes,
    workspaceFileRoutes,
    uploadRoutes,
  ]
  const own = [...shared, ...wires].flat()
  return [...own, ...openapiRoutes(own)]
}

export const createApp = (options: AppOptions, wires: readonly (readonly Route[])[]): App => {
  const tickets = options.tickets ?? new MemoryTicketStore(options.clock.now)
  const limiter = options.rateLimit ? new RateLimiter(options.rateLimit, options.clock.now) : null
  const authenticator = options.authenticator ?? createAuthenticator(options, tickets)
  const ports: AppPorts = {
    ...options,
    tickets,
    // The gateway has already counted wrong tokens.
    authenticator: options.behindGateway
      ? authenticator
      : withTokenBackoff(authenticator, options.clock.now, options.authBackOff),
    limiter,
    traffic: createTraffic(),
  }
  const rows = routeTable(wires)
  const app = new Hono()
  const { files } = options
  const roots = new Set(rows.map(({ path }) => firstSegment(path)))
  const methods = allowedMethods(rows)
  app.notFound(async (c) => {
    const allowed = methods(c.req.raw)
    if (allowed === null)
      return responseOf(files ? await pageOr404(c.req.raw, files, roots) : redirectToDocs(c.req.raw))
    const denial = methodNotAllowed(c.req.raw, allowed)
    const answer = rowWithErrors(rows, c.req.raw)?.renderDenial?.(denial, null, ports) ?? toResponse(denial)
    return allowOrigin(answer, c.req.raw, options.allowedOrigins)
  })
  app.options('*', (c) => preflight(c.req.raw, methods(c.req.raw), options.allowedOrigins))

  const { forward = (row: Route) => row } = options
  for (const row of rows.map(forward)) {
    app.on(row.method.toUpperCase(), row.path, async (c) => {
      const finish = observeRequest(ports, c, row)
      const rawBody = createRequestBody(c.req.raw, row.fileBytesMax ?? ports.maxBodyBytes)
      const { answer, fault } = await settle(authorizeAndServe(row, c, ports, rawBody))
      const isOwnShape = isDenial(answer) && row.renderDenial
      return finish(isOwnShape ? isOwnShape(answer, rawBody.parsed(), ports) : responseOf(answer), fault)
    })
  }
  return { fetch: (request, env) => app.fetch(request, env as object), ports }
}

const responseOf = (answer: Response | Denial): Response => (isDenial(answer) ? toResponse(answer) : answer)

const authorizeAndServe = async (
  row: Route,
  c: Context,
  ports: AppPorts,
  rawBody: RequestBody,
): Promise<Response | Denial> => {
  if (row.scope === 'open') return serveRoute(row, c, { access: anonymousAccess, ports, rawBody })
  const { scope, refusesTickets } = row
  const caller = callerOf(ports, c.req.raw, ports.callerAddress?.(c) ?? '', ports.httpVersion?.(c))
  const asked = { ...caller, scope, sessionId: c.req.param('id'), agent: c.req.param('name'), refusesTickets }
  const first = await authorize(ports, asked)
  const access = row.tenant ? await authorizeTenant(ports, asked, first, { tenant: row.tenant, rawBody }) : first
  if (isDenial(access)) return access
  const missing = row.furtherScopes?.find((each) => !access.scopes.includes(each))
  if (missing) return new Denial('forbidden', `This needs the scope "${missing}", too.`)
  return withRateLimitHeaders(await serveAuthorized(row, c, { access, ports, rawBody }), ports.limiter, access.who)
}

const serveAuthorized = async (
  row: Route,
  c: Context,
  context: Pick<RouteContext, 'access' | 'ports' | 'rawBody'>,
): Promise<Response | Denial> => {
  const { access, ports } = context
  if (ports.isStopping?.() && startsWork(row)) return serverStopping()
  if (row.concerns === 'server' && access.isBound)
    return new Denial(
      'forbidden',
      'This concerns the whole server: it needs a token that is bound to no tenant and no user.',
    )
  return serveRoute(row, c, context)
}

const rowWithErrors = (rows: readonly Route[], { url }: Request): Route | undefined =>
  rows.find(({ path, renderDenial }) => renderDenial && matchPath(path, new URL(url).pathname) !== null)

const anonymousAccess: Access = { tenant: 'default', scopes: [], sessionId: null, user: null, who: '' }

/** Counts and logs the request. The returned function adds the headers common to all responses. */
const observeRequest = (
  ports: AppPorts,
  c: Context,
  row: Route,
): ((response: Response, fault: Pick<RequestLogEntry, 'cause'>) => Response) => {
  const started = ports.clock.now()
  const sent = correlationIdOf(c.req.header('x-correlation-id'))
  return (response, fault) => {
    // Wires with their own messages carry their own correlation id.
    const correlationId = (row.renderDenial && response.headers.get('x-correlation-id')) || sent
    const { status } = response
    const ms = ports.clock.now() - started
    ports.traffic.count(row.method, row.path, status, ms)
    const { method, url } = c.req
    ports.onRequest?.({
      method,
      url: redactUrl(url),
      route: row.path,
      status,
      ms,
      correlationId,
      ...fault,
    })
    response.headers.set('x-correlation-id', correlationId)
    // Other origins must not embed responses, and browsers must not sniff content types.
    response.headers.set('cross-origin-resource-policy', 'same-origin')
    response.headers.set('x-content-type-options', 'nosniff')
    // Not cacheable, unless the route already says otherwise.
    if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store')
    allowOrigin(response, c.req.raw, ports.allowedOrigins)
    return response
  }
}
