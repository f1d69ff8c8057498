// Every target calls `upgradeSocket` and then only moves messages, so all sockets of all wires pass the same checks.

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

/** Only these may be echoed in a response: a ticket is also sent as a subprotocol, and is secret. */
export const SUBPROTOCOLS = ['bridle.v1', 'harness.v1']

/** The client's end of a connection, implemented by each target. */
export interface Socket {
  /** The same array means the same messages, so encode it once. `seq`: the position that these messages bring the client to. */
  send(messages: readonly string[], seq?: number): void
  /** Optional only for tests of text-only wires. */
  sendBinary?(bytes: Uint8Array): void
  close(code: number, reason: string): void
  /** Sent but unread bytes. */
  buffered(): number
  /** Resolves when the client accepts more, or the socket is closed. */
  drained(): Promise<void>
  /** For targets that send marks: the client has received everything up to `seq`. */
  acknowledge?(seq: number): void
}

/** The server's end of a connection, called by targets. */
export interface SocketReceiver {
  /** If absent, `onMessage` gets null for binary messages. */
  onBinary?(bytes: Uint8Array): Promise<void> | void
  /** Null if the message was not text. Targets stop reading while many returned promises are pending. */
  onMessage(text: string | null): Promise<void> | void
  onAlive(): void
  /** The client's backlog takes up too much memory: close, and let it resume by cursor. */
  onSlow(): void
  /** The message exceeds the limit of all sockets. The target closes with 1009 afterwards. */
  onTooLarge?(): void
  onClosed(): void
  /** For targets that keep the time themselves. */
  sendHeartbeat?(): void
  onSilence?(): void
  /** Plain data for `restore`, on targets whose sockets outlive their memory. */
  hibernate?(): unknown
}

export type SocketOpener = (socket: Socket) => SocketReceiver

/** Called as soon as the socket is open. A denial refuses the upgrade. A response comes from another process. */
export type SocketAnswer = SocketOpener | Denial | Response

export interface SocketCall<Q = unknown> extends Pick<RouteContext, 'param' | 'access' | 'ports'> {
  readonly request: IncomingRequest
  readonly query: Q
}

export interface RestorableSocket<P> {
  readonly path: string
  /** `state` is what `hibernate` returned, `head` the last sequence number sent. */
  readonly restore: (state: unknown, head: number, ports: P) => Promise<SocketOpener>
}

export interface SocketRoute extends RestorableSocket<AppPorts> {
  readonly scope: Scope
  readonly summary: string
  readonly query?: v.GenericSchema<unknown, unknown>
  /** Null: the socket belongs to the tenant and is served by its directory. */
  readonly session: ((call: SocketCall) => Promise<Key | Denial> | Key | Denial) | null
  /** `ws`: the operator's agent for `/ws` is open here, even if private elsewhere. */
  readonly exposureKind?: 'ws'
  /** Handles a denial before `accept`. Default: unknown sessions are reported on an open socket. */
  readonly refuse?: (denial: Denial) => SocketOpener | Denial
  readonly accept: (call: SocketCall) => Promise<SocketAnswer> | SocketAnswer
}

export const socketRoute = <const Q extends v.GenericSchema<unknown, unknown>>(
  row: Omit<SocketRoute, 'query' | 'accept' | 'session'> & {
    readonly query: Q
    readonly session: ((call: SocketCall<v.InferOutput<Q>>) => Promise<Key | Denial> | Key | Denial) | null
    readonly accept: (call: SocketCall<v.InferOutput<Q>>) => Promise<SocketAnswer> | SocketAnswer
  },
): SocketRoute => row as unknown as SocketRoute

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

/** Browsers hide why an upgrade was refused, so pages ask with a plain GET. */
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

/** Opens the socket only to say why it closes: browsers hide the status of a refused upgrade. */
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

/** Pages should learn that a session does not exist. Other denials are client mistakes and refuse the upgrade. */
export const refuseSession = (denial: Denial): SocketOpener | Denial =>
  denial.denied === 'not_found' ? closeOnOpen(denial) : denial
