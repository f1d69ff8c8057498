// The sandbox runner: a small HTTP server beside an engine. It gets a prompt, runs the engine and streams what happens; it
// knows no users, sessions or sockets, and between runs it remembers nothing that cannot be had again.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Digest } from '../../kernel/ports/store.ts'
import type { Engine } from '../engines/engine.ts'
import {
  ackSchema,
  cancelSchema,
  envSchema,
  querySchema,
  type RunnerHealth,
  type RunnerQuery,
  steerSchema,
  stopTaskSchema,
  verdictSchema,
} from '../protocol.ts'
import { type EngineWalls, engineWalls } from '../sandboxes/isolation/engine-isolation.ts'
import { planByHand, type WallsPlan } from '../sandboxes/isolation/isolation-plan.ts'
import { describeExceeded } from '../sandboxes/resources/resource-limits.ts'
import { type ApprovalMode, answersApprovals, isDocumentCaller } from './approval-mode.ts'
import { RunPlayer, type Watch } from './engine-driver.ts'
import { listen, listenOnSocket, urlOf } from './listener.ts'
import { createRelay, hasKey, type Relay, type Vars } from './relay.ts'
import { bodyDigest, KnownRuns, textDigest } from './run-history.ts'
import { RunRecord } from './run-record.ts'
import { isStale, take } from './run-requests.ts'
import { follow } from './run-stream.ts'
import { runVars } from './run-vars.ts'
import { answer, bodyOf, cursor, decode, fail, hasBearer, hasBearerOf, isAllowed, isLocal } from './runner-http.ts'

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
  /** How approvals are decided for callers that answer none. Default: deny. */
  readonly approvals?: ApprovalMode
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
  readonly #walls: EngineWalls
  readonly #player: RunPlayer
  readonly #runs = new Map<string, RunRecord>()
  /** Also of runs that are no longer kept: a run is never played twice. */
  readonly #known = new KnownRuns()
  readonly #instance = randomUUID()
  readonly #look: NodeJS.Timeout
  #vars: Vars
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
    const { workFolder, stateFolder, walls } = options
    const privateFolder = options.privateFolder ?? `${stateFolder}-private`
    this.#walls = engineWalls({
      plan: async () => walls ?? planByHand(process.env, workFolder, privateFolder),
      workFolder,
      stateFolder,
      relay,
      onExceeded: (exceeded) => this.#player.exceeded(describeExceeded(exceeded)),
    })
    this.#player = new RunPlayer({ ...options, privateFolder, launcher: this.#walls.launcher })
    server.on('request', (incoming, outgoing) => {
      this.#serve(incoming, outgoing).catch((error) => fail(outgoing, 500, 'internal_error', messageOf(error)))
    })
    this.#look = setInterval(() => this.#tidy(), LOOK_MS)
    this.#look.unref()
  }

  /** Of the run in progress; between runs, the runner's own. */
  get vars(): Vars {
    return this.busy && this.#current ? runVars(this.#vars, this.#current.env) : this.#vars
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
    await this.#walls.close()
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
    if (route === 'GET /health') return answer(outgoing, 200, this.#health(incoming))
    const run = parts[0] === 'runs' ? this.#runs.get(parts[1] ?? '') : undefined
    if (parts[0] === 'runs' && !run) return this.#missing(incoming, outgoing, parts[1] ?? '')
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
        return take(outgoing, querySchema, body, null, (query) => this.#query(query, incoming, outgoing))
      case 'PUT /env':
        return take(outgoing, envSchema, body, null, ({ vars }) => {
          if (this.busy) return fail(outgoing, 409, 'busy', 'A run is in progress, and keeps what it has.')
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
        return take(outgoing, cancelSchema, body, run, async () => {
          answer(outgoing, 200, await this.#player.cancel(run))
        })
      case 'POST /runs/:/approvals/:':
        return take(outgoing, verdictSchema, body, run, async (verdict) => {
          if (await this.#player.answer(run, parts[3] ?? '', verdict)) return answer(outgoing, 200, { ok: true })
          fail(outgoing, 404, 'not_found', 'No approval of this call is waited for.')
        })
      case 'POST /runs/:/steer':
        return take(outgoing, steerSchema, body, run, async (steer) => {
          if (await this.#player.steer(run, steer)) answer(outgoing, 200, { ok: true })
          else fail(outgoing, 409, 'conflict', 'The run cannot be steered.')
        })
      case 'POST /runs/:/stop-task':
        return take(outgoing, stopTaskSchema, body, run, async ({ taskId }) => {
          answer(outgoing, 200, { stopped: await this.#player.stopTask(run, taskId) })
        })
      case 'POST /runs/:/ack':
        return take(outgoing, ackSchema, body, run, ({ frame }) => {
          run.acknowledge(frame)
          answer(outgoing, 200, { ok: true })
        })
      case 'PUT /runs/:/env':
        return take(outgoing, envSchema, body, run, ({ vars }) => {
          run.env = { ...run.env, ...vars }
          answer(outgoing, 200, { ok: true })
        })
    }
    fail(outgoing, 404, 'not_found', 'There is no such route.')
  }

  #query(query: RunnerQuery, incoming: IncomingMessage, outgoing: ServerResponse): void {
    const requestId = query.requestId ?? `req-${randomUUID()}`
    const known = this.#runs.get(requestId)
    const after = cursor(incoming, new URLSearchParams()) ?? 0
    if (known && !isAllowed(incoming, known.token))
      return fail(outgoing, 401, 'unauthorized', 'The run has a token of its own.')
    const asked = bodyDigest(query)
    const earlier = known ?? this.#known.get(requestId)
    if (earlier && earlier.bodyDigest !== asked)
      return fail(outgoing, 409, 'conflict', 'A run with this requestId was asked for something else.')
    if (known && isStale(outgoing, known, query.epoch)) return
    if (known) return follow(known, after, incoming, outgoing)
    if (earlier) return fail(outgoing, 410, 'gone', GONE)
    if (this.busy) return fail(outgoing, 409, 'busy', 'A run is under way; this runner has one at a time.')
    const { engines } = this.#options
    const engine = query.engine === undefined ? engines[0] : engines.find(({ name }) => name === query.engine)
    if (!engine) return fail(outgoing, 400, 'bad_request', `There is no engine "${query.engine ?? ''}" here.`)
    const record = new RunRecord({
      requestId,
      token: query.token ?? this.#options.token ?? null,
      acknowledges: query.acknowledges ?? false,
      approvals: answersApprovals(query) ? null : (this.#options.approvals ?? 'deny'),
      bodyDigest: asked,
      env: query.env ?? {},
      epoch: query.epoch ?? 0,
      digest,
      now: Date.now,
    })
    const { token } = record
    this.#known.add(requestId, { bodyDigest: asked, tokenDigest: token === null ? null : textDigest(token) })
    this.#runs.set(requestId, record)
    this.#current = record
    // Dropping the request is the only way to cancel that the document knows, and its caller cannot come back.
    const left = () => {
      if (isDocumentCaller(query) && !record.end && !record.isRead) this.#player.cancel(record).catch(() => {})
    }
    follow(record, after, incoming, outgoing, left)
    this.#player.play(record, engine, query, hasKey(engine.provider, this.vars)).finally(() => {
      if (this.#current === record) this.#current = null
      this.#busyAt = Date.now()
    })
  }

  /** Whether a run was here is told to its own bearer and to the runner's; all others hear the same of any id. */
  #missing(incoming: IncomingMessage, outgoing: ServerResponse, requestId: string): void {
    const { token } = this.#options
    const run = this.#known.get(requestId)
    const isRuns = typeof run?.tokenDigest === 'string' && hasBearerOf(incoming, run.tokenDigest)
    if (!isRuns && !isAllowed(incoming, token)) return fail(outgoing, 401, 'unauthorized', 'A token is needed.')
    if (run && (isRuns || token || run.tokenDigest === null)) fail(outgoing, 410, 'gone', GONE)
    else fail(outgoing, 404, 'run_unknown', 'There was never such a run here.')
  }

  #health(incoming: IncomingMessage): RunnerHealth {
    const { token } = this.#options
    return {
      ok: true,
      busy: this.busy,
      hasAnthropicKey: hasKey('anthropic', this.vars),
      hasOpenAIKey: hasKey('openai', this.vars),
      instance: this.#instance,
      ...(token && hasBearer(incoming, token) && { requestId: this.busy ? (this.#current?.requestId ?? null) : null }),
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

const GONE = 'The run has ended and is no longer kept.'

const digest: Digest = async (text) => textDigest(text)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
