// The one way out of a sandbox that has a list of hosts: an HTTP proxy, at a port that was opened inside. It tunnels `CONNECT host:port` and
// passes on `GET http://host/…`, after the policy allowed the name and each of its addresses was found to be public.
// Each connection carries one request, so a count of connections bounds everything that a sandbox can make it do.

import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Server as NetServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionFailure, connectAddress, connectChecked, lookupPublicName } from './checked-connection.ts'
import type { CheckedRequestOptions } from './checked-request.ts'
import { type Destination, formatHost, parseDestination } from './destination.ts'
import { EGRESS_LIMITS, type EgressLimits } from './egress-limits.ts'
import { destinationCheck, type NetworkPolicy, parseNetworkPolicy } from './network-policy.ts'
import { isPrivateAddress } from './private-addresses.ts'
import { forwardExchange, isKnownVersion, parseProxyRequest } from './proxy-request.ts'

export interface EgressProxyOptions extends Omit<CheckedRequestOptions, 'ca'> {
  readonly policy: NetworkPolicy
  /** Called once per request. A sandbox may cause any number of calls. */
  readonly report?: (entry: EgressLogEntry) => void
  readonly limits?: Partial<EgressLimits>
}

export interface EgressLogEntry {
  /** Null where the request names no valid host. */
  readonly host: string | null
  readonly port: number | null
  readonly outcome: EgressOutcome
}

export interface EgressProxy {
  /** Serves a port that was opened inside a sandbox, until the sandbox closes it. */
  serve(listener: NetServer): void
  /** Also ends open tunnels. */
  close(): Promise<void>
}

export const createEgressProxy = (options: EgressProxyOptions): EgressProxy => {
  const { lookup = lookupPublicName, connect = connectAddress } = options
  const limits = { ...EGRESS_LIMITS, ...options.limits }
  const isAllowed = destinationCheck(parseNetworkPolicy(options.policy))
  const open = new Set<Socket>()
  const served = new WeakSet<Duplex>()

  const report = (destination: Destination | null, outcome: EgressOutcome) => {
    try {
      options.report?.({ host: destination?.host ?? null, port: destination?.port ?? null, outcome })
    } catch {
      // A log that fails changes nothing for the sandbox.
    }
  }

  /** Whether this is the first request of its connection; a second one ends it. */
  const isFirst = (socket: Duplex): boolean => {
    if (served.has(socket)) {
      socket.destroy()
      return false
    }
    served.add(socket)
    return true
  }

  const reach = async (destination: Destination, client: Duplex): Promise<Socket | EgressRefusal> => {
    if (!isAllowed(destination)) return 'not_allowed'
    const left = new AbortController()
    const leave = () => left.abort()
    client.once('close', leave)
    try {
      const { isPrivate = isPrivateAddress } = options
      const upstream = await connectChecked(destination, { ...limits, lookup, connect, isPrivate, signal: left.signal })
      if (typeof upstream !== 'string' && left.signal.aborted) {
        upstream.destroy()
        return 'unreachable'
      }
      return upstream
    } finally {
      client.off('close', leave)
    }
  }

  const tunnel = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    const destination = parseDestination(request.url ?? '', null)
    if (!destination || !isKnownVersion(request)) {
      report(null, 'bad_request')
      return endConnection(
        client,
        'bad_request',
        'CONNECT needs a host name and a port, as in CONNECT api.github.com:443.',
      )
    }
    const upstream = await reach(destination, client)
    if (typeof upstream === 'string') {
      report(destination, upstream)
      return endConnection(client, upstream, egressRefusalText(upstream, destination))
    }
    report(destination, 'connected')
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    joinSockets(client as Socket, upstream, limits)
  }

  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.shouldKeepAlive = false
    const parsed = parseProxyRequest(request)
    if (typeof parsed === 'string') {
      report(null, 'bad_request')
      return sendEgressRefusal(response, 'bad_request', parsed)
    }
    const { destination } = parsed
    const upstream = await reach(destination, request.socket)
    if (typeof upstream === 'string') {
      report(destination, upstream)
      return sendEgressRefusal(response, upstream, egressRefusalText(upstream, destination))
    }
    report(destination, 'connected')
    const failure = await forwardExchange(parsed, { request, response, upstream, ...limits })
    if (failure !== null) sendEgressRefusal(response, failure, egressRefusalText(failure, destination))
  }

  const create = () => {
    const server = createServer(
      {
        maxHeaderSize: limits.headerBytesMax,
        headersTimeout: limits.headersMs,
        connectionsCheckingInterval: limits.headersMs,
        // A long upload is bounded by silence, not by its length.
        requestTimeout: 0,
        insecureHTTPParser: false,
      },
      (request, response) => {
        if (isFirst(request.socket)) exchange(request, response).catch(() => void response.destroy())
      },
    )
    server.on('connect', (request, client, head) => {
      // Node has taken its own listeners off: without one an error of this connection would end the process.
      client.on('error', () => client.destroy())
      if (isFirst(client)) tunnel(request, client, head).catch(() => void client.destroy())
    })
    server.on('connection', (client) => {
      open.add(client)
      client.once('close', () => open.delete(client))
      if (open.size <= limits.connectionsMax) return
      served.add(client)
      report(null, 'too_many_connections')
      endConnection(client, 'too_many_connections', `A sandbox may have ${limits.connectionsMax} connections at once.`)
    })
    server.on('clientError', (error: NodeJS.ErrnoException, client) => {
      if (served.has(client)) return void client.destroy()
      served.add(client)
      report(null, 'bad_request')
      const isLong = error.code === 'HPE_HEADER_OVERFLOW'
      const text = isLong
        ? `A request may have ${limits.headerBytesMax} bytes of headers.`
        : 'The request is not valid HTTP.'
      endConnection(client, 'bad_request', text)
    })

    return server
  }

  const servers = new Set<Server>()
  return {
    serve: (listener) => {
      const server = create()
      servers.add(server)
      listener.once('close', () => server.close(() => servers.delete(server)))
      server.listen(listener)
    },
    close: async () => {
      const closing = [...servers].map((server) => new Promise((resolve) => server.close(resolve)))
      for (const client of open) client.destroy()
      await Promise.all(closing)
    },
  }
}

const sendEgressRefusal = (response: ServerResponse, refusal: EgressRefusal, text: string): void => {
  if (response.headersSent || response.destroyed) return void response.destroy()
  response.writeHead(egressRefusalStatus[refusal], { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  response.end(`${text}\n`)
}

/** Sends the same answer on a bare connection, which has no response object. */
const endConnection = (client: Duplex, refusal: EgressRefusal, text: string): void => {
  if (!client.writable) return void client.destroy()
  const status = egressRefusalStatus[refusal]
  const headers = `content-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text) + 1}\r\nconnection: close`
  client.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n\r\n${text}\n`, () => client.destroy())
}

interface TunnelLimits {
  readonly idleMs: number
  /** The silence that is allowed after one side has finished. */
  readonly halfOpenMs: number
}

/** An end that finishes is passed on; the other direction stays open until it finishes too, fails, or is silent for too long. */
const joinSockets = (one: Socket, other: Socket, { idleMs, halfOpenMs }: TunnelLimits): void => {
  const end = () => {
    one.destroy()
    other.destroy()
  }
  const follow = (from: Socket, to: Socket) => {
    from.setTimeout(idleMs, end)
    from.on('error', end)
    from.once('end', () => {
      from.setTimeout(halfOpenMs)
      to.setTimeout(halfOpenMs)
    })
    // Bytes that are still on their way to a slow reader arrive first; the time limit above bounds how long.
    from.once('close', (hadError) => (hadError ? end() : to.destroySoon()))
    if (from.destroyed) end()
    else from.pipe(to)
  }
  follow(one, other)
  follow(other, one)
}

/** The refusals of the egress proxy, each with its status and a text for the agent that reads it. */
type EgressRefusal = 'bad_request' | 'not_allowed' | 'too_many_connections' | ConnectionFailure
type EgressOutcome = 'connected' | EgressRefusal

const egressRefusalStatus: { readonly [R in EgressRefusal]: number } = {
  bad_request: 400,
  not_allowed: 403,
  private_address: 403,
  name_not_found: 502,
  unreachable: 502,
  timeout: 504,
  too_many_connections: 503,
}

/** The host is one that was parsed, so it carries no line break and no markup. */
const egressRefusalText = (refusal: EgressRefusal, { host, port }: Destination): string => {
  const name = formatHost(host)
  return {
    bad_request: `The request for ${name} is not valid HTTP.`,
    not_allowed: `This sandbox may not reach ${name}:${port}${advice(name, port)}`,
    private_address: `${name} has a private address, which no sandbox reaches; network: { allow: [...] } opens public hosts only.`,
    name_not_found: `The name ${name} could not be resolved.`,
    unreachable: `${name}:${port} could not be reached, or broke off.`,
    timeout: `${name}:${port} did not answer in time.`,
    too_many_connections: 'The sandbox has too many connections.',
  }[refusal]
}

/** Suggests only settings that Bridle accepts: the agent repeats the text to a person. */
const advice = (name: string, port: number): string => {
  const entry = port === 443 || port === 80 ? name : `${name}:${port}`
  try {
    parseNetworkPolicy({ allow: [entry] })
    return `. An operator opens it with network: { allow: ['${entry}'] }.`
  } catch {
    return '; network: { allow: [...] } opens public hosts only.'
  }
}
