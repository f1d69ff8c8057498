// The client against a real server on a free port, and against a fetch that misbehaves on purpose.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventFeedOptions } from '@bridle/client/fabric/event-feed'
import { type FabricClient, FabricError, fabricClient } from '@bridle/client/index'
import { scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HarnessServer } from '../node/index.ts'

const authToken = 'secret-token'
let folder: string
let server: HarnessServer
let fabric: FabricClient

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-client-'))
  server = await HarnessServer.start({ port: 0, data: folder, authToken, tokenPaceMs: 0, log: () => {} })
  fabric = fabricClient({ url: server.url, authToken })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('calls', () => {
  test('invoke answers with the result; one key is one run', async () => {
    const input = scriptBody({ text: 'Hello' })
    const answer = await fabric.invoke('scripted', 'a', input, { idempotencyKey: 'k' })
    expect(answer).toEqual({ result: 'Hello', sessionId: 'a', agentPath: '/agents/scripted/a' })
    expect(await fabric.invoke('scripted', 'a', input, { idempotencyKey: 'k' })).toEqual(answer)
  })

  test('an accepted run can be asked about until it has ended', async () => {
    const { runId } = await fabric.invoke('scripted', 'b', scriptBody({ approve: 'write', args: {} }), { async: true })
    for await (const event of fabric.events('scripted', 'b')) if (event.type === 'approval_requested') break
    expect((await fabric.run('b', runId)).status).toBe('awaiting_approval')
    const [asked] = (await fabric.approvals()).approvals
    expect(asked).toMatchObject({ sessionId: 'b', agent: 'scripted', toolName: 'write' })
    await fabric.approve('b', String(asked?.id), { args: { p: 2 }, actor: 'me', reason: 'fine', agent: 'scripted' })
    const ended = await eventsUntil('b', 'idle')
    expect(ended.find(({ type }) => type === 'tool_end')?.data).toMatchObject({ result: { arguments: { p: 2 } } })
    expect(await fabric.run('b', runId)).toMatchObject({ runId, status: 'completed' })
    await expect(fabric.reject('b', String(asked?.id))).rejects.toMatchObject({ status: 409, type: 'conflict' })
  })

  test('[H70] [H72] proposals for the memory are listed, accepted with another value, and rejected', async () => {
    const propose = (name: string) => ({ artifact: { name, content: 'x', kind: 'memory_proposal' } })
    await fabric.invoke('scripted', 'm', scriptBody(propose('one'), propose('two')))
    const [two, one] = (await fabric.memory('m', 'scripted')).proposals
    const accepted = await fabric.decideMemory('m', String(one?.id), 'accept', {
      value: [1],
      actor: 'me',
      agent: 'scripted',
    })
    expect(accepted).toMatchObject({ ok: true, decision: 'accepted', key: 'one' })
    expect(await fabric.decideMemory('m', String(two?.id), 'reject', { reason: 'no' })).toMatchObject({ key: 'two' })
    expect(await fabric.memory('m')).toMatchObject({
      memory: [{ key: 'one', value: [1], acceptedBy: 'me' }],
      proposals: [{ status: 'rejected', decisionReason: 'no' }, { status: 'accepted' }],
    })
    const again = fabric.decideMemory('m', String(two?.id), 'accept')
    await expect(again).rejects.toMatchObject({ status: 409, type: 'conflict' })
  })

  test('sessions, session, ready, health, remove', async () => {
    await fabric.invoke('scripted', 'c', scriptBody({ text: 'x' }))
    expect((await fabric.sessions({ search: 'script', agent: 'scripted' })).sessions.map(({ id }) => id)).toContain('c')
    const page = await fabric.sessions({ limit: 1 })
    expect([page.sessions.length, typeof page.next]).toEqual([1, 'string'])
    expect(await fabric.session('c')).toMatchObject({ id: 'c', agent: 'scripted', status: 'idle' })
    expect((await fabric.ready()).agents?.map(({ name }) => name)).toContain('scripted')
    expect((await fabric.health()).ok).toBe(true)
    await fabric.remove('scripted', 'c')
    await expect(fabric.session('c')).rejects.toMatchObject({ status: 404, type: 'not_found' })
  })

  test('[H65] [H67] a file, a blob and bytes are uploaded with their name and type, and used by one session', async () => {
    const grants = await Promise.all([
      fabric.upload(new File(['a,b'], 'tüte & co.csv', { type: 'text/csv' })),
      fabric.upload(new Blob(['{}'], { type: 'application/json' }), { name: 'named.json', type: 'text/plain' }),
      fabric.upload(Uint8Array.of(1, 2, 3)),
    ])
    expect(grants.map(({ mime_type, size_bytes }) => [mime_type, size_bytes])).toEqual([
      ['text/csv', 3],
      ['text/plain', 2],
      ['application/octet-stream', 3],
    ])
    const attachments = grants.map(({ ref_id }) => ({ ref_id }))
    await fabric.invoke('scripted', 'files', { ...scriptBody({ text: 'x' }), attachments })
    const [prompt] = (await eventsUntil('files', 'idle')).filter(({ type }) => type === 'prompt_start')
    expect(JSON.stringify(prompt)).not.toContain('a,b')
    await expect(fabric.invoke('scripted', 'others', { ...scriptBody(), attachments })).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/^attachments\.0\.ref_id: /),
    })
    await expect(fabric.upload(new Blob([]))).rejects.toMatchObject({ status: 400, type: 'bad_request' })
  })

  test('another tenant is another world', async () => {
    await fabric.invoke('scripted', 'mine', scriptBody({ text: 'x' }))
    const other = fabricClient({ url: server.url, authToken, tenantId: 'other' })
    await expect(other.session('mine')).rejects.toMatchObject({ status: 404 })
  })
})

describe('errors', () => {
  test.each<[string, () => Promise<unknown>, object]>([
    ['bad input', () => fabric.invoke('scripted', 'e', {}), { status: 400, type: 'bad_request' }],
    [
      'no such session',
      () => fabric.session('nobody'),
      { status: 404, type: 'not_found', message: 'There is no session nobody.' },
    ],
    ['an id that is a step in a path', () => fabric.session('..'), { status: 400, type: 'bad_request' }],
    [
      'a failed run',
      () => fabric.invoke('scripted', 'f', scriptBody({ fail: 'it broke' })),
      { status: 500, type: 'internal_error', message: 'it broke' },
    ],
    ['no token', () => fabricClient({ url: server.url }).sessions(), { status: 401, type: 'unauthorized' }],
    ['nobody there', () => fabricClient({ url: 'http://127.0.0.1:1' }).health(), { status: 0, type: 'unreachable' }],
    ...['localhost:4317', '/bridle'].map((url): [string, () => Promise<unknown>, object] => [
      `the address ${url}`,
      () => fabricClient({ url }).health(),
      { status: 400, message: `url must look like "http://127.0.0.1:4317"; it is "${url}".`, isRetryable: false },
    ]),
    ['not Bridle', () => answering(() => new Response('<html>')).health(), { type: 'protocol' }],
    [
      'come back later',
      () => answering(() => new Response('', { status: 503, headers: { 'retry-after': '2' } })).health(),
      { status: 503, retryAfterMs: 2000, isRetryable: true },
    ],
  ])('%s', async (_name, act, expected) => {
    const error = await act().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(FabricError)
    expect(error).toMatchObject(expected)
    expect(String(error)).not.toContain(authToken)
  })
})

describe('events', () => {
  test('replay and after choose where to begin', async () => {
    await fabric.invoke('scripted', 'r', scriptBody({ text: 'abc', chunks: 3 }))
    const all = await eventsUntil('r', 'idle')
    expect(all.map(({ type }) => type)).toEqual([
      'prompt_start',
      'text_delta',
      'text_delta',
      'text_delta',
      'result',
      'idle',
    ])
    expect(await eventsUntil('r', 'idle', { replay: 2 })).toEqual(all.slice(-2))
    expect(await eventsUntil('r', 'idle', { after: all[2]?.id ?? '' })).toEqual(all.slice(3))
  })

  test('"from now on" holds from the call, though the first connection dies before it brings anything', async () => {
    await fabric.invoke('scripted', 'now', scriptBody({ text: 'old' }))
    let connections = 0
    const flaky = fabricClient({
      url: server.url,
      authToken,
      fetch: async (to, init) => {
        if (!to.includes('/stream') || ++connections > 1) return fetch(to, init)
        await fabric.invoke('scripted', 'now', scriptBody({ text: 'new' }))
        return streaming(': open\n\n')
      },
    })
    const seen: string[] = []
    for await (const event of flaky.events('scripted', 'now', { replay: 'none', backoffMs: soon })) {
      if (event.type === 'text_delta') seen.push(event.data.delta)
      if (event.type === 'idle') break
    }
    expect([connections, seen]).toEqual([2, ['new']])
  })

  test('a stream cut anywhere goes on behind the last event', async () => {
    await fabric.invoke('scripted', 'cut', scriptBody({ text: 'x'.repeat(40), chunks: 40 }))
    const all = await eventsUntil('cut', 'idle')
    for (const bytes of [1, 100, 333]) {
      let retries = 0
      const cutting = fabricClient({ url: server.url, authToken, fetch: cutAfter(bytes + 300) })
      const seen = []
      for await (const event of cutting.events(null, 'cut', { backoffMs: soon, onRetry: () => retries++ })) {
        seen.push(event)
        if (event.type === 'idle') break
      }
      expect(seen).toEqual(all)
      expect(retries).toBeGreaterThan(5)
    }
  })

  test('ends when its signal says so, also while it waits', async () => {
    const leave = new AbortController()
    const seen = []
    for await (const event of fabric.events('scripted', 'quiet', {
      signal: leave.signal,
      onOpen: () => leave.abort(),
    })) {
      seen.push(event)
    }
    expect(seen).toEqual([])
  })

  test('a session that is not there, and a server that is not there, are said at once', async () => {
    await expect(fabric.events(null, 'nobody').next()).rejects.toMatchObject({ status: 404 })
    const nowhere = fabricClient({ url: 'http://127.0.0.1:1' })
    await expect(nowhere.events(null, 'x').next()).rejects.toMatchObject({ type: 'unreachable' })
  })

  test('silence is a cut', async () => {
    let connections = 0
    const silent = answering(() => {
      if (++connections > 1) return streaming('id: 1\ndata: {"type":"idle"}\n\n')
      return new Response(new ReadableStream({}), { headers: { 'content-type': 'text/event-stream' } })
    })
    const causes: string[] = []
    const options = { silenceMs: 5, backoffMs: soon, onRetry: (cause: FabricError) => causes.push(cause.type) }
    expect((await silent.events(null, 's', options).next()).value).toEqual({ type: 'idle' })
    expect(causes).toEqual(['silent'])
  })

  test('what is not JSON is said, not retried', async () => {
    const broken = answering(() => streaming('data: {\n\n'))
    await expect(broken.events(null, 's').next()).rejects.toMatchObject({ type: 'protocol' })
  })
})

const soon = { first: 1, longest: 5 }

const eventsUntil = async (id: string, type: string, options: EventFeedOptions = {}) => {
  const seen = []
  for await (const event of fabric.events('scripted', id, options)) {
    seen.push(event)
    if (event.type === type) break
  }
  return seen
}

const streaming = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })

/** A client whose fetch never honours anything but its signal. */
const answering = (answer: () => Response): FabricClient =>
  fabricClient({
    url: 'http://127.0.0.1:1',
    fetch: async (_to, { signal }) => {
      const response = answer()
      if (!response.body || !signal) return response
      return new Response(response.body.pipeThrough(new TransformStream(), { signal }), response)
    },
  })

/** Every connection ends after this many bytes. */
const cutAfter = (most: number) => async (to: string, init: RequestInit) => {
  const response = await fetch(to, init)
  let left = most
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) controller.terminate()
    },
  })
  return response.body ? new Response(response.body.pipeThrough(cut), response) : response
}
