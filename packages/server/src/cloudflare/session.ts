// The object's storage holds the log, and the platform holds its sockets while it hibernates. Branches live in their parent's
// object, so one object may hold several sessions.
import { DurableObject } from 'cloudflare:workers'
import type { Key } from '@bridle/kernel/event'
import { socketWires } from '@bridle/surfaces/all'
import { upgradeSocket } from '@bridle/surfaces/http/streams/socket-route'
import { streamSourceOf } from '@bridle/surfaces/http/streams/sse'
import { engineSetupOf } from './agents/engines.ts'
import { answerProviderCall, type CredentialClaim, runBudgetUsd } from './credentials/credential-proxy.ts'
import {
  forwardedChildRequest,
  forwardedClaim,
  forwardedHome,
  forwardedNotice,
  forwardedOrigin,
} from './peers/forwarded-request.ts'
import { answerChildRequest, type ChildRequest } from './peers/peer-children.ts'
import type { HarnessEnv, HarnessOptions } from './platform/options.ts'
import { type ObjectContext, type PlatformSocket, withContentLength } from './platform/platform.ts'
import { composeObject } from './session-parts.ts'
import { answerPings } from './sockets/object-sockets.ts'
import { dropUnreadBody } from './unread-body.ts'

/** Wait for the directory, so that the caller's next list includes the change. */
const DIRECTORY_WAIT_MS = 1_000

/** Session object. Bind as `HARNESS_SESSION`. */
export class HarnessSession extends DurableObject<HarnessEnv> {
  readonly #parts: ReturnType<typeof composeObject>
  readonly #options: HarnessOptions
  readonly #heads = new Map<string, number>()

  constructor(ctx: ObjectContext, env: HarnessEnv, options: HarnessOptions = {}) {
    super(ctx, env)
    this.#parts = composeObject(ctx, env, options)
    this.#options = options
    answerPings(ctx)
    ctx.blockConcurrencyWhile(() => this.#wake())
  }

  /** Handles a request forwarded by the gateway. */
  async fetch(request: Request): Promise<Response> {
    const { place, outbox, app, sockets, heartbeats, takeChildNotice } = this.#parts
    place.home ||= forwardedHome(request)
    place.origin = forwardedOrigin(request) || place.origin
    this.#runDueWork()
    this.ctx.waitUntil(outbox.announce())
    const claim = forwardedClaim(request)
    if (claim) return this.#answerProviderCall(request, claim)
    const notice = await forwardedNotice(request)
    if (notice) return takeChildNotice(notice).then(() => new Response(null, { status: 204 }))
    const child = await forwardedChildRequest(request)
    if (child) return this.#answerChildRequest(child)
    if (request.headers.get('upgrade')?.toLowerCase() === 'websocket') {
      const answer = await upgradeSocket(socketWires, request, '', app.ports)
      if (typeof answer !== 'function') return answer
      const accepted = sockets.accept(request, answer)
      heartbeats.update()
      return accepted
    }
    const response = await app.fetch(request)
    await dropUnreadBody(request)
    if (!streamSourceOf(response)) await this.#waitForDirectory()
    return withContentLength(response)
  }

  /** A new child is in the directory before its parent gets the answer, unless the directory is slow. */
  async #answerChildRequest(request: ChildRequest): Promise<Response> {
    const answer = await answerChildRequest(this.#parts.host, request)
    if (request.type === 'start') await this.#waitForDirectory()
    return Response.json(answer)
  }

  /** Only the active run may call. The object keeps what it has spent. */
  async #answerProviderCall(request: Request, claim: CredentialClaim): Promise<Response> {
    const { key } = claim
    const { run, settings = {} } = (await this.#parts.host.find(key))?.state.lifecycle ?? {}
    const setup = engineSetupOf(this.#options, key.agent)
    // A session token acts for the active run, with that run's budget.
    const { runId, attempt } = run ?? { runId: '', attempt: 0 }
    const maxUsd = run && runBudgetUsd(setup?.settings ?? {}, { settings, input: run.input ?? null })
    const own = claim.runId === null ? { ...claim, runId, attempt, maxUsd: maxUsd ?? null } : claim
    const isLive = run?.runId === own.runId && run.attempt === own.attempt && run.stopRequestedAt === null
    return answerProviderCall({
      request,
      env: this.env,
      isLive,
      models: setup?.providerModels ?? null,
      ledger: this.#parts.spendLedgers.ledgerFor(own),
    })
  }

  /** Handles a socket message. Called by the platform. */
  webSocketMessage(socket: PlatformSocket, message: string | ArrayBuffer): Promise<void> {
    this.#runDueWork(socket)
    return this.#parts.sockets.handleMessage(socket, message)
  }

  /** Handles a closed socket. Called by the platform. */
  webSocketClose(socket: PlatformSocket, code: number): void {
    this.#runDueWork()
    this.#parts.sockets.handleClose(socket, code)
  }

  /** Handles a failed socket. Called by the platform. */
  webSocketError(socket: PlatformSocket): void {
    this.#runDueWork()
    this.#parts.sockets.handleClose(socket, 1011)
  }

  /** Handles expiry, retries, the watchdog, invocation hops and directory updates. Called by the platform. */
  async alarm(): Promise<void> {
    const { alarmSchedule, heartbeats, host, outbox, bucketNames, uploads } = this.#parts
    alarmSchedule.alarmFired()
    this.#runDueWork()
    heartbeats.handleAlarm()
    await host.resumeWork()
    await Promise.all([outbox.publish(), bucketNames.cleanUp(), uploads.cleanUp()])
    alarmSchedule.update()
  }

  /** A timer would keep the object awake, so every event of the object runs the work that is due. */
  #runDueWork(speaker?: PlatformSocket): void {
    this.#parts.clock.runDue()
    this.#parts.sockets.closeDeadSockets(speaker)
  }

  /** Sockets first, so that they receive every later event. Sockets may exist before the session's first event. */
  async #wake(): Promise<void> {
    const { alarmSchedule, sockets, app, heartbeats, isBlank, host, bucketNames, uploads } = this.#parts
    await alarmSchedule.load()
    await sockets.restore(app, (rested) => this.#headOf(rested))
    heartbeats.resume()
    if (isBlank) return
    await host.resumeWork()
    void bucketNames.cleanUp()
    void uploads.cleanUp()
  }

  /** The head before the session was opened, because opening may append events that no socket has seen. */
  async #headOf(rested: unknown): Promise<number> {
    const { key } = ('connection' in (rested as object) ? (rested as { connection: object }).connection : rested) as {
      key: Key
    }
    const name = JSON.stringify(key)
    const head = this.#heads.get(name) ?? (await this.#parts.log.open(key))?.head ?? 0
    this.#heads.set(name, head)
    return head
  }

  async #waitForDirectory(): Promise<void> {
    const { clock, outbox } = this.#parts
    const late = Promise.withResolvers<void>()
    const forget = clock.after(DIRECTORY_WAIT_MS, late.resolve)
    await Promise.race([outbox.publish(), late.promise]).finally(forget)
  }
}
