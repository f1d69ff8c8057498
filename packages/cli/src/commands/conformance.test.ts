// `bridle conformance`, against our own server and against servers that do everything wrong.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HarnessServer } from '@bridle/server/node/index'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { CliWorkspace, parseJsonRows } from '../cli.suite.ts'
import { type CliInvocation, ExitError } from '../command/command.ts'
import type { CliOutput } from '../terminal/output.ts'
import { conformance } from './conformance.ts'

const folder = mkdtempSync(join(tmpdir(), 'bridle-conformance-'))
const workspace = new CliWorkspace()
const tenants = ['default', 'acme', 'other'] as const
const wrongServers: Server[] = []
let open: HarnessServer
let closed: HarnessServer

const listSessions = (tenant: string) => get(`${open.url}/sessions`, { 'x-fabric-tenant': tenant })

beforeAll(async () => {
  // Paced as a server in use is, which the tests of the exchanges are not.
  const options = { port: 0, env: {}, log: () => {} }
  open = await HarnessServer.start({ ...options, data: join(folder, 'open') })
  closed = await HarnessServer.start({ ...options, data: join(folder, 'closed'), authToken: 'a+b/c=' })
  for (const tenant of tenants)
    await post(`${open.url}/agents/scripted/mine`, scriptBody({ text: tenant }), { 'x-fabric-tenant': tenant })
})
afterEach(() => {
  for (const server of wrongServers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})
afterAll(async () => {
  await Promise.all([open.close(), closed.close(), workspace.remove()])
  rmSync(folder, { recursive: true, force: true })
})

const wrongServer = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  wrongServers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The verb in this process: its text, its rows and its exit code. */
const run = async (url: string, flags: object, isJson = false) => {
  const lines: string[] = []
  const found: Record<string, unknown>[] = []
  const out: CliOutput = {
    isJson,
    canAsk: false,
    width: 100,
    write: (text) => void lines.push(text),
    line: (text) => void lines.push(text),
    row: (row) => void found.push(row as Record<string, unknown>),
    note: () => {},
    style: (_format, text) => text,
  }
  const exit = await conformance
    .run({ args: [url], flags, env: {}, out } as unknown as CliInvocation<never>)
    .catch((error: unknown) => error as ExitError)
  return { exit, text: lines.join('\n'), rows: found, summary: found.at(-1) }
}
const refusal = (exit: unknown) => (exit instanceof ExitError ? [exit.code, exit.message] : exit)

test('[C25] our own server passes, with and without a token, and has afterwards what it had before', async () => {
  const before = await Promise.all(tenants.map(listSessions))
  const plain = await run(open.url, {}, true)
  expect(plain.rows.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect([plain.exit, plain.summary]).toMatchObject([0, { failed: 0, left: [] }])
  expect(Number(plain.summary?.passed)).toBeGreaterThan(40)
  expect(await Promise.all(tenants.map(listSessions))).toEqual(before)

  // With a token, tickets are played too; a rule of servers without one is not.
  const tokened = await run(closed.url, { token: 'a+b/c=', only: 'H3' }, true)
  expect(tokened.rows.map(({ rule, outcome, reason }) => [rule, outcome, reason])).toEqual([
    ['H3', 'passed', undefined],
    ['H34', 'passed', undefined],
    ['H36', 'skipped', 'shows a server that asks for no token'],
    ['H32', 'skipped', 'needs tokens with scopes, tenants and a user (tokens)'],
    ['H30', 'passed', undefined],
    [undefined, undefined, undefined],
  ])
  const listed = await get(`${closed.url}/sessions`, { authorization: 'Bearer a+b/c=' })
  expect(listed.body.sessions).toEqual([])
})

test('[C25] it says first what it will do, then page by page what came of it', async () => {
  const { stdout, code } = await workspace.bridle(['conformance', `${open.url}/`, '--text', '--only', 'W1'])
  expect(code).toBe(0)
  const [first, second, ...rest] = stdout.split('\n')
  expect(first).toBe(
    `8 exchanges against ${open.url}. Sessions that begin with conformance- are made, and removed again;`,
  )
  expect(second).toContain('Nothing else is changed.')
  expect(rest).toContain('fabric socket (docs/protocol/fabric-socket.md): 5 passed, 0 failed, 3 skipped')
  expect(rest).toContain('           needs a heartbeat of 30 ms (heartbeatMs, deadAfterMs)')
  const lines = await workspace.bridle(['conformance', open.url, '--only', 'W10'])
  expect(parseJsonRows(lines.stdout)).toMatchObject([
    { type: 'exchange', rule: 'W10', outcome: 'passed', document: 'docs/protocol/fabric-socket.md' },
    { type: 'exchange', rule: 'W10', outcome: 'passed' },
    { type: 'summary', passed: 2, failed: 0, skipped: 0, removed: 2, left: [] },
  ])
})

test.each<[string, RequestListener, string]>([
  [
    'agrees to everything',
    (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    'expected  Hello there\n             actual    nothing',
  ],
  [
    'answers with a page',
    (request, response) => {
      const isFirst = request.url?.startsWith('/sessions?limit=1')
      if (isFirst) response.end('{}')
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>\x1b[2J')
    },
    'expected  JSON\n             actual    <!doctype html>␛[2J',
  ],
  ['fails', (_request, response) => response.writeHead(500).end('no'), 'expected  200\n             actual    500 no'],
])('[C26] a server that %s fails, and is told where', async (_name, listener, expected) => {
  const url = await wrongServer(listener)
  const { exit, text } = await run(url, { timeout: '0.5' })
  expect(exit).toBe(1)
  expect(text).toContain(
    'failed   [H1] answers with the result when the run has ended\n           step 1, POST /agents/scripted/',
  )
  expect(text).toContain(expected)
  expect(text).toMatch(/\n0 passed, \d+ failed, \d+ skipped; \d+ sessions removed/)
})

test('[C26] a server that falls silent, cuts lines, or is not there', async () => {
  const silent = await wrongServer((request, response) => {
    if (request.url?.startsWith('/sessions?limit=1')) response.end('{}')
  })
  const fallen = await run(silent, { timeout: '0.1' }, true)
  expect(fallen.exit).toBe(1)
  expect(fallen.rows.slice(0, 4)).toMatchObject([
    ...Array.from({ length: 3 }, () => ({ outcome: 'failed', actual: 'nothing within 0.1 seconds' })),
    { outcome: 'skipped', reason: 'the server does not answer any more' },
  ])
  const never = await run(await wrongServer(() => {}), { timeout: '0.1' })
  expect(refusal(never.exit)).toEqual([1, expect.stringContaining('does not answer within 100 ms.')])
  const cutting = await wrongServer((request, response) => {
    if (request.url?.startsWith('/sessions?limit=1')) response.end('{}')
    else request.socket.destroy()
  })
  const cut = await run(cutting, { timeout: '0.5', only: 'H1' }, true)
  expect(cut.rows[0]).toMatchObject({ outcome: 'failed', at: 'connection', expected: 'an answer' })
  expect(cut.summary?.left).not.toEqual([])
  const site = await wrongServer((_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<p>'))
  expect(refusal((await run(site, {})).exit)).toEqual([
    1,
    `${site} is no Bridle server: it answers /sessions with a page, status 404.`,
  ])
  const gone = await run('http://127.0.0.1:9', {})
  expect(refusal(gone.exit)).toEqual([1, expect.stringContaining('cannot be reached')])
  expect(refusal((await run(closed.url, {})).exit)).toEqual([
    1,
    `${closed.url} asks for a token: name it with --token.`,
  ])
  expect(refusal((await run(closed.url, { token: 'x' })).exit)).toEqual([1, `${closed.url} refuses the token.`])
  expect(refusal((await run(open.url, { only: 'Q' })).exit)).toEqual([2, expect.stringContaining('"Q"')])
  expect(refusal((await run('nowhere', {})).exit)).toEqual([2, expect.stringContaining('nowhere')])
})
