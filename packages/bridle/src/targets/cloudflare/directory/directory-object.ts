// The object behind `/sessions` and the approval inbox: each tenant has one, or as many as BRIDLE_DIRECTORY_SHARDS says.
import { DurableObject } from 'cloudflare:workers'
import type { Key } from '../../../kernel/event.ts'
import type { ListFilter } from '../../../kernel/ports/directory.ts'
import type { SqlDriver } from '../../../stores/drivers/driver.ts'
import { objectDriver } from '../../../stores/drivers/object-driver.ts'
import { directoryObjectMigrations } from '../../../stores/object/object-schema.ts'
import type { DirectoryStub, DirectoryUpdate, SessionPlacement } from '../../../stores/object/remote-directory.ts'
import { ensureSecret } from '../../../stores/object/secret-row.ts'
import { DirectoryIndex } from '../../../stores/object/session-index.ts'
import type { PageOptions } from '../../../stores/sqlite/sqlite-directory.ts'
import { makeSigningSecret, SIGNING_SECRET } from '../credentials/signing-secret.ts'
import type { HarnessEnv } from '../options.ts'
import type { ObjectContext } from '../platform.ts'

/** An object of the index. Bind it as `HARNESS_DIRECTORY`. */
export class HarnessDirectory extends DurableObject<HarnessEnv> implements DirectoryStub {
  readonly #driver: SqlDriver
  readonly #index: DirectoryIndex
  #adopting: Promise<void> | null = null

  constructor(ctx: ObjectContext, env: HarnessEnv) {
    super(ctx, env)
    this.#driver = objectDriver(ctx.storage, directoryObjectMigrations)
    this.#index = new DirectoryIndex(this.#driver)
  }

  /** Stores the home of a session before its first event is written. The first home stays. */
  register(placement: SessionPlacement) {
    return this.#index.register(placement)
  }

  /** Takes the rows of sessions that have changed. */
  tell(updates: readonly DirectoryUpdate[]) {
    return this.#index.tell(updates)
  }

  /** Finds the sessions of an id. */
  find(tenant: string, id: string) {
    return this.#index.find(tenant, id)
  }

  /** Lists sessions, one more than asked for where there is one. */
  list(tenant: string, filter: ListFilter) {
    return this.#index.list(tenant, filter)
  }

  /** Lists approvals that wait, one more than asked for where there is one. */
  approvals(tenant: string, page: PageOptions) {
    return this.#index.approvals(tenant, page)
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
}
