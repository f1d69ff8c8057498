// Secrets stay where they belong: a server with three tenants does a bit of everything, and then its logs, traces, answers, errors
// and files are searched for each secret that it was given.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { puppetEngine, steps, text } from '@bridle/runners/engines/puppet.suite'
import { SandboxRunner } from '@bridle/runners/server/sandbox-runner'
import { HarnessServer } from '@bridle/server/node/index'
import { createLogger } from '@bridle/server/node/logger'
import { canariesOf, filesIn, findCanaries } from '@bridle/server/tests/canaries.suite'
import { hasEvent, openTestSocket, upgradeAnswer } from '@bridle/server/tests/socket-client.suite'
import { scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CliWorkspace } from '../cli.suite.ts'

const secrets = canariesOf(
  'anthropic-key',
  'openai-key',
  'server-secret',
  'admin-token',
  'ada-token',
  'bo-token',
  'cy-token',
  'user-token',
  'runner-token',
  'runner-key',
)
/** A caller's words are in the store, where they belong, and nowhere that an operator looks. */
const words = canariesOf('prompt', 'argument', 'reason', 'title')

const tenants = ['ada', 'bo', 'cy'] as const
const folder = mkdtempSync(join(tmpdir(), 'bridle-canary-'))
const data = join(folder, 'data')
const exporter = new InMemorySpanExporter()
const lines: string[] = []
/** Answers by request. */
const answers: Record<string, string> = {}
let server: HarnessServer
let runner: SandboxRunner
let workspace: CliWorkspace

beforeAll(async () => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  runner = await SandboxRunner.start({
    engines: [puppetEngine('claude')],
    workFolder: join(folder, 'work'),
    stateFolder: join(folder, 'state'),
    token: secrets['runner-token'],
    env: { ANTHROPIC_API_KEY: secrets['runner-key'] },
  })
  server = await HarnessServer.start({
    port: 0,
    data,
    agentsRoot: folder,
    workspaces: { sources: [folder] },
    authToken: secrets['admin-token'],
    tokens: [
      ...tenants.map((tenant) => ({ token: secrets[`${tenant}-token`], tenants: [tenant] })),
      { token: secrets['user-token'], tenants: ['ada'], user: 'eve', scopes: ['observe'] },
    ],
    env: {
      ANTHROPIC_API_KEY: secrets['anthropic-key'],
      OPENAI_API_KEY: secrets['openai-key'],
      BRIDLE_SECRET: secrets['server-secret'],
      BRIDLE_RUNNER_URL: runner.url,
      BRIDLE_RUNNER_TOKEN: secrets['runner-token'],
    },
    log: createLogger({ level: 'debug', isTerminal: false, write: (line) => lines.push(line), now: Date.now }),
  })
  workspace = new CliWorkspace({ BRIDLE_URL: server.url, FABRIC_HARNESS_API_TOKEN: secrets['admin-token'] })
  for (const tenant of tenants) await live(tenant)
  await mistakes()
  await aroundIt()
})
afterAll(async () => {
  trace.disable()
  await workspace?.remove()
  await server?.close()
  await runner?.close()
  rmSync(folder, { recursive: true, force: true })
})

const ask = async (
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> => {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  answers[`${method} ${path} ${response.status} ${Object.keys(answers).length}`] =
    text + JSON.stringify([...response.headers])
  return text.startsWith('{') ? { status: response.status, ...JSON.parse(text) } : { status: response.status }
}

/** Runs of every kind, approvals, artifacts and exports. */
const live = async (tenant: (typeof tenants)[number]): Promise<void> => {
  const token = secrets[`${tenant}-token`]
  const approving = scriptBody(
    { text: words.prompt },
    { approve: 'write', args: { path: words.argument } },
    { text: 'x'.repeat(20_000) },
  )
  const asked = ask(token, 'POST', '/agents/scripted/chat', approving)
  const open = async (): Promise<string> => {
    for (;;) {
      const { approvals = [] } = (await ask(token, 'GET', '/sessions/chat')) as { approvals?: { id: string }[] }
      if (approvals[0]) return approvals[0].id
    }
  }
  const verdict = tenant === 'bo' ? 'reject' : 'approve'
  await ask(token, 'POST', `/sessions/chat/approvals/${await open()}/${verdict}`, { reason: words.reason })
  await asked
  await ask(token, 'POST', '/agents/scripted/fails', scriptBody({ text: 'a' }, { fail: 'It went wrong.' }))
  const started = { engine: 'scripted', title: words.title, ...scriptBody({ checkpoint: 'c' }, { text: 'done' }) }
  await ask(token, 'POST', '/sessions', { session_id: 'work', ...started })
  await ask(token, 'POST', '/agents/claude/boxed', { prompt: steps(text('From the runner.')) })
  await ask(token, 'POST', '/agents/claude/boxed', { prompt: steps({ reject: 'The engine broke.' }) })
  for (const path of ['/sessions', '/approvals', '/agents/scripted/chat', '/sessions/work', '/chat/sessions/chat'])
    await ask(token, 'GET', path)
  const { artifacts = [] } = (await ask(token, 'GET', '/sessions/work')) as { artifacts?: { id: string }[] }
  for (const { id } of artifacts) await ask(token, 'GET', `/sessions/work/artifacts/${id}`)
}

/** Errors of every kind, with secrets where a caller may put one by mistake. */
const mistakes = async (): Promise<void> => {
  const token = secrets['ada-token']
  await ask('', 'GET', '/sessions')
  await ask(`${token}x`, 'GET', '/sessions')
  await ask(token, 'GET', '/sessions', undefined, { 'x-fabric-tenant': 'bo' })
  await ask(secrets['user-token'], 'POST', '/agents/scripted/chat', { prompt: 'no' })
  await ask(token, 'GET', `/sessions/chat?token=${token}&agent=none`)
  await ask(token, 'GET', '/sessions?limit=x')
  await ask(token, 'GET', '/nowhere')
  await ask(token, 'POST', '/agents/scripted/chat', '{"prompt": ')
  await ask(token, 'POST', '/agents/scripted/chat', { prompt: '' })
  await ask(token, 'POST', '/sessions', { session_id: 'work', engine: 'scripted', prompt: 'again' })
  await ask(token, 'POST', '/sessions', { policy: { health: { max_cost: 1 } }, prompt: 'x' })
  await ask(token, 'POST', '/agents/scripted/chat', { prompt: 'x' }, { origin: 'http://evil.example' })
  await ask(token, 'POST', '/sessions/chat/approvals/none/approve', {})
  answers['a refused socket'] = JSON.stringify(await upgradeAnswer(`${server.url}/sessions/chat/ws?token=${token}x`))
}

/** Probes, descriptions, metrics, tickets, sockets, streams and the command line. */
const aroundIt = async (): Promise<void> => {
  const token = secrets['admin-token']
  for (const path of [
    '/health',
    '/ready',
    '/engines',
    '/builds',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/stream-events',
  ])
    await ask(token, 'GET', path)
  const { ticket } = await ask(secrets['ada-token'], 'POST', '/tickets', { sessionId: 'chat' })
  expect(ticket).toEqual(expect.any(String))
  const socket = await openTestSocket(`${server.url}/sessions/chat/ws?replay=all&token=${secrets['ada-token']}`)
  answers['the socket'] = JSON.stringify(await socket.until(hasEvent('replay-end')))
  socket.ws.terminate()
  for (const args of [['doctor'], ['sessions', '--tenant', 'ada'], ['run', 'none', 'x']]) {
    const { stdout, stderr } = await workspace.bridle(args)
    answers[`bridle ${args.join(' ')}`] = stdout + stderr
  }
}

describe('[O6] [O14] a secret is nowhere', () => {
  test('in the logs at their most talkative, nor in traces', () => {
    expect(lines.length).toBeGreaterThan(50)
    const spans = exporter.getFinishedSpans()
    expect(spans.length).toBeGreaterThan(20)
    const traced = spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status }))
    const places = { logs: lines.join('\n'), traces: JSON.stringify(traced) }
    expect(findCanaries(secrets, places)).toEqual([])
    expect(findCanaries(words, places)).toEqual([])
  })

  test('in any answer, error or export', () => {
    expect(Object.keys(answers).length).toBeGreaterThan(60)
    const boxed = Object.entries(answers).filter(([asked]) => asked.startsWith('POST /agents/claude/boxed 200'))
    expect(boxed).toHaveLength(tenants.length)
    expect(findCanaries(secrets, answers)).toEqual([])
    const errors = Object.entries(answers).filter(([asked]) => / [45]\d\d \d+$/.test(asked))
    expect(findCanaries(words, Object.fromEntries(errors))).toEqual([])
    const metrics = Object.entries(answers).filter(([asked]) => asked.includes('/metrics'))
    expect(findCanaries(words, Object.fromEntries(metrics))).toEqual([])
  })

  test('in the data folder or what a runner leaves: database, journal, workspaces, everything', () => {
    const files = filesIn(folder)
    expect(Object.keys(files)).toContain(join('data', 'bridle.sqlite'))
    expect(findCanaries(secrets, files)).toEqual([])
    // The search itself works: it finds a secret that is there.
    expect(findCanaries(words, files).length).toBeGreaterThan(0)
  })
})
