// The index over all sessions of a tenant, as gateway and sessions ask for it: what each of its objects answers, and what
// they make up together.
import { type Key, keyText } from '../../kernel/event.ts'
import type { Directory, DirectoryRow, ListedSession, ListFilter } from '../../kernel/ports/store.ts'
import { HOMES_MAX } from '../limits.ts'
import type { PositionedEntry } from '../listing.ts'
import type { ApprovalListing, PageOptions } from '../sqlite/sqlite-directory.ts'
import type { ObjectNamespace } from './platform-types.ts'
import { type ShardCounts, tenantDirectory } from './shards.ts'

/** A session as its object tells of it. */
export interface DirectoryUpdate {
  readonly key: Key
  /** The name of the object that has it: a branch lives with its parent. */
  readonly home: string
  readonly head: number
  /** Null: it was removed. */
  readonly row: DirectoryRow | null
}

export interface SessionPlacement {
  readonly key: Key
  readonly home: string
}

/** Where a session is, or was: once given, a home stays. */
export interface SessionLocation extends SessionPlacement {
  /** Null until the session has told of itself; its object knows. */
  readonly owner: string | null
  readonly isRemoved: boolean
}

/** What one object answers, from outside. */
export interface DirectoryStub {
  /** Before a session's first event is written. The home it has; once given it stays. */
  register(placed: SessionPlacement): Promise<string>
  tell(told: readonly DirectoryUpdate[]): Promise<void>
  find(tenant: string, id: string): Promise<SessionLocation[]>
  /** One entry more than was asked for, where there is one. */
  list(tenant: string, filter: ListFilter): Promise<PositionedEntry<ListedSession>[]>
  approvals(tenant: string, wish: PageOptions): Promise<PositionedEntry<ApprovalListing | null>[]>
  /** Whether this is the first time. */
  redeem(nonce: string, expiresAt: number): Promise<boolean>
  /** The Worker's signing secret, asked of one well-known object. */
  secret(): Promise<string>
  /** Everything it knows of a tenant, in pages. */
  known(tenant: string, after: Key | null): Promise<DirectoryRecord[]>
  /** Takes over what belongs here from the objects of that name, once. */
  adopt(tenant: string, shard: { readonly index: number; readonly of: number }, from: readonly string[]): Promise<void>
}

/** With a row, told; without one, registered alone, or removed. */
export interface DirectoryRecord extends DirectoryUpdate {
  readonly isRemoved: boolean
}

/** The name of the object that has a session which is no branch. */
export const defaultHome = (key: Key): string => keyText(key)

export interface RemoteDirectory extends Directory {
  /** Where a session lives, or would. */
  home(key: Key): Promise<string>
  /** Where it lives, or did before it was removed; null = nobody has heard of it. */
  knownHome(key: Key): Promise<string | null>
}

export const remoteDirectory = (objects: ObjectNamespace<DirectoryStub>, shards: ShardCounts): RemoteDirectory => {
  const homes = new Map<string, string>()
  const of = (tenant: string) => tenantDirectory(objects, shards, tenant)
  const find = async (tenant: string, id: string): Promise<SessionLocation[]> => {
    const found = await of(tenant).find(id)
    if (homes.size > HOMES_MAX) homes.clear()
    for (const { key, home } of found) homes.set(keyText(key), home)
    return found
  }
  const known = async (key: Key): Promise<string | null> => {
    const remembered = homes.get(keyText(key))
    if (remembered !== undefined) return remembered
    const found = await find(key.tenant, key.id)
    return found.find((each) => each.key.agent === key.agent)?.home ?? null
  }
  return {
    find: async (tenant, id) =>
      (await find(tenant, id)).filter(({ isRemoved }) => !isRemoved).map(({ key, owner }) => ({ key, owner })),
    list: (tenant, filter) => of(tenant).list(filter),
    approvals: (tenant, wish) => of(tenant).approvals(wish),
    // Each object has an alarm of its own.
    due: async () => [],
    inHand: async () => [],
    knownHome: known,
    home: async (key) => (await known(key)) ?? defaultHome(key),
  }
}
