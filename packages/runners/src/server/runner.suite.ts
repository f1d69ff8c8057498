// A caller of a runner, as the document describes it: POST and read.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RunnerEvent } from '../protocol/protocol.ts'
import type { RunnerFetch } from '../remote/provider.ts'
import { readRunnerFrames } from '../remote/runner-frames.ts'

export interface RunReading {
  readonly status: number
  /** All frames so far. */
  readonly frames: { readonly id: number | null; readonly event: RunnerEvent }[]
  readonly events: () => RunnerEvent[]
  readonly text: () => string
  /** The first event of a type, when it comes. */
  readonly first: <T extends RunnerEvent['type']>(type: T) => Promise<Extract<RunnerEvent, { type: T }>>
  readonly end: Promise<RunnerEvent | null>
  readonly leave: () => void
  /** Where the stream was refused. */
  readonly problem: { readonly error?: { readonly type: string; readonly message: string } } | null
}

export const caller = (url: string, token?: string | null, fetchRunner: RunnerFetch = fetch) => {
  const headers = { ...(token && { authorization: `Bearer ${token}` }) }
  const ask = async (path: string, init: RequestInit = {}): Promise<{ status: number; body: never }> => {
    const response = await fetchRunner(`${url}${path}`, { ...init, headers: { ...headers, ...init.headers } })
    return { status: response.status, body: (await response.json()) as never }
  }
  const read = async (path: string, init: RequestInit): Promise<RunReading> => {
    const leaving = new AbortController()
    const response = await fetchRunner(`${url}${path}`, {
      ...init,
      headers: { ...headers, ...init.headers },
      signal: leaving.signal,
    })
    const frames: { id: number | null; event: RunnerEvent }[] = []
    let wake = () => {}
    let over = false
    const follow = async () => {
      if (!response.ok || !response.body) return null
      try {
        for await (const frame of readRunnerFrames(response.body)) {
          frames.push(frame)
          wake()
        }
      } catch {
        // Cut: what came has come.
      }
      const last = frames.at(-1)?.event
      return last?.type === 'run.completed' || last?.type === 'run.error' ? last : null
    }
    const problem = response.ok ? null : ((await response.json()) as RunReading['problem'])
    const end = follow().finally(() => {
      over = true
      wake()
    })
    return {
      status: response.status,
      frames,
      problem,
      events: () => frames.map(({ event }) => event),
      text: () => frames.reduce(shown, ''),
      first: async (type) => {
        for (;;) {
          const found = frames.find(({ event }) => event.type === type)?.event
          if (found) return found as never
          if (over) throw new Error(`There was no ${type}: ${JSON.stringify(frames.map(({ event }) => event))}`)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      },
      end,
      leave: () => leaving.abort(),
    }
  }
  const post = (path: string, body: object = {}) => ask(path, { method: 'POST', body: JSON.stringify(body) })
  return {
    ask,
    post,
    put: (path: string, body: object) => ask(path, { method: 'PUT', body: JSON.stringify(body) }),
    query: (body: object) => read('/query', { method: 'POST', body: JSON.stringify(body) }),
    attach: (requestId: string, after = 0) =>
      read(`/runs/${encodeURIComponent(requestId)}/events`, { headers: { 'last-event-id': String(after) } }),
  }
}

/** The text as a reader sees it after this event. */
const shown = (text: string, { event }: { event: RunnerEvent }): string => {
  if (event.type === 'assistant.delta') return text + event.text
  return event.type === 'assistant.text' ? event.text : text
}

/** A provider that answers with the key it was asked with. */
export const echo = async () => {
  const keys: string[] = []
  const server = createServer((incoming, outgoing) => {
    incoming.resume()
    const key = String(incoming.headers['x-api-key'])
    keys.push(key)
    outgoing.end(JSON.stringify({ key }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys, close }
}
