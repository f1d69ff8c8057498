// The address of a socket, with the credentials. A browser can send no headers with a WebSocket, and a token in a URL ends up in
// logs. So the client exchanges the token for a one-use ticket over HTTP, and sends the ticket as a subprotocol, which no proxy logs.
import { errorFromResponse, FabricError } from '../http/error.ts'

/** A request that hangs must not keep a client from its next try. */
const ANSWER_MS = 10_000

export interface SocketCredentials {
  readonly url: string
  readonly authToken?: string | undefined
  readonly tenantId?: string | undefined
}

/** The URL and the subprotocols. Throws a FabricError when the server refuses the credentials. */
export const socketEndpoint = async (
  credentials: SocketCredentials,
  { replay, after }: { readonly replay: number; readonly after: string | null },
): Promise<{ url: string; protocols?: string[] }> => {
  const url = new URL(credentials.url)
  if (credentials.tenantId !== undefined) url.searchParams.set('tenant', credentials.tenantId)
  if (replay > 0) url.searchParams.set('replay', String(replay))
  if (after !== null) url.searchParams.set('after', after)
  // Asks the server for marks: the client answers each with `seen`.
  url.searchParams.set('marks', '1')
  return withCredentials(url, credentials)
}

/** The address with a ticket as a subprotocol, or with the token where the server has no tickets. */
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

/** The reason why the upgrade was refused, if a retry cannot help; null if it can, or if the reason is unknown. */
export const finalRefusal = async (credentials: SocketCredentials): Promise<FabricError | null> => {
  try {
    const refusal = await errorFromResponse(await fetchEndpoint(credentials))
    return isPermanent(refusal) ? refusal : null
  } catch {
    return null
  }
}

/** A retry cannot help. */
export const isPermanent = ({ status }: FabricError): boolean => [400, 401, 403].includes(status)

/** A plain request to the socket's address: a browser does not say why an upgrade failed. */
export const fetchEndpoint = (credentials: SocketCredentials): Promise<Response> => {
  const url = httpOf(credentials.url)
  if (credentials.tenantId !== undefined) url.searchParams.set('tenant', credentials.tenantId)
  return fetch(url, { headers: headersOf(credentials), signal: AbortSignal.timeout(ANSWER_MS) })
}

/** Null when the server has no tickets: then the URL carries the token. */
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

/** The path of the server, and the session in the path of its socket. */
export const placeOf = ({ pathname }: URL): { prefix: string; sessionId: string | undefined } => {
  const [, prefix = '', sessionId] = /^(.*?)(?:\/sessions\/([^/]+)|\/changes)?\/[^/]*$/.exec(pathname) ?? []
  return { prefix, sessionId }
}

export const headersOf = ({ authToken, tenantId }: SocketCredentials): Record<string, string> => ({
  ...(authToken !== undefined && { authorization: `Bearer ${authToken}` }),
  ...(tenantId !== undefined && { 'x-fabric-tenant': tenantId }),
})

export const httpOf = (socketUrl: string): URL => new URL(new URL(socketUrl).href.replace(/^ws/, 'http'))
