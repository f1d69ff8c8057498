// Ids that mean another place, or nothing at all, at every position of the table where an id stands.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { httpWires, socketWires } from '@bridle/surfaces/all'
import { routeTable } from '@bridle/surfaces/app'
import { matchPath } from '@bridle/surfaces/http/router/path-pattern'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HarnessServer, startDevServer } from '../node/index.ts'
import { upgradeAnswer } from './socket-client.suite.ts'

/** The id as a path segment. */
const corpus = [
  ...['.', '..', '%2e', '%2e%2e', '%2E%2e', '.%2e', '%252e%252e', '..%2f..%2fetc', '..%5c..%5cetc', '%2fetc%2fpasswd'],
  ...['a%252fb', 'a%2fb', 'a%00b', '%00', 'a\\b', '..\\..', '%c0%ae%c0%ae', '%e2%80%a5', '%ef%bc%8e%ef%bc%8e', '%ff'],
  ...['%ud800', 'a%20b', 'a%0d%0ab', '%', '%zz', '~', '$HOME', '*', "'%20OR%201=1", '%3cscript%3e', 'a'.repeat(10_240)],
]
/** Unusual, but valid ids. */
const odd = ['con', 'nul', 'COM1', '...', '.hidden', '-rf', '__proto__', 'constructor', 'a'.repeat(128)]

let server: HarnessServer
const data = mkdtempSync(join(tmpdir(), 'bridle-ids-'))
beforeAll(async () => {
  server = await startDevServer({ port: 0, data, log: () => {}, env: {} })
  for (const id of ['one', 'two', 'three']) await post(`${server.url}/agents/scripted/${id}`, scriptBody({ text: id }))
})
afterAll(async () => {
  await server.close()
  rmSync(data, { recursive: true, force: true })
})

/** Sends the path unchanged. */
const ask = (method: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const asked = request({ hostname, port, method, path, agent: false }, (response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    asked.on('error', reject)
    asked.end(method === 'POST' ? '{}' : undefined)
  })

const rows = routeTable(httpWires).filter(({ path }) => path.includes(':'))
const positions = rows.flatMap(({ method, path }) =>
  [...path.matchAll(/:\w+/g)].map(([name]) => [method.toUpperCase(), path, name] as const),
)
const usual: Record<string, string> = { ':name': 'scripted', ':id': 'one', ':approvalId': 'apr-1', ':runId': 'r-2' }
const placed = (path: string, name: string, value: string) =>
  path.replaceAll(/:\w+/g, (each) => (each === name ? value : (usual[each] ?? 'x')))

const listed = async () =>
  ((await get(`${server.url}/sessions?limit=500`)).body.sessions as { id: string }[]).map(({ id }) => id).toSorted()

test.each(positions)('[H34] %s %s with %s', async (method, path, name) => {
  for (const value of corpus) {
    const asked = placed(path, name, value)
    const status = await ask(method, asked)
    // A browser's rules may make another path of it; that path's own row has answered then.
    const target = new URL(asked, server.url).pathname
    const isThisRow = matchPath(path, target) !== null
    // A socket route without an upgrade answers 426 for any session.
    const answers = socketWires.some((row) => row.path === path) ? [400, 404, 426] : [400, 404]
    if (isThisRow) expect([value, status]).toEqual([value, expect.toBeOneOf(answers)])
    else expect([value, status]).not.toEqual([value, expect.toSatisfy((code: number) => code >= 500)])
  }
  for (const value of odd) expect(await ask(method, placed(path, name, value)), value).toBeLessThan(500)
  expect(await listed()).toEqual(['one', 'three', 'two'])
})

const decodable = corpus.flatMap((value) => {
  try {
    return [decodeURIComponent(value)]
  } catch {
    return []
  }
})

test.each(['/sessions', '/chat/sessions', '/chat/sessions/one/branch'])(
  '[H34] an id in the body of %s',
  async (path) => {
    for (const id of decodable) {
      const body = { agent: 'scripted', prompt: 'x', from_event_id: 'ev-1' }
      expect([id, (await post(`${server.url}${path}`, { ...body, session_id: id })).status]).toEqual([id, 400])
      if (path !== '/sessions') continue
      expect([id, (await post(`${server.url}${path}`, { ...body, parent_session_id: id })).status]).toEqual([id, 400])
    }
    expect(await listed()).toEqual(['one', 'three', 'two'])
  },
)

test('[H34] a tenant, a key and a ticket’s session', async () => {
  for (const id of decodable) {
    const tenant = encodeURIComponent(id.toWellFormed())
    expect([id, (await get(`${server.url}/sessions?tenant=${tenant}`)).status]).toEqual([id, 400])
    expect([id, (await post(`${server.url}/tickets`, { sessionId: id })).status]).toEqual([id, 400])
    if (!/^[\x20-\x7e]+$/.test(id)) continue
    const headers = { 'idempotency-key': id }
    const keyed = await post(`${server.url}/agents/scripted/one`, scriptBody({ text: 'x' }), headers)
    expect([id, keyed.status]).toEqual([id, 400])
  }
})

test.each(socketWires.filter(({ session }) => session).map(({ path }) => path))('[H34] the socket %s', async (path) => {
  for (const value of corpus) {
    const asked = path.includes(':') ? placed(path, ':id', value) : `${path}?sessionId=${value}`
    const target = new URL(asked, server.url)
    if (path.includes(':') && matchPath(path, target.pathname) === null) continue
    const { status } = await upgradeAnswer(`${server.url}${asked}`).catch(() => ({ status: 400 }))
    // A socket with the session in its path opens, and then reports that there is no such session.
    expect([value, status]).toEqual([value, path.includes(':') ? expect.toBeOneOf([101, 400, 404]) : 400])
  }
  expect(await listed()).toEqual(['one', 'three', 'two'])
})

test('[H34] nothing of it became a file', () => {
  const files = readdirSync(data, { recursive: true }).map(String)
  expect(files.filter((name) => /etc|passwd|\.\.|con$/.test(name))).toEqual([])
})
