// Adds the key, and checks what it is spent on. Engines talk to this relay and never hold a key: the relay is in the runner, outside their walls. It holds a
// token of the host's credential proxy, or a real key where somebody started the runner by hand.
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { costUsd, priceOf } from '@bridle/model-data/prices'
import { MCP_MOUNT } from '../credentials/mcp-route.ts'
import { type Provider, REFUSAL_STATUSES } from '../credentials/providers/provider.ts'
import { encodeProxyRefusal, PROVIDER_NAMES, type ProviderName, providers } from '../credentials/providers.ts'
import { admitRequest, incomingCall, pathNotAllowed } from '../credentials/request-admission.ts'
import { findProviderRoute, type ProxyRefusal, requestAddress } from '../credentials/request-rules.ts'
import { sameSecret } from '../credentials/same-secret.ts'
import { isProxyRefusal, SpendLedger } from '../credentials/spending/spend-ledger.ts'
import type { RunnerHealth } from '../protocol/protocol.ts'
import { type McpTarget, relayMcpRequest } from './mcp-relay.ts'
import { forwardWhenReachable, type UnreachableVerdict, type Upstream } from './relay-exchange.ts'
import { type RunTerms, unlimitedTerms } from './run-terms.ts'

export type EnvVars = { readonly [name: string]: string | undefined }

export interface Relay {
  /** Opens a port of this machine for engines without a sandbox. */
  listen(): Promise<number>
  /** Serves a port that was opened inside a sandbox. */
  serve(listener: NetServer): void
  /** The base URL of the provider for an engine that reaches this port. The path is secret. */
  baseUrl(provider: ProviderName, port: number): string
  /** The address of an MCP server behind the relay, valid for one run. */
  mcpUrl(runPart: string, server: string, port: number): string
  close(): Promise<void>
}

export interface RelayOptions {
  readonly vars: () => EnvVars
  /** Null between runs: a process that an engine left behind gets no key. */
  readonly activeRun: () => RelayedRun | null
  readonly onStatus: (provider: ProviderName, status: number) => void
  /** Whether a request with an unreachable address waits. Absent = it does not. */
  readonly onUnreachable?: (provider: ProviderName, sinceMs: number) => UnreachableVerdict
  /** The interval of comments on a connection that waits for an MCP server. */
  readonly mcpCommentMs?: number
  /** Decides whether an MCP request waits while the server is down. Absent = it does not. */
  readonly onMcpUnreachable?: (sinceMs: number) => UnreachableVerdict
  /** The terms of the run in progress; absent = only paths and bodies are checked. */
  readonly terms?: RunTerms
}

/** The relay's view of a run. */
export interface RelayedRun {
  /** The secret part of its MCP addresses; absent = it has no MCP servers. */
  readonly mcpPart?: string
  /** The names of its MCP servers behind the relay. */
  readonly mcpServers?: readonly string[]
  /** Receives errors of `initialize`, by the name of the MCP server. */
  readonly mcpErrors?: Map<string, string>
}

export const createRelay = ({
  vars,
  activeRun,
  onStatus,
  onUnreachable = () => 'provider_away',
  onMcpUnreachable = () => 'provider_away',
  mcpCommentMs,
  terms = unlimitedTerms,
}: RelayOptions): Relay => {
  const secret = randomBytes(16).toString('hex')
  // Open MCP requests of each run.
  const mcpSlots = new WeakMap<RelayedRun, SpendLedger>()
  const handleMcp = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { pathSecret, runPart, server }: McpPath,
  ) => {
    const run = activeRun()
    if (!sameSecret(pathSecret, secret)) return refuse(outgoing, 404, 'Nothing is here.')
    // A leftover process may use the address of an earlier run.
    if (run?.mcpPart === undefined || !sameSecret(runPart, run.mcpPart))
      return refuse(outgoing, 403, 'The run has ended.')
    if (!run.mcpServers?.includes(server)) return refuse(outgoing, 404, `The run has no MCP server "${server}".`)
    const slots = mcpSlots.get(run) ?? new SpendLedger({ maxUsd: null })
    mcpSlots.set(run, slots)
    await relayMcpRequest(incoming, outgoing, {
      ...{ server, slots, onUnreachable: onMcpUnreachable },
      onInitializeError: (message) => run.mcpErrors?.set(server, message),
      ...(mcpCommentMs !== undefined && { commentMs: mcpCommentMs }),
      // Read again for each attempt: the next process of the server has another address.
      target: () => (activeRun() === run ? mcpTarget(vars()) : null),
    })
  }
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const mcp = parseMcpPath(incoming)
    if (mcp) return handleMcp(incoming, outgoing, mcp)
    const found = parseTarget(incoming)
    if (!found || !sameSecret(found.pathSecret, secret)) return refuse(outgoing, 404, 'Nothing is here.')
    const { name, provider, route, path, query } = found
    const run = activeRun()
    if (run === null) return refuse(outgoing, 403, 'No run is active.')
    const target = upstream(name, vars())
    if (!target) return refuse(outgoing, 401, `There is no key for ${name}.`)
    if (route?.kind === 'probe') return void outgoing.writeHead(200).end()
    const no = ([code, message]: ProxyRefusal) =>
      send(outgoing, REFUSAL_STATUSES[code], encodeProxyRefusal(provider, code, message))
    if (!route) return no(pathNotAllowed(incoming.method, found))
    const left = new AbortController()
    outgoing.once('close', () => left.abort())
    const admitted = await admitRequest(incomingCall(incoming, left.signal), route, terms(name))
    if (isProxyRefusal(admitted)) return no(admitted)
    outgoing.once('close', admitted.end)
    if (outgoing.destroyed) return admitted.end()
    const { body, model } = admitted
    const refusal = await forwardWhenReachable(incoming, outgoing, {
      path: `${provider.basePath}${path}${query}`,
      body,
      provider: name,
      onStatus: (status) => onStatus(name, status),
      onUsage: route.kind === 'answer' ? (usage) => admitted.settle(costUsd(usage, priceOf(model ?? ''))) : null,
      // Read again for each try: the next process of the server listens elsewhere.
      target: () => (activeRun() === run ? upstream(name, vars()) : null),
      onUnreachable: (sinceMs) => onUnreachable(name, sinceMs),
      signal: left.signal,
    })
    if (refusal) refuse(outgoing, ...refusal)
  }
  const servers = new Set<Server>()
  const open = (): Server => {
    const server = createServer((incoming, outgoing) => void handle(incoming, outgoing).catch(() => outgoing.destroy()))
    server.requestTimeout = 0
    servers.add(server)
    server.once('close', () => servers.delete(server))
    return server
  }
  let port: Promise<number> | null = null
  return {
    listen: () => {
      port ??= new Promise((resolve, reject) => {
        const server = open().once('error', reject)
        server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
      })
      return port
    },
    serve: (listener) => {
      const server = open()
      listener.once('close', () => {
        server.close()
        server.closeAllConnections()
      })
      server.listen(listener)
    },
    baseUrl: (provider, at) => `http://127.0.0.1:${at}/${secret}${providers[provider].mount}`,
    mcpUrl: (runPart, server, at) => `http://127.0.0.1:${at}/${secret}${MCP_MOUNT}/${runPart}/${server}`,
    close: async () => {
      const closing = [...servers].map((server) => new Promise((resolve) => server.close(resolve)))
      for (const server of servers) server.closeAllConnections()
      await Promise.all(closing)
    },
  }
}

/** The fields of a runner's health that say for which providers there is a key. */
export const keyHealth = (vars: EnvVars): Pick<RunnerHealth, Provider['healthField']> =>
  Object.fromEntries(
    PROVIDER_NAMES.map((name) => [providers[name].healthField, hasProviderKey(name, vars)]),
  ) as unknown as Pick<RunnerHealth, Provider['healthField']>

export const hasProviderKey = (provider: ProviderName, vars: EnvVars): boolean => upstream(provider, vars) !== null

const upstream = (name: ProviderName, vars: EnvVars): Upstream | null => {
  const { keyName, bearerName, urlName, vendorUrl, basePath, authorise } = providers[name]
  const key = vars[keyName]
  const bearer = bearerName && vars[bearerName]
  if (!key && !bearer) return null
  const base = (vars[urlName] || vendorUrl).replace(/\/$/, '')
  return {
    // The request's path has the base path already.
    base: base.endsWith(basePath) ? base.slice(0, base.length - basePath.length) : base,
    headers: key ? authorise(key) : { authorization: `Bearer ${bearer}` },
  }
}

interface McpPath {
  readonly pathSecret: string
  readonly runPart: string
  readonly server: string
}

/** `/<secret>/mcp/<run part>/<name>`; null = another path. */
const parseMcpPath = ({ url }: IncomingMessage): McpPath | null => {
  const [, pathSecret = '', mount = '', runPart = '', server = '', ...more] =
    requestAddress(url)?.pathname.split('/') ?? []
  return `/${mount}` === MCP_MOUNT && more.length === 0 ? { pathSecret, runPart, server } : null
}

const mcpTarget = ({ BRIDLE_MCP_URL: url, BRIDLE_MCP_TOKEN: token }: EnvVars): McpTarget | null =>
  url && token ? { url, token } : null

/** Null: the path is none of the relay's. */
const parseTarget = ({ method = '', url }: IncomingMessage) => {
  const address = requestAddress(url)
  const [, pathSecret = '', ...path] = address?.pathname.split('/') ?? []
  const found = address && findProviderRoute(method, `/${path.join('/')}`)
  return found && { ...found, pathSecret, query: address.search }
}

/** In a shape that the clients of both providers display. */
const refuse = (outgoing: ServerResponse, status: number, message: string): void =>
  send(outgoing, status, { type: 'error', error: { type: 'api_error', message } })

const send = (outgoing: ServerResponse, status: number, body: object): void => {
  if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy()
  outgoing.writeHead(status, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify(body))
}
