// Requests to a server that should be Bridle. Where another program answers, a command must say so, and not that its session does
// not exist: a 404 of any other server looks like the 404 of an unknown session.
import { durationText } from '@bridle/words/index'
import type { CliOutput } from '../terminal/output.ts'
import { withWorkingLine } from '../terminal/working-line.ts'
import { UnreachableError } from './server-url.ts'

/** The question whether the program at an address is Bridle: a program that keeps it waiting longer is asked no further. */
const FOREIGN_PROBE_MS = 3_000
/** A plain request gets its answer in this time, also from a server that is busy; a longer silence is a server that hangs. */
const ANSWER_MS = 30_000

/** The `type` of the error where the program at the address is not Bridle. */
export const NOT_BRIDLE = 'not_bridle'

export const notBridleText = (url: string): string =>
  `${url} is no Bridle server: another program answers there. Name the server with --url or BRIDLE_URL.`

/** The `type` of the error where a server takes the request and does not answer. */
export const NO_ANSWER = 'no_answer'

/** The `type` of the error where a proxy answers with a page of its own. */
export const PROXY_ERROR = 'proxy_error'

export interface FetchPatience {
  readonly out: CliOutput
  /** The time for an answer to begin; null = as long as it takes. */
  readonly answerMs?: number | null
}

/**
 * `fetch` for one server. An answer of another program becomes status 421, "misdirected request", with an error that says so. With a
 * patience, plain requests do not wait in silence, nor forever: no answer becomes status 504.
 */
export const bridleFetch = (
  url: string,
  patience: FetchPatience | null = null,
  /** Called before each answer of Bridle is passed on. */
  onAnswer: () => void = () => {},
): ((to: string, init: RequestInit) => Promise<Response>) => {
  let isKnown = false
  const patient = patience && patientFetch(url, patience)
  return async (to, init) => {
    const response = await (patient && isPlain(init) ? patient : fetch)(to, init).catch((cause: unknown) => {
      throw init.signal?.aborted ? cause : new UnreachableError(url, { cause })
    })
    const isOurs = isKnown || isFromBridle(response) || isOfProxy(response)
    // A server that does not answer the probe is not accused.
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

/** Streams and runs have a signal: their caller says itself what it waits for, and leaves when it likes. A file takes as long as the network needs. */
const isPlain = ({ signal, body }: RequestInit): boolean => !signal && !(body instanceof Blob)

const patientFetch = (url: string, { out, answerMs = ANSWER_MS }: FetchPatience): typeof fetch => {
  let waiting = 0
  let stopLine = () => {}
  return async (to, init) => {
    const patience = new AbortController()
    const timer = answerMs === null ? undefined : setTimeout(() => patience.abort(), answerMs)
    // Requests at the same time share a line of the terminal.
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

/** Bridle marks the answers of its routes. A proxy may remove the mark, and the answer of an unknown route has none: both are worth a probe. */
const isFromBridle = ({ headers }: Response): boolean => headers.has('x-correlation-id')

/** A proxy in front of a server that restarts, or that was asked too often: the clients try again. */
const isOfProxy = ({ status }: Response): boolean => [429, 502, 503, 504].includes(status)

const isJson = ({ headers }: Response): boolean => headers.get('content-type')?.includes('json') === true

/** The page of a proxy is for browsers: a command needs the address and a sentence. Status and `retry-after` stay, since clients act on them. */
const proxyError = async (url: string, { status, headers, body }: Response): Promise<Response> => {
  await body?.cancel()
  const retryAfter = headers.get('retry-after')
  const message = `A proxy at ${url} answered ${status}. Look at the server behind it, or try again later.`
  return Response.json(
    { error: { type: PROXY_ERROR, message } },
    { status, ...(retryAfter !== null && { headers: { 'retry-after': retryAfter } }) },
  )
}

/** `/ready` has a shape of its own; many programs answer `/health`. `unknown` = nothing answers in time, or a proxy does. */
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
