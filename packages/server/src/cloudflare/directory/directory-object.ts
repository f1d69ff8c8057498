// Serves `/sessions` and the approval inbox. A tenant has one object, or BRIDLE_DIRECTORY_SHARDS of them.
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

/** Directory object. Bind as `HARNESS_DIRECTORY`. */
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

  /** Stores a session's home before its first event is written. The first home wins. */
  register(placement: SessionPlacement) {
    return this.#index.register(placement)
  }

  /** Opens a stream of changes. Called by the gateway, which has checked the caller. */
  async fetch(request: Request): Promise<Response> {
    const access = await forwardedAccess.authenticate(request, '')
    if (isDenial(access)) return toResponse(access)
    answerPings(this.ctx)
    this.#changes.sockets.closeDeadSockets()
    return this.#changes.open(request, access)
  }

  /** Relays this object's changes to the one that serves the readers. */
  async watchChanges(tenant: string, watcher: string) {
    this.#relay.watch(tenant, watcher)
  }

  /** Handles changes of another object. False: no reader is left. */
  async relayChanges(tenant: string, changes: readonly RowChange[], hasGap: boolean) {
    return this.#changes.takeRelayed(tenant, changes, hasGap)
  }

  /** Handles a socket message. Called by the platform. */
  webSocketMessage(socket: PlatformSocket, message: string | ArrayBuffer): Promise<void> {
    this.#changes.sockets.closeDeadSockets(socket)
    return this.#changes.sockets.handleMessage(socket, message)
  }

  /** Handles a closed socket. Called by the platform. */
  webSocketClose(socket: PlatformSocket, code: number): void {
    this.#changes.sockets.handleClose(socket, code)
  }

  /** Handles a failed socket. Called by the platform. */
  webSocketError(socket: PlatformSocket): void {
    this.#changes.sockets.handleClose(socket, 1011)
  }

  /** Handles updated session rows. */
  tell(updates: readonly DirectoryUpdate[]) {
    this.#changes.sockets.closeDeadSockets()
    return this.#index.tell(updates)
  }

  /** Finds sessions by id. */
  find(tenant: string, id: string) {
    return this.#index.find(tenant, id)
  }

  /** Lists sessions. Returns one more than requested if there are more. */
  list(tenant: string, filter: ListFilter, who?: string) {
    return this.#index.list(tenant, filter, who)
  }

  /** Lists pending approvals. Returns one more than requested if there are more. */
  approvals(tenant: string, page: PageOptions, who?: string) {
    return this.#index.approvals(tenant, page, who)
  }

  /** Lists settled approvals. Returns one more than requested if there are more. */
  settled(tenant: string, page: PageOptions, who?: string) {
    return this.#index.settled(tenant, page, who)
  }

  /** Redeems a ticket. True only the first time. */
  redeem(nonce: string, expiresAt: number) {
    return this.#index.redeem(nonce, expiresAt)
  }

  /** Returns the Worker's signing secret, stored by one well-known object. */
  async secret() {
    return ensureSecret(this.#driver, SIGNING_SECRET, makeSigningSecret)
  }

  /** Returns the sessions of a tenant, page by page. */
  known(tenant: string, after: Key | null) {
    return this.#index.known(tenant, after)
  }

  /** Adopts the rows that belong here from earlier objects, once. */
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

  /** Records an upload before its bytes are stored. */
  reserveUpload(file: UploadReservation) {
    return this.#uploads.reserve(file)
  }

  /** Marks the bytes of an upload as stored. */
  async completeUpload(id: string) {
    return this.#uploads.complete(id)
  }

  /** Discards an upload whose bytes could not be stored. */
  discardUpload(id: string) {
    return this.#uploads.discard(id)
  }

  /** Finds an upload of the tenant. */
  async findUpload(id: string) {
    return this.#uploads.find(id)
  }

  /** Transfers an upload to a session. */
  claimUpload(id: string, session: Key) {
    return this.#uploads.claim(id, session)
  }

  /** Returns where the bytes of an upload are stored. */
  async locateUpload(id: string) {
    return this.#uploads.locate(id)
  }

  /** Removes uploads of a deleted session. */
  releaseUploads(ids: readonly string[], session: Key) {
    return this.#uploads.release(ids, session)
  }

  /** Stores the bytes of this object's only file. */
  async writeBytes(bytes: Uint8Array) {
    return writePieces(this.#driver, bytes)
  }

  /** Returns the bytes of this object's only file. */
  async readBytes(): Promise<Uint8Array | null> {
    return readPieces(this.#driver)
  }

  /** Erases the whole object, so that nothing of the file is left. */
  async eraseBytes() {
    const { storage } = this.ctx
    await storage.deleteAll()
    this.#driver = objectDriver(storage, directoryObjectMigrations)
  }

  /** Removes expired uploads. Called by the platform. */
  alarm() {
    return this.#uploads.cleanUp()
  }
}

/** Lazy: most objects never have readers. */
const engineFinder = (options: HarnessOptions, env: HarnessEnv): ((agent: string) => EngineIdentity) => {
  let agents: ReadonlyMap<string, EngineIdentity> | null = null
  return (agent) => {
    agents ??= createWorkerAgents(options, env, null).agents
    return engineOf(agents, agent)
  }
}
