// The router: every wire adds its routes, and every target serves it unchanged. A denial becomes a response here.

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
  /** A gateway in front has checked everything about other sessions: the directory here lists only the sessions of this process. */
  readonly behindGateway?: boolean
  /** Finds the children of a session, where they may live in another process. */
  readonly relatedSessions?: RelatedSessions
  readonly clock: Clock
  readonly agents: ReadonlyMap<string, AgentInfo>
  /** The agent of a session whose creator names none. */
  readonly defaultAgent: string
  readonly rateLimit?: RateLimit
  /** The CPU time of this thread in milliseconds; absent = the platform does not tell. */
  readonly cpuMs?: () => number
  readonly maxBodyBytes?: number
  readonly heartbeatMs?: number
  /** How long a reader of an event stream waits before it reconnects; default 2 s. */
  readonly retryMs?: number
  /** The server ends an event stream after this time, and its reader resumes by id; default: never. */
  readonly streamMs?: number
  /** A socket that is silent for this long is closed; default 45 s. */
  readonly deadAfterMs?: number
  /** The readers of the changes of sessions; a process that serves none has none. */
  readonly changes?: ChangeReaders
  /** Opens lines on which sessions are spoken with; a process that has none refuses such sockets. */
  readonly voice?: VoiceLines
  /** False = clients of a line may not add to the instructions of its agent. */
  readonly voiceInstructions?: boolean
  /** Prepares folders for write-capable work; a target without a disk has none. */
  readonly workspaces?: Workspaces
  /** Reads the files of sessions; a target without a disk has none. */
  readonly workspaceFiles?: WorkspaceFiles
  /** Builds on this machine, newest first; a target that builds nothing has none. */
  readonly builds?: () => readonly BuildManifest[]
  /** Facts about the target, for /ready. */
  readonly workspace?: { readonly [name: string]: string | number | boolean | null }
  /** The address of the peer, as the platform knows it. */
  readonly callerAddress?: (c: Context) => string
  /** The version of HTTP in which the peer asked; absent where the platform terminates HTTP. */
  readonly httpVersion?: (c: Context) => string | undefined
  /** The reason why the server takes no requests; null = it takes them. */
  readonly notReadyReason?: () => string | null
  /** Acknowledged commits that the store found missing when it opened; absent = none that it knows of. */
  readonly lostCommits?: number
  /** Further metrics: of runs, and of the process. */
  readonly metrics?: () => readonly Metric[]
  /** The server is about to stop: sessions can still be read, cancelled and approved, and no work begins. */
  readonly isStopping?: () => boolean
  readonly onRequest?: (entry: RequestLogEntry) => void
  /** Replaces the authenticator that these options describe. */
  readonly authenticator?: Authenticator
  /** Default: a store in the memory of this process. */
  readonly tickets?: TicketStore
  /** The files of a web app, for paths that no route has; default: none. */
  readonly files?: FileServer
  /** Uploaded files; a target that keeps none has none. */
  readonly uploads?: Uploads
  /** Fetches attachments that come as addresses; default: they stay addresses. */
  readonly fileFetcher?: FileFetcher
  /** How the engine of OpenHarness waits, and which keys of a restricted state it keeps. */
  readonly openharness?: OpenHarnessOptions
  /** The secret that continuation tokens are sealed with; default: one of this process. */
  readonly signingSecret?: () => Promise<string>
  /** Replaces a route whose requests another process answers. */
  readonly forward?: (row: Route) => Route
}

/** A line of the request log. It has no token and no body. */
export interface RequestLogEntry {
  readonly method: string
  readonly url: string
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly correlationId: string
  /** The message of the error behind a denial that does not show it: the caller learns only that something went wrong. */
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

/** All routes: besides them, only the files of a web app are served. */
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
    // A gateway in front has counted wrong tokens already.
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

/** Counts and logs a request. The function that it returns adds the headers that every answer has. */
const observeRequest = (
  ports: AppPorts,
  c: Context,
  row: Route,
): ((response: Response, fault: Pick<RequestLogEntry, 'cause'>) => Response) => {
  const started = ports.clock.now()
  const sent = correlationIdOf(c.req.header('x-correlation-id'))
  return (response, fault) => {
    // A message that names an id of its own has it in the answer, on wires with their own messages.
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
    // Pages of other origins may not embed an answer, and browsers may not guess another content type.
    response.headers.set('cross-origin-resource-policy', 'same-origin')
    response.headers.set('x-content-type-options', 'nosniff')
    // An answer is for its caller and for now. The few that may be cached have this header already.
    if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store')
    allowOrigin(response, c.req.raw, ports.allowedOrigins)
    return response
  }
}
