// The MCP route of the credential proxy: finds the run by its token, checks the request, and calls the server's handler.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { McpReply, McpRequest } from '../mcp/handler.ts'
import { type McpId, type McpMessage, mcpError, parseMcpMessage, requestId, SESSION_HEADER } from '../mcp/messages.ts'
import { writeMcpReply } from '../mcp/reply-writer.ts'
import { MCP_MESSAGE_CHARS_MAX } from '../mcp/sse-events.ts'
import type { ActiveMcpGrant, McpGrants } from './mcp-grants.ts'
import { incomingCall } from './request-admission.ts'
import { requestAddress } from './request-rules.ts'
import { isProxyRefusal } from './spending/spend-ledger.ts'

/** The path prefix before the name of a server. */
export const MCP_MOUNT = '/mcp'
/** Marks a request whose first attempt may have arrived. */
export const REPEATED_HEADER = 'x-bridle-repeated'

/** A refused request is in no count of open bytes, and a call has seldom as many. */
const REFUSED_BYTES_MAX = 64 * 1024
/** An engine sends a body at once. */
const REFUSED_READ_MS = 5_000

const METHODS: ReadonlySet<string> = new Set(['POST', 'GET', 'DELETE'])

/** The name of the server; null = not an MCP path. */
export const mcpServerAt = ({ url }: IncomingMessage): string | null => {
  const [, name] = new RegExp(`^${MCP_MOUNT}/([A-Za-z0-9_-]{1,64})$`).exec(requestAddress(url)?.pathname ?? '') ?? []
  return name ?? null
}

export const answerMcpRequest = async (
  grants: McpGrants,
  server: string,
  request: IncomingMessage,
  response: ServerResponse,
  commentMs?: number,
): Promise<void> => {
  const refuse = (status: number, text: string, id: McpId | null = null) =>
    send(response, { status, message: mcpError(id, text) })
  const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const grant = grants.grantForToken(token)
  if (!grant) return refuse(403, 'The token is invalid or has expired.')
  const { method = '' } = request
  if (!METHODS.has(method)) return refuse(405, 'Only POST, GET, and DELETE are supported.')
  const handler = Object.hasOwn(grant.servers, server) ? grant.servers[server] : undefined
  if (!handler) return refuse(404, `The run has no MCP server "${server}".`)
  const slot = grant.slots.openSlot()
  if (isProxyRefusal(slot)) {
    const id = await refusedId(request)
    return refuse(id === null ? 429 : 200, slot[1], id)
  }
  const leave = new AbortController()
  grant.openRequests.add(leave)
  response.once('close', () => response.writableFinished || leave.abort())
  try {
    const body = await readMcpBody(request, slot.addBytes, leave.signal)
    if ('problem' in body) return refuse(body.status, body.problem)
    const { message } = body
    const id = message && requestId(message)
    const headers = openedHeaders(grants, grant, server, request.headers)
    if (headers === null) return send(response, { status: 404, message: mcpError(id, 'The MCP session is unknown.') })
    const { key, runId, attempt } = grant
    const call: McpRequest = {
      ...{ run: { key, runId, attempt }, method: method as McpRequest['method'], headers, message },
      ...{ isRepeated: request.headers[REPEATED_HEADER] !== undefined, signal: leave.signal },
    }
    const answered = handler(call).then((each) => sealedReply(grants, grant, server, each))
    // A handler may ignore the signal.
    const reply = Promise.race([answered, rejectionAt(leave.signal)])
    const holdsHead = message?.method === 'initialize'
    await writeMcpReply(response, reply, { id, holdsHead, ...(commentMs !== undefined && { commentMs }) })
  } finally {
    slot.release()
    grant.openRequests.delete(leave)
  }
}

const rejectionAt = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

export type McpBody = { readonly message: McpMessage | null } | { readonly status: number; readonly problem: string }

/** Only a POST has a body: a single message. */
export const readMcpBody = async (
  request: IncomingMessage,
  hold: (bytes: number) => boolean,
  signal: AbortSignal,
): Promise<McpBody> => {
  if (request.method !== 'POST') return { message: null }
  const { encoding, readText } = incomingCall(request, signal)
  if ((encoding ?? 'identity') !== 'identity') return { status: 415, problem: 'Compressed bodies are not accepted.' }
  const body = await readText(MCP_MESSAGE_CHARS_MAX, hold)
  if (body === 'too large')
    return { status: 413, problem: `The message is larger than ${MCP_MESSAGE_CHARS_MAX} bytes.` }
  if (body === 'too many') return { status: 429, problem: 'Too many large messages are in progress.' }
  const message = parseMcpMessage(body.text)
  return message === null ? { status: 400, problem: 'The body is not a single JSON-RPC message.' } : { message }
}

/** The id of a request that gets no slot: engines wait for an error with their id. Null: not a request, too large, or too slow. */
export const refusedId = async (request: IncomingMessage): Promise<McpId | null> => {
  let bytes = 0
  const hold = (more: number) => {
    bytes += more
    return bytes <= REFUSED_BYTES_MAX
  }
  const late = new AbortController()
  const body = await Promise.race([
    readMcpBody(request, hold, late.signal).catch(() => null),
    sleep(REFUSED_READ_MS, null, { signal: late.signal }).catch(() => null),
  ])
  late.abort()
  return body && 'message' in body && body.message ? requestId(body.message) : null
}

/** The headers with the MCP server's own session id; null = the session belongs to another run. */
const openedHeaders = (
  grants: McpGrants,
  grant: ActiveMcpGrant,
  server: string,
  headers: IncomingMessage['headers'],
): IncomingMessage['headers'] | null => {
  const { [SESSION_HEADER]: sealed, ...rest } = headers
  if (typeof sealed !== 'string') return rest
  const id = grants.openSession(grant, server, sealed)
  return id === null ? null : { ...rest, [SESSION_HEADER]: id }
}

const sealedReply = (grants: McpGrants, grant: ActiveMcpGrant, server: string, reply: McpReply): McpReply => {
  const id = reply.headers?.[SESSION_HEADER]
  if (id === undefined) return reply
  return { ...reply, headers: { ...reply.headers, [SESSION_HEADER]: grants.sealSession(grant, server, id) } }
}

const send = (response: ServerResponse, { status, message }: { status: number; message: McpMessage }): void => {
  if (response.headersSent || response.destroyed) return void response.destroy()
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(message))
}
