// Adds the key. Engines talk to this relay inside the sandbox and never hold a key; the relay holds what `setEnvVars` gave
// it last: a token of the host's credential proxy, or a real key where somebody started the runner by hand.
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, request as plainRequest, type ServerResponse } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { AddressInfo } from 'node:net'

export type Provider = 'anthropic' | 'openai'
export type Vars = { readonly [name: string]: string | undefined }

export interface Relay {
  /** Where an engine finds its provider. Only who is told can guess it. */
  baseUrl(provider: Provider): string
  close(): Promise<void>
}

export interface RelayOptions {
  readonly vars: () => Vars
  /** No run, no key: what an engine left behind gets nothing. */
  readonly isOpen: () => boolean
  readonly onStatus: (provider: Provider, status: number) => void
}

export const startRelay = async ({ vars, isOpen, onStatus }: RelayOptions): Promise<Relay> => {
  const secret = randomBytes(16).toString('hex')
  const server = createServer((incoming, outgoing) => {
    const [, given, provider, ...path] = (incoming.url ?? '').split('/')
    if (given !== secret || (provider !== 'anthropic' && provider !== 'openai'))
      return refuse(outgoing, 404, 'Nothing is here.')
    if (!isOpen()) return refuse(outgoing, 403, 'No run is under way.')
    const target = upstream(provider, vars())
    if (!target) return refuse(outgoing, 401, `There is no key for ${provider}.`)
    forward(incoming, outgoing, `${target.base}/${path.join('/')}`, target.headers, (status) =>
      onStatus(provider, status),
    )
  })
  server.requestTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${secret}`
  return {
    baseUrl: (provider) => (provider === 'openai' ? `${at}/openai/v1` : `${at}/anthropic`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const hasKey = (provider: Provider, vars: Vars): boolean => upstream(provider, vars) !== null

const upstream = (provider: Provider, vars: Vars): { base: string; headers: Record<string, string> } | null => {
  if (provider === 'openai') {
    const { OPENAI_API_KEY: key, OPENAI_BASE_URL: base = 'https://api.openai.com/v1' } = vars
    // The path begins with the version, and so does the base.
    return key ? { base: base.replace(/\/v1\/?$/, ''), headers: { authorization: `Bearer ${key}` } } : null
  }
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: token } = vars
  const base = (vars.ANTHROPIC_BASE_URL || 'https://api.anthropic.com').replace(/\/$/, '')
  if (key) return { base, headers: { 'x-api-key': key } }
  return token ? { base, headers: { authorization: `Bearer ${token}` } } : null
}

/** Ours to say, or not to be passed on. */
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
  // A base that is none would throw in the request itself.
  if (!URL.canParse(url) || !/^https?:/.test(url))
    return refuse(outgoing, 400, 'The base URL of the provider makes no sense.')
  const ask = url.startsWith('https:') ? secureRequest : plainRequest
  const asked = ask(
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
      // Cut upstream is cut here: the engine knows what to do about it, and half an answer must not look whole.
      answer.on('error', () => outgoing.destroy())
      answer.on('aborted', () => outgoing.destroy())
    },
  )
  asked.on('error', () => {
    if (outgoing.headersSent) outgoing.destroy()
    else refuse(outgoing, 502, 'The provider cannot be reached.')
  })
  outgoing.on('close', () => asked.destroy())
  incoming.pipe(asked)
}

/** In the shape that both providers' clients show. */
const refuse = (outgoing: ServerResponse, status: number, message: string): void => {
  outgoing.writeHead(status, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify({ type: 'error', error: { type: 'api_error', message } }))
}
