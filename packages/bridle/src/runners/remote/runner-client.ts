// Asks one runner. Everything that can go wrong on the way is one of a few words.
import type { JsonObject } from '../../kernel/json.ts'
import { inTime } from '../deadline.ts'
import { ANSWER_MS, SILENCE } from '../limits.ts'
import type { Sandbox } from '../sandboxes/provider.ts'
import { readShort, refuseRedirect } from './bounded-response.ts'
import { type AskBusy, Silence, type SilenceRules } from './liveness-monitor.ts'

export interface RunnerClient {
  /** Throws `Unreachable` where nobody answers, and `RunnerRedirect`. */
  post(path: string, body: JsonObject): Promise<Said>
  put(path: string, body: JsonObject): Promise<Said>
  /** The stream, or what was said instead. */
  stream(path: string, init: StreamRequest): Promise<Stream | Said>
}

interface StreamRequest {
  readonly body?: JsonObject
  readonly after?: number
  readonly signal: AbortSignal
}

export interface Said {
  readonly status: number
  readonly body: {
    readonly error?: { readonly type?: string; readonly message?: string }
    readonly resume?: string | null
    readonly stopped?: boolean
  }
}
export interface Stream {
  readonly frames: AsyncIterable<Uint8Array>
  /** To be called when a comment was among them. */
  readonly commented: () => void
}

export interface ClientOptions {
  readonly silence?: SilenceRules
  /** For a runner that is not known to send comments: whether it says that it is at work. */
  readonly askBusy?: AskBusy | null
}

export class Unreachable extends Error {
  readonly code = 'unreachable'
}

/** The bearers are tried in order where the runner refuses one: the run's own, then the runner's. */
export const runnerClient = (
  { url, fetch: reach = fetch }: Pick<Sandbox, 'url' | 'fetch'>,
  bearers: readonly (string | null)[],
  { silence: rules = SILENCE, askBusy = null }: ClientOptions = {},
): RunnerClient => {
  const ask = async (path: string, init: RequestInit, token: string | null): Promise<Response> => {
    const headers: Record<string, string> = { 'content-type': 'application/json', ...(init.headers as object) }
    if (token !== null) headers.authorization = `Bearer ${token}`
    try {
      return await reach(`${url}${path}`, { ...init, headers, redirect: 'manual' })
    } catch (cause) {
      throw new Unreachable('The runner does not answer.', { cause })
    }
  }
  const send = (method: 'POST' | 'PUT', path: string, body: JsonObject): Promise<Said> =>
    withBearer(bearers, (token) =>
      inTime(ANSWER_MS, async (signal) => said(await ask(path, { method, body: JSON.stringify(body), signal }, token))),
    )
  const open = async (path: string, { body, after = 0, signal }: StreamRequest, token: string | null) => {
    const silence = new Silence(rules, askBusy, signal)
    try {
      const init = {
        ...(after > 0 && { headers: { 'last-event-id': String(after) } }),
        signal: silence.signal,
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }
      const response = await ask(path, init, token)
      if (response.ok && response.body) return { frames: silence.heard(response.body), commented: silence.commented }
      const answer = await inTime(ANSWER_MS, (late) => {
        late.addEventListener('abort', silence.giveUp)
        return said(response)
      })
      silence.end()
      return answer
    } catch (cause) {
      silence.end()
      throw cause
    }
  }
  return {
    post: (path, body) => send('POST', path, body),
    put: (path, body) => send('PUT', path, body),
    stream: (path, init) => withBearer(bearers, (token) => open(path, init, token)),
  }
}

const withBearer = async <T extends Said | Stream>(
  [first = null, ...others]: readonly (string | null)[],
  ask: (token: string | null) => Promise<T>,
): Promise<T> => {
  const answer = await ask(first)
  const isRefused = 'status' in answer && answer.status === 401
  return isRefused && others.length > 0 ? withBearer(others, ask) : answer
}

/** A refusal whose text is too long, or does not end, is a refusal all the same. */
const said = async (response: Response): Promise<Said> => {
  await refuseRedirect(response)
  const text = await readShort(response).catch(() => '')
  return { status: response.status, body: parsed(text) }
}

const parsed = (text: string): Said['body'] => {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}
