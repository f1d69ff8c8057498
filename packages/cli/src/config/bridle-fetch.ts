// Requests to a server that should be Bridle. If another program answers, say so: its 404 would look like an unknown session.
import { durationText } from '@bridle/words/index'
import type { CliOutput } from '../terminal/output.ts'
import { withWorkingLine } from '../terminal/working-line.ts'
import { UnreachableError } from './server-url.ts'

/** For the probe whether a server is Bridle, which gives up on slower programs. */
const FOREIGN_PROBE_MS = 3_000
/** Even a busy server answers a plain request within this time. */
const ANSWER_MS = 30_000

const NOT_BRIDLE = 'not_bridle'

export const notBridleText = (url: string): string =>
  `${url} is no Bridle server: another program answers there. Name the server with --url or BRIDLE_URL.`

export const NO_ANSWER = 'no_answer'

export const PROXY_ERROR = 'proxy_error'

export interface FetchPatience {
  readonly out: CliOutput
  /** Time until a response starts. Null: unlimited, for requests that copy a folder first. */
  readonly answerMs?: number | null
}

/** `fetch` for one server. Other programs' responses become status 421. With `patience`, waiting is shown and ends with 504. */
export const bridleFetch = (
  url: string,
  patience: FetchPatience | null = null,
  onAnswer: () => void = () => {},
): ((to: string, init: RequestInit) => Promise<Response>) => {
  let isKnown = false
  const patient = patience && patientFetch(url, patience)
  return async (to, init) => {
    const response = await (patient && isPlain(init) ? patient : fetch)(to, init).catch((cause: unknown) => {
      throw init.signal?.aborted ? cause : new UnreachableError(url, { cause })
    })
    const isOurs = isKnown || isFromBridle(response) || isOfProxy(response)
    // A server that ignores the probe gets the benefit of the doubt.
    if (!isOurs) isKnown = (await programAt(url, FOREIGN_PROBE_MS)) !== 'other'
    if (isOurs || isKnown) {
      if (isOfProxy(response) && !isFromBridle(response) && !isJson(response)) return proxyError(url, response)
      onAnswer()
      return response
    }
    await response.body?.cancel()
    return Response.json({ error: { type: NOT_BRIDLE, message: notBridleText(url) } }, { status: 421 })
  }
}

/** Streams and runs have a signal, and their callers report waiting themselves. An upload takes as long as the network needs. */
const isPlain = ({ signal, body }: RequestInit): boolean => !signal && !(body instanceof Blob)

const patientFetch = (url: string, { out, answerMs = ANSWER_MS }: FetchPatience): typeof fetch => {
  let waiting = 0
  let stopLine = () => {}
  return async (to, init) => {
    const patience = new AbortController()
    const timer = answerMs === null ? undefined : setTimeout(() => patience.abort(), answerMs)
    // Concurrent requests share one terminal line.
    if (++waiting === 1) stopLine = withWorkingLine(out, { words: () => `waiting for the server at ${url}` }).stop
    try {
      return await fetch(to, { ...init, signal: patience.signal })
    } catch (error) {
      if (answerMs === null || !patience.signal.aborted) throw error
      const message = noAnswerText(url, answerMs, init?.method ?? 'GET')
      return Response.json({ error: { type: NO_ANSWER, message } }, { status: 504 })
    } finally {
      clearTimeout(timer)
      if (--waiting === 0) stopLine()
    }
  }
}

const noAnswerText = (url: string, answerMs: number, method: string): string =>
  [
    `The server at ${url} takes the request and does not answer within ${durationText(answerMs)}.`,
    ...(method === 'GET' ? [] : ['Whether it did what was asked is not known.']),
    'Look at its log and start it again, or name another server with --url or BRIDLE_URL.',
  ].join(' ')

/** Bridle marks responses of its routes. Proxies may strip the mark and unknown routes lack it, so both are probed. */
const isFromBridle = ({ headers }: Response): boolean => headers.has('x-correlation-id')

/** A proxy whose server restarts or is overloaded. Clients retry. */
const isOfProxy = ({ status }: Response): boolean => [429, 502, 503, 504].includes(status)

const isJson = ({ headers }: Response): boolean => headers.get('content-type')?.includes('json') === true

/** Replaces the proxy's HTML with an error. Keeps status and `retry-after`, which clients act on. */
const proxyError = async (url: string, { status, headers, body }: Response): Promise<Response> => {
  await body?.cancel()
  const retryAfter = headers.get('retry-after')
  const message = `A proxy at ${url} answered ${status}. Look at the server behind it, or try again later.`
  return Response.json(
    { error: { type: PROXY_ERROR, message } },
    { status, ...(retryAfter !== null && { headers: { 'retry-after': retryAfter } }) },
  )
}

/** `/ready` has a distinctive body, whereas many programs answer `/health`. `unknown`: no response, or one of a proxy. */
export const programAt = async (url: string, timeoutMs: number): Promise<'bridle' | 'other' | 'unknown'> => {
  const probe = new URL('ready', url.endsWith('/') ? url : `${url}/`)
  const answer = await fetch(probe, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => null)
  if (answer === null) return 'unknown'
  if (isFromBridle(answer) || isOfProxy(answer)) {
    await answer.body?.cancel()
    return isFromBridle(answer) ? 'bridle' : 'unknown'
  }
  const body = (await answer.json().catch(() => null)) as { readonly ready?: unknown } | null
  return typeof body?.ready === 'boolean' ? 'bridle' : 'other'
}
