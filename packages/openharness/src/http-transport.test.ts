import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type HttpTransportOptions, httpTransport } from './http-transport.ts'
import { failure, say, stubShell, success } from './stub-engine.suite.ts'

type Answer = () => Response | Promise<Response>
const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => {
  const text = JSON.stringify(body)
  return () => new Response(text, { status, headers: { 'content-type': 'application/json', ...headers } })
}

/** A shell over HTTP, where `fetch` gives these answers; the last one is repeated. */
const overHttp = (answers: readonly Answer[], options: Partial<HttpTransportOptions> = {}) => {
  const sent: { readonly url: string; readonly init: RequestInit; readonly atMs: number }[] = []
  const ownFetch = async (url: unknown, init: RequestInit = {}) => {
    sent.push({ url: String(url), init, atMs: performance.now() })
    const answer = answers[Math.min(sent.length, answers.length) - 1]
    return answer!()
  }
  const transport = httpTransport({
    url: 'http://127.0.0.1:1/v1/openharness',
    fetch: ownFetch as typeof fetch,
    ...options,
  })
  return { ...stubShell([], { transport }), sent }
}

const later = json(failure({ code: 'engine_timeout', retryable: true }), 503)

describe('httpTransport', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('[OHS40] posts JSON with the headers of the program, and follows no redirect', async () => {
    let tokens = 0
    const headers = async () => ({ authorization: `Bearer ${++tokens}`, 'Content-Type': 'text/plain' })
    const { shell, sent, calls } = overHttp([json(success(say('yes')))], { headers })
    await shell.send('Hello', { requestId: 'r' })
    await shell.send('Hello')
    const [{ url, init } = { url: '', init: {} }] = sent
    expect([url, init.method, init.redirect]).toEqual(['http://127.0.0.1:1/v1/openharness', 'POST', 'error'])
    expect(Object.fromEntries(new Headers(init.headers))).toEqual({
      authorization: 'Bearer 1',
      'content-type': 'application/json',
      accept: 'application/json',
    })
    expect(JSON.parse(String(init.body))).toMatchObject({ protocol_version: '1.0.0', request_id: 'r' })
    expect(new Headers(sent[1]?.init.headers).get('authorization')).toBe('Bearer 2')
    expect(calls).toEqual(['yes', 'yes'])
  })

  test('[OHS41] a retryable error is sent again with the same body until the answer comes', async () => {
    const { shell, sent, calls } = overHttp([later, later, json(success(say('at last')))])
    const turn = shell.send('Hello', { requestId: 'r' })
    await vi.advanceTimersByTimeAsync(20_000)
    expect((await turn).status).toBe('success')
    expect([calls, sent.length]).toEqual([['at last'], 3])
    expect(new Set(sent.map(({ init }) => init.body)).size).toBe(1)
    const [a = 0, b = 0, c = 0] = sent.map(({ atMs }) => atMs)
    expect(b - a).toBeGreaterThanOrEqual(250)
    expect(b - a).toBeLessThanOrEqual(501)
    expect(c - b).toBeGreaterThanOrEqual(500)
    expect(c - b).toBeLessThanOrEqual(1_001)
  })

  test('[OHS41] five retries at most, then the turn has the error', async () => {
    const { shell, sent } = overHttp([later])
    const turn = shell.send('Hello')
    await vi.advanceTimersByTimeAsync(60_000)
    expect((await turn).error).toMatchObject({ code: 'engine_timeout', retryable: true, source: 'engine' })
    expect(sent).toHaveLength(6)
  })

  test('[OHS41] Retry-After is respected up to ten seconds', async () => {
    const wait = (value: string) => json(failure({ code: 'busy', retryable: true }), 503, { 'retry-after': value })
    const { shell, sent } = overHttp([wait('7'), wait('3600'), wait('soon'), json(success())])
    const turn = shell.send('Hello')
    await vi.advanceTimersByTimeAsync(30_000)
    expect((await turn).status).toBe('success')
    const times = sent.map(({ atMs }) => atMs)
    expect([times[1]! - times[0]!, times[2]! - times[1]!]).toEqual([7_000, 10_000])
  })

  test.each<[string, unknown]>([
    ['says no', { code: 'x', retryable: false }],
    ['says nothing', { code: 'x' }],
    ['says it in words', { code: 'x', retryable: 'true' }],
    ['is missing', undefined],
  ])('[OHS41] an error that %s is not sent again', async (_name, error) => {
    const { shell, sent } = overHttp([json(failure(error), 503)])
    expect((await shell.send('Hello')).status).toBe('error')
    expect(sent).toHaveLength(1)
  })

  test('[OHS41] a success with a retryable error in it is a success', async () => {
    const message = { ...success(), response: { status: 'success', error: { code: 'x', retryable: true } } }
    const { shell, sent } = overHttp([json(message)])
    expect([(await shell.send('Hello')).status, sent.length]).toEqual(['success', 1])
  })

  test('[OHS41] [OHS33] the end of a turn ends its retries', async () => {
    const { shell, sent } = overHttp([later])
    const controller = new AbortController()
    const turn = shell.send('Hello', { signal: controller.signal })
    await vi.advanceTimersByTimeAsync(0)
    controller.abort()
    expect((await turn).error?.code).toBe('aborted')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sent).toHaveLength(1)
  })

  test('[OHS42] no answer in time, no connection: a fault, and nothing is sent again', async () => {
    const silent = overHttp([() => new Promise<never>(() => {})])
    const turn = silent.shell.send('Hello')
    await vi.advanceTimersByTimeAsync(60_000)
    expect((await turn).error).toMatchObject({ code: 'timed_out', retryable: true })
    expect([silent.sent.length, silent.sent[0]?.init.signal?.aborted]).toEqual([1, true])

    const cause = new TypeError('fetch failed')
    const gone = overHttp([() => Promise.reject(cause)])
    expect((await gone.shell.send('Hello')).error).toMatchObject({ code: 'unreachable', cause: { cause } })
    expect(gone.sent).toHaveLength(1)
  })

  test('[OHS42] a body that never ends is given up in time; one that breaks off is no message', async () => {
    const stuck = overHttp([
      () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array([123])) })),
    ])
    const turn = stuck.shell.send('Hello')
    await vi.advanceTimersByTimeAsync(60_000)
    expect((await turn).error?.code).toBe('timed_out')
    const torn = overHttp([
      () => new Response(new ReadableStream({ start: (stream) => stream.error(new Error('reset')) })),
    ])
    expect((await torn.shell.send('Hello')).error).toMatchObject({ code: 'unreachable' })
  })

  test('[OHS43] a response of 10 MB is read no further than the limit', async () => {
    let pieces = 0
    const piece = new Uint8Array(1024 * 1024).fill(32)
    const body = () =>
      new ReadableStream({
        pull: (stream) => {
          pieces += 1
          if (pieces > 10) stream.close()
          else stream.enqueue(piece)
        },
      })
    const { shell, calls } = overHttp([() => new Response(body())])
    expect((await shell.send('Hello')).error).toMatchObject({ code: 'too_large', retryable: false })
    expect(pieces).toBeLessThan(8)
    expect(calls).toEqual([])
  })

  test('[OHS43] the limit counts bytes, and a message of exactly this size passes', async () => {
    const text = JSON.stringify(success(say('ü')))
    const bytes = new TextEncoder().encode(text).byteLength
    const answer = () => new Response(text)
    expect((await overHttp([answer], { maxBytes: bytes }).shell.send('Hello')).status).toBe('success')
    expect((await overHttp([answer], { maxBytes: bytes - 1 }).shell.send('Hello')).error?.code).toBe('too_large')
  })

  test.each<[string, number, string | null]>([
    ['an HTML page', 502, '<!doctype html><title>Bad Gateway</title>'],
    ['an HTML page with status 200', 200, '<html></html>'],
    ['nothing', 204, null],
    ['an empty text', 200, ''],
    ['JSON of something else', 404, '{"error":"not found"}'],
    ['null', 200, 'null'],
    ['half a message', 200, '{"protocol_version":"1.0.0","response":{'],
  ])('[OHS43] %s is not OpenHarness', async (_name, status, body) => {
    const { shell, calls, sent } = overHttp([() => new Response(body, { status })])
    expect((await shell.send('Hello')).error).toMatchObject({ code: 'not_openharness', details: { status } })
    expect([calls, sent.length]).toEqual([[], 1])
  })

  test('[OHS43] a message counts whatever its status', async () => {
    const { shell, calls } = overHttp([json(success(say('yes')), 500)])
    expect((await shell.send('Hello')).status).toBe('success')
    expect(calls).toEqual(['yes'])
  })
})
