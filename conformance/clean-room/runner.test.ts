// Our sessions with a runner that was written from its document alone.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Key } from '@bridle/kernel/event'
import { digest, setUp } from '@bridle/kernel/host/host.suite'
import type { Clock } from '@bridle/kernel/ports/clock'
import { remoteRunner } from '@bridle/runners/remote/remote-runner'
import { urlSandbox } from '@bridle/runners/sandboxes/url-sandbox'
import { HarnessServer } from '@bridle/server/node/index'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startQuery } from './caller.ts'
import { type CleanClient, connect } from './client.ts'
import { type CleanAgent, type CleanRunner, startCleanRunner } from './runner.ts'

const clock: Clock = {
  now: Date.now,
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
/** As the real ones, much shorter. */
const queueLimits = { tryMs: 5, tryMsMax: 20, silentTries: 1, waitMs: 60_000 }
const liveness = { deadAfterMs: 60, probeAfterMs: 80, probeAgainMs: 60, probesMax: 3 }

/** A busy machine takes its time. */
const polled = <T>(look: () => T) => expect.poll(look, { timeout: 10_000, interval: 10 })

let runner: CleanRunner
let release: () => void
/** Says its prompt, works on one tool until it is released or left, and says so. */
const agent: CleanAgent = async function* (prompt, signal) {
  yield { text: `${prompt}: ` }
  if (prompt.startsWith('fail')) return yield { error: 'It failed.' }
  if (!prompt.startsWith('slow')) return yield { text: 'done' }
  yield { tool: 'Build' }
  await Promise.race([
    new Promise<void>((resolve) => {
      release = resolve
    }),
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
  ])
  yield { text: 'built' }
}

let world: ReturnType<typeof setUp>
const keyOf = (name: string): Key => ({ tenant: 'acme', agent: 'claude', id: name })
const start = (url: string) =>
  setUp(
    {
      runner: () =>
        remoteRunner({
          engine: 'claude',
          provider: urlSandbox({ url }),
          clock,
          digest,
          runToken: async () => 'token',
          credentials: { grant: async () => ({ ANTHROPIC_API_KEY: 'lent' }), revoke: () => {} },
          liveness,
          queueLimits,
        }),
      clock,
      tokenPaceMs: 0,
    },
    undefined,
    clock as never,
  )
const submit = (name: string, prompt: string) => world.host.send(keyOf(name), { type: 'submit', prompt })
const shown = async (name: string) => {
  const { state } = await world.host.open(keyOf(name))
  const { status, sessionStatus, messages, error } = state.conversation
  const answers = messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)
  return { status, sessionStatus, answers, ...(error && { error }) }
}

beforeEach(async () => {
  runner = await startCleanRunner(agent)
  world = start(runner.url)
})
afterEach(async () => {
  await world.host.stop()
  await runner.close()
})

describe('a runner of the document', () => {
  test('[R14] may be silent over one tool for longer than every limit: /health says that it is busy', async () => {
    await submit('one', 'slow')
    await polled(() => shown('one')).toMatchObject({ status: 'running', answers: ['slow: '] })
    // Each time it was silent for longer than a runner that sends comments may be.
    const { healthRequests } = runner
    await polled(() => runner.healthRequests).toBeGreaterThan(healthRequests + 2)
    expect(await shown('one')).toMatchObject({ status: 'running', answers: ['slow: '] })
    release()
    await polled(() => shown('one')).toMatchObject({ status: 'idle', answers: ['slow: built'] })
    expect(runner.prompts).toEqual(['slow'])
  })

  test.each(['not busy', 'failing'] as const)(
    '[R14] whose /health is %s has lost its run: it ends, and the next one runs',
    async (health) => {
      await submit('one', 'slow')
      await polled(() => shown('one')).toMatchObject({ status: 'running', answers: ['slow: '] })
      const { healthRequests } = runner
      runner.health = health
      await polled(() => shown('one')).toMatchObject({
        status: 'error',
        error: expect.stringContaining('cannot continue'),
      })
      expect(runner.healthRequests - healthRequests).toBeGreaterThanOrEqual(liveness.probesMax)
      // The request was dropped, and with it whatever the runner still did.
      await polled(() => runner.dropped).toEqual(['slow'])
      runner.health = 'true'
      await submit('one', 'next')
      await polled(() => shown('one')).toMatchObject({ status: 'idle', answers: ['slow: ', 'next: done'] })
    },
  )

  test('[R22] is shared by three sessions, turn by turn: a prompt that finds it busy waits, says so, and is not lost', async () => {
    const names = ['one', 'two', 'three']
    await submit('one', 'slow 1')
    await polled(() => shown('one')).toMatchObject({ status: 'running', answers: ['slow 1: '] })
    await submit('two', 'second')
    await submit('three', 'third')
    for (const name of ['two', 'three'])
      await polled(() => shown(name)).toMatchObject({ status: 'running', sessionStatus: 'queued', answers: [''] })
    const diagnostics = (await world.events(keyOf('two'))).filter(({ type }) => type === 'transport_diagnostic')
    expect(diagnostics.map(({ payload }) => payload)).toEqual([
      { status: 'waiting', kind: 'sandbox', reason: expect.stringContaining('has another run') },
    ])
    expect(await shown('one')).toMatchObject({ sessionStatus: 'running' })
    release()
    await polled(() => shown('two')).toMatchObject({ status: 'idle', answers: ['second: done'] })
    await polled(() => shown('three')).toMatchObject({ status: 'idle', answers: ['third: done'] })
    // And all at once, one run at a time.
    for (const turn of ['a', 'b']) await Promise.all(names.map((name) => submit(name, `${turn} of ${name}`)))
    for (const name of names)
      await polled(async () => (await shown(name)).answers.slice(1)).toEqual([
        `a of ${name}: done`,
        `b of ${name}: done`,
      ])
    expect(runner.prompts).toHaveLength(9)
    expect(runner.dropped).toEqual([])
  })

  test('[R22] a prompt that waits can be cancelled, and one that runs: the request is dropped, and the next in line runs', async () => {
    await submit('one', 'slow 1')
    await polled(() => shown('one')).toMatchObject({ answers: ['slow 1: '] })
    await submit('two', 'never')
    await submit('three', 'third')
    await polled(() => shown('two')).toMatchObject({ sessionStatus: 'queued' })
    await polled(() => shown('three')).toMatchObject({ sessionStatus: 'queued' })
    await world.host.send(keyOf('two'), { type: 'cancel' })
    await polled(() => shown('two')).toMatchObject({ status: 'idle', sessionStatus: 'idle' })
    await world.host.send(keyOf('one'), { type: 'cancel' })
    await polled(() => runner.dropped).toEqual(['slow 1'])
    await polled(() => shown('three')).toMatchObject({ status: 'idle', answers: ['third: done'] })
    await submit('two', 'after all')
    await polled(() => shown('two')).toMatchObject({ status: 'idle', answers: ['', 'after all: done'] })
    expect(runner.prompts).toEqual(['slow 1', 'third', 'after all'])
  })

  test('[R22] a prompt that waits goes on waiting when the server is started anew', async () => {
    const hanging = await startQuery(runner.url, 'slow of somebody else')
    await submit('two', 'patient')
    await polled(() => shown('two')).toMatchObject({ sessionStatus: 'queued' })
    world = (await world.again()) as typeof world
    await world.host.resumeWork()
    await polled(() => shown('two')).toMatchObject({ sessionStatus: 'queued' })
    hanging.drop()
    await polled(() => shown('two')).toMatchObject({ status: 'idle', answers: ['patient: done'] })
    expect(runner.prompts).toEqual(['slow of somebody else', 'patient'])
  })

  test('[R22] a prompt that waited when the server died runs at the next start, and no longer waits', async () => {
    const hanging = await startQuery(runner.url, 'slow of somebody else')
    await submit('two', 'slow too')
    await polled(() => shown('two')).toMatchObject({ sessionStatus: 'queued' })
    world = (await world.again()) as typeof world
    hanging.drop()
    await polled(() => runner.dropped).toHaveLength(1)
    await world.host.resumeWork()
    await polled(() => shown('two')).toMatchObject({ sessionStatus: 'running', answers: ['slow too: '] })
    release()
    await polled(() => shown('two')).toMatchObject({ status: 'idle', answers: ['slow too: built'] })
  })

  test('[R7] that takes no key and says that it has none is named in a diagnostic, and runs all the same', async () => {
    const diagnostics = async () =>
      (await world.events(keyOf('one')))
        .filter(({ type }) => type === 'transport_diagnostic')
        .map(({ payload }) => payload)
    await submit('one', 'first')
    await polled(() => shown('one')).toMatchObject({ status: 'idle', answers: ['first: done'] })
    expect(await diagnostics()).toEqual([])
    runner.hasKey = false
    await submit('one', 'second')
    await polled(() => shown('one')).toMatchObject({ status: 'idle', answers: ['first: done', 'second: done'] })
    const reason = expect.stringContaining('could not be given a key')
    expect(await diagnostics()).toEqual([{ status: 'degraded', kind: 'credentials', reason }])
  })
})

describe('both ends of the documents around our server', () => {
  test('[R22] [T3] [T25] three clients, each on a session of its own, share one runner; a cancel frees it for the next', async () => {
    const data = mkdtempSync(join(tmpdir(), 'bridle-clean-room-'))
    const server = await HarnessServer.start({ port: 0, data, env: { BRIDLE_RUNNER_URL: runner.url }, log: () => {} })
    // The global `fetch` gives up a stream after five silent minutes.
    const fetched = vi.spyOn(globalThis, 'fetch')
    try {
      const clients = await Promise.all(
        ['a', 'b', 'c'].map((user) => connect(`${server.url}/ws?userId=${user}&agent=claude`)),
      )
      const [first, ...others] = clients as [CleanClient, CleanClient, CleanClient]
      const answers = ({ state }: CleanClient) =>
        state?.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)
      first.submit('slow')
      await polled(() => answers(first)).toEqual(['slow: '])
      for (const client of others) client.submit('hello')
      for (const client of others) {
        await polled(() => client.state?.status).toBe('running')
        await polled(() => client.errors).toEqual([expect.stringContaining('The prompt is waiting')])
      }
      first.cancel()
      for (const client of others) await polled(() => answers(client)).toEqual(['hello: done'])
      first.submit('fail')
      await polled(() => first.state).toMatchObject({ status: 'error', error: 'It failed.' })
      first.submit('again')
      await polled(() => first.state?.status).toBe('idle')
      expect(answers(first)).toEqual(['slow: ', 'fail: ', 'again: done'])
      expect(runner.dropped).toEqual(['slow'])
      expect(fetched.mock.calls.filter(([url]) => String(url).startsWith(runner.url))).toEqual([])
      for (const client of clients) {
        // The runner was busy when these came, and each is told once.
        expect([client.isOpen, client.errors.length]).toEqual([true, client === first ? 0 : 1])
        client.close()
      }
    } finally {
      fetched.mockRestore()
      await server.close()
      rmSync(data, { recursive: true, force: true })
    }
  })
})
