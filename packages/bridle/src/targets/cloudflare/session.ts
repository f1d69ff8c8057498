// A session as an object: its log is in the object's storage, and the platform holds its sockets while the object sleeps. The
// object wakes with an empty memory and continues. A branch lives in its parent's object, so an object may have several sessions.
import { DurableObject } from 'cloudflare:workers'
import type { Key } from '../../kernel/event.ts'
import { Host } from '../../kernel/host/host.ts'
import type { Log } from '../../kernel/ports/log.ts'
import { objectDriver } from '../../stores/drivers/object-driver.ts'
import { ArtifactBucket } from '../../stores/object/artifact-bucket.ts'
import { BucketNames } from '../../stores/object/bucket-names.ts'
import { DirectoryOutbox } from '../../stores/object/directory-outbox.ts'
import { nextWake } from '../../stores/object/next-wake.ts'
import { sessionObjectMigrations } from '../../stores/object/object-schema.ts'
import { remoteDirectory } from '../../stores/object/remote-directory.ts'
import { tenantDirectory } from '../../stores/object/shards.ts'
import { spendRows } from '../../stores/object/spend-rows.ts'
import { withStoreFaults } from '../../stores/object/store-faults.ts'
import { sqliteStore } from '../../stores/sqlite/sqlite-store.ts'
import { noTail } from '../../stores/sqlite/tail.ts'
import { ClaimedUploads } from '../../stores/uploads/claimed-uploads.ts'
import { remoteUploads } from '../../stores/uploads/remote-uploads.ts'
import { httpWires, socketWires } from '../../surfaces/all.ts'
import { exposureOf } from '../../surfaces/http/access/exposure.ts'
import { type App, type AppPorts, createApp } from '../../surfaces/http/router/app.ts'
import { upgradeSocket } from '../../surfaces/http/streams/socket-route.ts'
import { streamSourceOf } from '../../surfaces/http/streams/sse.ts'
import { voiceAccess } from '../../surfaces/voice/access.ts'
import { defaultAgent } from '../agents/registry.ts'
import { createServerLines } from '../voice/server-lines.ts'
import { createSandboxProvider } from './agents/engines.ts'
import { InvocationHops } from './agents/invocation-hops.ts'
import { sandboxFiles } from './agents/sandbox-files.ts'
import { createWorkerAgents } from './agents/worker-agents.ts'
import { AlarmSchedule } from './alarms/alarm-schedule.ts'
import { ObjectClock, runClock } from './alarms/object-clock.ts'
import { answerProviderCall, type CredentialClaim, runBudgetUsd } from './credentials/credential-proxy.ts'
import { signingSecret } from './credentials/signing-secret.ts'
import { SpendLedgers } from './credentials/spend-ledgers.ts'
import { devReporter } from './dev-reports.ts'
import { digest } from './digest.ts'
import { workerFileFetcher } from './file-fetching.ts'
import { DIRECTORY_WAIT_MS, HIBERNATE_AFTER_MS, WATCHDOG_MS } from './limits.ts'
import { objectLog } from './object-log.ts'
import { type HarnessEnv, type HarnessOptions, heartbeatMsFrom, shardCountsFrom, uploadPlatform } from './options.ts'
import {
  forwardedAccess,
  forwardedChildRequest,
  forwardedClaim,
  forwardedHome,
  forwardedNotice,
  forwardedOrigin,
} from './peers/forwarded-request.ts'
import { createParentNotifier, type ParentNotice } from './peers/parent-notices.ts'
import { answerChildRequest, type ChildRequest, peerChildren } from './peers/peer-children.ts'
import { peerSessions } from './peers/peer-sessions.ts'
import { type ObjectContext, type PlatformSocket, withContentLength } from './platform.ts'
import { Heartbeats } from './sockets/heartbeats.ts'
import { ObjectSockets } from './sockets/object-sockets.ts'
import { answerPings } from './sockets/ping.ts'
import { connectProvider } from './sockets/provider-socket.ts'
import { dropUnreadBody } from './unread-body.ts'

/** The object of a session. Bind it as `HARNESS_SESSION`. */
export class HarnessSession extends DurableObject<HarnessEnv> {
  readonly #clock = new ObjectClock()
  readonly #log: Log
  readonly #host: Host
  readonly #app: App
  readonly #sockets: ObjectSockets<AppPorts>
  readonly #outbox: DirectoryOutbox
  readonly #alarmSchedule: AlarmSchedule
  readonly #bucketNames: BucketNames
  readonly #uploads: ClaimedUploads
  readonly #spendLedgers: SpendLedgers
  readonly #engines: HarnessOptions['engines']
  readonly #invocationHops: InvocationHops
  readonly #heartbeats: Heartbeats
  #home = ''
  #origin = ''
  #isHibernated = true

  constructor(ctx: ObjectContext, env: HarnessEnv, options: HarnessOptions = {}) {
    super(ctx, env)
    const { storage } = ctx
    const driver = objectDriver(storage, sessionObjectMigrations)
    const store = sqliteStore(driver, driver.epoch, noTail)
    const now = () => this.#clock.now()
    this.#home = ctx.id.name ?? ''
    this.#spendLedgers = new SpendLedgers(spendRows(driver))
    this.#engines = options.engines
    this.#alarmSchedule = new AlarmSchedule({
      storage,
      nextWake: (at) => nextWake(driver, at),
      now,
      watchdogMs: options.watchdogMs ?? WATCHDOG_MS,
    })
    this.#outbox = new DirectoryOutbox({
      driver,
      log: store.log,
      directory: (tenant) => tenantDirectory(env.HARNESS_DIRECTORY, shardCountsFrom(env), tenant),
      home: () => this.#home,
      now,
      retry: (at) => this.#alarmSchedule.setRetry('directory', at),
    })
    const bucket = env.HARNESS_ARTIFACTS ?? null
    this.#bucketNames = new BucketNames({
      ...{ driver, bucket, now },
      sync: () => storage.sync(),
      retry: (at) => this.#alarmSchedule.setRetry('bucket', at),
    })
    this.#uploads = new ClaimedUploads({
      ...{ driver, now, remote: remoteUploads(uploadPlatform(env)) },
      sync: () => storage.sync(),
      retry: (at) => this.#alarmSchedule.setRetry('uploads', at),
    })
    const log = objectLog({
      ...{ log: store.log, storage, outbox: this.#outbox, alarmSchedule: this.#alarmSchedule },
      ...{ artifacts: new ArtifactBucket(bucket, this.#bucketNames), names: this.#bucketNames },
      uploads: this.#uploads,
    })
    this.#log = withStoreFaults(log, driver)
    this.#invocationHops = new InvocationHops({ hop: () => this.#alarmSchedule.ringNow(), clock: runClock })
    const secret = signingSecret(env)
    const fileFetcher = workerFileFetcher(options.openharness)
    const directory = remoteDirectory(env.HARNESS_DIRECTORY, shardCountsFrom(env))
    const children = peerChildren({
      ...{ objects: env.HARNESS_SESSION, directory, home: () => this.#home },
      host: () => this.#host,
    })
    const provider = createSandboxProvider(env, secret)
    const reports = devReporter(env, (work) => ctx.waitUntil(work))
    const registry = createWorkerAgents(options, env, {
      children,
      voiceModel: (key) => lines.modelFor(key),
      onFailure: reports?.failure,
      invocationHops: this.#invocationHops,
      uploads: this.#uploads,
      provider,
      credentials: {
        env,
        secret,
        home: () => this.#home,
        origin: () => env.BRIDLE_PUBLIC_URL ?? this.#origin,
      },
    })
    // The provider's socket keeps the object in memory, and so may the timer that closes it.
    const lines = createServerLines({
      ...{ env, clock: runClock, host: () => this.#host, connect: connectProvider },
      hasModel: (agent) => registry.hasModel(agent),
    })
    this.#host = new Host({
      log: this.#log,
      directory: store.directory,
      clock: this.#clock,
      digest,
      // The runtime's clock does not advance while code runs, so a turn has no length.
      eventLoop: { now: () => 0, nextTurn: () => new Promise((resolve) => setTimeout(resolve, 0)) },
      runner: (agent) => registry.runnerOf(agent),
      notifyParent: createParentNotifier({
        ...{ objects: env.HARNESS_SESSION, directory, home: () => this.#home },
        take: (notice) => this.#takeChildNotice(notice),
      }),
      cancelChild: (child, parent) => children.cancel(child, parent),
      ...(options.tokenPaceMs !== undefined && { tokenPaceMs: options.tokenPaceMs }),
      onCommit: (key, events) => {
        this.#hibernateSoon()
        this.#heartbeats.update()
        this.#invocationHops.countSteps(key, events)
        reports?.commit(key, events)
      },
      onFault: (key, cause) =>
        console.error(
          ...(key ? ['session stopped', key.id] : ['due sessions could not be looked for']),
          cause instanceof Error ? cause.message : cause,
        ),
    })
    this.#app = createApp(
      {
        host: this.#host,
        directory: store.directory,
        behindGateway: true,
        relatedSessions: peerSessions({
          objects: env.HARNESS_SESSION,
          directory,
          own: store.directory,
          home: () => this.#home,
          clock: this.#clock,
        }),
        clock: this.#clock,
        agents: registry.agents,
        defaultAgent: defaultAgent(registry.agents, env),
        ...exposureOf(env, options.expose),
        ...voiceAccess(options, env),
        authenticator: forwardedAccess,
        signingSecret: secret,
        uploads: this.#uploads,
        voice: lines,
        ...(provider.findOwn && { workspaceFiles: sandboxFiles(provider, registry.agents) }),
        heartbeatMs: 0,
        ...(options.streamMs !== undefined && { streamMs: options.streamMs }),
        ...(options.openharness && { openharness: options.openharness }),
        ...(fileFetcher && { fileFetcher }),
        ...(options.rateLimit && { rateLimit: options.rateLimit }),
        ...(options.maxBodyBytes !== undefined && { maxBodyBytes: options.maxBodyBytes }),
      },
      httpWires,
    )
    const heartbeatMs = options.heartbeatMs ?? heartbeatMsFrom(env)
    const { deadAfterMs } = options
    this.#sockets = new ObjectSockets(ctx, socketWires, {
      clock: this.#clock,
      deadAfterMs,
      sendsHeartbeats: heartbeatMs !== undefined && heartbeatMs > 0,
    })
    const ports = { sockets: this.#sockets, alarmSchedule: this.#alarmSchedule, now }
    this.#heartbeats = new Heartbeats({ heartbeatMs, deadAfterMs }, ports)
    answerPings(ctx)
    ctx.blockConcurrencyWhile(() => this.#wake(driver.isBlank()))
  }

  /** Answers a request that the gateway passes on. */
  async fetch(request: Request): Promise<Response> {
    this.#home ||= forwardedHome(request)
    this.#origin = forwardedOrigin(request) || this.#origin
    this.#runDueWork()
    this.ctx.waitUntil(this.#outbox.announce())
    const claim = forwardedClaim(request)
    if (claim) return this.#answerProviderCall(request, claim)
    const notice = forwardedNotice(request)
    if (notice) return this.#takeChildNotice(notice).then(() => new Response(null, { status: 204 }))
    const child = await forwardedChildRequest(request)
    if (child) return this.#answerChildRequest(child)
    if (request.headers.get('upgrade')?.toLowerCase() === 'websocket') {
      const answer = await upgradeSocket(socketWires, request, '', this.#app.ports)
      if (typeof answer !== 'function') return answer
      const accepted = this.#sockets.accept(request, answer)
      this.#heartbeats.update()
      return accepted
    }
    const response = await this.#app.fetch(request)
    await dropUnreadBody(request)
    if (!streamSourceOf(response)) await this.#waitForDirectory()
    return withContentLength(response)
  }

  /** The status of a session that one of ours started. A session that was removed meanwhile refuses it. */
  async #takeChildNotice({
    parent,
    notice: { parentId: _id, parentAgent: _agent, ...notice },
  }: ParentNotice): Promise<void> {
    await this.#host.send(parent, { type: 'child_status', ...notice })
  }

  /** A child that was just started is in the directory when its parent hears of it, unless the directory takes too long. */
  async #answerChildRequest(request: ChildRequest): Promise<Response> {
    const answer = await answerChildRequest(this.#host, request)
    if (request.type === 'start') await this.#waitForDirectory()
    return Response.json(answer)
  }

  /** Only the active run may ask; the object keeps the sum that the run spends. */
  async #answerProviderCall(request: Request, claim: CredentialClaim): Promise<Response> {
    const { key } = claim
    const { run, settings = {} } = (await this.#host.find(key))?.state.lifecycle ?? {}
    const { models = null, ...engine } = this.#engines?.[key.agent] ?? {}
    // A token of the session is valid for the active run, with that run's limit.
    const { runId, attempt } = run ?? { runId: '', attempt: 0 }
    const maxUsd = run && runBudgetUsd(engine, { settings, input: run.input ?? null })
    const own = claim.runId === null ? { ...claim, runId, attempt, maxUsd: maxUsd ?? null } : claim
    const isLive = run?.runId === own.runId && run.attempt === own.attempt && run.stopRequestedAt === null
    return answerProviderCall({ request, env: this.env, isLive, models, ledger: this.#spendLedgers.ledgerFor(own) })
  }

  /** Takes a message of a socket. The platform calls it. */
  webSocketMessage(socket: PlatformSocket, message: string | ArrayBuffer): Promise<void> {
    this.#runDueWork(socket)
    return this.#sockets.handleMessage(socket, message)
  }

  /** Takes the end of a socket. The platform calls it. */
  webSocketClose(socket: PlatformSocket, code: number): void {
    this.#runDueWork()
    this.#sockets.handleClose(socket, code)
  }

  /** Takes the failure of a socket. The platform calls it. */
  webSocketError(socket: PlatformSocket): void {
    this.#runDueWork()
    this.#sockets.handleClose(socket, 1011)
  }

  /** Expiry, retry, the watchdog of a run, a new invocation for an agent in this object, and updates for the directory. */
  async alarm(): Promise<void> {
    this.#alarmSchedule.alarmFired()
    this.#runDueWork()
    this.#heartbeats.handleAlarm()
    await this.#host.resumeWork()
    await Promise.all([this.#outbox.publish(), this.#bucketNames.cleanUp(), this.#uploads.cleanUp()])
    this.#alarmSchedule.update()
  }

  /** A timer would keep the object awake, so every event of the object runs the work that is due. */
  #runDueWork(speaker?: PlatformSocket): void {
    this.#clock.runDue()
    this.#sockets.closeDeadSockets(speaker)
  }

  /**
   * Sockets first, so that they get every later event. A session without events may have sockets too: their clients opened the
   * page and have not typed yet.
   */
  async #wake(isBlank: boolean): Promise<void> {
    await this.#alarmSchedule.load()
    await this.#sockets.restore(this.#app, (rested) => this.#headOf(rested))
    this.#heartbeats.resume()
    if (isBlank) return
    await this.#host.resumeWork()
    void this.#bucketNames.cleanUp()
    void this.#uploads.cleanUp()
  }

  readonly #heads = new Map<string, number>()
  /** The head before the session was opened: opening may append events, which no socket has seen. */
  async #headOf(rested: unknown): Promise<number> {
    const { key } = ('connection' in (rested as object) ? (rested as { connection: object }).connection : rested) as {
      key: Key
    }
    const name = JSON.stringify(key)
    const head = this.#heads.get(name) ?? (await this.#log.open(key))?.head ?? 0
    this.#heads.set(name, head)
    return head
  }

  async #waitForDirectory(): Promise<void> {
    let forget = () => {}
    const late = new Promise<void>((resolve) => {
      forget = this.#clock.after(DIRECTORY_WAIT_MS, resolve)
    })
    await Promise.race([this.#outbox.publish(), late]).finally(forget)
  }

  #hibernateSoon(): void {
    if (!this.#isHibernated || this.#sockets.size === 0) return
    this.#isHibernated = false
    this.#clock.after(HIBERNATE_AFTER_MS, () => {
      this.#isHibernated = true
      this.#sockets.hibernate()
    })
  }
}
