// The socket URL with credentials. Browsers cannot send headers with a WebSocket, and URLs end up in logs. So the token
// is exchanged over HTTP for a single-use ticket, which is sent as a subprotocol that proxies do not log.
import { errorFromResponse, FabricError } from '../http/error.ts'

/** A hanging request must not block the next attempt. */
const ANSWER_MS = 10_000

export interface SocketCredentials {
  readonly url: string
  readonly authToken?: string | undefined
  readonly tenantId?: string | undefined
}

/** URL and subprotocols. Throws a FabricError if the server refuses the credentials. */
export const socketEndpoint = async (
  credentials: SocketCredentials,
  { replay, after }: { readonly replay: number; readonly after: string | null },
): Promise<{ url: string; protocols?: string[] }> => {
  const url = new URL(credentials.url)
  if (credentials.tenantId !== undefined) url.searchParams.set('tenant', credentials.tenantId)
  if (replay > 0) url.searchParams.set('replay', String(replay))
  if (after !== null) url.searchParams.set('after', after)
  // Request marks, which the client acknowledges with `seen`.
  url.searchParams.set('marks', '1')
  return withCredentials(url, credentials)
}

/** Adds a ticket as a subprotocol, or the token if the server has no tickets. */
export const withCredentials = async (
  url: URL,
  credentials: SocketCredentials,
): Promise<{ url: string; protocols?: string[] }> => {
  if (credentials.authToken === undefined) return { url: url.href }
  const ticket = await requestTicket(credentials)
  if (ticket !== null) return { url: url.href, protocols: ['bridle.v1', `ticket.${ticket}`] }
  url.searchParams.set('token', credentials.authToken)
  return { url: url.href }
}

/** Why the upgrade was refused, if permanent. Null if a retry may help or the reason is unknown. */
export const finalRefusal = async (credentials: SocketCredentials): Promise<FabricError | null> => {
  try {
    const refusal = await errorFromResponse(await fetchEndpoint(credentials))
    return isPermanent(refusal) ? refusal : null
  } catch {
    return null
  }
}

export const isPermanent = ({ status }: FabricError): boolean => [400, 401, 403].includes(status)

/** A plain request, because browsers do not report why an upgrade failed. */
export const fetchEndpoint = (credentials: SocketCredentials): Promise<Response> => {
  const url = httpOf(credentials.url)
  if (credentials.tenantId !== undefined) url.searchParams.set('tenant', credentials.tenantId)
  return fetch(url, { headers: headersOf(credentials), signal: AbortSignal.timeout(ANSWER_MS) })
}

/** Null if the server has no tickets, in which case the URL carries the token. */
const requestTicket = async (credentials: SocketCredentials): Promise<string | null> => {
  const url = httpOf(credentials.url)
  const { prefix, sessionId } = placeOf(url)
  const request = fetch(new URL(`${prefix}/tickets`, url), {
    method: 'POST',
    headers: { ...headersOf(credentials), 'content-type': 'application/json' },
    body: JSON.stringify(sessionId === undefined ? {} : { sessionId: decodeURIComponent(sessionId) }),
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  const response = await reach(request)
  if (response.ok) return ((await response.json()) as { ticket: string }).ticket
  if (response.status !== 404 && response.status !== 405 && response.status !== 501)
    throw await errorFromResponse(response)
  await response.body?.cancel()
  return null
}

export const reach = (request: Promise<Response>): Promise<Response> =>
  request.catch((cause: unknown) => {
    throw new FabricError(0, 'network', 'The server could not be reached.', { cause })
  })

export const placeOf = ({ pathname }: URL): { prefix: string; sessionId: string | undefined } => {
  const [, prefix = '', sessionId] = /^(.*?)(?:\/sessions\/([^/]+)|\/changes)?\/[^/]*$/.exec(pathname) ?? []
  return { prefix, sessionId }
}

export const headersOf = ({ authToken, tenantId }: SocketCredentials): Record<string, string> => ({
  ...(authToken !== undefined && { authorization: `Bearer ${authToken}` }),
  ...(tenantId !== undefined && { 'x-fabric-tenant': tenantId }),
})

export const httpOf = (socketUrl: string): URL => new URL(new URL(socketUrl).href.replace(/^ws/, 'http'))
