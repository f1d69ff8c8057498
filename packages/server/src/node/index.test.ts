// A server from outside: a real server, a real data folder, real sockets.
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { agent as defineAgent } from '@bridle/agents/agent'
import { LocalSandboxes } from '@bridle/runners/sandboxes/local-sandboxes'
import {
  get,
  isIdle,
  post,
  readFrames,
  type SseFrame,
  scriptBody,
  typesOf,
  watchStream,
} from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { HarnessServer } from './index.ts'

let folder: string
let server: HarnessServer
let url: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-door-'))
  server = await HarnessServer.start({ port: 0, data: folder, tokenPaceMs: 0, heartbeatMs: 20, log: () => {} })
  url = server.url
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const agent = (id: string) => `${url}/agents/scripted/${id}`
const stream = (id: string, query = '') => `${agent(id)}/stream${query}`

test.each([
  [0, []],
  [
    1,
    [
      'warn: 1 sandbox goes on without the server: the next start continues its run, and without one all of it ends within 30 minutes',
    ],
  ],
  [
    3,
    [
      'warn: 3 sandboxes go on without the server: the next start continues their runs, and without one all of it ends within 30 minutes',
    ],
  ],
])('[O15] a server that is stopped with %s busy sandboxes says what becomes of them', async (kept, expected) => {
  const close = vi.spyOn(LocalSandboxes.prototype, 'close').mockResolvedValue(kept)
  const lines: string[] = []
  const data = mkdtempSync(join(tmpdir(), 'bridle-kept-'))
  const log = (level: string, message: string) => lines.push(`${level}: ${message}`)
  const stopped = await HarnessServer.start({ port: 0, data, cockpit: false, log })
  await stopped.close().finally(() => close.mockRestore())
  rmSync(data, { recursive: true, force: true })
  expect(lines.filter((line) => line.includes('sandbox'))).toEqual(expected)
})

describe('invoking', () => {
  test('[H1] answers with the result when the run has ended', async () => {
    expect(await post(agent('invoke'), scriptBody({ text: 'Hello there', chunks: 3 }))).toEqual({
      status: 200,
      body: { result: 'Hello there', sessionId: 'invoke', agentPath: '/agents/scripted/invoke' },
    })
  })

  test('[H1] a prompt that waits in the queue is answered after its own run', async () => {
    const slow = post(agent('queue'), scriptBody({ sleepMs: 30 }, { text: 'first' }))
    await readFrames(stream('queue'), (frames) => frames.length === 1)
    const second = post(agent('queue'), scriptBody({ text: 'second' }))
    expect([(await slow).body.result, (await second).body.result]).toEqual(['first', 'second'])
  })

  test('[H1] a caller that leaves does not stop the run', async () => {
    const leave = new AbortController()
    const body = JSON.stringify(scriptBody({ sleepMs: 50 }, { text: 'still here' }))
    const left = fetch(agent('leaver'), { method: 'POST', body, signal: leave.signal }).catch(() => 'left')
    await readFrames(stream('leaver'), (frames) => frames.length === 1)
    leave.abort()
    expect(await left).toBe('left')
    expect(typesOf(await readFrames(stream('leaver'), isIdle))).toEqual([
      'prompt_start',
      'text_delta',
      'result',
      'idle',
    ])
  })

  test('[H44] with Prefer: heartbeat the headers come before the run ends, and whoever leaves stops nothing', async () => {
    const ask = (id: string, signal: AbortSignal) =>
      fetch(agent(id), {
        method: 'POST',
        headers: { prefer: 'heartbeat' },
        body: JSON.stringify(scriptBody({ approve: 'write' }, { text: 'done' })),
        signal,
      })
    const leave = new AbortController()
    const [left, ...stayed] = await Promise.all(
      ['beat-1', 'beat-2', 'beat-3'].map((id, index) =>
        ask(id, index === 0 ? leave.signal : AbortSignal.timeout(60_000)),
      ),
    )
    expect([left?.status, left?.headers.get('x-fabric-run-id')]).toEqual([200, 'r-2'])
    leave.abort()
    for (const id of ['beat-1', 'beat-2', 'beat-3']) {
      const isAsked = (frames: readonly SseFrame[]) => frames.at(-1)?.data.type === 'approval_requested'
      const [asked] = (await readFrames(stream(id), isAsked)).slice(-1)
      await post(`${url}/sessions/${id}/approvals/${asked?.data.data.approvalId}/approve`, {})
      expect((await readFrames(stream(id), isIdle)).at(-2)?.data.data.result).toBe('done')
    }
    for (const response of stayed) expect(await response.json()).toMatchObject({ result: 'done' })
  })

  test('[H2] a failed run is a 500 with its message', async () => {
    const { status, body } = await post(agent('failing'), scriptBody({ text: 'so far' }, { fail: 'it broke' }))
    expect(status).toBe(500)
    expect(body.error).toEqual({ type: 'internal_error', message: 'it broke', reason: null })
  })

  test('[A1] a bad script says which step is wrong', async () => {
    const { status, body } = await post(agent('bad-script'), scriptBody({ text: 'a' }, { dance: true }))
    expect(status).toBe(500)
    expect((body.error as { message: string }).message).toMatch(/^Step 2: it is none of text, thinking/)
  })

  test('[H3] one key is one run and one answer; another body is a conflict', async () => {
    const headers = { 'idempotency-key': 'key-1' }
    const prompt = scriptBody({ text: 'once' })
    const answers = await Promise.all([1, 2, 3].map(() => post(agent('idem'), prompt, headers)))
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
    expect((await post(agent('idem'), prompt, headers)).body.result).toBe('once')
    const frames = await readFrames(stream('idem'), isIdle)
    expect(typesOf(frames).filter((type) => type === 'prompt_start')).toHaveLength(1)
    const other = await post(agent('idem'), scriptBody({ text: 'other' }), headers)
    expect([other.status, (other.body.error as { type: string }).type]).toEqual([409, 'conflict'])
  })
})

describe('streaming', () => {
  test('[H4] shows the document’s events with increasing ids', async () => {
    await post(
      agent('events'),
      scriptBody({ text: 'Hi', chunks: 2 }, { tool: 'read', id: 'c1', args: { p: 1 }, result: 42 }),
    )
    const frames = await readFrames(stream('events'), isIdle)
    expect(typesOf(frames)).toEqual([
      'prompt_start',
      'text_delta',
      'text_delta',
      'tool_start',
      'tool_end',
      'result',
      'idle',
    ])
    const ids = frames.map((frame) => Number(frame.id))
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    expect(frames.map((frame) => frame.data.id)).toEqual(ids.map((id) => `ev-${id}`))
    expect(frames.some((frame) => /^event:/m.test(frame.raw))).toBe(false)
    expect(frames[4]?.data.data).toEqual({
      ...{ toolName: 'read', toolCallId: 'c1', isError: false, result: 42 },
      outcome: { status: 'ok', elapsed_ms: expect.any(Number) },
    })
  })

  test('[H5] every cursor resumes with exactly the rest, byte for byte', async () => {
    const live = await watchStream(stream('resume'), isIdle)
    await post(agent('resume'), scriptBody({ text: 'abcdefgh', chunks: 8 }, { tool: 'read', result: {} }))
    const all = await live.frames
    for (const [index, frame] of all.entries()) {
      if (index === all.length - 1) break
      const header = await readFrames(stream('resume'), isIdle, { 'last-event-id': frame.id ?? '' })
      const query = await readFrames(stream('resume', `?after=${frame.id}`), isIdle)
      expect(raw(header)).toEqual(raw(all.slice(index + 1)))
      expect(raw(query)).toEqual(raw(header))
    }
  })

  test('[H6] replays all, the last N, or none', async () => {
    await post(agent('replay'), scriptBody({ text: 'abc', chunks: 3 }))
    const all = await readFrames(stream('replay'), isIdle)
    expect(raw(await readFrames(stream('replay', '?replay=2'), isIdle))).toEqual(raw(all.slice(-2)))
    expect(raw(await readFrames(stream('replay', '?replay=1000'), isIdle))).toEqual(raw(all))
    const fresh = await watchStream(stream('replay', '?replay=none'), isIdle)
    await post(agent('replay'), scriptBody({ text: 'more' }))
    expect(typesOf(await fresh.frames)).toEqual(['prompt_start', 'text_delta', 'result', 'idle'])
    expect((await get(stream('replay', '?replay=some'))).status).toBe(400)
    expect((await get(stream('replay', '?after=yesterday'))).status).toBe(400)
  })

  test('[H7] a cursor beyond the log gets a reset and everything', async () => {
    await post(agent('beyond'), scriptBody({ text: 'x' }))
    const frames = await readFrames(stream('beyond', '?after=99999'), isIdle)
    expect(frames[0]).toMatchObject({ id: null, data: { type: 'reset' } })
    expect(typesOf(frames.slice(1))).toEqual(['prompt_start', 'text_delta', 'result', 'idle'])
  })

  test('[H8] waits for a session that is not there yet, and leaves no trace of waiting', async () => {
    const early = await watchStream(stream('early'), isIdle)
    expect((await get(`${url}/sessions/early`)).status).toBe(404)
    await post(agent('early'), scriptBody({ text: 'now' }))
    expect(typesOf(await early.frames)).toEqual(['prompt_start', 'text_delta', 'result', 'idle'])
  })

  test('[H9] opens with a comment, beats by comments, and forbids buffering', async () => {
    const leave = new AbortController()
    const response = await fetch(stream('beats'), { signal: leave.signal })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    let text = ''
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(chunk)
      if (text.includes(': beat\n\n: beat\n\n')) break
    }
    leave.abort()
    expect(text.startsWith(': open\n\n')).toBe(true)
    expect(text).not.toContain('id:')
  })

  test('many watchers see one story', async () => {
    const watchers = await Promise.all(Array.from({ length: 20 }, () => watchStream(stream('crowd'), isIdle)))
    await post(agent('crowd'), scriptBody({ text: 'abcdefghij', chunks: 10, everyMs: 1 }))
    const stories = (await Promise.all(watchers.map(({ frames }) => frames))).map((frames) => raw(frames).join('\n'))
    expect(new Set(stories).size).toBe(1)
  })
})

describe('approvals', () => {
  test.each([
    ['approve', { args: { p: 2 } }, 'approved', { isError: false, result: { arguments: { p: 2 } } }],
    ['approve', {}, 'approved', { isError: false, result: { arguments: { p: 1 } } }],
    ['reject', { reason: 'not today' }, 'denied', { isError: true, result: 'not today' }],
  ])('[S15] %s with %j', async (verdict, body, decision, end) => {
    const id = `approval-${verdict}-${Object.keys(body).length}`
    const answer = post(agent(id), scriptBody({ approve: 'write', id: 'w1', args: { p: 1 } }, { text: 'after' }))
    const frames = await readFrames(stream(id), (all) => all.at(-1)?.data.type === 'approval_requested')
    const approvalId = String(frames.at(-1)?.data.data.approvalId)
    const detail = (await get(`${url}/sessions/${id}`)).body
    expect(detail).toMatchObject({ status: 'awaiting_approval', approvals: [{ id: approvalId, args: { p: 1 } }] })

    const approvals = `${url}/sessions/${id}/approvals`
    expect((await post(`${approvals}/${approvalId}/maybe`, {})).status).toBe(400)
    expect((await post(`${approvals}/apr-999/${verdict}`, {})).status).toBe(404)
    const first = await post(`${approvals}/${approvalId}/${verdict}`, body)
    expect([first.status, first.body.decision]).toEqual([200, decision])
    expect((await post(`${approvals}/${approvalId}/${verdict}`, body)).status).toBe(200)
    expect((await post(`${approvals}/${approvalId}/${verdict === 'approve' ? 'reject' : 'approve'}`, {})).status).toBe(
      409,
    )

    expect((await answer).body.result).toBe('after')
    const all = await readFrames(stream(id), isIdle)
    expect(all.find((frame) => frame.data.type === 'tool_end')?.data.data).toMatchObject(end)
  })
})

describe('errors and access', () => {
  const many = `{"prompt":"x"${',"k":1'.repeat(600_000)}}`
  const deep = `{"prompt":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
  test.each<[string, string, unknown, number, unknown]>([
    [
      'an unknown agent',
      '/agents/nobody/x',
      {},
      404,
      { error: 'Not found', message: expect.stringMatching(/^There is no agent nobody; there (is|are) .*scripted/) },
    ],
    [
      'a prototype as agent',
      '/agents/__proto__/x',
      {},
      404,
      { error: 'Not found', message: expect.stringMatching(/^There is no agent __proto__; /) },
    ],
    ['no prompt', '/agents/scripted/x', {}, 400, { error: 'The body must have a "prompt" that is a text.' }],
    ['an empty prompt', '/agents/scripted/x', { prompt: '  ' }, 400, { error: 'The prompt is empty.' }],
    ['bad JSON', '/agents/scripted/x', '{', 400, { error: 'The body is not JSON.' }],
    ['no object', '/agents/scripted/x', '[1]', 400, { error: 'The body is not a JSON object.' }],
    ['deep nesting', '/agents/scripted/x', deep, 400, { error: 'The JSON is nested deeper than 100 levels.' }],
    ['200,000 levels', '/agents/scripted/x', '['.repeat(200_000), 400, expect.anything()],
    ['200,000 levels of objects', '/agents/scripted/x', '{"a":'.repeat(200_000), 400, expect.anything()],
    ['a million keys', '/agents/scripted/x', millionKeys(), 400, { error: 'The JSON has more than 50000 values.' }],
    [
      'a key twice',
      '/agents/scripted/x',
      '{"prompt":"a","prompt":"b"}',
      400,
      { error: 'The JSON has a key twice in one object.' },
    ],
    ['too many values', '/agents/scripted/x', many, 400, { error: 'The JSON has more than 50000 values.' }],
    ['a traversal id', '/agents/scripted/..%2f..%2fetc', { prompt: 'x' }, 400, expect.anything()],
    ['a NUL in the id', '/agents/scripted/a%00b', { prompt: 'x' }, 400, expect.anything()],
    ['a bad tenant', '/agents/scripted/x?tenant=a/b', { prompt: 'x' }, 400, expect.anything()],
    [
      'an unknown route',
      '/nowhere',
      {},
      404,
      { error: 'Not found', message: 'There is no such path. GET /docs shows all of them.' },
    ],
  ])('[H11] [H12] %s', async (_name, path, body, status, expected) => {
    expect(await post(`${url}${path}`, body)).toEqual({ status, body: expected })
  })

  test('[H12] a body that is too large can read its 413', async () => {
    const { status, body } = await post(agent('large'), { prompt: 'x'.repeat(9 * 1024 * 1024) })
    expect([status, (body.error as { type: string }).type]).toEqual([413, 'body_too_large'])
  })

  test('[H12] what is not UTF-8 is refused', async () => {
    const response = await fetch(agent('utf8'), { method: 'POST', body: Buffer.from([0x7b, 0xff, 0x7d]) })
    expect(response.status).toBe(400)
  })

  test('[H13] another tenant’s session answers like an unknown one', async () => {
    await post(`${agent('private')}?tenant=acme`, scriptBody({ text: 'mine' }))
    expect((await get(`${url}/sessions/private`, { 'x-fabric-tenant': 'acme' })).status).toBe(200)
    for (const id of ['private', 'never-was'])
      expect(await get(`${url}/sessions/${id}`)).toEqual({
        status: 404,
        body: { error: 'Not found', message: `There is no session ${id}.` },
      })
  })

  test.each([
    [{ host: 'evil.example' }, 403],
    [{ host: '127.0.0.1', origin: 'https://evil.example' }, 403],
    [{ host: '127.0.0.1', origin: 'null' }, 403],
    [{ host: 'localhost:1', origin: 'http://localhost:5173' }, 200],
  ])('[H14] without a token, %j is %i', async (headers, status) => {
    expect(await rawStatus(`${url}/builds`, headers)).toBe(status)
  })

  test('[H14] with a token every route but /health wants it', async () => {
    const data = mkdtempSync(join(tmpdir(), 'bridle-token-'))
    const guarded = await HarnessServer.start({ port: 0, data, authToken: 'secret-1', log: () => {} })
    try {
      const paths = ['/sessions/x', '/agents/scripted/x/stream?replay=some']
      expect((await get(`${guarded.url}/health`)).status).toBe(200)
      for (const path of paths) {
        const { status, body } = await get(`${guarded.url}${path}`)
        expect([status, (body.error as { type: string }).type]).toEqual([401, 'unauthorized'])
        expect((await get(`${guarded.url}${path}`, { authorization: 'Bearer secret-2' })).status).toBe(401)
        expect((await get(`${guarded.url}${path}`, { authorization: 'Bearer secret-1' })).status).not.toBe(401)
      }
    } finally {
      await guarded.close()
      rmSync(data, { recursive: true, force: true })
    }
  })

  test('[H14] [O2] refuses to listen elsewhere without a token', async () => {
    await expect(HarnessServer.start({ port: 0, host: '0.0.0.0', data: folder })).rejects.toMatchObject({
      code: 'token_required',
      message: expect.stringContaining('FABRIC_HARNESS_API_TOKEN'),
    })
    await expect(HarnessServer.start({ authTokenEnv: 'ABSENT', env: {}, data: folder })).rejects.toMatchObject({
      code: 'token_missing',
    })
  })

  test('a second server on the same folder is refused by name', async () => {
    await expect(HarnessServer.start({ port: 0, data: folder })).rejects.toThrow(folder)
  })
})

test('[O11] a data folder that is removed: not ready, said in the log, and nothing is accepted any more', async () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-gone-'))
  const lines: [string, string][] = []
  const orphan = await HarnessServer.start({ port: 0, data, log: (level, message) => lines.push([level, message]) })
  const ready = async () => {
    const { status, body } = await get(`${orphan.url}/ready`)
    return { status, ready: body.ready, message: body.message }
  }
  try {
    expect((await post(`${orphan.url}/agents/scripted/x`, scriptBody({ text: 'before' }))).status).toBe(200)
    expect(await ready()).toEqual({ status: 200, ready: true })
    rmSync(data, { recursive: true })
    expect(await ready()).toEqual({ status: 503, ready: false, message: expect.stringContaining('data folder') })
    await ready()
    expect(lines.filter(([level]) => level === 'error')).toEqual([['error', 'data folder gone']])
    await new Promise((resolve) => setTimeout(resolve, 150))
    for (const id of ['x', 'new']) {
      const { status, body } = await post(`${orphan.url}/agents/scripted/${id}`, scriptBody({ text: 'after' }))
      expect([status, (body.error as { type: string }).type]).toEqual([503, 'unavailable'])
    }
  } finally {
    await orphan.close().catch(() => {})
  }
})

test.each(['-wal', '-shm'])('[O11] a server whose %s is removed says so, and has lost nothing', async (end) => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-wal-'))
  const lines: [string, string][] = []
  const log = (level: string, message: string) => lines.push([level, message])
  let here = await HarnessServer.start({ port: 0, data, log })
  const at = (id: string) => `${here.url}/agents/scripted/${id}`
  try {
    for (const id of ['a', 'b', 'c']) expect((await post(at(id), scriptBody({ text: id }))).status).toBe(200)
    const events = async () => Promise.all(['a', 'b', 'c'].map(async (id) => (await get(at(id))).body.events))
    const before = await events()
    rmSync(join(data, `bridle.sqlite${end}`))
    expect(await get(`${here.url}/ready`)).toMatchObject({ status: 503, body: { ready: false } })
    for (const id of ['a', 'b', 'new']) expect((await post(at(id), scriptBody({ text: 'after' }))).status).toBe(503)
    expect((await get(at('c'))).status).toBe(503)
    expect(lines.filter(([level]) => level === 'error')).toEqual([['error', 'data folder gone']])
    await here.close()
    here = await HarnessServer.start({ port: 0, data, log })
    expect(await events()).toEqual(before)
  } finally {
    await here.close().catch(() => {})
    rmSync(data, { recursive: true, force: true })
  }
})

test('[O29] a server whose folder another process took over is not ready, ends its streams and shows nothing old', async () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-deposed-'))
  const lines: [string, string][] = []
  const deposed = await HarnessServer.start({ port: 0, data, log: (level, message) => lines.push([level, message]) })
  const at = (id: string) => `${deposed.url}/agents/scripted/${id}`
  const database = new DatabaseSync(join(data, 'bridle.sqlite'))
  try {
    for (const id of ['a', 'b', 'c']) expect((await post(at(id), scriptBody({ text: id }))).status).toBe(200)
    const streams = await Promise.all(['a', 'b'].map((id) => watchStream(`${at(id)}/stream`, () => false)))
    expect((await get(`${deposed.url}/ready`)).status).toBe(200)
    database.exec("UPDATE meta SET value = value + 1 WHERE name = 'epoch'")
    expect(await get(`${deposed.url}/ready`)).toMatchObject({
      status: 503,
      body: { ready: false, message: expect.stringContaining('Another process') },
    })
    for (const id of ['a', 'b', 'c', 'new']) expect((await get(at(id))).status).toBe(503)
    expect((await get(`${deposed.url}/sessions`)).status).toBe(503)
    for (const { frames } of streams) await frames
    expect(lines.filter(([level]) => level === 'error')).toEqual([['error', 'data folder taken over']])
  } finally {
    database.close()
    await deposed.close().catch(() => {})
    rmSync(data, { recursive: true, force: true })
  }
})

const raw = (frames: readonly SseFrame[]): string[] => frames.map((frame) => frame.raw)

const rawStatus = (at: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(at, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })

const millionKeys = (): string => `{${Array.from({ length: 500_000 }, (_, n) => `"${n.toString(36)}":1`).join()}}`

test('[S38] an announced restart costs no retry, and the work goes on where it stood', async () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-restart-'))
  const start = () => HarnessServer.start({ port: 0, data, tokenPaceMs: 0, log: () => {} })
  // Long enough to outlast both restarts on a busy machine.
  const text = 'abcdefghijklmnopqrstuvwxyz0123456789'
  const steps = [{ checkpoint: 'once' }, { text, chunks: text.length, everyMs: 60 }]
  const prompt = `@script ${JSON.stringify(steps)}`
  const ids = ['one', 'two', 'three']
  let running = await start()
  const detail = async (id: string) => (await get(`${running.url}/sessions/${id}`)).body
  try {
    for (const session_id of ids)
      await post(`${running.url}/sessions`, { engine: 'scripted', session_id, prompt, max_retries: 0 })
    for (let restarts = 0; restarts < 2; restarts++) {
      const before = JSON.stringify((await detail('one')).messages)
      await expect.poll(async () => JSON.stringify((await detail('one')).messages)).not.toBe(before)
      await running.close()
      running = await start()
    }
    for (const id of ids) {
      await expect.poll(async () => (await detail(id)).status).toBe('completed')
      expect(await detail(id)).toMatchObject({ attempt_count: 1, last_error: null })
      const { messages, checkpoints } = (await detail(id)) as { messages: { content: string }[]; checkpoints: object[] }
      expect(messages.at(-1)?.content).toBe(text)
      expect(checkpoints).toMatchObject([{ checkpoint_type: 'turn' }, { summary_text: 'once' }])
    }
  } finally {
    await running.close()
    rmSync(data, { recursive: true, force: true })
  }
})

test('[O7] [O134] /metrics has runs by outcome, tokens, open approvals and the process', async () => {
  await post(
    agent('counted'),
    scriptBody({ usage: { input_tokens: 3, output_tokens: 2, cost_usd: 0.5 } }, { text: 'a' }),
  )
  await post(agent('counted'), scriptBody({ fail: 'no' }))
  const text = await fetch(`${url}/metrics`).then((answer) => answer.text())
  const series = [
    'bridle_runs_total{agent="scripted",outcome="completed"}',
    'bridle_runs_total{agent="scripted",outcome="failed"}',
    'bridle_run_duration_seconds_count{agent="scripted"}',
    'bridle_tokens_total{agent="scripted",direction="input"}',
    'bridle_cost_usd_total{agent="scripted"}',
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
    'process_start_time_seconds',
  ]
  for (const name of series) expect(Number(text.split(`\n${name} `)[1]?.split('\n')[0]), name).toBeGreaterThan(0)
  expect(text).toMatch(/\nbridle_approvals_open \d+\n/)
})

test('[O135] a program names the default agent by an option; its environment stays what it is', async () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-default-'))
  const named = ['first', 'second', 'third'].map((name) => defineAgent({ name, run: () => name }))
  const options = { port: 0, data, agents: named, log: () => {} }
  const other = await HarnessServer.start({ ...options, defaultAgent: 'second' })
  try {
    expect((await post(`${other.url}/chat/sessions`, {})).body).toMatchObject({ agent: 'second' })
    expect((await post(`${other.url}/chat/sessions`, { agent: 'third' })).body).toMatchObject({ agent: 'third' })
    expect(process.env.BRIDLE_AGENT).toBeUndefined()
  } finally {
    await other.close()
    rmSync(data, { recursive: true, force: true })
  }
})
