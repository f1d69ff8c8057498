// Asks one runner. Everything that can go wrong on the way is one of a few words.
import type { JsonObject } from '../kernel/json.ts'
import { inTime } from './in-time.ts'
import type { Sandbox } from './sandboxes/provider.ts'
import { Silence } from './silence.ts'

export interface RunnerClient {
  /** Throws `Unreachable` where nobody answers. */
  post(path: string, body: JsonObject): Promise<Said>
  /** The stream, or what was said instead. */
  stream(path: string, init: { body?: JsonObject; after?: number; signal: AbortSignal }): Promise<Stream | Said>
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
}

export class Unreachable extends Error {
  readonly code = 'unreachable'
}

/** An answer that takes longer is none. A cancel waits for the engine, and that for up to some seconds. */
const ANSWER_MS = 15_000
/** As long as Node's own `fetch` waits; our runner beats every 15 seconds, another one need not. */
const SILENCE_MS = 300_000

export const runnerClient = (
  { url, fetch: reach = fetch }: Pick<Sandbox, 'url' | 'fetch'>,
  token: string | null,
  silenceMs = SILENCE_MS,
): RunnerClient => {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (token !== null) headers.authorization = `Bearer ${token}`
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    try {
      return await reach(`${url}${path}`, init)
    } catch (cause) {
      throw new Unreachable('The runner does not answer.', { cause })
    }
  }
  return {
    post: (path, body) =>
      inTime(ANSWER_MS, async (signal) =>
        said(await ask(path, { method: 'POST', headers, body: JSON.stringify(body), signal })),
      ),
    stream: async (path, { body, after = 0, signal }) => {
      const silence = new Silence(silenceMs, signal)
      try {
        const response = await ask(path, {
          headers: { ...headers, ...(after > 0 && { 'last-event-id': String(after) }) },
          signal: silence.signal,
          ...(body && { method: 'POST', body: JSON.stringify(body) }),
        })
        if (response.ok && response.body) return { frames: silence.heard(response.body) }
        const answer = await said(response)
        silence.end()
        return answer
      } catch (cause) {
        silence.end()
        throw cause
      }
    },
  }
}

const said = async (response: Response): Promise<Said> => {
  const body = await response.json().catch(() => ({}))
  return { status: response.status, body: typeof body === 'object' && body !== null ? body : {} }
}
