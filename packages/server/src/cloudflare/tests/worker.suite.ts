// The Worker under test: the real one, and a way to send an object to sleep.

import { DurableObject, env } from 'cloudflare:workers'
import unsafe from 'workerd:unsafe'
import { agent, type RunContext } from '@bridle/agents/agent'
import { scriptedModel } from '@bridle/agents/testing/scripted-model'
import type { ObjectBucket, ObjectNamespace } from '@bridle/stores/object/platform-types'
import * as v from 'valibot'
import { type HarnessEnv, harness } from '../index.ts'
import type { DurableStorage, ObjectContext, PlatformSocket, RequestContext } from '../platform/platform.ts'
import { REPLAY_WAIT_MS } from '../sockets/object-socket.ts'
import { analyst, clerk, courier, foreman, ledgerOf, sleeper } from './durable-agents.suite.ts'
import { shellAgents } from './shell-agents.suite.ts'
import { crashAtWrites, planCrash, writeCount } from './write-crashes.suite.ts'

const { TEST_OPTIONS = '{}', TEST_REPLAY_MS } = env as { TEST_OPTIONS?: string; TEST_REPLAY_MS?: string }

// A test that waits for a replay to be given up has a shorter one.
const realTimeout = globalThis.setTimeout
if (TEST_REPLAY_MS)
  Object.assign(globalThis, {
    setTimeout: (call: () => void, ms?: number) =>
      realTimeout(call, ms === REPLAY_WAIT_MS ? Number(TEST_REPLAY_MS) : ms),
  })

/** Written with Bridle: asks first where it is to, then goes step by step. */
const walkInput = v.object({
  asks: v.optional(v.boolean()),
  steps: v.optional(v.number(), 1),
  everyMs: v.optional(v.number(), 0),
})
const walk = async ({ input, session }: RunContext<v.InferOutput<typeof walkInput>>): Promise<string> => {
  const { asks, steps, everyMs } = input
  if (asks && !(await session.approval({ subject: 'walk', reason: 'asks' })).approved) return 'stayed'
  const pause = () => new Promise((resolve) => setTimeout(resolve, everyMs))
  for (let step = 0; step < steps; step++) await session.tool('step', { step }, pause, { effect: 'pure' })
  return 'walked'
}
const walker = agent({ name: 'walker', input: walkInput, run: walk })
/** The same, within one life of its object. */
const mayfly = agent({ name: 'mayfly', input: walkInput, run: walk, durable: false })
/** For the production gate: it declares its trigger, and it does not. */
const hooked = agent({ name: 'hooked', triggers: { webhook: true }, run: async () => 'hooked' })
const shy = agent({ name: 'shy', run: async () => 'hidden' })
/** By name: a model of the Worker's own, which knows nothing of any package. */
const echo = (modelId: string) =>
  scriptedModel(({ prompt, turn }) => ({ text: `${modelId} heard "${prompt}" in turn ${turn}.` }))
const named = agent({ name: 'named', model: ['gone/x', 'echo/loud'] })
const reviewer = agent({ name: 'reviewer', engine: 'claude', instructions: 'Review.', effort: 'max' })
// A hook is code, so a test gives the header that its hook asks for.
const { hookHeader, ...options } = JSON.parse(TEST_OPTIONS)
const made = harness({
  tokenPaceMs: 0,
  models: { echo },
  agents: [walker, mayfly, hooked, shy, named, clerk, courier, analyst, sleeper, foreman, reviewer, ...shellAgents],
  ...options,
  ...(hookHeader && {
    extractAuthToken: ({ headers }: Request) => headers.get('authorization') === hookHeader,
  }),
})

const realNow = Date.now

export class HarnessDirectory extends made.HarnessDirectory {
  constructor(ctx: ObjectContext, env: HarnessEnv) {
    super(ctx, withBreakableBucket(env))
  }

  async lose(): Promise<void> {
    await (this.ctx.storage as unknown as { deleteAll(): Promise<void> }).deleteAll()
    this.ctx.abort('lost by a test')
  }

  ring(): Promise<void> {
    return this.alarm()
  }

  restart(): void {
    this.ctx.abort('restarted by a test')
  }
}

/** A storage that fails to write when a test asks for it. */
const breakable = ({ sql }: DurableStorage) => {
  const exec = sql.exec.bind(sql)
  const storage = { message: '' }
  sql.exec = (text, ...values) => {
    if (storage.message && !text.startsWith('SELECT')) throw new Error(storage.message)
    return exec(text, ...values)
  }
  return storage
}

let failing = 'nothing'

interface TestBucket extends ObjectBucket {
  list(): Promise<{ objects: { key: string }[] }>
}

/** The real bucket, until a test makes it fail. */
const breakableBucket = (bucket: ObjectBucket): ObjectBucket => {
  const unless = <T>(what: string, act: () => Promise<T>) =>
    failing === what ? Promise.reject(new Error(`${what}: internal error (10001)`)) : act()
  return {
    // The worst case: the text was put, and the caller gets an error.
    put: async (...args) => {
      await bucket.put(...args)
      return unless('put', async () => {})
    },
    get: (name) => unless('get', () => bucket.get(name)),
    delete: (names) => unless('delete', () => bucket.delete(names)),
  }
}

const withBreakableBucket = (env: HarnessEnv): HarnessEnv => {
  const { HARNESS_ARTIFACTS: bucket } = env
  return { ...env, ...(bucket && { HARNESS_ARTIFACTS: breakableBucket(bucket) }) }
}

/** The moments of all objects of this isolate, moved by a test. */
const moveClock = (ms: number) => {
  Date.now = () => realNow() + ms
}

export class HarnessSession extends made.HarnessSession {
  readonly #life = crypto.randomUUID()
  readonly #storage: { message: string }
  #rings = 0

  constructor(ctx: ObjectContext, env: HarnessEnv) {
    const storage = breakable(ctx.storage)
    crashAtWrites(ctx)
    super(ctx, withBreakableBucket(env))
    this.#storage = storage
  }

  /** From now on each write throws this; '' = no longer. */
  break(message: string): void {
    this.#storage.message = message
  }

  /** The attachments of the object's sockets. */
  attachments(): string {
    const attached = (socket: PlatformSocket) => socket.deserializeAttachment()
    return JSON.stringify(this.ctx.getWebSockets().map(attached))
  }

  override alarm(): Promise<void> {
    this.#rings += 1
    return super.alarm()
  }

  rings(): number {
    return this.#rings
  }

  /** From now on every caller waits. */
  static readonly silent = new Set<string>()

  override fetch(request: Request): Promise<Response> {
    const home = decodeURIComponent(request.headers.get('x-bridle-home') ?? '')
    return HarnessSession.silent.has(home) ? new Promise(() => {}) : super.fetch(request)
  }

  reset(): void {
    this.ctx.abort('reset by a test')
  }

  /** As the platform may: the same alarm twice, one not waiting for the other. */
  async ringTwice(): Promise<void> {
    await Promise.all([this.alarm(), this.alarm()])
  }

  async alarmAt(): Promise<number | null> {
    return this.ctx.storage.getAlarm()
  }

  incarnation(): string {
    return this.#life
  }
}

/** Says and does what a container does, as far as a session asks; the runner inside is one on this machine. */
export class TestContainer extends DurableObject<{ TEST_RUNNER_URL: string }> {
  #status = 'stopped'
  #vars: object = {}
  readonly #calls: string[] = []

  async getState(): Promise<{ status: string }> {
    return { status: this.#status }
  }

  async startAndWaitForPorts({ startOptions }: { startOptions: { envVars: object } }): Promise<void> {
    this.#calls.push(`start ${Object.keys(startOptions.envVars).join(' ')}`)
    this.#vars = startOptions.envVars
    this.#status = 'healthy'
  }

  /** The environment that its runner was started with. */
  vars(): string {
    return JSON.stringify(this.#vars)
  }

  async stop(): Promise<void> {
    this.#calls.push('stop')
    this.#status = 'stopped'
  }

  async destroy(): Promise<void> {
    this.#calls.push('destroy')
    this.#status = 'stopped'
  }

  calls(): string[] {
    return this.#calls
  }

  fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (request.method !== 'GET') this.#calls.push(`${request.method} ${pathname}`)
    return fetch(new Request(`${this.env.TEST_RUNNER_URL}${pathname}`, request))
  }
}

export default class extends made.HarnessGateway {
  readonly #objects: ObjectNamespace<HarnessSession>

  constructor(ctx: RequestContext, env: HarnessEnv) {
    super(ctx, env)
    this.#objects = env.HARNESS_SESSION as ObjectNamespace<HarnessSession>
  }

  #directory(tenant: string): HarnessDirectory {
    const directories = (env as { HARNESS_DIRECTORY: ObjectNamespace<HarnessDirectory> }).HARNESS_DIRECTORY
    return directories.get(directories.idFromName(tenant))
  }

  #container(name: string): TestContainer {
    const containers = (env as { HARNESS_SANDBOX: ObjectNamespace<TestContainer> }).HARNESS_SANDBOX
    return containers.get(containers.idFromName(name))
  }

  get #bucket(): TestBucket {
    return (env as { HARNESS_ARTIFACTS: TestBucket }).HARNESS_ARTIFACTS
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (!pathname.startsWith('/test/')) return super.fetch(request)
    const [, what] = /^\/test\/break-bucket\/(.*)/.exec(pathname) ?? []
    if (what) failing = what
    const object = this.#objects.get(this.#objects.idFromName(searchParams.get('name') ?? ''))
    const acts: { readonly [path: string]: () => Promise<unknown> } = {
      '/test/clock': async () => moveClock(Number(searchParams.get('ms'))),
      '/test/evict-directory': () => unsafe.evict(this.#directory(searchParams.get('name') ?? '')),
      '/test/hibernate-directory': () =>
        unsafe.evict(this.#directory(searchParams.get('name') ?? ''), { webSockets: 'hibernate' }),
      '/test/directory-alarm': () => this.#directory(searchParams.get('name') ?? '').ring(),
      '/test/file-bytes': async () =>
        (await this.#directory(searchParams.get('name') ?? '').readBytes())?.byteLength ?? null,
      '/test/evict': () => unsafe.evict(object, { webSockets: 'hibernate' }),
      // An aborted object cannot answer.
      '/test/reset': async () => Promise.resolve(object.reset()).catch(() => {}),
      '/test/ring': async () => object.ringTwice(),
      '/test/lose': async () =>
        this.#directory(searchParams.get('name')?.split('/')[0] ?? '')
          .lose()
          .catch(() => {}),
      '/test/reset-secret': async () => Promise.resolve(this.#directory('/secret').restart()).catch(() => {}),
      '/test/secret': async () => this.#directory('/secret').secret(),
      '/test/calls': async () => JSON.stringify(await this.#container(searchParams.get('name') ?? '').calls()),
      '/test/vars': async () => this.#container(searchParams.get('name') ?? '').vars(),
      '/test/stop': () => this.#container(searchParams.get('name') ?? '').stop(),
      '/test/bucket': async () => JSON.stringify((await this.#bucket.list()).objects.map(({ key }) => key)),
      '/test/empty-bucket': async () => this.#bucket.delete((await this.#bucket.list()).objects.map(({ key }) => key)),
      '/test/silence': async () => HarnessSession.silent.add(searchParams.get('name') ?? ''),
      '/test/alarm-at': async () => object.alarmAt(),
      '/test/plan-crash': async () =>
        planCrash(searchParams.get('name') ?? '', {
          write: Number(searchParams.get('write')),
          when: searchParams.get('when') === 'before' ? 'before' : 'after',
        }),
      '/test/writes': async () => writeCount(searchParams.get('name') ?? ''),
      '/test/ledger': async () => JSON.stringify(ledgerOf(searchParams.get('name')?.split('/').at(-1) ?? '')),
      '/test/incarnation': async () => object.incarnation(),
      '/test/rings': async () => object.rings(),
      '/test/break': async () => object.break(searchParams.get('message') ?? ''),
      '/test/attachments': async () => object.attachments(),
      '/test/alarm': async () => object.alarm(),
    }
    try {
      return new Response(String(await acts[pathname]?.()))
    } catch (error) {
      return new Response(String(error), { status: 500 })
    }
  }
}
