// Sends a checked request to a provider and streams the answer back, at the speed of its reader.

import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline } from 'node:stream/promises'
import type { TokenUsage } from '@bridle/model-data/prices'
import { ERROR_BYTES_MAX } from './limits.ts'
import type { ProxyRefusalCode } from './providers/provider.ts'
import { type ProviderName, providers } from './providers.ts'
import { usageMeter } from './spending/usage-meter.ts'

export interface UpstreamRequest {
  readonly provider: ProviderName
  readonly url: string
  readonly credential: UpstreamCredential
  /** Null: the request has no body. */
  readonly body: string | null
  readonly isMetered: boolean
  readonly silenceMs: number
  readonly signal: AbortSignal
  /** Called once, before the answer ends for the client, so that its next request meets the new sum. */
  readonly charge: (usage: TokenUsage) => void
}

export interface UpstreamCredential {
  readonly secret: string
  readonly headers: (from: IncomingHttpHeaders) => { readonly [name: string]: string }
  /** The words for the moment when the provider refuses it. */
  readonly refusal: string
}

export interface UpstreamResult {
  readonly status: number
  /** A refusal to send instead of the provider's answer; null = the answer was passed on. */
  readonly refused: readonly [ProxyRefusalCode, string] | null
}

/** The status in the log for a client that left before the answer. */
const LEFT = 499

export const exchangeWithProvider = async (
  passage: UpstreamRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<UpstreamResult> => {
  const { provider, credential, isMetered, body, charge } = passage
  const { secret: key, refusal } = credential
  const { title } = providers[provider]
  const requestBytes = Buffer.byteLength(body ?? '')
  const refused = (code: ProxyRefusalCode, message: string): UpstreamResult => ({ status: 0, refused: [code, message] })

  const answer = await sendUpstream(passage, request).catch(() => null)
  if (!answer && passage.signal.aborted) {
    // The provider may be at work already: leaving before it answers is not free either.
    if (isMetered) charge(usageMeter(provider, { isStream: true, requestBytes }).total())
    response.destroy()
    return { status: LEFT, refused: null }
  }
  if (!answer) return refused('upstream_failed', `${title} could not be reached from this server. Check its network.`)
  const { statusCode: status = 502, headers } = answer
  if (status === 401) {
    answer.destroy()
    return refused('key_refused', refusal)
  }
  // Following a redirect would send the key to another host.
  if (status < 200 || (status >= 300 && status < 400)) {
    answer.destroy()
    return refused('upstream_failed', `${title} answered with a redirect, which is not followed.`)
  }
  if (status >= 400) {
    // Some gateways repeat what they were sent.
    const text = Buffer.from((await readError(answer)).replaceAll(key, '[key]'))
    const { 'content-length': _, ...rest } = forwardedHeaders(headers, key)
    response.writeHead(status, rest).end(text)
    return { status, refused: null }
  }

  response.writeHead(status, forwardedHeaders(headers, key))
  response.flushHeaders()
  const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false
  let meter = isMetered ? usageMeter(provider, { isStream, requestBytes }) : null
  const settle = () => {
    if (meter) charge(meter.total())
    meter = null
  }
  if (meter) answer.on('data', (bytes: Buffer) => meter?.read(bytes)).once('end', settle)
  // Either end may disconnect. Close the other connection, and count the bytes that passed.
  await pipeline(answer, response).catch(() => {})
  settle()
  return { status, refused: null }
}

const sendUpstream = (passage: UpstreamRequest, from: IncomingMessage, isAgain = false): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { url, credential, body, silenceMs, signal } = passage
    const { 'content-length': _, ...rest } = forwardedHeaders(from.headers, null)
    const headers = {
      ...rest,
      ...credential.headers(from.headers),
      // The meter reads the answer, so it must not be compressed.
      'accept-encoding': 'identity',
      ...(body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    }
    const request = url.startsWith('https:') ? requestHttps : requestHttp
    const call = request(url, { method: from.method, headers, timeout: silenceMs, signal })
    call.once('timeout', () => call.destroy(new Error('silence')))
    call.once('response', resolve)
    call.on('error', (error: NodeJS.ErrnoException) => {
      // The provider closed the reused connection before it read the request: send it again.
      if (call.reusedSocket && error.code === 'ECONNRESET' && !isAgain) resolve(sendUpstream(passage, from, true))
      else reject(error)
    })
    call.end(body)
  })

const readError = async (answer: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      bytes += part.byteLength
      if (bytes > ERROR_BYTES_MAX) break
      parts.push(part)
    }
  } catch {
    // The connection broke: return the part that arrived.
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Headers of a single connection, and headers that identify the caller. The proxy passes neither kind on. */
const droppedHeaders =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|expect|cookie2?|set-cookie2?|authorization|x-api-key|forwarded|x-forwarded-.*|x-real-ip|via|accept-encoding|alt-svc|strict-transport-security|clear-site-data)$/

const forwardedHeaders = (headers: IncomingHttpHeaders, key: string | null): { [name: string]: string | string[] } => {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] =>
        entry[1] !== undefined &&
        !droppedHeaders.test(entry[0]) &&
        !named.has(entry[0]) &&
        !(key !== null && String(entry[1]).includes(key)),
    ),
  )
}
