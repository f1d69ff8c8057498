// A socket route is a row, like an HTTP route: a path, a scope, and what to do with whoever comes in. Each target asks
// `upgrade` and then only moves messages, so every socket of every wire passes the same door.
import * as v from 'valibot'
import type { Key } from '../../../kernel/event.ts'
import type { Access, IncomingRequest, Scope } from '../access/authenticate.ts'
import { authorize } from '../access/authorize.ts'
import { callerOf } from '../access/proxy-headers.ts'
import { redactUrl } from '../access/secrets.ts'
import { issueText } from '../requests/issue-text.ts'
import { type AppPorts, correlationIdOf } from '../router/app.ts'
import { badRequest, Denial, isDenial, notFound, serverStopping, toCloseFrame, toResponse } from '../router/denial.ts'
import { faultDenial } from '../router/kernel-denials.ts'
import { matchPath } from '../router/path-pattern.ts'
import { type Route, route } from '../router/route.ts'

/** The far end, as a target hands it over. */
export interface Socket {
  /**
   * One message each. The same array means the same messages, so a target may encode it once for all who get it. `seq` is
   * the number that they bring the other side to, where they do.
   */
  send(messages: readonly string[], seq?: number): void
  close(code: number, reason: string): void
  /** Bytes sent but not yet taken by the other side. */
  buffered(): number
  /** Resolves when it can take more, or has closed. */
  drained(): Promise<void>
  /** The other side says that it has everything up to here; for a target that set it a mark. */
  acknowledge?(seq: number): void
}

/** The near end: what the target tells. */
export interface SocketReceiver {
  /** Null = the message was not text. While many are unanswered the target stops reading. */
  onMessage(text: string | null): Promise<void> | void
  /** The other side showed a sign of life below the messages: a ping or pong frame. */
  onAlive(): void
  /** It is too far behind for what the server can hold: close it, to be resumed by cursor. */
  onSlow(): void
  onClosed(): void
  /** Sends a sign of life, where the wire has one; for a target that keeps the time itself. */
  sendHeartbeat?(): void
  /** Nothing was heard of the other side for too long: close it. */
  onSilence?(): void
  /** A plain value that the row's `wake` makes it from again, for a target whose sockets outlive its memory. */
  hibernate?(): unknown
}

export type SocketOpener = (socket: Socket) => SocketReceiver

/** An opener is called at once when the socket is open. A denial refuses the upgrade. A response is that of another process. */
export type SocketAnswer = SocketOpener | Denial | Response

export interface SocketCall<Q = unknown> {
  readonly request: IncomingRequest
  readonly param: (name: string) => string
  readonly query: Q
  readonly access: Access
  readonly ports: AppPorts
}

export interface SocketRoute {
  /** With `:name` parameters. */
  readonly path: string
  readonly scope: Scope
  readonly summary: string
  readonly query?: v.GenericSchema<unknown, unknown>
  /** The session that the socket is of. */
  readonly session: (call: SocketCall) => Promise<Key | Denial> | Key | Denial
  /** Which door it is, where the production gate knows several. */
  readonly exposureKind?: 'ws'
  /** Takes up a socket that slept. `head` is what it was told up to. */
  readonly restore: (rested: unknown, head: number, ports: AppPorts) => Promise<SocketOpener>
  readonly accept: (call: SocketCall) => Promise<SocketAnswer> | SocketAnswer
}

/** Declares a socket route with its handler typed by its query. */
export const socketRoute = <const Q extends v.GenericSchema<unknown, unknown>>(
  given: Omit<SocketRoute, 'query' | 'accept' | 'session'> & {
    readonly query: Q
    readonly session: (call: SocketCall<v.InferOutput<Q>>) => Promise<Key | Denial> | Key | Denial
    readonly accept: (call: SocketCall<v.InferOutput<Q>>) => Promise<SocketAnswer> | SocketAnswer
  },
): SocketRoute => given as unknown as SocketRoute

/** Who may open which socket. */
export const upgradeSocket = async (
  rows: readonly SocketRoute[],
  request: IncomingRequest,
  address: string,
  ports: AppPorts,
): Promise<SocketOpener | Response> => {
  const started = ports.clock.now()
  const url = new URL(request.url)
  for (const row of rows) {
    const params = matchPath(row.path, url.pathname)
    if (!params) continue
    const accepted = await acceptSocket(row, params, { request, address, url, ports }).catch(faultDenial)
    const answer = isDenial(accepted) ? toResponse(accepted) : accepted
    const correlationId = correlationIdOf(request.headers.get('x-correlation-id'))
    const status = typeof answer === 'function' ? 101 : answer.status
    if (typeof answer !== 'function') answer.headers.set('x-correlation-id', correlationId)
    ports.traffic.count('ws', row.path, status)
    ports.onRequest?.({
      method: 'WS',
      url: redactUrl(request.url),
      route: row.path,
      status,
      ms: ports.clock.now() - started,
      correlationId,
    })
    return answer
  }
  return toResponse(notFound())
}

const acceptSocket = async (
  row: SocketRoute,
  params: Readonly<Record<string, string>>,
  asked: { request: IncomingRequest; address: string; url: URL; ports: AppPorts },
): Promise<SocketAnswer> => {
  const { url, ports } = asked
  if (ports.isStopping?.()) return serverStopping()
  const { request, address } = callerOf(ports, asked.request, asked.address)
  const access = await authorize(ports, { request, address, scope: row.scope, sessionId: params.id ?? null })
  if (isDenial(access)) return access
  const query = row.query ? v.safeParse(row.query, Object.fromEntries(url.searchParams)) : null
  if (query && !query.success) {
    const [issue] = query.issues
    return badRequest(`query: ${issueText(issue)}`)
  }
  return row.accept({
    request: asked.request,
    param: (name) => params[name] ?? '',
    query: query?.output,
    access,
    ports,
  })
}

/** The same paths for a plain GET: a client that cannot see why its upgrade was refused asks here. */
export const upgradeRequiredRoutes = (rows: readonly SocketRoute[]): readonly Route[] =>
  rows.map(({ path, scope, summary }) =>
    route({
      method: 'get',
      path,
      scope,
      summary: `${summary} (WebSocket)`,
      isValidatedElsewhere: true,
      answers: { 101: 'The socket is open.', 426: 'The caller may come in, but has to ask for a WebSocket.' },
      handle: () => new Denial('upgrade_required', 'This is a WebSocket.', { upgrade: 'websocket' }),
    }),
  )

/** Opens the socket to say why it closes: a browser shows its page no status of a refused upgrade. */
export const closeOnOpen = (denial: Denial): SocketOpener => {
  const { message, code, reason } = toCloseFrame(denial)
  return (socket) => {
    socket.send([message])
    socket.close(code, reason)
    return { onMessage: () => {}, onAlive: () => {}, onSlow: () => {}, onClosed: () => {} }
  }
}

/** A page should learn that there is no such session. Any other denial is of a client that is wrong, and refuses its upgrade. */
export const refuseSession = (denial: Denial): SocketOpener | Denial =>
  denial.denied === 'not_found' ? closeOnOpen(denial) : denial
