// How a client comes to a socket: a browser can send no headers with it, and a token in a URL ends up in logs. So the
// token buys a one-use ticket over HTTP, and the ticket travels as a subprotocol, which nobody logs.
import { errorFromResponse, FabricError } from '../fabric/error.ts'

export interface SocketCredentials {
  readonly url: string
  readonly authToken?: string | undefined
  readonly tenantId?: string | undefined
}

export interface SocketPosition {
  readonly replay: number
  readonly after: string | null
}

/** A request that hangs must not keep a client from its next try. */
const ANSWER_MS = 10_000

/** Where to connect, and what to offer there. Throws a FabricError when the credentials are no good. */
export const socketEndpoint = async (
  given: SocketCredentials,
  { replay, after }: SocketPosition,
): Promise<{ url: string; protocols?: string[] }> => {
  const url = new URL(given.url)
  if (given.tenantId !== undefined) url.searchParams.set('tenant', given.tenantId)
  if (replay > 0) url.searchParams.set('replay', String(replay))
  if (after !== null) url.searchParams.set('after', after)
  // We say when we have seen a mark, to a server that needs to know.
  url.searchParams.set('marks', '1')
  if (given.authToken === undefined) return { url: url.href }
  const ticket = await requestTicket(given)
  if (ticket !== null) return { url: url.href, protocols: ['bridle.v1', `ticket.${ticket}`] }
  url.searchParams.set('token', given.authToken)
  return { url: url.href }
}

/** Why the upgrade was refused, when trying again is no use; null when it is, or when nobody can tell. */
export const finalRefusal = async (given: SocketCredentials): Promise<FabricError | null> => {
  try {
    const refusal = await errorFromResponse(await fetchEndpoint(given))
    return isPermanent(refusal) ? refusal : null
  } catch {
    return null
  }
}

/** Whether trying again is no use. */
export const isPermanent = ({ status }: FabricError): boolean => [400, 401, 403].includes(status)

/** The answer to a plain request at the socket's address: the platform does not say why an upgrade failed. */
export const fetchEndpoint = (given: SocketCredentials): Promise<Response> => {
  const url = httpOf(given.url)
  if (given.tenantId !== undefined) url.searchParams.set('tenant', given.tenantId)
  return fetch(url, { headers: headersOf(given), signal: AbortSignal.timeout(ANSWER_MS) })
}

/** Null where the server has no tickets: there the token itself is the only way. */
const requestTicket = async (given: SocketCredentials): Promise<string | null> => {
  const [, prefix = '', sessionId] = /^(.*?)(?:\/sessions\/([^/]+))?\/[^/]*$/.exec(new URL(given.url).pathname) ?? []
  const response = await fetch(new URL(`${prefix}/tickets`, httpOf(given.url)), {
    method: 'POST',
    headers: { ...headersOf(given), 'content-type': 'application/json' },
    body: JSON.stringify(sessionId === undefined ? {} : { sessionId: decodeURIComponent(sessionId) }),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch((cause: unknown) => {
    throw new FabricError(0, 'network', 'The server could not be reached.', { cause })
  })
  if (response.ok) return ((await response.json()) as { ticket: string }).ticket
  if (response.status !== 404 && response.status !== 405 && response.status !== 501)
    throw await errorFromResponse(response)
  await response.body?.cancel()
  return null
}

const headersOf = ({ authToken, tenantId }: SocketCredentials): Record<string, string> => ({
  ...(authToken !== undefined && { authorization: `Bearer ${authToken}` }),
  ...(tenantId !== undefined && { 'x-fabric-tenant': tenantId }),
})

const httpOf = (socketUrl: string): URL => new URL(new URL(socketUrl).href.replace(/^ws/, 'http'))
