// An engine's request on its way to the provider. A run outlives its server, and so do its requests: while the server that lends the key
// is away, they wait for the next process, which may listen elsewhere.
import { type IncomingMessage, request as plainRequest, type ServerResponse } from 'node:http'
import { request as secureRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TokenUsage } from '@bridle/model-data/prices'
import type { ProviderName } from '../credentials/providers.ts'
import { usageMeter } from '../credentials/spending/usage-meter.ts'

/** While its server is away, a request tries again this often: a refused connection costs next to nothing. */
export const SERVER_RETRY_MS = 250

export interface Upstream {
  readonly base: string
  readonly headers: Record<string, string>
}

export interface ForwardedRequest {
  readonly path: string
  readonly body: string | null
  readonly provider: ProviderName
  readonly onStatus: (status: number) => void
  /** Called once, also for an answer that was cut; null = the request costs nothing. */
  readonly onUsage: ((usage: TokenUsage) => void) | null
}

/** `wait`: a server lends the key and may come back. The others say who is away. */
export type UnreachableVerdict = 'wait' | 'server_away' | 'provider_away'

interface PatientRequest extends ForwardedRequest {
  /** The address and the key now; null = the run has ended, or has no key any more. */
  readonly target: () => Upstream | null
  readonly onUnreachable: (sinceMs: number) => UnreachableVerdict
  /** Aborted when the engine leaves. */
  readonly signal: AbortSignal
}

type Refusal = readonly [status: number, message: string]

/** Returns the refusal for the engine; null = it has an answer, or has left. */
export const forwardWhenReachable = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { target, onUnreachable, signal, ...forwarded }: PatientRequest,
): Promise<Refusal | null> => {
  let firstFailedAt: number | null = null
  for (;;) {
    const upstream = target()
    if (!upstream) return [403, 'The run has ended.']
    const url = `${upstream.base}${forwarded.path}`
    // An invalid base URL would throw inside the request.
    if (!URL.canParse(url) || !/^https?:/.test(url)) return [400, 'The base URL of the provider is not a URL.']
    const failure = await send(incoming, outgoing, { ...forwarded, url, headers: upstream.headers })
    if (failure === null || signal.aborted) return null
    if (!AWAY.has(failure)) return [502, 'The provider cannot be reached.']
    // The next process of the server has named its address in the meantime.
    if (target()?.base !== upstream.base) continue
    firstFailedAt ??= Date.now()
    const sinceMs = Date.now() - firstFailedAt
    const verdict = onUnreachable(sinceMs)
    if (verdict === 'provider_away') return [502, 'The provider cannot be reached.']
    if (verdict === 'server_away') return [502, serverAwayMessage(sinceMs)]
    await sleep(SERVER_RETRY_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) return null
  }
}

const serverAwayMessage = (sinceMs: number): string =>
  `The server that lends the key of this run cannot be reached. It has been away for ${Math.round(sinceMs / 1_000)} seconds.`

/** Error codes of a server that has ended, or whose machine restarts. */
export const AWAY: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
])

/** Headers that the relay sets, and headers of a single connection. */
const DROPPED: ReadonlySet<string> = new Set([
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

/** Returns the code of the failure; null = the answer has begun, or the engine has left. */
const send = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { url, headers, body, provider, onStatus, onUsage }: SentRequest,
): Promise<string | null> =>
  new Promise((resolve) => {
    const kept = Object.entries(incoming.headers).filter(([name]) => !DROPPED.has(name))
    const ask = url.startsWith('https:') ? secureRequest : plainRequest
    const sent = {
      ...Object.fromEntries(kept),
      ...headers,
      // The meter reads the answer, so it must not be compressed.
      'accept-encoding': 'identity',
      ...(body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    }
    const leave = () => upstreamRequest.destroy()
    const upstreamRequest = ask(url, { method: incoming.method, headers: sent }, (answer) => {
      resolve(null)
      const status = answer.statusCode ?? 502
      onStatus(status)
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream') ?? false
      const meter =
        status < 300 ? usageMeter(provider, { isStream, requestBytes: Buffer.byteLength(body ?? '') }) : null
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
    upstreamRequest.on('error', (error: NodeJS.ErrnoException) => {
      if (outgoing.headersSent) outgoing.destroy()
      outgoing.off('close', leave)
      resolve(outgoing.headersSent ? null : (error.code ?? 'unknown'))
    })
    outgoing.once('close', leave)
    if (outgoing.destroyed) leave()
    upstreamRequest.end(body)
  })

interface SentRequest extends ForwardedRequest {
  readonly url: string
  readonly headers: Record<string, string>
}
