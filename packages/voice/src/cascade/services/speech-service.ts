// Requests to a speech service. Every failure becomes a fault that says what to do.
import type { Clock } from '@bridle/kernel/ports/clock'
import type { VoiceFault } from '@bridle/kernel/ports/voice'
import { truncate } from '@bridle/kernel/text/truncate'
import type { Patience } from './patience.ts'

/** Enough for the message of an error body. */
const ERROR_BYTES_MAX = 4 * 1024
/** Enough for one sentence to a person. */
const ERROR_CHARS_MAX = 300
/** Includes one retry of a transient fault. A listener does not wait longer. */
const SERVICE_TRIES = 2
/** Long enough for a hiccup of the service, short enough for a conversation. */
const SERVICE_RETRY_MS = 400

export interface SpeechService {
  /** Prefix of its settings, such as `BRIDLE_STT`. */
  readonly setting: string
  /** Base URL, before `/audio/...`. */
  readonly url: string
  readonly key?: string
  readonly model: string
}

export interface ServicePorts {
  readonly clock: Clock
  readonly fetch: typeof fetch
}

export class SpeechServiceError extends Error {
  readonly fault: VoiceFault
  readonly isTransient: boolean

  constructor(fault: VoiceFault, isTransient = false, cause?: unknown) {
    super(fault.message, { cause })
    this.fault = fault
    this.isTransient = isTransient
  }
}

export const withRetry = async <T>(
  { clock }: ServicePorts,
  signal: AbortSignal,
  request: () => Promise<T>,
): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await request()
    } catch (cause) {
      const isTransient = cause instanceof SpeechServiceError && cause.isTransient
      if (!isTransient || tries >= SERVICE_TRIES || signal.aborted) throw cause
      await new Promise<void>((resolve) => clock.after(SERVICE_RETRY_MS, resolve))
      signal.throwIfAborted()
    }
  }
}

export const post = async (
  { fetch }: ServicePorts,
  service: SpeechService,
  path: string,
  request: {
    readonly body: string | FormData
    readonly headers?: Record<string, string>
    readonly patience: Patience
  },
): Promise<Response> => {
  const { url, key } = service
  const answer = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
    method: 'POST',
    headers: { ...request.headers, ...(key && { authorization: `Bearer ${key}` }) },
    body: request.body,
    signal: request.patience.signal,
    // Never send the key to another host.
    redirect: 'manual',
  }).catch((cause: unknown) => {
    throw failureOf(service, request.patience, cause)
  })
  if (answer.ok) return answer
  const reason = await errorReason(answer, service).catch(() => '')
  throw statusError(answer.status, service, reason)
}

const statusError = (status: number, { setting, model }: SpeechService, reason: string): SpeechServiceError => {
  const fault = (code: string, advice: string, isTransient = false) =>
    new SpeechServiceError({ code, message: `${advice}${reason}` }, isTransient)
  if (status === 401 || status === 403)
    return fault('provider_key', `The speech service refuses the key: check ${setting}_KEY.`)
  if (status === 404)
    return fault(
      'provider_model',
      `The speech service has no model "${model}", or is not at ${setting}_URL: check both.`,
    )
  if (status === 429)
    return fault('provider_busy', 'The speech service takes no more requests now; try again later.', true)
  if (status >= 500) return fault('provider_failed', `The speech service failed (${status}); try again.`, true)
  return fault(
    'provider_refused',
    `The speech service refuses the request (${status}): check ${setting}_URL, ${setting}_MODEL and the voice.`,
  )
}

export const unreadableAnswer = ({ setting }: SpeechService, description: string): SpeechServiceError =>
  new SpeechServiceError({
    code: 'provider_answer',
    message: `The speech service answered ${description}: check that ${setting}_URL is the address of an API, such as https://api.openai.com/v1.`,
  })

/** Requests aborted with their line keep their error. */
export const failureOf = ({ setting }: SpeechService, patience: Patience, cause: unknown): unknown => {
  if (patience.isOver)
    return new SpeechServiceError({
      code: 'provider_timeout',
      message: `The speech service at ${setting}_URL does not answer in time; try again.`,
    })
  if (cause instanceof SpeechServiceError || patience.signal.aborted) return cause
  const message = `Nothing answers at ${setting}_URL, or not to the end. Is the service running?`
  return new SpeechServiceError({ code: 'provider_lost', message }, true, cause)
}

const errorReason = async (answer: Response, { key }: SpeechService): Promise<string> => {
  if (!/json/.test(answer.headers.get('content-type') ?? '')) {
    await answer.body?.cancel()
    return ''
  }
  const text = new TextDecoder().decode(await readBytes(answer, ERROR_BYTES_MAX))
  // Some services echo the key in errors.
  const parsed: unknown = JSON.parse(key ? text.replaceAll(key, '***') : text)
  const { error } = parsed as { error?: { message?: unknown } | string }
  const reason = typeof error === 'string' ? error : error?.message
  return typeof reason === 'string' ? ` It says: ${truncate(reason, ERROR_CHARS_MAX)}` : ''
}

export const readBytes = async (answer: Response, max: number): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of bodyOf(answer)) {
    pieces.push(piece.subarray(0, max - size))
    size += piece.length
    if (size >= max) break
  }
  const bytes = new Uint8Array(Math.min(size, max))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

export const bodyOf = (answer: Response): AsyncIterable<Uint8Array> =>
  (answer.body ?? []) as unknown as AsyncIterable<Uint8Array>
