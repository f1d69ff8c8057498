// Access to sockets: the same rules as for requests, seen from outside.
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasEvent, openTestSocket, upgradeAnswer } from '../../tests/socket-client.suite.ts'
import { HarnessServer } from '../index.ts'

const authToken = 'secret-1'
const bearer = { authorization: `Bearer ${authToken}` }
let folder: string
let open: HarnessServer
let guarded: HarnessServer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-socket-door-'))
  open = await HarnessServer.start({ port: 0, data: join(folder, 'open'), maxSockets: 2, log: () => {} })
  guarded = await HarnessServer.start({
    port: 0,
    data: join(folder, 'guarded'),
    authToken,
    tokens: [
      { token: 'reader', tenants: ['acme'], scopes: ['observe'] },
      { token: 'approver', scopes: ['approve'] },
    ],
    allowedOrigins: ['https://app.example'],
    log: () => {},
  })
  await post(`${open.url}/agents/scripted/s1`, scriptBody({ text: 'Hi' }))
  for (const tenant of ['default', 'acme'])
    await post(`${guarded.url}/agents/scripted/s-${tenant}?tenant=${tenant}`, scriptBody({ text: 'Hi' }), bearer)
})
afterAll(async () => {
  await open.close()
  await guarded.close()
  rmSync(folder, { recursive: true, force: true })
})

const at = (query = '', id = 's-default') => `${guarded.url}/sessions/${id}/ws${query}`

describe('with a token', () => {
  test.each<[string, string, Record<string, string>, number, unknown]>([
    ['no token', '', {}, 401, { type: 'unauthorized' }],
    ['a wrong one', '?token=secret-2', {}, 401, { type: 'unauthorized' }],
    ['a wrong header', '', { authorization: 'Bearer x' }, 401, { type: 'unauthorized' }],
    ['an unknown ticket', '?ticket=x', {}, 401, { type: 'unauthorized' }],
    ['a bad tenant', `?token=${authToken}&tenant=a%20b`, {}, 400, 'The tenant is not a valid id.'],
    ['a foreign tenant', '?token=reader&tenant=other', {}, 403, { type: 'forbidden' }],
    ['no scope to watch', '?token=approver', {}, 403, { type: 'forbidden' }],
    ['a foreign origin', `?token=${authToken}`, { origin: 'https://evil.example' }, 403, { type: 'forbidden' }],
    ['no origin at all', `?token=${authToken}`, { origin: 'null' }, 403, { type: 'forbidden' }],
    ['a bad replay', `?token=${authToken}&replay=some`, {}, 400, 'query: replay: Expected "all", "none" or a number'],
    ['a bad cursor', `?token=${authToken}&after=yesterday`, {}, 400, 'The cursor is not an event id.'],
  ])('[W2] %s is refused as over HTTP', async (_name, query, headers, status, error) => {
    const refused = await upgradeAnswer(at(query), { headers })
    expect(refused).toMatchObject({ status, body: { error } })
    if (status !== 400 || query.includes('tenant'))
      expect(await get(at(query), headers)).toMatchObject({ status, body: { error } })
  })

  test.each<[string, string, Record<string, string>]>([
    ['the token in the query', `?token=${authToken}`, {}],
    ['the token in the header', '', bearer],
    ['an allowed origin', `?token=${authToken}`, { origin: 'https://app.example' }],
    ['a page of this machine', `?token=${authToken}`, { origin: 'http://localhost:5173' }],
    ['another name of this machine', `?token=${authToken}`, { host: 'bridle.example' }],
  ])('[W1] %s opens', async (_name, query, headers) => {
    expect((await upgradeAnswer(at(query), { headers })).status).toBe(101)
  })

  test('[W2] a plain GET is answered 426', async () => {
    expect(await get(at(), bearer)).toEqual({ status: 426, body: { error: 'This is a WebSocket.' } })
  })

  test('[W2] other paths have no socket', async () => {
    for (const path of ['/', '/sessions/s-default', '/sessions/s-default/ws/', '/sessions/%ff/ws', '/health'])
      expect(await upgradeAnswer(`${guarded.url}${path}`, { headers: bearer })).toEqual({
        status: 404,
        body: { error: 'Not found', message: 'There is no such path. GET /docs shows all of them.' },
      })
  })

  test('[W2] an invalid handshake is a 400 of the same shape', async () => {
    const headers = { ...bearer, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
    const answer = await new Promise((resolve) => {
      request(at(), { headers }, async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode, body: JSON.parse(text) })
      }).end()
    })
    expect(answer).toEqual({ status: 400, body: { error: 'Missing or invalid Sec-WebSocket-Key header.' } })
  })

  test.each(['query', 'subprotocol'])('[W3] a ticket by %s opens one socket, once', async (way) => {
    const { ticket } = (await post(`${guarded.url}/tickets`, { sessionId: 's-default' }, bearer)).body
    const query = way === 'query' ? `?ticket=${ticket}` : ''
    const protocols = way === 'query' ? [] : ['bridle.v1', `ticket.${ticket}`]
    const socket = await openTestSocket(at(query), { protocols })
    expect(socket.ws.protocol).toBe(way === 'query' ? '' : 'bridle.v1')
    socket.ws.close()
    expect((await upgradeAnswer(at(query), { protocols })).status).toBe(401)
  })

  test('[W3] a ticket for one session opens no other', async () => {
    const { ticket } = (await post(`${guarded.url}/tickets`, { sessionId: 'other' }, bearer)).body
    expect(await upgradeAnswer(at(`?ticket=${ticket}`))).toEqual({
      status: 404,
      body: { error: 'Not found', message: 'There is no session s-default.' },
    })
  })

  test('[W11] a ticket can do no more than its scopes', async () => {
    const wish = { sessionId: 's-default', scopes: ['observe', 'approve'] }
    const { ticket } = (await post(`${guarded.url}/tickets`, wish, bearer)).body
    const socket = await openTestSocket(at(`?ticket=${ticket}`))
    socket.say({ type: 'cancel', taskId: 's-default' })
    socket.say({ type: 'approve', approvalId: 'apr-1', decision: 'denied' })
    const acks = (await socket.until(hasEvent('ack', 2))).filter(({ type }) => type === 'ack')
    expect(acks).toMatchObject([
      { for: 'cancel', ok: false, message: 'This needs the scope "operate".' },
      { for: 'approve', ok: false, message: 'There is no such approval.' },
    ])
    socket.ws.close()
  })

  test('[W4] another tenant’s session looks exactly like one that never existed', async () => {
    const answers = []
    for (const id of ['s-acme', 'never-was']) {
      const socket = await openTestSocket(at(`?token=${authToken}&replay=all`, id))
      answers.push({ ...(await socket.closed), messages: socket.messages })
    }
    const answerFor = (id: string) => ({
      code: 4004,
      reason: `There is no session ${id}.`,
      messages: [{ type: 'error', message: `There is no session ${id}.` }],
    })
    expect(answers).toEqual([answerFor('s-acme'), answerFor('never-was')])
    const own = await openTestSocket(at('?token=reader&replay=1', 's-acme'))
    expect(await own.until(hasEvent('replay-end'))).toHaveLength(2)
    own.ws.close()
  })
})

describe('without a token', () => {
  test.each<[Record<string, string>, number]>([
    [{}, 101],
    [{ host: 'localhost:1' }, 101],
    [{ host: 'evil.example' }, 403],
    [{ origin: 'https://evil.example' }, 403],
  ])('[W1] %j is %i', async (headers, status) => {
    expect((await upgradeAnswer(`${open.url}/sessions/s1/ws`, { headers })).status).toBe(status)
  })

  test('[W15] above its limit a server accepts no more sockets', async () => {
    const lines = [
      await openTestSocket(`${open.url}/sessions/s1/ws`),
      await openTestSocket(`${open.url}/sessions/s1/ws`),
    ]
    const full = await upgradeAnswer(`${open.url}/sessions/s1/ws`)
    expect(full).toMatchObject({ status: 503, body: { error: { type: 'unavailable' } } })
    lines[0]?.ws.close()
    await lines[0]?.closed
    // The server notices the close a moment later than the client.
    while ((await upgradeAnswer(`${open.url}/sessions/s1/ws`)).status !== 101) await new Promise(setImmediate)
    lines[1]?.ws.close()
  })

  test('[W1] where a tenant is required, a socket has to name one', async () => {
    const options = {
      port: 0,
      data: join(folder, 'tenants'),
      env: { FABRIC_HARNESS_TENANT_REQUIRED: '1' },
      log: () => {},
    }
    const strict = await HarnessServer.start(options)
    const path = `${strict.url}/sessions/x/ws`
    const statuses = [(await upgradeAnswer(path)).status, (await upgradeAnswer(`${path}?tenant=acme`)).status]
    await strict.close()
    expect(statuses).toEqual([400, 101])
  })

  test('[W1] a hook of the owner sees a whole request', async () => {
    const seen: unknown[] = []
    const extractAuthToken = (asked: Request) => {
      seen.push([asked instanceof Request, asked.method, new URL(asked.url).pathname, asked.headers.get('cookie')])
      return asked.headers.get('cookie') === 'user=me'
    }
    const hooked = await HarnessServer.start({ port: 0, data: join(folder, 'hooked'), extractAuthToken, log: () => {} })
    const ask = async (cookie: string) =>
      (await upgradeAnswer(`${hooked.url}/sessions/x/ws`, { headers: { cookie } })).status
    const statuses = [await ask('user=me'), await ask('user=you')]
    await hooked.close()
    expect(statuses).toEqual([101, 401])
    expect(seen).toEqual([
      [true, 'GET', '/sessions/x/ws', 'user=me'],
      [true, 'GET', '/sessions/x/ws', 'user=you'],
    ])
  })

  test.each(['evil.example/x', 'localhost@evil.example'])('[W1] the host %j is none', async (host) => {
    expect((await upgradeAnswer(`${open.url}/sessions/s1/ws`, { headers: { host } })).status).toBe(400)
  })

  test('[W1] the rate limit counts sockets too', async () => {
    const data = join(folder, 'limited')
    const limited = await HarnessServer.start({ port: 0, data, rateLimit: { windowMs: 3_600_000, maxRequests: 2 } })
    const statuses = []
    for (let round = 0; round < 4; round++) statuses.push((await upgradeAnswer(`${limited.url}/sessions/x/ws`)).status)
    await limited.close()
    expect(statuses).toEqual([101, 101, 429, 429])
  })
})
