// A socket route is a row, like an HTTP route: a path, a scope, and what to do with whoever comes in. Each target asks
// `upgrade` and then only moves messages, so every socket of every wire passes the same door.
import * as v from 'valibot'
import type { Key } from '../../../kernel/event.ts'
import type { Access, Asked, Scope } from '../access/authenticate.ts'
import { enter } from '../access/authorize.ts'
import { callerOf } from '../access/proxy-headers.ts'
import { redacted } from '../access/secrets.ts'
import { issueText } from '../requests/issue-text.ts'
import { type AppPorts, correlationOf } from '../router/app.ts'
import { badRequest, faulted, goingAway, notFound } from '../router/errors.ts'
import { match } from '../router/path-pattern.ts'
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
  seen?(seq: number): void
}

/** The near end: what the target tells. */
export interface Receiver {
  /** Null = the message was not text. While many are unanswered the target stops reading. */
  message(text: string | null): Promise<void> | void
  /** The other side showed a sign of life below the messages: a ping or pong frame. */
  alive(): void
  /** It is too far behind for what the server can hold: close it, to be resumed by cursor. */
  slow(): void
  closed(): void
  /** Sends a sign of life, where the wire has one; for a target that keeps the time itself. */
  beat?(): void
  /** Nothing was heard of the other side for too long: close it. */
  silent?(): void
  /** A plain value that the row's `wake` makes it from again, for a target whose sockets outlive its memory. */
  rest?(): unknown
}

export type Opener = (socket: Socket) => Receiver

export interface SocketCall<Q = unknown> {
  readonly request: Asked
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
  /** Which session it is of. A Response refuses. */
  readonly session: (call: SocketCall) => Promise<Key | Response> | Key | Response
  /** Which door it is, where the production gate knows several. */
  readonly door?: 'ws'
  /** Takes up a socket that slept. `head` is what it was told up to. */
  readonly wake: (rested: unknown, head: number, ports: AppPorts) => Promise<Opener>
  /** An opener is called at once when the socket is open; a Response refuses the upgrade. */
  readonly accept: (call: SocketCall) => Promise<Opener | Response> | Opener | Response
}

/** Declares a socket route with its handler typed by its query. */
export const socketRoute = <const Q extends v.GenericSchema<unknown, unknown>>(
  given: Omit<SocketRoute, 'query' | 'accept' | 'session'> & {
    readonly query: Q
    readonly session: (call: SocketCall<v.InferOutput<Q>>) => Promise<Key | Response> | Key | Response
    readonly accept: (call: SocketCall<v.InferOutput<Q>>) => Promise<Opener | Response> | Opener | Response
  },
): SocketRoute => given as unknown as SocketRoute

/** Who may open which socket. */
export const upgrade = async (
  rows: readonly SocketRoute[],
  request: Asked,
  address: string,
  ports: AppPorts,
): Promise<Opener | Response> => {
  const started = ports.clock.now()
  const url = new URL(request.url)
  for (const row of rows) {
    const params = match(row.path, url.pathname)
    if (!params) continue
    const answer = await accept(row, params, { request, address, url, ports }).catch((error: unknown) => faulted(error))
    const correlationId = correlationOf(request.headers.get('x-correlation-id'))
    const status = answer instanceof Response ? answer.status : 101
    if (answer instanceof Response) answer.headers.set('x-correlation-id', correlationId)
    ports.traffic.count('ws', row.path, status)
    ports.onRequest?.({
      method: 'WS',
      url: redacted(request.url),
      route: row.path,
      status,
      ms: ports.clock.now() - started,
      correlationId,
    })
    return answer
  }
  return notFound()
}

const accept = async (
  row: SocketRoute,
  params: Readonly<Record<string, string>>,
  asked: { request: Asked; address: string; url: URL; ports: AppPorts },
): Promise<Opener | Response> => {
  const { url, ports } = asked
  if (ports.isStopping?.()) return goingAway()
  const { request, address } = callerOf(ports, asked.request, asked.address)
  const access = await enter(ports, { request, address, scope: row.scope, sessionId: params.id ?? null })
  if (access instanceof Response) return access
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
export const socketPages = (rows: readonly SocketRoute[]): readonly Route[] =>
  rows.map(({ path, scope, summary }) =>
    route({
      method: 'get',
      path,
      scope,
      summary: `${summary} (WebSocket)`,
      isPassedOn: true,
      answers: { 101: 'The socket is open.', 426: 'The caller may come in, but has to ask for a WebSocket.' },
      handle: () =>
        Response.json({ error: 'This is a WebSocket.' }, { status: 426, headers: { upgrade: 'websocket' } }),
    }),
  )

/** A browser sees no status of a refused upgrade: what it should know is told on the open socket, which then closes. */
export const told = async (refusal: Response): Promise<Opener> => {
  const text = JSON.stringify({ type: 'error', message: await errorText(refusal) })
  const [code, reason] = closings[refusal.status] ?? [1011, 'The session cannot be opened.']
  return (socket) => {
    socket.send([text])
    socket.close(code, reason)
    return { message: () => {}, alive: () => {}, slow: () => {}, closed: () => {} }
  }
}

/** The agent is private, there is no such session, it is elsewhere. */
const closings: { readonly [status: number]: readonly [number, string] } = {
  403: [1008, 'Refused.'],
  404: [4004, 'There is no such session.'],
  503: [1012, 'The session moved: resume by cursor.'],
}

export const errorText = async (refusal: Response): Promise<string> => {
  const { error } = (await refusal.json()) as { error: string | { message: string } }
  return typeof error === 'string' ? error : error.message
}
