// A socket route is a row of a table, like an HTTP route: a path, a scope and what it does with a connection. Every target calls
// `upgradeSocket` and then only moves messages, so that all sockets of all wires pass the same checks.

import type { Key } from '@bridle/kernel/event'
import type * as v from 'valibot'
import type { AppPorts } from '../../app.ts'
import type { IncomingRequest, Scope } from '../access/authenticate.ts'
import { authorize } from '../access/authorize.ts'
import { callerOf } from '../access/proxy-headers.ts'
import { redactUrl } from '../access/secrets.ts'
import { upgradeRequiredAnswer } from '../answers/server-answers.ts'
import { Denial, isDenial, serverStopping, toCloseFrame, toResponse, unknownPath } from '../denials/denial.ts'
import { settle } from '../denials/kernel-denials.ts'
import { parseInput } from '../requests/parse-input.ts'
import { correlationIdOf } from '../router/correlation-id.ts'
import { matchPath } from '../router/path-pattern.ts'
import { get, type Route, type RouteContext } from '../router/route.ts'

/** The client's end of a connection, as a target implements it. */
export interface Socket {
  /**
   * Each text becomes a message. The same array means the same messages, so a target may encode it once for all its sockets.
   * `seq` is the sequence number that the messages bring the client to, if they do.
   */
  send(messages: readonly string[], seq?: number): void
  /** Sends the bytes as one binary message: on every target, though not in tests of wires that have text only. */
  sendBinary?(bytes: Uint8Array): void
  close(code: number, reason: string): void
  /** Bytes that are sent and that the client has not taken yet. */
  buffered(): number
  /** Resolves when the client can take more, or the socket is closed. */
  drained(): Promise<void>
  /** The client has everything up to `seq`: only for a target that sends marks. */
  acknowledge?(seq: number): void
}

/** The server's end of a connection: a target calls it. */
export interface SocketReceiver {
  /** A binary message. Absent = the wire has text only, and `onMessage` gets null. */
  onBinary?(bytes: Uint8Array): Promise<void> | void
  /** Null = the message was not text. A target stops reading while many of the returned promises are pending. */
  onMessage(text: string | null): Promise<void> | void
  /** The client sent a ping or pong frame. */
  onAlive(): void
  /** The client is too far behind for the server's memory: close the socket, and the client resumes by cursor. */
  onSlow(): void
  /** The client sent a message above the limit of all sockets. The target closes the socket with 1009 after this call. */
  onTooLarge?(): void
  onClosed(): void
  /** Sends a heartbeat, if the wire has one: only for a target that keeps the time itself. */
  sendHeartbeat?(): void
  /** The client was silent for too long: close the socket. */
  onSilence?(): void
  /** A plain value for the route's `restore`, on a target whose sockets outlive its memory. */
  hibernate?(): unknown
}

export type SocketOpener = (socket: Socket) => SocketReceiver

/** An opener is called at once when the socket is open. A denial refuses the upgrade. A response is that of another process. */
export type SocketAnswer = SocketOpener | Denial | Response

export interface SocketCall<Q = unknown> extends Pick<RouteContext, 'param' | 'access' | 'ports'> {
  readonly request: IncomingRequest
  readonly query: Q
}

/** The part of a route that makes a hibernated socket again, of anything in `P`. */
export interface RestorableSocket<P> {
  /** May have parameters, such as `:id`. */
  readonly path: string
  /** Restores a hibernated socket from the value of `hibernate`. `head` is the last sequence number that it was sent. */
  readonly restore: (state: unknown, head: number, ports: P) => Promise<SocketOpener>
}

export interface SocketRoute extends RestorableSocket<AppPorts> {
  readonly scope: Scope
  readonly summary: string
  readonly query?: v.GenericSchema<unknown, unknown>
  /** The session whose events the socket sends; null = the socket concerns the tenant, and its directory serves it. */
  readonly session: ((call: SocketCall) => Promise<Key | Denial> | Key | Denial) | null
  /** `ws` = the agent that the operator chose for `/ws` is open here, even if it is private elsewhere. */
  readonly exposureKind?: 'ws'
  /** Answers a denial that is known before `accept`; default: an unknown session is told on an open socket. */
  readonly refuse?: (denial: Denial) => SocketOpener | Denial
  readonly accept: (call: SocketCall) => Promise<SocketAnswer> | SocketAnswer
}

/** Declares a socket route with its handler typed by its query. */
export const socketRoute = <const Q extends v.GenericSchema<unknown, unknown>>(
  row: Omit<SocketRoute, 'query' | 'accept' | 'session'> & {
    readonly query: Q
    readonly session: ((call: SocketCall<v.InferOutput<Q>>) => Promise<Key | Denial> | Key | Denial) | null
    readonly accept: (call: SocketCall<v.InferOutput<Q>>) => Promise<SocketAnswer> | SocketAnswer
  },
): SocketRoute => row as unknown as SocketRoute

/** Checks the caller of an upgrade, and finds the route that accepts it. */
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
    const { answer: accepted, fault } = await settle(acceptSocket(row, params, { request, address, url, ports }))
    const answer = isDenial(accepted) ? toResponse(accepted) : accepted
    const correlationId = correlationIdOf(request.headers.get('x-correlation-id'))
    const status = typeof answer === 'function' ? 101 : answer.status
    if (typeof answer !== 'function') answer.headers.set('x-correlation-id', correlationId)
    const ms = ports.clock.now() - started
    ports.traffic.count('ws', row.path, status, ms)
    ports.onRequest?.({
      method: 'WS',
      url: redactUrl(request.url),
      route: row.path,
      status,
      ms,
      correlationId,
      ...fault,
    })
    return answer
  }
  return toResponse(unknownPath(request))
}

const acceptSocket = async (
  row: SocketRoute,
  params: Readonly<Record<string, string>>,
  upgrade: { request: IncomingRequest; address: string; url: URL; ports: AppPorts },
): Promise<SocketAnswer> => {
  const { url, ports } = upgrade
  if (ports.isStopping?.()) return serverStopping()
  const { request, address } = callerOf(ports, upgrade.request, upgrade.address)
  const access = await authorize(ports, { request, address, scope: row.scope, sessionId: params.id ?? null })
  if (isDenial(access)) return access
  const query = row.query ? parseInput(row.query, Object.fromEntries(url.searchParams), 'query') : undefined
  if (isDenial(query)) return query
  const param = (name: string) => params[name] ?? ''
  return row.accept({ request: upgrade.request, param, query, access, ports })
}

/** The same paths for a plain GET: a browser hides why an upgrade was refused, so its page asks here. */
export const upgradeRequiredRoutes = (rows: readonly SocketRoute[]): readonly Route[] =>
  rows.map(({ path, scope, summary, query }) =>
    get(path, {
      scope,
      summary: `${summary} (WebSocket)`,
      ...(query && { query }),
      isValidatedElsewhere: true,
      answers: { 101: { description: 'The socket is open.' }, 426: upgradeRequiredAnswer },
      handle: () => new Denial('upgrade_required', 'This is a WebSocket.', { upgrade: 'websocket' }),
    }),
  )

/** Opens the socket to say why it closes: a browser shows its page no status of a refused upgrade. */
export const closeOnOpen = (denial: Denial): SocketOpener => {
  const { message, code, reason } = toCloseFrame(denial)
  return sayAndClose(message, [code, reason])
}

export const sayAndClose =
  (message: string, reason: readonly [code: number, reason: string]): SocketOpener =>
  (socket) => {
    socket.send([message])
    socket.close(...reason)
    return { onMessage: () => {}, onAlive: () => {}, onSlow: () => {}, onClosed: () => {} }
  }

/** A page should learn that there is no such session. Any other denial is the client's mistake, and refuses its upgrade. */
export const refuseSession = (denial: Denial): SocketOpener | Denial =>
  denial.denied === 'not_found' ? closeOnOpen(denial) : denial
