// The client of one runner. Every failure on the way becomes one of a few values.
import type { JsonObject } from '@bridle/events/json'
import { tryOr } from '@bridle/kernel/try-or'
import { withDeadline } from '../calls/deadline.ts'
import type { FileSender } from '../files/sent-files.ts'
import { readRunnerText, refuseRedirect } from './bounded-response.ts'
import { type BusyProbe, LivenessMonitor, type LivenessRules } from './liveness-monitor.ts'
import type { Sandbox } from './provider.ts'

/** 25 MB over a slow line to a runner on another machine. */
const FILE_MS = 60_000
/** The longest wait for an answer: a cancel waits for the engine, which takes up to some seconds. */
const ANSWER_MS = 15_000
/**
 * When a silent stream counts as broken. Our runner sends a comment every 15 seconds, and 20 in a row do not get lost. A runner
 * without comments is probed once a minute, as it may work on one tool for hours; three answers in a row without a sign of
 * life are more than a runner that is just being slow.
 */
export const LIVENESS_RULES = { deadAfterMs: 300_000, probeAfterMs: 60_000, probeAgainMs: 5_000, probesMax: 3 }

export interface RunnerClient {
  /** Throws `RunnerUnreachableError` where no answer comes, and `RunnerRedirect`. */
  post(path: string, body: JsonObject): Promise<RunnerResponse>
  put(path: string, body: JsonObject): Promise<RunnerResponse>
  putFile(path: string, bytes: Uint8Array): Promise<RunnerResponse>
  /** The stream, or the answer of a runner that refuses it. */
  stream(path: string, init: RunnerStreamRequest): Promise<RunnerStream | RunnerResponse>
}

interface RunnerStreamRequest {
  readonly body?: JsonObject
  readonly after?: number
  readonly signal: AbortSignal
}

export interface RunnerResponse {
  readonly status: number
  readonly body: {
    readonly error?: { readonly type?: string; readonly message?: string }
    readonly resume?: string | null
    readonly stopped?: boolean
    readonly path?: unknown
  }
}
export interface RunnerStream {
  readonly bytes: AsyncIterable<Uint8Array>
  /** Call this when the bytes had a comment. */
  readonly onComment: () => void
}

export interface RunnerClientOptions {
  readonly liveness?: LivenessRules
  /** For a runner that may send no comments: asks whether it is at work. */
  readonly probeBusy?: BusyProbe | null
}

export class RunnerUnreachableError extends Error {
  readonly code = 'unreachable'
}

/** The bearers are tried in order where the runner refuses one: the run's own, then the runner's. */
export const runnerClient = (
  { url, fetch: fetchRunner = fetch }: Pick<Sandbox, 'url' | 'fetch'>,
  bearers: readonly (string | null)[],
  { liveness: rules = LIVENESS_RULES, probeBusy = null }: RunnerClientOptions = {},
): RunnerClient => {
  const ask = async (path: string, init: RequestInit, token: string | null): Promise<Response> => {
    const headers: Record<string, string> = { 'content-type': 'application/json', ...(init.headers as object) }
    if (token !== null) headers.authorization = `Bearer ${token}`
    try {
      return await fetchRunner(`${url}${path}`, { ...init, headers, redirect: 'manual' })
    } catch (cause) {
      throw new RunnerUnreachableError('The runner does not answer.', { cause })
    }
  }
  const send = (method: 'POST' | 'PUT', path: string, body: JsonObject): Promise<RunnerResponse> =>
    withBearer(bearers, (token) =>
      withDeadline(ANSWER_MS, async (signal) =>
        readResponse(await ask(path, { method, body: JSON.stringify(body), signal }, token)),
      ),
    )
  const open = async (path: string, { body, after = 0, signal }: RunnerStreamRequest, token: string | null) => {
    const monitor = new LivenessMonitor(rules, probeBusy, signal)
    try {
      const init = {
        ...(after > 0 && { headers: { 'last-event-id': String(after) } }),
        signal: monitor.signal,
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }
      const response = await ask(path, init, token)
      if (response.ok && response.body)
        return { bytes: monitor.observe(response.body), onComment: monitor.commentReceived }
      const answer = await withDeadline(ANSWER_MS, (late) => {
        late.addEventListener('abort', monitor.abort)
        return readResponse(response)
      })
      monitor.end()
      return answer
    } catch (cause) {
      monitor.end()
      throw cause
    }
  }
  return {
    post: (path, body) => send('POST', path, body),
    put: (path, body) => send('PUT', path, body),
    putFile: (path, bytes) =>
      withBearer(bearers, (token) =>
        withDeadline(FILE_MS, async (signal) => {
          const headers = { 'content-type': 'application/octet-stream' }
          return readResponse(
            await ask(path, { method: 'PUT', headers, body: bytes as NonNullable<RequestInit['body']>, signal }, token),
          )
        }),
      ),
    stream: (path, init) => withBearer(bearers, (token) => open(path, init, token)),
  }
}

const withBearer = async <T extends RunnerResponse | RunnerStream>(
  [first = null, ...others]: readonly (string | null)[],
  ask: (token: string | null) => Promise<T>,
): Promise<T> => {
  const answer = await ask(first)
  const isRefused = 'status' in answer && answer.status === 401
  return isRefused && others.length > 0 ? withBearer(others, ask) : answer
}

/** A refusal whose text is too long, or does not end, is a refusal all the same. */
const readResponse = async (response: Response): Promise<RunnerResponse> => {
  await refuseRedirect(response)
  const text = await readRunnerText(response).catch(() => '')
  return { status: response.status, body: parseResponseBody(text) }
}

const parseResponseBody = (text: string): RunnerResponse['body'] => {
  const body: unknown = tryOr(null, () => JSON.parse(text))
  return typeof body === 'object' && body !== null ? body : {}
}

export const runnerRefusalText = (status: number, { error }: RunnerResponse['body']): string =>
  error?.message ?? `The runner answered ${status}.`

/** A runner written from the document alone has no such route: its engine learns only that a file came. */
export const fileSender =
  (runner: RunnerClient): FileSender =>
  async (id, name, bytes) => {
    const path = `/files/${encodeURIComponent(id)}/${encodeURIComponent(name)}`
    const { status, body } = await runner.putFile(path, bytes)
    if (status === 404 || status === 405) return null
    if (status !== 200 || typeof body.path !== 'string') throw new Error(runnerRefusalText(status, body))
    return body.path
  }
