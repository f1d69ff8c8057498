// The object behind `/sessions` and the approval inbox: each tenant has one, or as many as BRIDLE_DIRECTORY_SHARDS says.
import { DurableObject } from 'cloudflare:workers'
import type { EngineIdentity } from '@bridle/kernel/engine-info'
import type { Key } from '@bridle/kernel/event'
import type { ListFilter } from '@bridle/kernel/ports/directory'
import type { RowChange } from '@bridle/kernel/ports/row-observer'
import type { SqlDriver } from '@bridle/stores/drivers/driver'
import { type ChangesStub, changeWatchers } from '@bridle/stores/object/change-watchers'
import { objectDriver } from '@bridle/stores/object/object-driver'
import { directoryObjectMigrations } from '@bridle/stores/object/object-schema'
import {
  type DirectoryStub,
  type DirectoryUpdate,
  remoteDirectory,
  type SessionPlacement,
} from '@bridle/stores/object/remote-directory'
import { ensureSecret } from '@bridle/stores/object/secret-row'
import { DirectoryIndex } from '@bridle/stores/object/session-index'
import { readerPeers, readersName } from '@bridle/stores/object/shards'
import type { PageOptions } from '@bridle/stores/sqlite/sqlite-directory'
import { eraseUpload, type UploadStub } from '@bridle/stores/uploads/remote-uploads'
import { UploadIndex, type UploadReservation } from '@bridle/stores/uploads/upload-index'
import { readPieces, writePieces } from '@bridle/stores/uploads/upload-pieces'
import { engineOf } from '@bridle/surfaces/http/access/agent-engine'
import { isDenial, toResponse } from '@bridle/surfaces/http/denials/denial'
import { createWorkerAgents } from '../agents/worker-agents.ts'
import { runClock } from '../alarms/object-clock.ts'
import { makeSigningSecret, SIGNING_SECRET } from '../credentials/signing-secret.ts'
import { forwardedAccess } from '../peers/forwarded-request.ts'
import { sessionFinder } from '../peers/peer-sessions.ts'
import { type HarnessEnv, type HarnessOptions, shardCountsFrom, uploadPlatform } from '../platform/options.ts'
import type { ObjectContext, PlatformSocket } from '../platform/platform.ts'
import { answerPings } from '../sockets/object-sockets.ts'
import { ChangeRelay } from './change-relay.ts'
import { DirectoryChanges } from './directory-changes.ts'

/** An object of the index. Bind it as `HARNESS_DIRECTORY`. */
export class HarnessDirectory extends DurableObject<HarnessEnv> implements DirectoryStub, UploadStub, ChangesStub {
  #driver: SqlDriver
  readonly #index: DirectoryIndex
  readonly #uploads: UploadIndex
  readonly #relay: ChangeRelay
  readonly #changes: DirectoryChanges
  #adopting: Promise<void> | null = null

  constructor(ctx: ObjectContext, env: HarnessEnv, options: HarnessOptions = {}) {
    super(ctx, env)
    this.#driver = objectDriver(ctx.storage, directoryObjectMigrations)
    this.#relay = new ChangeRelay({
      clock: runClock,
      watchers: changeWatchers(this.#driver),
      watcherOf: (name) => this.#peer(name),
      waitUntil: (work) => ctx.waitUntil(work),
    })
    this.#changes = new DirectoryChanges({
      ctx,
      relay: this.#relay,
      identityOf: engineFinder(options, env),
      peersOf: (tenant) => readerPeers(tenant, shardCountsFrom(env).count).map((name) => this.#peer(name)),
      nameFor: (tenant) => readersName(tenant, shardCountsFrom(env).count),
      ...(options.streamMs !== undefined && { streamMs: options.streamMs }),
      deadAfterMs: options.deadAfterMs,
    })
    if (ctx.getWebSockets().length > 0) {
      answerPings(ctx)
      ctx.blockConcurrencyWhile(() => this.#changes.restore())
    }
    this.#index = new DirectoryIndex(this.#driver, this.#changes)
    this.#uploads = new UploadIndex({
      driver: this.#driver,
      now: () => Date.now(),
      ring: (at) => (at === null ? ctx.storage.deleteAlarm() : ctx.storage.setAlarm(at)),
      erase: (place) => eraseUpload(uploadPlatform(env), place),
      exists: sessionFinder(env.HARNESS_SESSION, remoteDirectory(env.HARNESS_DIRECTORY, shardCountsFrom(env))),
    })
  }

  /** Stores the home of a session before its first event is written. The first home stays. */
  register(placement: SessionPlacement) {
    return this.#index.register(placement)
  }

  /** Opens a stream of changes for a caller that the gateway has checked. The gateway calls it. */
  async fetch(request: Request): Promise<Response> {
    const access = await forwardedAccess.authenticate(request, '')
    if (isDenial(access)) return toResponse(access)
    answerPings(this.ctx)
    this.#changes.sockets.closeDeadSockets()
    return this.#changes.open(request, access)
  }

  /** Relays the changes of this object to another one, which has the readers. */
  async watchChanges(tenant: string, watcher: string) {
    this.#relay.watch(tenant, watcher)
  }

  /** Takes changes of another object. False = nobody reads them any more. */
  async relayChanges(tenant: string, changes: readonly RowChange[], hasGap: boolean) {
    return this.#changes.takeRelayed(tenant, changes, hasGap)
  }

  /** Takes a message of a socket. The platform calls it. */
  webSocketMessage(socket: PlatformSocket, message: string | ArrayBuffer): Promise<void> {
    this.#changes.sockets.closeDeadSockets(socket)
    return this.#changes.sockets.handleMessage(socket, message)
  }

  /** Takes the end of a socket. The platform calls it. */
  webSocketClose(socket: PlatformSocket, code: number): void {
    this.#changes.sockets.handleClose(socket, code)
  }

  /** Takes the failure of a socket. The platform calls it. */
  webSocketError(socket: PlatformSocket): void {
    this.#changes.sockets.handleClose(socket, 1011)
  }

  /** Takes the rows of sessions that have changed. */
  tell(updates: readonly DirectoryUpdate[]) {
    this.#changes.sockets.closeDeadSockets()
    return this.#index.tell(updates)
  }

  /** Finds the sessions of an id. */
  find(tenant: string, id: string) {
    return this.#index.find(tenant, id)
  }

  /** Lists sessions, one more than asked for where there is one. */
  list(tenant: string, filter: ListFilter, who?: string) {
    return this.#index.list(tenant, filter, who)
  }

  /** Lists approvals that wait, one more than asked for where there is one. */
  approvals(tenant: string, page: PageOptions, who?: string) {
    return this.#index.approvals(tenant, page, who)
  }

  /** Lists settled approvals, one more than asked for where there is one. */
  settled(tenant: string, page: PageOptions, who?: string) {
    return this.#index.settled(tenant, page, who)
  }

  /** Uses up a ticket: true for the first time only. */
  redeem(nonce: string, expiresAt: number) {
    return this.#index.redeem(nonce, expiresAt)
  }

  /** Returns the Worker's signing secret, which one well-known object stores. */
  async secret() {
    return ensureSecret(this.#driver, SIGNING_SECRET, makeSigningSecret)
  }

  /** Returns the sessions of a tenant, page by page. */
  known(tenant: string, after: Key | null) {
    return this.#index.known(tenant, after)
  }

  /** Takes over the rows that belong here from earlier objects, once. */
  adopt(tenant: string, shard: { readonly index: number; readonly of: number }, from: readonly string[]) {
    const { HARNESS_DIRECTORY: objects } = this.env
    const sources = from.map((name) => objects.get(objects.idFromName(name)))
    this.#adopting ??= this.#index.adoptFrom(tenant, shard, sources).finally(() => {
      this.#adopting = null
    })
    return this.#adopting
  }

  #peer(name: string): ChangesStub {
    const { HARNESS_DIRECTORY: objects } = this.env
    return objects.get(objects.idFromName(name))
  }

  /** Writes an uploaded file down, before its bytes are stored. */
  reserveUpload(file: UploadReservation) {
    return this.#uploads.reserve(file)
  }

  /** The bytes of an uploaded file are stored. */
  async completeUpload(id: string) {
    return this.#uploads.complete(id)
  }

  /** The bytes of an uploaded file could not be stored. */
  discardUpload(id: string) {
    return this.#uploads.discard(id)
  }

  /** Finds an uploaded file of the tenant. */
  async findUpload(id: string) {
    return this.#uploads.find(id)
  }

  /** Makes an uploaded file the session's own. */
  claimUpload(id: string, session: Key) {
    return this.#uploads.claim(id, session)
  }

  /** Says where the bytes of an uploaded file are. */
  async locateUpload(id: string) {
    return this.#uploads.locate(id)
  }

  /** Removes uploaded files of a session that is gone. */
  releaseUploads(ids: readonly string[], session: Key) {
    return this.#uploads.release(ids, session)
  }

  /** Stores the bytes of the one file that this object has. */
  async writeBytes(bytes: Uint8Array) {
    return writePieces(this.#driver, bytes)
  }

  /** Returns the bytes of the one file that this object has. */
  async readBytes(): Promise<Uint8Array | null> {
    return readPieces(this.#driver)
  }

  /** Erases all that this object has, so that nothing of the file is left. */
  async eraseBytes() {
    const { storage } = this.ctx
    await storage.deleteAll()
    this.#driver = objectDriver(storage, directoryObjectMigrations)
  }

  /** Removes uploaded files that expired. The platform calls it. */
  alarm() {
    return this.#uploads.cleanUp()
  }
}

/** The agents are listed with the first change that somebody reads: most objects never have readers. */
const engineFinder = (options: HarnessOptions, env: HarnessEnv): ((agent: string) => EngineIdentity) => {
  let agents: ReadonlyMap<string, EngineIdentity> | null = null
  return (agent) => {
    agents ??= createWorkerAgents(options, env, null).agents
    return engineOf(agents, agent)
  }
}
