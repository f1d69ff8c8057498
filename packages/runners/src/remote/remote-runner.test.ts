// The session's side of the protocol, with the real kernel on one side, the real runner on the other, and a network in
// between that can be cut.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digest, key, setUp } from '@bridle/kernel/host/host.suite'
import type { Clock } from '@bridle/kernel/ports/clock'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type PuppetEngine, puppetEngine, steps, text } from '../engines/puppet.suite.ts'
import type { RunnerHealth } from '../protocol/protocol.ts'
import { urlSandbox } from '../sandboxes/url-sandbox.ts'
import { SandboxRunner } from '../server/sandbox-runner.ts'
import type { Sandbox, SandboxProvider } from './provider.ts'
import { remoteRunner } from './remote-runner.ts'

const clock: Clock = {
  now: Date.now,
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

let folder: string
let engine: PuppetEngine
let server: SandboxRunner
let road: CuttableConnection
let world: RemoteWorld
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-sandbox-'))
  engine = puppetEngine()
  server = await startServer()
  road = await CuttableConnection.to(server.url)
  world = new RemoteWorld(road.url)
})
afterEach(async () => {
  await world.leave()
  await road.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})
const startServer = () =>
  SandboxRunner.start({
    engines: [engine],
    workFolder: join(folder, 'w'),
    stateFolder: join(folder, 's'),
    token: 'boxed',
  })

/** A connection to the runner that a test can cut and close. */
class CuttableConnection {
  readonly url: string
  readonly #sockets = new Set<Socket>()
  readonly #server: ReturnType<typeof createServer>
  isClosed = false

  static async to(url: string): Promise<CuttableConnection> {
    const { connect } = await import('node:net')
    const { hostname, port } = new URL(url)
    let road: CuttableConnection | undefined
    const listening = createServer((near) => {
      near.on('error', () => {})
      if (road?.isClosed) return void near.destroy()
      const far = connect(Number(port), hostname)
      far.on('error', () => near.destroy())
      near.on('close', () => far.destroy())
      far.on('close', () => near.destroy())
      near.pipe(far)
      far.pipe(near)
      road?.hold(near)
    })
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
    road = new CuttableConnection(listening)
    return road
  }

  private constructor(listening: ReturnType<typeof createServer>) {
    this.#server = listening
    this.url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
  }

  hold(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): Promise<void> {
    this.cut()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }
}

class RemoteWorld {
  readonly #url: string
  readonly granted: string[] = []
  readonly stopped: string[] = []
  readonly forgotten: string[] = []
  gone = false
  #life: ReturnType<typeof setUp>

  constructor(url: string) {
    this.#url = url
    this.#life = setUp({ runner: () => this.runner(), clock, tokenPaceMs: 5 }, undefined, clock as never)
  }

  runner() {
    const box: Sandbox = {
      id: 'box-1',
      url: this.#url,
      token: 'boxed',
      hasRunEnv: true,
      notice: { requestedBackend: 'auto', resolvedBackend: 'process', isolation: 'none', reason: 'a test' },
    }
    const provider: SandboxProvider = {
      acquire: async () => box,
      find: async (id) => (id === box.id && !this.gone ? box : null),
      health: async () => {
        try {
          return (await (await fetch(`${this.#url}/health`)).json()) as RunnerHealth
        } catch {
          return null
        }
      },
      setEnvVars: async (_box, vars) => {
        const response = await fetch(`${this.#url}/env`, {
          method: 'PUT',
          headers: { authorization: 'Bearer boxed' },
          body: JSON.stringify({ vars }),
        })
        expect(response.status).toBe(200)
        return true
      },
      stop: async ({ id }) => void this.stopped.push(id),
      forget: async ({ id }) => void this.forgotten.push(id),
    }
    return remoteRunner({
      engine: 'puppet',
      provider,
      clock,
      digest,
      runToken: async ({ runId, attempt }) => `token of ${runId}/${attempt}`,
      credentials: {
        grant: async ({ runId }) => {
          this.granted.push(`+${runId}`)
          return { ANTHROPIC_API_KEY: `for ${runId}` }
        },
        revoke: ({ runId }) => void this.granted.push(`-${runId}`),
      },
    })
  }

  submit(prompt: string, opening: object = {}) {
    return this.#life.host.send(key(), { type: 'submit', prompt, opening })
  }

  get host() {
    return this.#life.host
  }

  /** The process dies without a word, and the next one takes over. */
  async restart(): Promise<void> {
    this.#life = await this.#life.again()
    await this.#life.host.start()
  }

  events = () => this.#life.events()
  types = async () => (await this.events()).map(({ type }) => type)
  async answer() {
    const session = await this.#life.host.find(key())
    return session?.state.conversation.messages.findLast(({ role }) => role === 'assistant')
  }

  async until(isSo: () => Promise<boolean> | boolean): Promise<void> {
    for (let tries = 0; !(await isSo()); tries++) {
      if (tries > 1_500) throw new Error(`It did not come to it: ${(await this.types()).join(' ')}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  ended = () => this.until(async () => (await this.types()).includes('turn_end'))
  seen = (type: string) => this.until(async () => (await this.types()).includes(type as never))
  leave = () => this.#life.host.stop()
}

const asks = { toolUseId: 't1', toolName: 'Bash', input: { command: 'ls' }, reason: 'It asks.' }
const payloads = async (type: string) =>
  (await world.events()).filter((event) => event.type === type).map(({ payload }) => payload as never)

describe('a run', () => {
  test('[R13] is told as the session tells it: isolation, text, calls, usage, the end and how to go on', async () => {
    await world.submit(
      steps(
        { say: { type: 'thinking.delta', text: 'h' } },
        { say: { type: 'thinking.delta', text: 'm' } },
        text('Hello '),
        text('you'),
        { act: 't1' },
        { say: { type: 'usage', inputTokens: 3, outputTokens: 4, costUsd: 0.5 } },
        { say: { type: 'retry', attempt: 1, status: 529, reason: 'overloaded' } },
      ),
    )
    await world.ended()
    expect(await world.answer()).toMatchObject({
      content: 'Hello you',
      status: 'complete',
      toolCalls: [{ id: 't1', outcome: 'ok' }],
    })
    expect(await payloads('sandbox_notice')).toMatchObject([{ resolved_backend: 'process', isolation: 'none' }])
    expect(await payloads('thinking')).toEqual([{ text: 'hm' }])
    expect(await payloads('usage')).toEqual([{ input_tokens: 3, output_tokens: 4, cost_usd: 0.5 }])
    expect(await payloads('transport_diagnostic')).toMatchObject([{ kind: 'provider_retry', http_status: 529 }])
    expect(await payloads('resume_handle')).toMatchObject([{ handle: 'start>1' }])
    expect(world.granted).toEqual(['+r-2', '-r-2'])
    await world.submit('again')
    await world.until(async () => (await world.types()).filter((type) => type === 'turn_end').length === 2)
    expect(engine.opened).toEqual([{ resume: null }])
  })

  test('[S37] paused, it goes on with the memory of its engine, and no call is made twice', async () => {
    const script = steps(text('Half.'), { act: 't1' }, { hang: 'politely' }, { act: 't2' }, text('Done.'))
    await world.submit(script, { kind: 'background' })
    await world.seen('tool_outcome')
    await world.host.send(key(), { type: 'pause' })
    await world.seen('resume_handle')
    await world.host.send(key(), { type: 'resume' })
    await world.ended()
    expect(engine.acted).toEqual(['t1', 't2'])
    expect(engine.opened).toEqual([{ resume: null }])
    expect(await world.answer()).toMatchObject({ content: 'Half.\n\nDone.', status: 'complete' })
    expect(await payloads('resume_handle')).toMatchObject([{ handle: 'start>1' }, { handle: 'start>1>2' }])
    expect(await payloads('output_superseded')).toEqual([])
  })

  test('[S37] a handle that was told in the middle serves where the engine does not answer the stop', async () => {
    const script = steps(
      { say: { type: 'run.resume', resume: 'told' } },
      text('Half.'),
      { hang: 'deaf' },
      text('Done.'),
    )
    await world.submit(script, { kind: 'background' })
    await world.seen('token')
    world.gone = true
    await world.host.send(key(), { type: 'pause' })
    await world.seen('run_stopped')
    world.gone = false
    await world.host.send(key(), { type: 'resume' })
    expect((await payloads('run_requested')).at(-1)).toMatchObject({ attempt: 2, resume: 'told', continues: 1 })
  })

  test('[S35] the sums that an engine tells after its last word do not throw the result away', async () => {
    const policy = { health: { max_cost_usd: 1, max_total_tokens: 5 } }
    const sums = { type: 'usage', inputTokens: 9, outputTokens: 1, costUsd: 5, total: true } as const
    await world.submit(steps(text('Paid for.'), { say: sums }), { kind: 'background', policy })
    await world.ended()
    expect(await payloads('completed')).toMatchObject([{ result: 'done' }])
    expect(await payloads('usage')).toMatchObject([{ input_tokens: 9, cost_usd: 5 }])
    expect(await payloads('approval_required')).toEqual([])
  })

  test('[R13] the intent is in the log before the call acts', async () => {
    await world.submit(steps({ act: 't1' }))
    await world.ended()
    expect(engine.acted).toEqual(['t1'])
    expect((await world.types()).indexOf('tool_call')).toBeLessThan((await world.types()).indexOf('tool_outcome'))
  })

  test('[R13] a cancel stops the engine, and the next turn knows what was said', async () => {
    await world.submit(steps(text('half a'), { hang: 'politely' }))
    await world.seen('token')
    await world.host.send(key(), { type: 'cancel' })
    await world.ended()
    expect(await world.answer()).toMatchObject({ status: 'complete', stopReason: 'cancelled', content: 'half a' })
    await world.submit('and?')
    await world.until(async () => (await world.types()).filter((type) => type === 'turn_end').length === 2)
    expect(engine.opened).toEqual([{ resume: null }])
  })

  test('[R13] an error of the engine is the run’s, once', async () => {
    await world.submit(steps({ end: { kind: 'failed', message: 'Too long.', reason: 'prompt_too_long' } }))
    await world.ended()
    expect(await payloads('error')).toMatchObject([{ message: 'Too long.', reason: 'prompt_too_long' }])
  })

  test('[R13] a steer reaches it', async () => {
    await world.submit(steps(text('a'), { hang: 'politely' }))
    await world.seen('token')
    await world.host.send(key(), { type: 'steer', prompt: 'to the left' })
    await world.until(() => engine.steered.length > 0)
    expect(engine.steered).toEqual(['to the left'])
    await world.host.send(key(), { type: 'cancel' })
    await world.ended()
  })

  test('[W9] one task of three is stopped by itself; the others and the run go on', async () => {
    const begun = ['t1', 't2', 't3'].map((agentId) => ({ say: { type: 'subagent.started' as const, agentId } }))
    await world.submit(steps(...begun, text('a'), { hang: 'politely' }))
    await world.seen('token')
    expect(await world.host.stopTask(key(), 't2')).toBe(true)
    while ((await payloads('subagent_event')).length < 4) await new Promise(setImmediate)
    expect((await payloads('subagent_event')).at(-1)).toMatchObject({ agent_id: 't2', status: 'stopped' })
    expect([await world.host.stopTask(key(), 't2'), await world.host.stopTask(key(), 'nobody')]).toEqual([false, false])
    expect(engine.stoppedTasks).toEqual(['t2'])
    expect((await world.host.find(key()))?.state.lifecycle.run?.phase).toBe('started')
    await world.host.send(key(), { type: 'cancel' })
    await world.ended()
    expect(await world.host.stopTask(key(), 't1')).toBe(false)
  })

  test('[R13] what a removed session had goes with it', async () => {
    await world.submit(steps({ hang: 'politely' }))
    await world.seen('run_started')
    await world.host.remove(key())
    await world.until(() => world.forgotten.length > 0)
    expect(world.forgotten).toEqual(['s1'])
    expect(server.busy).toBe(false)
  })
})

describe('[R18] the id of a request', () => {
  /** Counts requests to `/query`, and loses them while `isLosing`. */
  const watched = () => {
    const { fetch } = globalThis
    const seen = { ids: [] as string[], logged: [] as string[], isLosing: false, restore: () => {} }
    seen.restore = () => {
      globalThis.fetch = fetch
    }
    globalThis.fetch = async (url, init) => {
      if (!String(url).endsWith('/query')) return fetch(url, init)
      seen.ids.push(JSON.parse(String(init?.body)).requestId)
      seen.logged.push(
        ...((await payloads('run_started')) as { handle: { request: string } }[]).map(({ handle }) => handle.request),
      )
      if (seen.isLosing) throw new TypeError('fetch failed')
      return fetch(url, init)
    }
    return seen
  }

  test('is random, and in the log before the query', async () => {
    const seen = watched()
    await world.submit('one')
    await world.ended()
    await world.submit('two')
    await world.until(async () => (await world.types()).filter((type) => type === 'turn_end').length === 2)
    seen.restore()
    const [first = '', second = ''] = seen.ids
    expect(seen.ids).toHaveLength(2)
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect(first).not.toBe(second)
    expect(seen.logged).toEqual([first, first, second])
    expect(await payloads('run_started')).toMatchObject([
      { run_id: expect.stringMatching(/^r-\d+$/), handle: { sandbox: 'box-1', request: first } },
      { handle: { request: second } },
    ])
  })

  test('is the same for the next process, where the last was killed before its query arrived', async () => {
    const seen = watched()
    seen.isLosing = true
    await world.submit(steps(text('once'), { act: 't1' }))
    await world.until(() => seen.ids.length > 0)
    await world.leave()
    seen.isLosing = false
    await world.restart()
    await world.ended()
    seen.restore()
    expect(new Set(seen.ids).size).toBe(1)
    expect(engine.acted).toEqual(['t1'])
    expect((await world.answer())?.content).toBe('once')
  })
})

test('[R17] an answer that the session gives carries its digest, and is an approval', async () => {
  await world.submit(steps({ ask: asks }))
  await world.seen('approval_required')
  const [asked] = (await payloads('approval_required')) as { request_id: string }[]
  await world.host.send(key(), { type: 'approve', approvalId: asked?.request_id ?? '', decision: 'approved' })
  await world.ended()
  expect(engine.verdicts).toEqual([{ decision: 'approved', input: asks.input }])
})

describe('[R29] a question', () => {
  const db = { id: 'db', question: 'Which?', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }
  const question = { ...asks, question: { questions: [db] } }
  const answer = async (more: object): Promise<void> => {
    await world.seen('approval_required')
    const [asked] = (await payloads('approval_required')) as { request_id: string }[]
    const command = { type: 'approve', approvalId: asked?.request_id ?? '', decision: 'approved', ...more } as const
    await world.host.send(key(), command)
    await world.ended()
  }

  test('gets the answer that the session has', async () => {
    await world.submit(steps({ ask: question }))
    await answer({ answers: { db: 'SQLite' } })
    expect(await payloads('approval_required')).toMatchObject([{ kind: 'question', questions: [db] }])
    const given = { answers: { db: 'SQLite' } }
    expect(engine.verdicts).toEqual([{ decision: 'approved', input: { ...asks.input, ...given }, given }])
  })

  test.each<[string, object, string]>([
    ['declined', {}, 'The user declined to answer.'],
    ['declined with a reason', { reason: 'Later.' }, 'The user declined to answer: Later.'],
  ])('that is %s tells the engine so', async (_name, more, reason) => {
    await world.submit(steps({ ask: question }))
    await answer({ decision: 'denied', ...more })
    expect(engine.verdicts).toEqual([{ decision: 'denied', reason }])
  })

  test('that the session refuses is not declined by a user', async () => {
    await world.submit(steps({ ask: { ...asks, question: { questions: [] } } }))
    await world.ended()
    const reason = 'The question was not asked. `questions` is a list with at least one question.'
    expect(engine.verdicts).toEqual([{ decision: 'denied', reason, isRefused: true }])
  })

  test('that is malformed is refused with its problem, and the run goes on', async () => {
    const malformed = { type: 'approval.required', kind: 'question', ...asks, questions: 'none' } as const
    await world.submit(steps({ say: malformed }, text('Onwards.')))
    await world.ended()
    expect(await payloads('approval_applied')).toMatchObject([
      { decision: 'denied', reason: '`questions` is a list with at least one question.' },
    ])
    expect((await world.answer())?.content).toBe('Onwards.')
  })
})

test('[R17] whoever steals the run’s token approves nothing, and a call that ran all the same fails the run', async () => {
  const stolen = { toolName: 'Bash', toolUseId: 't2', input: { command: 'id' } }
  await world.submit(
    steps(
      { ask: asks },
      { say: { type: 'tool.started', ...stolen } },
      { say: { type: 'approval.required', ...stolen, reason: 'asks' } },
      { say: { type: 'tool.completed', toolUseId: 't2', outcome: { status: 'ok', result: 'ran-without-a-person' } } },
      { hang: 'politely' },
    ),
  )
  await world.seen('approval_required')
  const [started] = (await payloads('run_started')) as { run_id: string; handle: { request: string } }[]
  const response = await fetch(`${server.url}/runs/${started?.handle.request}/approvals/t1`, {
    method: 'POST',
    headers: { authorization: `Bearer token of ${started?.run_id}/1` },
    body: JSON.stringify({ decision: 'approved' }),
  })
  expect(response.status).toBe(200)
  await world.ended()
  expect(engine.verdicts).toMatchObject([{ decision: 'denied' }])
  expect(await payloads('error')).toMatchObject([
    {
      reason: 'unapproved_call',
      message: expect.stringContaining('The tool "Bash" ran without an approval (call t2)'),
    },
  ])
  await world.until(() => !server.busy)
})

describe('[R4] acknowledgements', () => {
  test('one that is lost on the way is said again: no call waits for ever', async () => {
    road.isClosed = true
    world.submit(steps(text('a'), { act: 't1' })).catch(() => {})
    road.isClosed = false
    const lost = losing('/ack', 2)
    await world.ended()
    lost.restore()
    expect(lost.count).toBe(2)
    expect(engine.acted).toEqual(['t1'])
  })

  test('one that died with its server is said by the next', async () => {
    const lost = losing('/ack', 1_000)
    await world.submit(steps(text('a'), { act: 't1' }))
    await world.seen('tool_call')
    await world.leave()
    lost.restore()
    expect(engine.acted).toEqual([])
    await world.restart()
    await world.ended()
    expect(engine.acted).toEqual(['t1'])
  })

  test('text by the megabyte does not wait for itself', async () => {
    const piece = { flood: 60, size: 100_000 }
    await world.submit(steps(piece, { say: { type: 'tool.started', toolName: 'R', toolUseId: 't', input: {} } }, piece))
    await world.ended()
    expect((await world.answer())?.content.length).toBe(12_000_000)
  })

  test('thoughts are told while they come', async () => {
    const thinks = Array.from({ length: 12 }, () => [
      { say: { type: 'thinking.delta', text: 'h' } } as const,
      { sleepMs: 40 },
    ])
    await world.submit(steps(...thinks.flat()))
    await world.ended()
    const told = (await payloads('thinking')) as { text: string }[]
    expect(told.length).toBeGreaterThan(1)
    expect(told.map((each) => each.text).join('')).toBe('h'.repeat(12))
  })

  /** Loses this many requests to a path. */
  const losing = (path: string, times: number) => {
    const { fetch } = globalThis
    const restore = () => {
      globalThis.fetch = fetch
    }
    const lost = { count: 0, restore }
    globalThis.fetch = async (url, init) => {
      if (!String(url).endsWith(path) || lost.count >= times) return fetch(url, init)
      lost.count += 1
      throw new TypeError('fetch failed')
    }
    return lost
  }
})

describe('[R12] what is too much for a log', () => {
  test('of arguments is shown in part, of an error cut; a result of any size is an artifact', async () => {
    const large = '$LARGE'
    const call = { type: 'tool.started', toolName: 'Write', toolUseId: 't', input: { content: large } } as const
    await world.submit(
      steps(
        { say: call },
        { say: { type: 'tool.completed', toolUseId: 't', outcome: { status: 'error', error: large } } },
        { say: { ...call, toolUseId: 'u', input: {} } },
        { say: { type: 'tool.completed', toolUseId: 'u', outcome: { status: 'ok', result: large } } },
        { ask: { ...asks, toolUseId: 'v', input: { content: large } } },
      ),
    )
    await world.ended()
    expect(await payloads('tool_call')).toMatchObject([{ arguments: { too_large_to_show: true } }, {}, {}])
    expect((await world.answer())?.toolCalls).toMatchObject([
      { outcome: 'error' },
      { outcome: 'artifact' },
      { outcome: 'denied' },
    ])
    expect(engine.verdicts).toMatchObject([{ decision: 'denied' }])
  })

  test('otherwise ends the run, and the engine with it', async () => {
    let deep: unknown = 1
    for (let level = 0; level < 200; level++) deep = [deep]
    const event = { type: 'tool.completed', toolUseId: 't', outcome: { status: 'ok', result: deep } } as never
    await world.submit(steps({ say: event }, { hang: 'politely' }))
    await world.ended()
    expect(await payloads('error')).toMatchObject([{ message: expect.stringContaining('nested deeper') }])
    await world.until(() => !server.busy)
  })
})

describe('[R14] a network that breaks', () => {
  test('in the middle of the text: nothing is lost or repeated', async () => {
    const words = Array.from({ length: 60 }, (_, index) => `${index} `)
    await world.submit(steps(...words.flatMap((word) => [text(word), { sleepMs: 5 }])))
    await world.seen('token')
    for (let times = 0; times < 5; times++) {
      road.cut()
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
    await world.ended()
    expect((await world.answer())?.content).toBe(words.join(''))
  })

  test('an approval answered while the runner was away is delivered when it is back', async () => {
    await world.submit(steps({ ask: asks }))
    await world.seen('approval_required')
    road.isClosed = true
    road.cut()
    const [asked] = (await payloads('approval_required')) as { request_id: string }[]
    await world.host.send(key(), {
      type: 'approve',
      approvalId: asked?.request_id ?? '',
      decision: 'approved',
      args: { command: 'pwd' },
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(engine.verdicts).toEqual([])
    road.isClosed = false
    await world.ended()
    expect(engine.verdicts).toEqual([{ decision: 'approved', input: { command: 'pwd' } }])
    expect(await world.answer()).toMatchObject({ status: 'complete', toolCalls: [{ outcome: 'ok' }] })
  })

  test('a stream with no end and a runner that is gone is one terminal state', async () => {
    await world.submit(steps(text('half'), { hang: 'politely' }))
    await world.seen('token')
    world.gone = true
    road.cut()
    await world.ended()
    expect((await world.types()).filter((type) => type === 'turn_end')).toHaveLength(1)
    expect(await world.answer()).toMatchObject({ status: 'error', content: 'half' })
    expect(await payloads('error')).toMatchObject([{ reason: 'interrupted' }])
    expect(world.granted).toEqual(['+r-2', '-r-2'])
  })
})

test('[R14] a call that was under way when its sandbox went is asked about, never made again unasked', async () => {
  await world.submit(steps({ begin: 't1' }), { kind: 'background', maxRetries: 3 })
  await world.until(() => engine.acted.length === 1)
  world.gone = true
  road.cut()
  await world.seen('run_parked')
  expect(await payloads('approval_required')).toMatchObject([{ kind: 'unknown_outcome', tool_name: 'Act' }])
  expect(await payloads('tool_outcome')).toMatchObject([{ tool_call_id: 't1', status: 'error', reason: 'interrupted' }])
  expect((await world.types()).filter((type) => type === 'run_requested')).toHaveLength(1)
  expect(engine.acted).toEqual(['t1'])
})

describe('[R14] a server that dies', () => {
  test('goes on with a run that outlived it, from the committed frame', async () => {
    const words = Array.from({ length: 80 }, (_, index) => `${index} `)
    await world.submit(steps(...words.flatMap((word) => [text(word), { sleepMs: 5 }]), { act: 't1' }))
    await world.seen('token')
    await world.restart()
    await world.ended()
    expect((await world.answer())?.content).toBe(words.join(''))
    expect(engine.acted).toEqual(['t1'])
    expect((await world.types()).filter((type) => type === 'tool_call')).toHaveLength(1)
    // The grant of the first process ended with it; the next process grants again.
    expect(world.granted).toEqual(['+r-2', '-r-2', '+r-2', '-r-2'])
  })

  test('a call that nobody has heard of does not act until somebody has', async () => {
    await world.submit(steps(text('a'), { sleepMs: 150 }, { act: 't1' }))
    await world.seen('token')
    await world.leave()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(engine.acted).toEqual([])
    await world.restart()
    await world.ended()
    expect(engine.acted).toEqual(['t1'])
  })

  test('between saying that it starts and starting it: it is started, once', async () => {
    // The right runner answers, and does not know the run.
    const runner = world.runner()
    const items: string[] = []
    const { RunReporter } = await import('@bridle/kernel/session/run-reporter')
    const reporter = new RunReporter({
      runId: 'r-9',
      attempt: 1,
      frame: 0,
      clock,
      tokenPaceMs: 0,
      send: async (report) => void items.push(...report.items.map(({ type }) => type)),
    })
    const job = {
      key: key(),
      runId: 'r-9',
      attempt: 1,
      prompt: 'x',
      input: null,
      resume: null,
      parent: null,
      settings: {},
      epoch: 1,
      handle: { sandbox: 'box-1' },
      frame: 0,
      awaiting: [],
    }
    expect(await runner.attach(job, reporter)).toBe('done')
    expect(items).toEqual(['event', 'event', 'finished'])
    expect(engine.opened).toHaveLength(1)
  })

  test('an answer given to the next one reaches the run', async () => {
    await world.submit(steps({ ask: asks }))
    await world.seen('approval_required')
    await world.restart()
    const [asked] = (await payloads('approval_required')) as { request_id: string }[]
    await world.host.send(key(), {
      type: 'approve',
      approvalId: asked?.request_id ?? '',
      decision: 'denied',
      reason: 'no',
    })
    await world.ended()
    expect(engine.verdicts).toEqual([{ decision: 'denied', reason: 'no' }])
  })
})

describe('[R1] a runner written from the document alone', () => {
  const sse = (...events: { type: string; [more: string]: unknown }[]) =>
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  const begins = { type: 'run.started', requestId: 'x' }
  const hello = [begins, { type: 'assistant.delta', text: 'Hello' }]

  const against = async (said: string, act: (url: string, asked: unknown[]) => Promise<void>) => {
    const asked: unknown[] = []
    const plain = createHttpServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      if (request.url === '/health') return void response.end('{"ok":true,"busy":false,"hasAnthropicKey":true}')
      if (request.url !== '/query') return void response.writeHead(404).end('Not here')
      asked.push(JSON.parse(body))
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(said)
    })
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    try {
      await act(`http://127.0.0.1:${(plain.address() as AddressInfo).port}`, asked)
    } finally {
      plain.closeAllConnections()
      plain.close()
    }
  }
  const hostOf = (url: string) =>
    setUp(
      {
        runner: () =>
          remoteRunner({
            engine: 'claude',
            provider: urlSandbox({ url }),
            clock,
            digest,
            runToken: async () => null,
            credentials: { grant: async () => ({}), revoke: () => {} },
          }),
        clock,
        tokenPaceMs: 0,
      },
      undefined,
      clock as never,
    )
  const ends = async (life: ReturnType<typeof setUp>) => {
    await life.host.send(key(), { type: 'submit', prompt: 'Hi' })
    for (let tries = 0; ; tries++) {
      const events = await life.events()
      if (events.some(({ type }) => type === 'turn_end')) return events
      expect(tries).toBeLessThan(1_500)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const shown = async (life: ReturnType<typeof setUp>) =>
    (await life.host.find(key()))?.state.conversation.messages.findLast(({ role }) => role === 'assistant')

  test('is a runner', async () => {
    const tool = { type: 'tool.started', toolName: 'Read', toolUseId: 't' }
    const said = sse(
      ...hello,
      tool,
      { type: 'assistant.delta', text: ' world' },
      { type: 'run.completed', result: 'x' },
    )
    await against(said, async (url, asked) => {
      const life = hostOf(url)
      await ends(life)
      // The runner did not report the outcome of the call: the run's end settles it.
      expect(await shown(life)).toMatchObject({
        content: 'Hello world',
        status: 'complete',
        toolCalls: [{ id: 't', outcome: 'ok' }],
      })
      expect(asked).toMatchObject([{ prompt: 'Hi' }])
      await life.host.stop()
    })
  })

  test.each([
    ['a run.error', sse(begins, { type: 'run.error', message: 'No luck.' }), 'No luck.', ''],
    ['no terminal event', sse(...hello), 'stopped in the middle of this run', 'Hello'],
    ['rubbish', `${sse(...hello)}data: {nonsense\n\n`, 'is not valid', 'Hello'],
    [
      'events that nobody knows',
      sse(...hello, { type: 'new.one' }, { type: 'run.error', message: 'Bad.' }),
      'Bad.',
      'Hello',
    ],
  ])('that says %s: one error, once asked', async (_name, said, message, content) => {
    await against(said, async (url, asked) => {
      const life = hostOf(url)
      const events = await ends(life)
      expect(events.filter(({ type }) => type === 'error').map(({ payload }) => payload)).toEqual([
        expect.objectContaining({ message: expect.stringContaining(message) }),
      ])
      expect(await shown(life)).toMatchObject({ content, status: 'error' })
      expect(asked).toHaveLength(1)
      await life.host.stop()
    })
  })
})
