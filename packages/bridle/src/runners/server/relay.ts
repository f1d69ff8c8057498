// Adds the key. Engines talk to this relay and never hold a key: the relay is in the runner, outside their walls. It holds a
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
import type { Provider } from '../credentials/providers/provider.ts'
import { PROVIDER_NAMES, type ProviderName, providers } from '../credentials/providers.ts'
import { sameSecret } from '../credentials/same-secret.ts'
import type { RunnerHealth } from '../protocol.ts'

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
}

export const createRelay = ({ vars, isOpen, onStatus }: RelayOptions): Relay => {
  const secret = randomBytes(16).toString('hex')
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const [, pathSecret, name, ...path] = (incoming.url ?? '').split('/')
    const provider = PROVIDER_NAMES.find((each) => each === name)
    if (!sameSecret(pathSecret ?? '', secret) || !provider) return refuse(outgoing, 404, 'Nothing is here.')
    if (!isOpen()) return refuse(outgoing, 403, 'No run is under way.')
    const target = upstream(provider, vars())
    if (!target) return refuse(outgoing, 401, `There is no key for ${provider}.`)
    forward(incoming, outgoing, `${target.base}/${path.join('/')}`, target.headers, (status) =>
      onStatus(provider, status),
    )
  }
  const servers = new Set<Server>()
  const open = (): Server => {
    const server = createServer(handle)
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

const forward = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  url: string,
  headers: Record<string, string>,
  onStatus: (status: number) => void,
): void => {
  const kept = Object.entries(incoming.headers).filter(([name]) => !DROPPED.has(name))
  // An invalid base URL would throw inside the request.
  if (!URL.canParse(url) || !/^https?:/.test(url))
    return refuse(outgoing, 400, 'The base URL of the provider is not a URL.')
  const ask = url.startsWith('https:') ? secureRequest : plainRequest
  const upstreamRequest = ask(
    url,
    { method: incoming.method, headers: { ...Object.fromEntries(kept), ...headers } },
    (answer) => {
      const status = answer.statusCode ?? 502
      onStatus(status)
      outgoing.writeHead(
        status,
        Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !DROPPED.has(name))),
      )
      answer.pipe(outgoing)
      // Cut the engine's connection when the provider's is cut: half an answer must not look complete.
      answer.on('error', () => outgoing.destroy())
      answer.on('aborted', () => outgoing.destroy())
    },
  )
  upstreamRequest.on('error', () => {
    if (outgoing.headersSent) outgoing.destroy()
    else refuse(outgoing, 502, 'The provider cannot be reached.')
  })
  outgoing.on('close', () => upstreamRequest.destroy())
  incoming.pipe(upstreamRequest)
}

/** In a shape that the clients of both providers display. */
const refuse = (outgoing: ServerResponse, status: number, message: string): void => {
  outgoing.writeHead(status, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify({ type: 'error', error: { type: 'api_error', message } }))
}
