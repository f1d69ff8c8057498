// Verbs at an address where another program answers.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fabricClient } from '@bridle/client/fabric/http'
import { FabricError } from '@bridle/client/http/error'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { connectOrStart, silenceOf } from '../runs/server-connection.ts'
import { changesNote } from '../runs/workspace-note.ts'
import type { CliOutput } from '../terminal/output.ts'
import { type VerbWorld, verbWorld } from '../verb-calls.suite.ts'
import { bridleFetch } from './bridle-fetch.ts'

let world: VerbWorld
const servers: Server[] = []
beforeAll(async () => {
  world = await verbWorld()
})
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  await world.close()
})

const serverWith = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const page: RequestListener = (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>No')
const strangers: readonly [string, RequestListener][] = [
  ['a page for every path', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['a page that says 404', page],
  ['JSON of another shape', (_, response) => response.end('{"ok":true}')],
  ['JSON of another shape, and 404', (_, response) => response.writeHead(404).end('{"error":"No such thing"}')],
]

describe.each(strangers)('[C300] at a server with %s', (_name, listener) => {
  test.each([
    ['sessions'],
    ['agents'],
    ['approvals'],
    ['inspect', 's'],
    ['logs', 's', '-f'],
    ['health', '-w'],
    ['health', 's'],
    ['attach', 's'],
    ['approve', 's', 'a'],
    ['reject', 's', 'a'],
    ['signal', 's', 'a'],
    ['cancel', 's'],
    ['pause', 's'],
    ['resume', 's'],
    ['delete', 's', '--yes'],
    ['checkpoints', 's'],
    ['branch', 's'],
    ['rerun', 's'],
    ['replay', 's'],
    ['artifacts', 's', 'a'],
    ['export', 's'],
    ['open'],
    ['open', 's'],
    ['run', 'scripted', 'hi'],
  ])('%s says that it is no Bridle server', async (...argv) => {
    const url = await serverWith(listener)
    expect(await world.text(...argv, '--url', url)).toEqual({
      code: 1,
      stdout: '',
      notes: `${url} is no Bridle server: another program answers there. Name the server with --url or BRIDLE_URL.`,
    })
  })
})

test('[C300] a proxy that removes headers or knows no server at the moment is not accused', async () => {
  const stripping = await serverWith(async ({ url = '' }, response) => {
    const answer = await fetch(world.server.url + url)
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  expect((await world.text('sessions', '--url', stripping)).notes).toBe('No sessions.')
  expect((await world.text('inspect', 'nobody', '--url', stripping)).notes).toContain(
    `There is no session nobody on the server at ${stripping}.`,
  )
  const waiting = await serverWith((_, response) => response.writeHead(502).end('<html>'))
  const client = fabricClient({ url: waiting, fetch: bridleFetch(waiting) })
  const error = await client.sessions().catch((thrown: unknown) => thrown)
  expect(error instanceof FabricError && [error.status, error.isRetryable]).toEqual([502, true])
})

test('[C300] the answer of Bridle to an unknown path stays what it is', async () => {
  const { url } = world.server
  const answer = await bridleFetch(url)(`${url}/nowhere`, {})
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { error: 'Not found', message: expect.stringMatching(/^There is no such path/) },
  ])
})

const terminal = () => {
  const printed: string[] = []
  const write = (text: string) => void printed.push(text)
  const out: CliOutput = {
    ...{ isJson: false, canAsk: true, width: 80, write, line: write, row: () => {}, note: write },
    style: (_format, text) => text,
  }
  return { out, printed }
}

test('[C4] an answer of Bridle is noticed, and that of another program is not', async () => {
  const onAnswer = vi.fn()
  const stranger = await serverWith(page)
  await bridleFetch(stranger, null, onAnswer)(`${stranger}/sessions`, {})
  expect(onAnswer).not.toHaveBeenCalled()
  const url = await serverWith((_, response) => response.setHeader('x-correlation-id', 'c').end('{}'))
  await bridleFetch(url, null, onAnswer)(`${url}/sessions`, {})
  expect(onAnswer).toHaveBeenCalledOnce()
})

describe('a server that takes a request and does not answer', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const silent: RequestListener = () => {}

  test('[C342] a plain request ends with a line that says what to do', async () => {
    const url = await serverWith(silent)
    const { out } = terminal()
    const client = fabricClient({ url, fetch: bridleFetch(url, { out, answerMs: 20 }) })
    const advice = 'Look at its log and start it again, or name another server with --url or BRIDLE_URL.'
    const refused = `The server at ${url} takes the request and does not answer within 20 ms.`
    await expect(client.sessions()).rejects.toMatchObject({
      ...{ status: 504, type: 'no_answer', message: `${refused} ${advice}` },
    })
    await expect(client.cancel('s')).rejects.toMatchObject({
      message: `${refused} Whether it did what was asked is not known. ${advice}`,
    })
    // Such a server is there, so no other one is started in its place.
    await expect(silenceOf(client)).rejects.toMatchObject({ type: 'no_answer' })
  })

  test.each([['sessions'], ['attach', 's'], ['run', 'scripted', 'hi'], ['doctor']])(
    '[C342] %s gives up after 30 seconds',
    async (...argv) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const asked = Promise.withResolvers<void>()
      vi.stubGlobal('fetch', (_to: string, { signal }: { readonly signal: AbortSignal }) => {
        asked.resolve()
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      })
      const ended = world.text(...argv, '--url', 'http://127.0.0.1:1')
      await asked.promise
      await vi.advanceTimersByTimeAsync(30_000)
      const { code, stdout, notes } = await ended
      const text = (stdout + notes).replaceAll(/\s+/g, ' ')
      expect([code, text]).toEqual([1, expect.stringContaining('127.0.0.1:1 takes the request and does not answer')])
    },
  )

  test.each([
    ['branch', 's', '--from', 'ev-3'],
    ['rerun', 's'],
  ])('[C342] %s waits for a folder that takes the server longer to copy', async (...argv) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const headers = { 'x-correlation-id': '1' }
    const asked = Promise.withResolvers<(response: Response) => void>()
    vi.stubGlobal('fetch', (_to: string, { method = 'GET', signal }: RequestInit) => {
      if (method === 'GET') return Promise.resolve(Response.json({ id: 's', agent: 'a', sessions: [] }, { headers }))
      const { promise, resolve, reject } = Promise.withResolvers<Response>()
      signal?.addEventListener('abort', () => reject(signal.reason))
      asked.resolve(resolve)
      return promise
    })
    const ended = world.text(...argv, '--url', 'http://127.0.0.1:1')
    const answer = await asked.promise
    await vi.advanceTimersByTimeAsync(600_000)
    answer(Response.json({ id: 'made', agent: 'a', parent: { id: 's', seq: 3 }, prompts: 1 }, { status: 201, headers }))
    expect(await ended).toMatchObject({ code: 0, stdout: 'made' })
  })

  test('[C342] the last questions of run and chat end after 30 seconds, too', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const asked = Promise.withResolvers<void>()
    vi.stubGlobal('fetch', (to: string, { signal }: RequestInit) => {
      if (to.endsWith('/health'))
        return Promise.resolve(Response.json({ ok: true }, { headers: { 'x-correlation-id': '1' } }))
      asked.resolve()
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    })
    const { plain } = await connectOrStart({ url: 'http://127.0.0.1:1' }, {}, terminal().out)
    const ended = expect(changesNote(plain, { id: 's', agent: 'a' }, '')).rejects.toMatchObject({ type: 'no_answer' })
    await asked.promise
    await vi.advanceTimersByTimeAsync(30_000)
    await ended
  })

  test('[C342] a terminal says what is waited for, once for requests at the same time', async () => {
    vi.useFakeTimers()
    const answers: ((response: Response) => void)[] = []
    vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => answers.push(resolve)))
    const { out, printed } = terminal()
    const ask = bridleFetch('http://host', { out })
    const asked = [ask('http://host/a', {}), ask('http://host/b', {})]
    await vi.advanceTimersByTimeAsync(1_400)
    expect(printed).toEqual([])
    await vi.advanceTimersByTimeAsync(100)
    expect(printed).toEqual(['… waiting for the server at http://host, 2 s\r'])
    for (const answer of answers) answer(new Response('', { headers: { 'x-correlation-id': '1' } }))
    await Promise.all(asked)
    expect(printed.slice(1)).toEqual([expect.stringMatching(/^\r +\r$/)])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(printed).toHaveLength(2)
  })

  test.each<[string, RequestInit]>([
    ['a stream or a run', { signal: new AbortController().signal }],
    ['a file', { method: 'POST', body: new Blob(['x']) }],
  ])('[C342] %s has no line and no limit', async (_name, init) => {
    vi.useFakeTimers()
    let answer = (_response: Response) => {}
    vi.stubGlobal('fetch', (_to: string, { signal }: RequestInit) => {
      expect(signal).toBe(init.signal)
      return new Promise<Response>((resolve) => {
        answer = resolve
      })
    })
    const { out, printed } = terminal()
    const asked = bridleFetch('http://host', { out })('http://host/a', init)
    await vi.advanceTimersByTimeAsync(3_600_000)
    answer(new Response('late', { headers: { 'x-correlation-id': '1' } }))
    expect([await (await asked).text(), printed]).toEqual(['late', []])
  })
})
