// A runner is as trusted as what it runs. What it answers is bounded, and leads nowhere else.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ReportItem } from '@bridle/kernel/commands'
import { digest, key } from '@bridle/kernel/host/host.suite'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Job } from '@bridle/kernel/ports/runner'
import { RunReporter } from '@bridle/kernel/session/run-reporter'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { urlSandbox } from '../sandboxes/url-sandbox.ts'
import type { Sandbox } from './provider.ts'
import { remoteRunner } from './remote-runner.ts'
import { runnerClient } from './runner-client.ts'

const clock: Clock = {
  now: Date.now,
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
const servers: Server[] = []
const listening = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const reporterOf = (items: ReportItem[]) =>
  new RunReporter({
    runId: 'r-2',
    attempt: 1,
    frame: -1,
    clock,
    tokenPaceMs: 0,
    send: async (report) => void items.push(...report.items),
  })
const jobAt = (sandbox: Sandbox | null): Job => ({
  key: key(),
  runId: 'r-2',
  attempt: 1,
  prompt: 'Hi',
  input: null,
  resume: null,
  parent: null,
  settings: {},
  epoch: 1,
  handle: sandbox && { sandbox: sandbox.id, request: 'the-request' },
  frame: 0,
  awaiting: [],
})
const answer = {
  requestId: 'apr-1',
  toolCallId: 't',
  decision: 'approved',
  arguments: {},
  approvedDigest: 'd',
  reason: null,
} as const

/** A runner that plays one short run, unless `listener` answers. */
const shortRunner = (listener: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean): Promise<string> =>
  listening((incoming, outgoing) => {
    incoming.resume()
    if (listener(incoming, outgoing)) return
    const { url = '' } = incoming
    if (url === '/health') return void outgoing.end('{"ok":true,"busy":false,"hasAnthropicKey":true,"instance":"one"}')
    if (url === '/query' || url.endsWith('/events')) {
      const says = [
        { type: 'run.started', requestId: 'x' },
        { type: 'tool.started', toolName: 'T', toolUseId: 't', input: {} },
        { type: 'run.completed' },
      ]
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      return void outgoing.end(
        says.map((event, index) => `id: ${index + 1}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
      )
    }
    outgoing.end('{"ok":true,"stopped":true}')
  })

const runnerAt = (url: string) => {
  const provider = urlSandbox({ url, token: 'of the runner' })
  const runToken = async () => 'of the run'
  const credentials = { grant: async () => ({ ANTHROPIC_API_KEY: 'lent' }), revoke: () => {} }
  return { provider, runner: remoteRunner({ engine: 'claude', provider, clock, digest, runToken, credentials }) }
}

describe('[R16] a redirect is never followed, and is an error that says so:', () => {
  let asked: { readonly url: string | undefined; readonly headers: object }[] = []
  let elsewhere: string
  beforeEach(async () => {
    asked = []
    elsewhere = await listening((incoming, outgoing) => {
      asked.push({ url: incoming.url, headers: incoming.headers })
      outgoing.end('{"ok":true,"busy":false,"hasAnthropicKey":true,"instance":"one"}')
    })
  })

  type Act = (parts: ReturnType<typeof runnerAt> & { readonly job: Job; readonly sandbox: Sandbox }) => Promise<unknown>
  const cases: [string, (url: string) => boolean, Act][] = [
    ['health', (url) => url === '/health', ({ provider }) => provider.acquire(key())],
    ['query', (url) => url === '/query', ({ runner, job }) => runner.start(job, reporterOf([]))],
    ['events', (url) => url.endsWith('/events'), ({ runner, job }) => runner.attach(job, reporterOf([]))],
    ['env of a run', (url) => /^\/runs.*env$/.test(url), ({ runner, job }) => runner.attach(job, reporterOf([]))],
    ['env', (url) => url === '/env', ({ provider, sandbox }) => provider.setEnvVars(sandbox, { A: 'b' })],
    ['cancel', (url) => url.endsWith('/cancel'), ({ runner, job }) => runner.abort(job)],
    ['approvals', (url) => url.includes('/approvals/'), async ({ runner, job }) => runner.answer?.(job, answer)],
    [
      'steer',
      (url) => url.endsWith('/steer'),
      async ({ runner, job }) => runner.steer?.(job, { messageId: 'm', text: 't' }),
    ],
  ]
  const all = cases.flatMap(([name, isPath, act]) =>
    [301, 302, 307, 308].map((status) => [name, status, isPath, act] as const),
  )

  test.each(all)('%s, %i', async (_name, status, isPath, act) => {
    let isRedirecting = false
    const url = await shortRunner((incoming, outgoing) => {
      if (!isRedirecting || !isPath(incoming.url ?? '')) return false
      outgoing.writeHead(status, { location: `${elsewhere}/internal-admin` }).end()
      return true
    })
    const parts = runnerAt(url)
    const sandbox = await parts.provider.acquire(key())
    isRedirecting = true
    await expect(act({ ...parts, sandbox, job: jobAt(sandbox) })).rejects.toThrow(/redirect|answered 30/)
    expect(asked).toEqual([])
  })

  test('ack', async () => {
    let redirected = 0
    const url = await shortRunner((incoming, outgoing) => {
      if (!incoming.url?.endsWith('/ack')) return false
      redirected += 1
      outgoing.writeHead(307, { location: `${elsewhere}/internal-admin` }).end()
      return true
    })
    const { provider, runner } = runnerAt(url)
    const reporter = reporterOf([])
    expect(await runner.start(jobAt(await provider.acquire(key())), reporter)).toBe('done')
    await expect.poll(() => redirected).toBeGreaterThan(0)
    reporter.close()
    expect(asked).toEqual([])
  })
})

describe('[R16] an answer without an end is read up to a limit', () => {
  const chunk = Buffer.alloc(16 * 1024, 'x')
  /** As much as the reader takes, and how much that was. */
  const endless = (status: number) => {
    const flow = { sent: 0, isClosed: false }
    const flood = (outgoing: ServerResponse) => {
      outgoing.writeHead(status)
      outgoing.once('close', () => {
        flow.isClosed = true
      })
      const more = () => {
        while (!outgoing.destroyed) {
          flow.sent += chunk.length
          if (!outgoing.write(chunk)) return void outgoing.once('drain', more)
        }
      }
      more()
    }
    return { flow, flood }
  }
  /** Bytes that may wait in sockets and buffers between the two. */
  const SLACK_BYTES = 16 * 1024 * 1024

  test.each([
    ['/query', 500],
    ['/query', 409],
    ['/runs/the-request/events', 500],
    ['/runs/the-request/env', 500],
    ['/runs/the-request/cancel', 200],
    ['/runs/the-request/cancel', 500],
    ['/runs/the-request/approvals/t', 500],
    ['/runs/the-request/steer', 500],
    ['/env', 500],
    ['/health', 200],
  ])('%s, %i', async (path, status) => {
    const { flow, flood } = endless(status)
    let isFlooding = false
    const url = await shortRunner((incoming, outgoing) => {
      if (!isFlooding || incoming.url !== path) return false
      flood(outgoing)
      return true
    })
    const { provider, runner } = runnerAt(url)
    const sandbox = await provider.acquire(key())
    const job = jobAt(sandbox)
    isFlooding = true
    const reporter = reporterOf([])
    const acts: { readonly [path: string]: () => Promise<unknown> } = {
      '/query': () => runner.start(job, reporter),
      '/runs/the-request/events': () => runner.attach(job, reporterOf([])),
      '/runs/the-request/env': () => runner.attach(job, reporterOf([])),
      '/runs/the-request/cancel': () => runner.abort(job),
      '/runs/the-request/approvals/t': async () => runner.answer?.(job, answer),
      '/runs/the-request/steer': async () => runner.steer?.(job, { messageId: 'm', text: 't' }),
      '/env': () => provider.setEnvVars(sandbox, {}),
      '/health': () => provider.acquire(key()),
    }
    const acted = acts[path]?.().catch(() => {})
    await expect.poll(() => flow.isClosed).toBe(true)
    // A run that finds its runner busy waits until it is no longer wanted.
    reporter.close()
    await acted
    expect(flow.sent).toBeGreaterThan(64 * 1024)
    expect(flow.sent).toBeLessThan(SLACK_BYTES)
  })

  test('a refusal that is too long is a refusal', async () => {
    const { flood } = endless(409)
    const url = await listening((_incoming, outgoing) => flood(outgoing))
    const { signal } = new AbortController()
    expect(await runnerClient({ url }, [null]).stream('/query', { body: {}, signal })).toEqual({
      status: 409,
      body: {},
    })
  })
})

describe('[R19] a run whose frames make no sense ends, and never waits for ever', () => {
  const frame = (id: string, event: object) => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`
  const begins = frame('1', { type: 'run.started', requestId: 'x' })
  const ends = { type: 'run.completed' }

  test.each([
    ['a last frame of 20 digits', begins + frame('1'.padEnd(20, '0'), ends)],
    ['a last frame of 400 digits', begins + frame('9'.repeat(400), ends)],
    ['a last frame of nought', begins + frame('0', ends)],
    ['a last frame that goes back', begins + frame('5', { type: 'assistant.delta', text: 'a' }) + frame('2', ends)],
    [
      'a jump and a last frame behind it',
      begins + frame('9'.repeat(15), { type: 'assistant.delta', text: 'a' }) + frame('3', ends),
    ],
  ])('%s', async (_name, said) => {
    const cancelled: string[] = []
    const url = await shortRunner((incoming, outgoing) => {
      if (incoming.url?.endsWith('/cancel')) cancelled.push(incoming.url)
      if (incoming.url !== '/query') return false
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end(said)
      return true
    })
    const { runner } = runnerAt(url)
    const items: ReportItem[] = []
    await expect(runner.start(jobAt(null), reporterOf(items))).rejects.toThrow('is not valid')
    expect(items.map(({ type }) => type)).not.toContain('finished')
    // The engine stops when nobody follows it.
    expect(cancelled).toHaveLength(1)
  })

  test('an end that was said before the committed frame, when the run is taken up again', async () => {
    const url = await shortRunner((incoming, outgoing) => {
      if (!incoming.url?.endsWith('/events')) return false
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end(begins + frame('2', ends))
      return true
    })
    const { provider, runner } = runnerAt(url)
    const reporter = new RunReporter({
      runId: 'r-2',
      attempt: 1,
      frame: 40,
      clock,
      tokenPaceMs: 0,
      send: async () => {},
    })
    const job = { ...jobAt(await provider.acquire(key())), frame: 40 }
    await expect(runner.attach(job, reporter)).rejects.toThrow('is not valid')
  })
})
