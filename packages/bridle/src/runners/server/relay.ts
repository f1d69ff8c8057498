// Adds the key, and checks what it is spent on. Engines talk to this relay and never hold a key: the relay is in the runner, outside their walls. It holds a
// token of the host's credential proxy, or a real key where somebody started the runner by hand.
import { randomBytes } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  request as plainRequest,
  type Server,
  type ServerResponse,
} from 'node:http'
import { request as secureRequest } from 'node:https'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { costUsd, priceOf, type TokenUsage } from '../../model-data/prices.ts'
import { type Provider, REFUSAL_STATUSES } from '../credentials/providers/provider.ts'
import { encodeProxyRefusal, PROVIDER_NAMES, type ProviderName, providers } from '../credentials/providers.ts'
import { admitRequest, pathNotAllowed } from '../credentials/request-admission.ts'
import { findProviderRoute, type ProviderTarget, type ProxyRefusal } from '../credentials/request-rules.ts'
import { sameSecret } from '../credentials/same-secret.ts'
import { isProxyRefusal } from '../credentials/spending/spend-ledger.ts'
import { usageMeter } from '../credentials/spending/usage-meter.ts'
import type { RunnerHealth } from '../protocol.ts'

import { type RunTerms, unlimitedTerms } from './run-terms.ts'

export type EnvVars = { readonly [name: string]: string | undefined }

export interface Relay {
  /** Opens a port of this machine for engines without a sandbox. */
  listen(): Promise<number>
  /** Serves a port that was opened inside a sandbox. */
  serve(listener: NetServer): void
  /** The base URL of the provider for an engine that reaches this port. The path is secret. */
  baseUrl(provider: ProviderName, port: number): string
  close(): Promise<void>
}

export interface RelayOptions {
  readonly vars: () => EnvVars
  /** False between runs: a process that an engine left behind gets no key. */
  readonly isOpen: () => boolean
  readonly onStatus: (provider: ProviderName, status: number) => void
  /** The terms of the run in progress; absent = only paths and bodies are checked. */
  readonly terms?: RunTerms
}

export const createRelay = ({ vars, isOpen, onStatus, terms = unlimitedTerms }: RelayOptions): Relay => {
  const secret = randomBytes(16).toString('hex')
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const found = parseTarget(incoming)
    if (!found || !sameSecret(found.pathSecret, secret)) return refuse(outgoing, 404, 'Nothing is here.')
    const { name, provider, route, path, query } = found
    if (!isOpen()) return refuse(outgoing, 403, 'No run is under way.')
    const target = upstream(name, vars())
    if (!target) return refuse(outgoing, 401, `There is no key for ${name}.`)
    if (route?.kind === 'probe') return void outgoing.writeHead(200).end()
    const no = ([code, message]: ProxyRefusal) =>
      send(outgoing, REFUSAL_STATUSES[code], encodeProxyRefusal(provider, code, message))
    if (!route) return no(pathNotAllowed(incoming.method, found))
    const left = new AbortController()
    outgoing.once('close', () => left.abort())
    const own = terms(name)
    const admitted = await admitRequest(incoming, route, own, left.signal)
    if (isProxyRefusal(admitted)) return no(admitted)
    outgoing.once('close', admitted.end)
    if (outgoing.destroyed) return admitted.end()
    const { body, model } = admitted
    forward(incoming, outgoing, {
      url: `${target.base}${provider.basePath}${path}${query}`,
      headers: target.headers,
      body,
      provider: name,
      onStatus: (status) => onStatus(name, status),
      onUsage: route.kind === 'answer' ? (usage) => admitted.settle(costUsd(usage, priceOf(model ?? ''))) : null,
    })
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

const upstream = (name: ProviderName, vars: EnvVars): { base: string; headers: Record<string, string> } | null => {
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

/** Headers that the relay sets, and headers of a single connection. */
const DROPPED = new Set([
  'host',
  'connection',
  'authorization',
  'x-api-key',
  'cookie',
  'transfer-encoding',
  'keep-alive',
  'trailer',
  'te',
  'expect',
  'upgrade',
])

interface ForwardedRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: Buffer | null
  readonly provider: ProviderName
  readonly onStatus: (status: number) => void
  /** Called once, also for an answer that was cut; null = the request costs nothing. */
  readonly onUsage: ((usage: TokenUsage) => void) | null
}

const forward = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { url, headers, body, provider, onStatus, onUsage }: ForwardedRequest,
): void => {
  const kept = Object.entries(incoming.headers).filter(([name]) => !DROPPED.has(name))
  // An invalid base URL would throw inside the request.
  if (!URL.canParse(url) || !/^https?:/.test(url))
    return refuse(outgoing, 400, 'The base URL of the provider is not a URL.')
  const ask = url.startsWith('https:') ? secureRequest : plainRequest
  const sent = {
    ...Object.fromEntries(kept),
    ...headers,
    // The meter reads the answer, so it must not be compressed.
    'accept-encoding': 'identity',
    ...(body && { 'content-type': 'application/json', 'content-length': String(body.byteLength) }),
  }
  const upstreamRequest = ask(url, { method: incoming.method, headers: sent }, (answer) => {
    const status = answer.statusCode ?? 502
    onStatus(status)
    const isStream = answer.headers['content-type']?.startsWith('text/event-stream') ?? false
    const meter = status < 300 ? usageMeter(provider, { isStream, requestBytes: body?.byteLength ?? 0 }) : null
    let isCharged = false
    const charge = () => {
      if (!isCharged && meter) onUsage?.(meter.total())
      isCharged = true
    }
    if (onUsage && meter) answer.on('data', (bytes: Buffer) => meter.read(bytes)).once('end', charge)
    // Before the reservation ends: `close` comes for an answer that was cut, too.
    outgoing.prependOnceListener('close', charge)
    outgoing.writeHead(
      status,
      Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !DROPPED.has(name))),
    )
    answer.pipe(outgoing)
    // Cut the engine's connection when the provider's is cut: half an answer must not look complete.
    answer.on('error', () => outgoing.destroy())
    answer.on('aborted', () => outgoing.destroy())
  })
  upstreamRequest.on('error', () => {
    if (outgoing.headersSent) outgoing.destroy()
    else refuse(outgoing, 502, 'The provider cannot be reached.')
  })
  outgoing.on('close', () => upstreamRequest.destroy())
  upstreamRequest.end(body)
}

interface RelayTarget extends ProviderTarget {
  readonly pathSecret: string
  readonly query: string
}

/** Null: the path is none of the relay's. */
const parseTarget = ({ method = '', url = '' }: IncomingMessage): RelayTarget | null => {
  if (!url.startsWith('/') || !URL.canParse(url, 'http://relay')) return null
  const { pathname, search } = new URL(url, 'http://relay')
  const [, pathSecret = '', ...path] = pathname.split('/')
  const found = findProviderRoute(method, `/${path.join('/')}`)
  return found && { ...found, pathSecret, query: search }
}

/** In a shape that the clients of both providers display. */
const refuse = (outgoing: ServerResponse, status: number, message: string): void =>
  send(outgoing, status, { type: 'error', error: { type: 'api_error', message } })

const send = (outgoing: ServerResponse, status: number, body: object): void => {
  if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy()
  outgoing.writeHead(status, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify(body))
}
