// The sandbox runner: a small HTTP server beside an engine. It gets a prompt, runs the engine and streams what happens; it
// knows no users, sessions or sockets, and between runs it remembers nothing that cannot be had again.
import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { GenericSchema } from 'valibot'
import type { Digest } from '../kernel/ports.ts'
import type { Engine } from './engines/engine.ts'
import {
  ackSchema,
  cancelSchema,
  envSchema,
  parseBody,
  querySchema,
  type RunnerHealth,
  type RunnerQuery,
  steerSchema,
  verdictSchema,
} from './protocol.ts'
import { createRelay, hasKey, type Provider, type Relay, type Vars } from './relay.ts'
import { follow } from './run-follower.ts'
import { RunPlayer, type Watch } from './run-player.ts'
import { RunRecord } from './run-record.ts'
import { answer, bodyOf, cursor, decode, fail, isAllowed, isLocal } from './runner-http.ts'
import { listen, listenOnSocket, urlOf } from './runner-listening.ts'
import type { EngineLauncher } from './sandboxes/walls.ts'
import { buildWalls, planByHand, type WallsPlan } from './sandboxes/walls-plan.ts'

export interface RunnerOptions extends Watch {
  readonly engines: readonly Engine[]
  readonly workFolder: string
  readonly stateFolder: string
  /** What the runner itself remembers; hidden from engines. Default: beside the state folder. */
  readonly privateFolder?: string
  /** The walls around engines. Default: bubblewrap, unless BRIDLE_SANDBOX says `process`. */
  readonly walls?: WallsPlan
  /** Default 127.0.0.1. Any other needs a token. */
  readonly host?: string
  /** Default: any free one. */
  readonly port?: number
  /** Listen on this unix socket in place of host and port. Needs a token; its `url` is `http://runner`. */
  readonly socketPath?: string | undefined
  /** The bearer of everything but `/health`. */
  readonly token?: string | undefined
  /** Where keys and base addresses are looked for until `PUT /env` says otherwise. */
  readonly env?: Vars
  /** A run that nobody follows is kept this long; so is one that has ended. Default 10 minutes. */
  readonly keepMs?: number
  /** The process has nothing to do for this long: it should end. */
  readonly onIdle?: () => void
  readonly idleMs?: number
}

const KEEP_MS = 600_000
const LOOK_MS = 1_000
/** Runs that have ended and may still be asked about. */
const ENDED_MAX = 8

/** A running sandbox runner. */
export class SandboxRunner {
  readonly url: string
  readonly #options: RunnerOptions
  readonly #server: Server
  readonly #relay: Relay
  readonly #player: RunPlayer
  readonly #runs = new Map<string, RunRecord>()
  /** By name, for as long as the process lives: a run is never played twice. */
  readonly #seen = new Set<string>()
  readonly #instance = randomUUID()
  readonly #look: NodeJS.Timeout
  #vars: Vars
  #epoch = 0
  #current: RunRecord | null = null
  #busyAt = Date.now()

  static async start(options: RunnerOptions): Promise<SandboxRunner> {
    const { host = '127.0.0.1', port = 0, socketPath } = options
    if (!options.token && socketPath !== undefined)
      throw new Error('Listening on a unix socket needs a token. Set BRIDLE_RUNNER_TOKEN.')
    if (!options.token && host !== '127.0.0.1' && host !== '::1')
      throw new Error(
        `Listening on ${host} without a token would let anybody run the engines. Set BRIDLE_RUNNER_TOKEN.`,
      )
    const server = createServer({ headersTimeout: 10_000, requestTimeout: 60_000 })
    let runner: SandboxRunner | null = null
    const relay = createRelay({
      vars: () => runner?.vars ?? {},
      isOpen: () => runner?.busy ?? false,
      onStatus: (_provider, status) => runner?.providerSaid(status),
    })
    try {
      await (socketPath === undefined ? listen(server, { port, host }) : listenOnSocket(server, socketPath))
    } catch (error) {
      await relay.close()
      throw error
    }
    runner = new SandboxRunner(options, server, relay)
    return runner
  }

  private constructor(options: RunnerOptions, server: Server, relay: Relay) {
    this.url = urlOf(server)
    this.#options = options
    this.#server = server
    this.#relay = relay
    this.#vars = options.env ?? {}
    this.#player = new RunPlayer({ ...options, privateFolder: privateFolderOf(options), launcher: this.#launcher })
    server.on('request', (incoming, outgoing) => {
      this.#serve(incoming, outgoing).catch((error) => fail(outgoing, 500, 'internal_error', messageOf(error)))
    })
    this.#look = setInterval(() => this.#tidy(), LOOK_MS)
    this.#look.unref()
  }

  #walls: ReturnType<typeof buildWalls> | null = null
  readonly #launcher = async (provider: Provider): Promise<EngineLauncher> => {
    this.#walls ??= this.#build()
    // A missing program may be installed while the runner runs.
    this.#walls.catch(() => {
      this.#walls = null
    })
    return (await this.#walls)(provider)
  }

  async #build(): ReturnType<typeof buildWalls> {
    const plan =
      this.#options.walls ?? (await planByHand(process.env, this.#options.workFolder, privateFolderOf(this.#options)))
    return buildWalls(plan, { ...this.#options, relay: this.#relay })
  }

  get vars(): Vars {
    return this.#vars
  }

  get busy(): boolean {
    return this.#current !== null && this.#current.end === null
  }

  providerSaid(status: number): void {
    this.#player.providerSaid(status)
  }

  /** Ends what runs, the engines and the server. */
  async close(): Promise<void> {
    clearInterval(this.#look)
    await this.#player.close()
    await this.#relay.close()
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (!URL.canParse(incoming.url ?? '/', 'http://runner')) return fail(outgoing, 400, 'bad_request', 'Bad request.')
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://runner')
    const parts = pathname.split('/').filter(Boolean).map(decode)
    const route = `${incoming.method} /${parts.map((part, index) => (index === 1 || index === 3 ? ':' : part)).join('/')}`
    if (!this.#options.token && !isLocal(incoming))
      return fail(
        outgoing,
        403,
        'forbidden',
        'Only programs of this machine may ask; set BRIDLE_RUNNER_TOKEN for others.',
      )
    if (route === 'GET /health') return answer(outgoing, 200, this.#health())
    const run = parts[0] === 'runs' ? this.#runs.get(parts[1] ?? '') : undefined
    // Before its token, which only the run itself would know.
    if (parts[0] === 'runs' && !run) return this.#unknown(outgoing, parts[1] ?? '')
    if (!isAllowed(incoming, run?.token ?? this.#options.token))
      return fail(outgoing, 401, 'unauthorized', 'A token is needed.')
    if (route === 'GET /engines') return answer(outgoing, 200, { engines: await this.#engines() })
    if (run && route === 'GET /runs/:/events') {
      const after = cursor(incoming, searchParams)
      return after === null
        ? fail(outgoing, 400, 'bad_request', 'The cursor is not a number.')
        : follow(run, after, incoming, outgoing)
    }
    const body = incoming.method === 'GET' ? {} : await bodyOf(incoming, outgoing)
    if (body === undefined) return
    switch (route) {
      case 'POST /query':
        return this.#take(outgoing, querySchema, body, (query) => this.#query(query, incoming, outgoing))
      case 'PUT /env':
        return this.#take(outgoing, envSchema, body, ({ vars }) => {
          const given = Object.entries(vars).map(([name, value]) => [name, value ?? undefined])
          this.#vars = { ...this.#vars, ...Object.fromEntries(given) }
          answer(outgoing, 200, { ok: true })
        })
      case 'POST /stop':
        answer(outgoing, 200, { ok: true })
        return this.#options.onIdle?.()
    }
    if (!run) return fail(outgoing, 404, 'not_found', 'There is no such route.')
    switch (route) {
      case 'POST /runs/:/cancel':
        return this.#take(outgoing, cancelSchema, body, async () => {
          answer(outgoing, 200, await this.#player.cancel(run))
        })
      case 'POST /runs/:/approvals/:':
        return this.#take(outgoing, verdictSchema, body, async (verdict) => {
          if (await this.#player.answer(run, parts[3] ?? '', verdict)) return answer(outgoing, 200, { ok: true })
          fail(outgoing, 404, 'not_found', 'No approval of this call is waited for.')
        })
      case 'POST /runs/:/steer':
        return this.#take(outgoing, steerSchema, body, async (steer) => {
          if (await this.#player.steer(run, steer)) answer(outgoing, 200, { ok: true })
          else fail(outgoing, 409, 'conflict', 'The run cannot be steered.')
        })
      case 'POST /runs/:/ack':
        return this.#take(outgoing, ackSchema, body, ({ frame }) => {
          run.acknowledge(frame)
          answer(outgoing, 200, { ok: true })
        })
    }
    fail(outgoing, 404, 'not_found', 'There is no such route.')
  }

  /** Parsed, and from an owner that is not deposed. */
  async #take<T extends object>(
    outgoing: ServerResponse,
    schema: GenericSchema<unknown, T>,
    body: unknown,
    act: (value: T) => unknown,
  ): Promise<void> {
    const parsed = parseBody(schema, body)
    if ('problem' in parsed) return fail(outgoing, 400, 'bad_request', parsed.problem)
    const { epoch } = parsed.value as { epoch?: number }
    if (epoch !== undefined && epoch < this.#epoch)
      return fail(outgoing, 409, 'stale_epoch', `Epoch ${epoch} is over; ${this.#epoch} was seen.`)
    if (epoch !== undefined) this.#epoch = epoch
    await act(parsed.value)
  }

  #query(query: RunnerQuery, incoming: IncomingMessage, outgoing: ServerResponse): void {
    const requestId = query.requestId ?? `req-${randomUUID()}`
    const known = this.#runs.get(requestId)
    const after = cursor(incoming, new URLSearchParams()) ?? 0
    if (known && !isAllowed(incoming, known.token))
      return fail(outgoing, 401, 'unauthorized', 'The run has a token of its own.')
    if (known) return follow(known, after, incoming, outgoing)
    if (this.#seen.has(requestId)) return this.#unknown(outgoing, requestId)
    if (this.busy) return fail(outgoing, 409, 'busy', 'A run is under way; this runner has one at a time.')
    const { engines } = this.#options
    const engine = query.engine === undefined ? engines[0] : engines.find(({ name }) => name === query.engine)
    if (!engine) return fail(outgoing, 400, 'bad_request', `There is no engine "${query.engine ?? ''}" here.`)
    const record = new RunRecord({
      requestId,
      token: query.token ?? this.#options.token ?? null,
      acknowledges: query.acknowledges ?? false,
      digest,
      now: Date.now,
    })
    this.#seen.add(requestId)
    this.#runs.set(requestId, record)
    this.#current = record
    follow(record, after, incoming, outgoing)
    this.#player.play(record, engine, query, hasKey(engine.provider, this.#vars)).finally(() => {
      if (this.#current === record) this.#current = null
      this.#busyAt = Date.now()
    })
  }

  #unknown(outgoing: ServerResponse, requestId: string): void {
    if (this.#seen.has(requestId)) fail(outgoing, 410, 'gone', 'The run has ended and is no longer kept.')
    else fail(outgoing, 404, 'run_unknown', 'There was never such a run here.')
  }

  #health(): RunnerHealth {
    return {
      ok: true,
      busy: this.busy,
      hasAnthropicKey: hasKey('anthropic', this.#vars),
      hasOpenAIKey: hasKey('openai', this.#vars),
      instance: this.#instance,
      requestId: this.busy ? (this.#current?.requestId ?? null) : null,
    }
  }

  async #engines(): Promise<object[]> {
    return Promise.all(
      this.#options.engines.map(async (engine) => {
        const needed = await engine.needs()
        return { ...engine.info, available: needed === null, ...(needed !== null && { needs: needed }) }
      }),
    )
  }

  #tidy(): void {
    const { keepMs = KEEP_MS, idleMs, onIdle } = this.#options
    const now = Date.now()
    for (const [name, run] of this.#runs) {
      const isLeft = !run.isRead && now - run.seenAt > keepMs
      if (!run.end && isLeft) this.#player.abandon(run)
      if (run.end && (run.done || isLeft)) this.#runs.delete(name)
    }
    // Callers that acknowledge nothing would leave many.
    const ended = [...this.#runs].filter(([, run]) => run.end && !run.isRead)
    for (const [name] of ended.slice(0, -ENDED_MAX)) this.#runs.delete(name)
    if (idleMs !== undefined && !this.busy && now - this.#busyAt > idleMs) onIdle?.()
  }
}

const privateFolderOf = ({ privateFolder, stateFolder }: RunnerOptions): string =>
  privateFolder ?? `${stateFolder}-private`

const digest: Digest = async (text) => createHash('sha256').update(text).digest('hex')

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
