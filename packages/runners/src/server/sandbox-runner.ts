// The sandbox runner: a small HTTP server beside an engine. It takes a prompt, runs the engine and streams the events. It knows
// no users and no sessions, and keeps nothing between runs that it could not rebuild.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Digest } from '@bridle/kernel/ports/digest'
import { type ProviderName, providers } from '../credentials/providers.ts'
import type { Engine } from '../engines/engine.ts'
import { FILE_BYTES_MAX, filesFolderOf, receiveFile } from '../files/received-files.ts'
import { listen, listenerUrl, listenOnSocket } from '../process/listener.ts'
import {
  ackSchema,
  approvalAnswerSchema,
  cancelSchema,
  envSchema,
  KEEP_MS,
  querySchema,
  type RunnerHealth,
  type RunnerQuery,
  steerSchema,
  stopTaskSchema,
} from '../protocol/protocol.ts'
import { createEngineIsolation, type EngineIsolation } from '../sandboxes/isolation/engine-isolation.ts'
import { defaultIsolationPlan, type IsolationPlan } from '../sandboxes/isolation/isolation-plan.ts'
import { describeExceeded } from '../sandboxes/resources/resource-limits.ts'
import { type ApprovalMode, answersApprovals, isDocumentCaller } from './approval-mode.ts'
import { EngineDriver, type RunTimeouts } from './engine-driver.ts'
import { createRelay, type EnvVars, hasProviderKey, keyHealth, type Relay, type RelayedRun } from './relay.ts'
import type { UnreachableVerdict } from './relay-exchange.ts'
import { bodyDigest, RunHistory, textDigest } from './run-history.ts'
import { RunRecord } from './run-record.ts'
import { streamRun } from './run-stream.ts'
import { mergeRunVars, type RunTerms, runTerms, type SpendRules, unlimitedTerms } from './run-terms.ts'
import {
  decodePathPart,
  frameCursor,
  handleBody,
  hasBearer,
  hasBearerDigest,
  isAuthorized,
  isLoopbackCaller,
  readRequestBody,
  refuseStaleEpoch,
  sendError,
  sendJson,
} from './runner-http.ts'
import { sendWorkFiles, type WorkFiles } from './work-files.ts'

/** Runs are kept for minutes: a second more does no harm. */
const CLEANUP_MS = 1_000
/** Ended runs whose frames are kept for callers that acknowledge nothing; each holds up to some megabytes. */
const ENDED_RUNS_SHOWN_MAX = 8
/**
 * A server that follows its run is there, so its way to the provider must work within seconds. A machine that lost its power still looks
 * like a reader; six retries of an engine with such waits are long enough for it to start.
 */
const FOLLOWED_AWAY_MS = 60_000

/** Settings of a sandbox runner. */
export interface SandboxRunnerOptions extends RunTimeouts, SpendRules {
  /** The engines it can run. */
  readonly engines: readonly Engine[]
  /** The folder that engines work in. */
  readonly workFolder: string
  /** The folder of the engines' transcripts. */
  readonly stateFolder: string
  /** The runner's notes, hidden from engines. Default: beside the state folder. */
  readonly privateFolder?: string
  /** How engines are isolated. Default: bubblewrap, unless BRIDLE_SANDBOX is `process`. */
  readonly isolation?: IsolationPlan
  /** Default 127.0.0.1. Any other needs a token. */
  readonly host?: string
  /** Default: any free one. */
  readonly port?: number
  /** Listen on this unix socket in place of host and port. Needs a token; its `url` is `http://runner`. */
  readonly socketPath?: string | undefined
  /** The bearer of everything but `/health`. */
  readonly token?: string | undefined
  /** Keys and base URLs, until `PUT /env` changes them. */
  readonly env?: EnvVars
  /** How approvals are decided for callers that answer none. Default: deny. */
  readonly approvals?: ApprovalMode
  /** Runs that nobody follows, and ended runs, are kept this long. Default 10 minutes. */
  readonly keepMs?: number
  /** Called when the runner has had no run for `idleMs`: its process should end. */
  readonly onIdle?: () => void
  /** The time without work after which `onIdle` is called. */
  readonly idleMs?: number
  /** Shows the files of the work folder to callers with the runner's token. Default: nobody sees them. */
  readonly workFiles?: WorkFiles
}

/** A running sandbox runner. */
export class SandboxRunner {
  /** The address of the runner. */
  readonly url: string
  readonly #options: SandboxRunnerOptions
  readonly #server: Server
  readonly #relay: Relay
  readonly #isolation: EngineIsolation
  readonly #driver: EngineDriver
  readonly #runs = new Map<string, RunRecord>()
  /** Includes runs whose frames are gone: no run is ever played twice. */
  readonly #history = new RunHistory()
  readonly #instance = randomUUID()
  readonly #cleanupTimer: NodeJS.Timeout
  #vars: EnvVars
  #currentRun: RunRecord | null = null
  #lastBusyAt = Date.now()
  /** The terms of the last run on the runner's own keys. */
  terms: RunTerms = unlimitedTerms

  /** Starts a runner; resolves when it listens. */
  static async start(options: SandboxRunnerOptions): Promise<SandboxRunner> {
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
      activeRun: () => runner?.activeRun ?? null,
      onStatus: (_provider, status) => runner?.onProviderStatus(status),
      onUnreachable: (provider, sinceMs) => runner?.onUnreachable(provider, sinceMs) ?? 'provider_away',
      onMcpUnreachable: (sinceMs) => runner?.onMcpUnreachable(sinceMs) ?? 'provider_away',
      terms: (provider) => (runner?.terms ?? unlimitedTerms)(provider),
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

  private constructor(options: SandboxRunnerOptions, server: Server, relay: Relay) {
    this.url = listenerUrl(server)
    this.#options = options
    this.#server = server
    this.#relay = relay
    this.#vars = options.env ?? {}
    const { workFolder, stateFolder, isolation } = options
    const privateFolder = options.privateFolder ?? `${stateFolder}-private`
    this.#isolation = createEngineIsolation({
      plan: async () => isolation ?? defaultIsolationPlan(process.env, workFolder, privateFolder),
      workFolder,
      stateFolder,
      filesFolder: filesFolderOf(stateFolder),
      relay,
      onExceeded: (exceeded) => this.#driver.onLimitExceeded(describeExceeded(exceeded)),
    })
    this.#driver = new EngineDriver({
      ...options,
      filesFolder: filesFolderOf(stateFolder),
      privateFolder,
      keepsEngine: isolation?.isInPlace !== true,
      hidden: [privateFolder, ...(isolation?.hidden ?? [])],
      launcher: this.#isolation.launcher,
    })
    server.on('request', (incoming, outgoing) => {
      this.#handleRequest(incoming, outgoing).catch((error) =>
        sendError(outgoing, 500, 'internal_error', error instanceof Error ? error.message : String(error)),
      )
    })
    this.#cleanupTimer = setInterval(() => this.#removeOldRuns(), CLEANUP_MS)
    this.#cleanupTimer.unref()
  }

  /** The variables of the current run; between runs, those of the runner. */
  get vars(): EnvVars {
    return this.busy && this.#currentRun ? mergeRunVars(this.#vars, this.#currentRun.env) : this.#vars
  }

  /** True while a run is in progress. */
  get busy(): boolean {
    return this.#currentRun !== null && this.#currentRun.end === null
  }

  /** The run in progress. */
  get activeRun(): RelayedRun | null {
    return this.busy ? this.#currentRun : null
  }

  /** A run with a lent key waits for its server as long as the runner keeps runs without a reader. */
  onUnreachable(provider: ProviderName, sinceMs: number): UnreachableVerdict {
    const run = this.#currentRun
    if (!run || typeof run.env[providers[provider].urlName] !== 'string') return 'provider_away'
    // The engine is not stuck: it is kept waiting.
    run.lastEventAt = Date.now()
    this.#driver.onServerAway()
    return run.hasReaders && sinceMs > FOLLOWED_AWAY_MS ? 'server_away' : 'wait'
  }

  /** Requests to MCP servers pass through the server even if the runner has its own key for the model. */
  onMcpUnreachable(sinceMs: number): UnreachableVerdict {
    const run = this.#currentRun
    if (!run) return 'provider_away'
    run.lastEventAt = Date.now()
    return run.hasReaders && sinceMs > FOLLOWED_AWAY_MS ? 'server_away' : 'wait'
  }

  /** Notes the status of a provider's answer, to tell a refused key from a broken network. */
  onProviderStatus(status: number): void {
    this.#driver.onProviderStatus(status)
  }

  /** Ends the current run, the engines and the server. */
  async close(): Promise<void> {
    clearInterval(this.#cleanupTimer)
    await this.#driver.close()
    await this.#isolation.close()
    await this.#relay.close()
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  async #handleRequest(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (!URL.canParse(incoming.url ?? '/', 'http://runner'))
      return sendError(outgoing, 400, 'bad_request', 'Bad request.')
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://runner')
    const parts = pathname.split('/').filter(Boolean).map(decodePathPart)
    const route = `${incoming.method} /${parts.map((part, index) => (index === 1 || index === 3 ? ':' : part)).join('/')}`
    if (!this.#options.token && !isLoopbackCaller(incoming))
      return sendError(
        outgoing,
        403,
        'forbidden',
        'Only programs of this machine may ask; set BRIDLE_RUNNER_TOKEN for others.',
      )
    if (route === 'GET /health') return sendJson(outgoing, 200, this.#health(incoming))
    const run = parts[0] === 'runs' ? this.#runs.get(parts[1] ?? '') : undefined
    if (parts[0] === 'runs' && !run) return this.#answerMissingRun(incoming, outgoing, parts[1] ?? '')
    if (!isAuthorized(incoming, run?.token ?? this.#options.token))
      return sendError(outgoing, 401, 'unauthorized', 'A token is needed.')
    if (route === 'GET /engines') return sendJson(outgoing, 200, { engines: await this.#engines() })
    if (run && route === 'GET /runs/:/events') {
      const after = frameCursor(incoming, searchParams)
      return after === null
        ? sendError(outgoing, 400, 'bad_request', 'The cursor is not a number.')
        : streamRun(run, after, incoming, outgoing)
    }
    const { workFiles } = this.#options
    if (workFiles && incoming.method === 'GET' && parts[0] === 'workspace' && parts.length <= 2)
      return sendWorkFiles(workFiles, parts[1] ?? '', searchParams, outgoing)
    if (incoming.method === 'PUT' && parts[0] === 'files' && parts.length === 3)
      return this.#receiveFile(incoming, outgoing, { id: parts[1] ?? '', name: parts[2] ?? '' })
    const body = incoming.method === 'GET' ? {} : await readRequestBody(incoming, outgoing)
    if (body === undefined) return
    switch (route) {
      case 'POST /query':
        return handleBody(outgoing, querySchema, body, null, (query) => this.#startQuery(query, incoming, outgoing))
      case 'PUT /env':
        return handleBody(outgoing, envSchema, body, null, ({ vars }) => {
          if (this.busy) return sendError(outgoing, 409, 'busy', 'A run is in progress, and keeps what it has.')
          const changes = Object.entries(vars).map(([name, value]) => [name, value ?? undefined])
          this.#vars = { ...this.#vars, ...Object.fromEntries(changes) }
          sendJson(outgoing, 200, { ok: true })
        })
      case 'POST /stop':
        sendJson(outgoing, 200, { ok: true })
        return this.#options.onIdle?.()
    }
    if (!run) return sendError(outgoing, 404, 'not_found', 'There is no such route.')
    switch (route) {
      case 'POST /runs/:/cancel':
        return handleBody(outgoing, cancelSchema, body, run, async () => {
          sendJson(outgoing, 200, await this.#driver.cancel(run))
        })
      case 'POST /runs/:/approvals/:':
        return handleBody(outgoing, approvalAnswerSchema, body, run, async (verdict) => {
          if (await this.#driver.answer(run, parts[3] ?? '', verdict)) return sendJson(outgoing, 200, { ok: true })
          sendError(outgoing, 404, 'not_found', 'No approval of this call is waited for.')
        })
      case 'POST /runs/:/steer':
        return handleBody(outgoing, steerSchema, body, run, async (steer) => {
          if (await this.#driver.steer(run, steer)) sendJson(outgoing, 200, { ok: true })
          else sendError(outgoing, 409, 'conflict', 'The run cannot be steered.')
        })
      case 'POST /runs/:/stop-task':
        return handleBody(outgoing, stopTaskSchema, body, run, async ({ taskId }) => {
          sendJson(outgoing, 200, { stopped: await this.#driver.stopTask(run, taskId) })
        })
      case 'POST /runs/:/ack':
        return handleBody(outgoing, ackSchema, body, run, ({ frame }) => {
          run.acknowledge(frame)
          sendJson(outgoing, 200, { ok: true })
        })
      case 'PUT /runs/:/env':
        return handleBody(outgoing, envSchema, body, run, ({ vars }) => {
          run.env = { ...run.env, ...vars }
          sendJson(outgoing, 200, { ok: true })
        })
    }
    sendError(outgoing, 404, 'not_found', 'There is no such route.')
  }

  async #receiveFile(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    file: { readonly id: string; readonly name: string },
  ): Promise<void> {
    const { workFolder, stateFolder } = this.#options
    const received = await receiveFile({ folder: filesFolderOf(stateFolder), workFolder }, file, incoming)
    if (received === 'bad_name') {
      incoming.resume()
      return sendError(outgoing, 400, 'bad_request', 'The id or the name of the file is not one.')
    }
    if (received === 'too_large')
      return sendError(outgoing, 413, 'too_large', `The file is larger than ${FILE_BYTES_MAX} bytes.`)
    sendJson(outgoing, 200, received)
  }

  #startQuery(query: RunnerQuery, incoming: IncomingMessage, outgoing: ServerResponse): void {
    const requestId = query.requestId ?? `req-${randomUUID()}`
    const known = this.#runs.get(requestId)
    const after = frameCursor(incoming, new URLSearchParams()) ?? 0
    if (known && !isAuthorized(incoming, known.token))
      return sendError(outgoing, 401, 'unauthorized', 'The run has a token of its own.')
    const requestDigest = bodyDigest(query)
    const earlier = known ?? this.#history.get(requestId)
    if (earlier && earlier.bodyDigest !== requestDigest)
      return sendError(outgoing, 409, 'conflict', 'A run with this requestId was asked for something else.')
    if (known && refuseStaleEpoch(outgoing, known, query.epoch)) return
    if (known) return streamRun(known, after, incoming, outgoing)
    if (earlier) return sendError(outgoing, 410, 'gone', GONE)
    if (this.busy) return sendError(outgoing, 409, 'busy', 'A run is under way; this runner has one at a time.')
    const { engines } = this.#options
    const engine = query.engine === undefined ? engines[0] : engines.find(({ name }) => name === query.engine)
    if (!engine) return sendError(outgoing, 400, 'bad_request', `There is no engine "${query.engine ?? ''}" here.`)
    const record = new RunRecord({
      requestId,
      token: query.token ?? this.#options.token ?? null,
      acknowledges: query.acknowledges ?? false,
      approvals: answersApprovals(query) ? null : (this.#options.approvals ?? 'deny'),
      bodyDigest: requestDigest,
      env: query.env ?? {},
      mcpServers: (query.mcp ?? []).flatMap((server) => ('relay' in server ? [server.name] : [])),
      epoch: query.epoch ?? 0,
      digest,
      now: Date.now,
    })
    const { token } = record
    this.#history.add(requestId, { bodyDigest: requestDigest, tokenDigest: token === null ? null : textDigest(token) })
    this.#runs.set(requestId, record)
    this.#currentRun = record
    this.terms = runTerms(this.#options, query.settings?.max_budget_usd, () => record.env)
    // A caller of the document alone cancels by closing the request, and cannot reconnect.
    const left = () => {
      if (isDocumentCaller(query) && !record.end && !record.hasReaders) this.#driver.cancel(record).catch(() => {})
    }
    streamRun(record, after, incoming, outgoing, left)
    this.#driver.run(record, engine, query, hasProviderKey(engine.provider, this.vars)).finally(() => {
      if (this.#currentRun === record) this.#currentRun = null
      this.#lastBusyAt = Date.now()
    })
  }

  /** Only the run's bearer and the runner's learn whether a run existed; everybody else gets the same answer for any id. */
  #answerMissingRun(incoming: IncomingMessage, outgoing: ServerResponse, requestId: string): void {
    const { token } = this.#options
    const run = this.#history.get(requestId)
    const isRuns = typeof run?.tokenDigest === 'string' && hasBearerDigest(incoming, run.tokenDigest)
    if (!isRuns && !isAuthorized(incoming, token)) return sendError(outgoing, 401, 'unauthorized', 'A token is needed.')
    if (run && (isRuns || token || run.tokenDigest === null)) sendError(outgoing, 410, 'gone', GONE)
    else sendError(outgoing, 404, 'run_unknown', 'There was never such a run here.')
  }

  #health(incoming: IncomingMessage): RunnerHealth {
    const { token } = this.#options
    return {
      ok: true,
      busy: this.busy,
      ...keyHealth(this.vars),
      instance: this.#instance,
      ...(token &&
        hasBearer(incoming, token) && { requestId: this.busy ? (this.#currentRun?.requestId ?? null) : null }),
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

  #removeOldRuns(): void {
    const { keepMs = KEEP_MS, idleMs, onIdle } = this.#options
    const now = Date.now()
    for (const [name, run] of this.#runs) {
      const isLeft = !run.hasReaders && now - run.lastSeenAt > keepMs
      if (!run.end && isLeft) this.#driver.abandon(run)
      if (run.end && (run.isDelivered || isLeft)) this.#runs.delete(name)
    }
    // Callers that acknowledge nothing would leave many ended runs behind.
    const ended = [...this.#runs].filter(([, run]) => run.end && !run.hasReaders)
    for (const [name] of ended.slice(0, -ENDED_RUNS_SHOWN_MAX)) this.#runs.delete(name)
    if (idleMs !== undefined && !this.busy && now - this.#lastBusyAt > idleMs) onIdle?.()
  }
}

const GONE = 'The run has ended and is no longer kept.'

const digest: Digest = async (text) => textDigest(text)
