// Forwards MCP requests to an operator's server at a URL. The credential is added here, so that no sandbox has it; only the methods and
// headers of MCP are passed on.
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import { isJsonObject, type Json, type JsonObject, objectOf } from '@bridle/events/json'
import {
  type EngineMcpAddress,
  type EngineMcpServers,
  isMcpAddress,
  MCP_REQUESTS_MAX,
  toolFilter,
} from './declaration.ts'
import type { McpHandler, McpHandlers, McpReply, McpRequest } from './handler.ts'
import {
  isAnswerTo,
  MCP_ERRORS,
  type McpId,
  type McpMessage,
  mcpError,
  parseMcpMessage,
  requestId,
  SESSION_HEADER,
} from './messages.ts'
import { MCP_MESSAGE_CHARS_MAX, readSseEvents, type SseEvent } from './sse-events.ts'

/** Timeout of `initialize`, the same as for native agents: a cold server may take several seconds. */
const INITIALIZE_MS = 30_000
/** Frameworks redirect `/mcp` to `/mcp/`; more redirects are a loop. */
const REDIRECTS_MAX = 3
/** Shorter values could match ordinary text. */
const REDACTED_CHARS_MIN = 8

/** Handlers for the servers of one run that have a URL. `counterOf` returns the request counter of a server. */
export const urlServers = (servers: EngineMcpServers, counterOf: (server: string) => RequestCounter): McpHandlers =>
  Object.fromEntries(
    Object.entries(servers).flatMap(([name, server]) => {
      if (!isMcpAddress(server)) return []
      const { requests: requestsMax = MCP_REQUESTS_MAX } = server
      const counter = counterOf(name)
      return [[name, urlServer(name, server, { countRequest: () => counter.count() <= requestsMax, requestsMax })]]
    }),
  )

export interface RequestCounter {
  /** Counts one request and returns the new total. */
  count(): number
}

export interface UrlServerTerms {
  /** Counts a request; false = the limit is reached. */
  readonly countRequest: () => boolean
  readonly requestsMax: number
  readonly initializeMs?: number
}

/** The handler of one run. */
export const urlServer =
  (name: string, server: EngineMcpAddress, terms: UrlServerTerms): McpHandler =>
  async (call) => {
    const id = call.message && requestId(call.message)
    const refuse = (text: string, code?: number, status = 502): McpReply => ({
      // Engines read the error of a request only if the HTTP status is 200.
      status: id === null ? status : 200,
      message: mcpError(id, text, code),
    })
    const tool = calledTool(call.message)
    // Servers may make a call that has no valid id.
    if (call.isRepeated && (id !== null || tool !== null) && !isRepeatable(call.message))
      return refuse(repeatRefusal(name))
    if (tool !== null && !toolFilter(server)(tool))
      return refuse(
        `The tool "${tool}" of the MCP server "${name}" is excluded by configuration.`,
        MCP_ERRORS.invalidParams,
      )
    if (!terms.countRequest())
      return refuse(
        `This run has reached its limit of ${terms.requestsMax} requests to the MCP server "${name}".`,
        MCP_ERRORS.limit,
        429,
      )
    const credential = await credentialOf(server, call).catch(() => null)
    if (credential === null)
      return refuse(`The headers for the MCP server "${name}" could not be created. Check its configuration.`)
    const limited = HANDSHAKES.has(call.message?.method)
      ? AbortSignal.timeout(terms.initializeMs ?? INITIALIZE_MS)
      : null
    const signal = limited ? AbortSignal.any([limited, call.signal]) : call.signal
    const answer = await exchange(new URL(server.url), call, credential, signal).catch((error: Error) => error)
    if (limited?.aborted) return refuse(`The MCP server "${name}" did not answer in time.`)
    if (answer instanceof RedirectError)
      return refuse(`The MCP server "${name}" redirected to another address. Such redirects are not followed.`)
    if (answer instanceof Error)
      return refuse(`The MCP server "${name}" cannot be reached from this server${reasonOf(answer)}.`)
    const context = { name, server, id, message: call.message, secrets: secretsIn(credential) }
    return readAnswer(answer, context, refuse).catch(() => refuse(brokenText(name)))
  }

interface AnswerContext {
  readonly name: string
  readonly server: EngineMcpAddress
  readonly id: McpId | null
  readonly message: McpMessage | null
  readonly secrets: readonly string[]
}

const readAnswer = async (
  answer: IncomingMessage,
  context: AnswerContext,
  refuse: (text: string) => McpReply,
): Promise<McpReply> => {
  const { name, id, secrets } = context
  const { statusCode: status = 502, headers } = answer
  if (status === 401 || status === 403) {
    answer.destroy()
    return refuse(`The MCP server "${name}" rejected its credential.`)
  }
  const type = headers['content-type'] ?? ''
  const passed = passedHeaders(headers, secrets)
  if (status < 300 && type.startsWith('text/event-stream'))
    return { status: 200, headers: passed, events: passedEvents(answer, context) }
  const message = parseRedacted(await readText(answer), secrets)
  if (status < 300 && message) return { status, headers: passed, message: withoutTools(message, context) }
  if (status < 300)
    return id === null ? { status, headers: passed } : refuse(`The MCP server "${name}" sent an invalid answer.`)
  // Clients handle these: they start a new session or continue without the stream.
  if (status === 400 || status === 404 || status === 405)
    return { status, message: message ?? mcpError(id, `The MCP server "${name}" answered with status ${status}.`) }
  return message && id !== null && isAnswerTo(message, id)
    ? { status: 200, message }
    : refuse(`The MCP server "${name}" answered with status ${status}.`)
}

async function* passedEvents(
  answer: IncomingMessage,
  context: AnswerContext,
): AsyncGenerator<SseEvent, void, undefined> {
  const { name, id, secrets } = context
  let isAnswered = id === null
  let isResumable = false
  try {
    for await (const { id: position, data } of readSseEvents(answer)) {
      // Without the position, the engine resumes after an earlier event.
      const isPassed = position !== undefined && !hasSecret(position, secrets)
      isResumable ||= isPassed
      const message = parseRedacted(data, secrets)
      // Skip batches and anything that is not MCP.
      if (message === null) continue
      isAnswered ||= id !== null && isAnswerTo(message, id)
      yield { ...(isPassed && { id: position }), data: JSON.stringify(withoutTools(message, context)) }
    }
  } catch {
    isResumable = false
  }
  // Without this the engine would wait forever. A stream with event ids may end early, because the engine resumes it.
  if (!isAnswered && !isResumable) yield { data: JSON.stringify(mcpError(id, brokenText(name))) }
}

const exchange = async (
  url: URL,
  call: McpRequest,
  credential: Headers,
  signal: AbortSignal,
  redirects = 0,
): Promise<IncomingMessage> => {
  const answer = await send(url, call, credential, signal)
  const { statusCode: status = 0, headers } = answer
  if (status < 300 || status >= 400) return answer
  answer.destroy()
  const next = URL.parse(headers.location ?? '', url)
  // Never send the credential to another origin.
  const isFollowed = (status === 307 || status === 308) && next?.origin === url.origin && redirects < REDIRECTS_MAX
  if (!isFollowed) throw new RedirectError('redirect')
  return exchange(next, call, credential, signal, redirects + 1)
}

type Headers = { readonly [name: string]: string }

class RedirectError extends Error {
  override readonly name = 'RedirectError'
}

/** Always a new connection: if a reused one breaks, it is unknown whether the call arrived. */
const send = (
  url: URL,
  { method, headers: from, message }: McpRequest,
  credential: Headers,
  signal: AbortSignal,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const body = message && JSON.stringify(message)
    const headers = {
      ...passedOn(from),
      ...(body !== null && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      'accept-encoding': 'identity',
      ...credential,
    }
    const ask = url.protocol === 'https:' ? requestHttps : requestHttp
    const request = ask(url, { method, headers, agent: false, signal })
    request.once('response', resolve).once('error', reject)
    request.end(body ?? undefined)
  })

/** Protocol headers; nothing else from the sandbox is passed on. */
const PASSED_ON = /^(accept|last-event-id|mcp-[a-z0-9-]+)$/

const passedOn = (headers: IncomingHttpHeaders): Headers =>
  Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && PASSED_ON.test(entry[0]),
    ),
  )

const passedHeaders = (headers: IncomingHttpHeaders, secrets: readonly string[]): Headers => {
  const { [SESSION_HEADER]: session } = headers
  const isPassed = typeof session === 'string' && !hasSecret(session, secrets)
  return isPassed ? { [SESSION_HEADER]: session } : {}
}

/** Names in lower case, so that they replace the engine's headers. */
const credentialOf = async ({ headers = {} }: EngineMcpAddress, { run: { key } }: McpRequest): Promise<Headers> => {
  const given = typeof headers === 'function' ? await headers({ sessionId: key.id, tenant: key.tenant }) : headers
  for (const [name, value] of Object.entries(given)) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Values to redact: an MCP server may echo its request headers. */
const secretsIn = (credential: Headers): readonly string[] =>
  Object.values(credential)
    .flatMap((value) => [value, value.slice(value.lastIndexOf(' ') + 1)])
    .filter((value) => value.length >= REDACTED_CHARS_MIN)
    .sort((a, b) => b.length - a.length)

const hasSecret = (text: string, secrets: readonly string[]): boolean => secrets.some((secret) => text.includes(secret))

/** Redacts after parsing: JSON can write each character of a credential in several ways. */
const parseRedacted = (text: string, secrets: readonly string[]): McpMessage | null => {
  const message = parseMcpMessage(text)
  return message && secrets.length > 0 ? (redacted(message, secrets) as McpMessage) : message
}

/** Keys too. A number counts as its digits: a credential may have no other characters. */
const redacted = (value: Json, secrets: readonly string[]): Json => {
  const within = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[credential]'), text)
  if (typeof value === 'string') return within(value)
  if (typeof value === 'number') return hasSecret(String(value), secrets) ? within(String(value)) : value
  if (Array.isArray(value)) return value.map((each) => redacted(each, secrets))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [within(name), redacted(each, secrets)]))
}

/** Removes excluded and duplicate tools from the answer to `tools/list`. */
const withoutTools = (message: McpMessage, { server, id, message: asked }: AnswerContext): McpMessage => {
  if (asked?.method !== 'tools/list' || id === null || !isAnswerTo(message, id)) return message
  const { tools, ...rest } = objectOf(message.result)
  if (!Array.isArray(tools)) return message
  const isTaken = toolFilter(server)
  const names = new Set<unknown>()
  const kept = (tools as readonly JsonObject[]).filter((tool) => {
    const { name } = objectOf(tool)
    const isFirst = !names.has(name)
    names.add(name)
    return typeof name === 'string' && isFirst && isTaken(name)
  })
  return { ...message, result: { ...rest, tools: kept } } as McpMessage
}

const calledTool = (message: McpMessage | null): string | null =>
  message?.method === 'tools/call' ? String(objectOf(message.params).name) : null

/** The first request of a connection, by the version of the protocol. */
const HANDSHAKES: ReadonlySet<unknown> = new Set(['initialize', 'server/discover'])

/** Requests without side effects. Any other request without an answer may have happened. */
const REPEATABLE: ReadonlySet<unknown> = new Set([
  ...['initialize', 'server/discover', 'ping', 'logging/setLevel', 'completion/complete'],
  ...['tools/list', 'prompts/list', 'prompts/get', 'resources/list', 'resources/templates/list', 'resources/read'],
  ...['tasks/get', 'tasks/list', 'tasks/result'],
])

const isRepeatable = (message: McpMessage | null): boolean => REPEATABLE.has(message?.method)

const repeatRefusal = (name: string): string =>
  `The server restarted while this request to the MCP server "${name}" was in progress. It is unknown whether it happened, so it was not repeated.`

const brokenText = (name: string): string =>
  `The connection to the MCP server "${name}" broke before the answer arrived. It is unknown whether the request happened.`

const reasonOf = (error: Error): string => {
  const { code } = error as NodeJS.ErrnoException
  return code === undefined ? '' : ` (${code})`
}

const readText = async (answer: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.byteLength
    if (bytes > MCP_MESSAGE_CHARS_MAX) throw new Error('The answer is too large.')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
