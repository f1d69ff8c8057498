// The index over all sessions of a tenant, as the gateway and the session objects use it: the calls of one directory object,
// and a Directory over all of them.
import { type Key, keyText } from '@bridle/kernel/event'
import type { Directory, ListedSession, ListFilter, SettledListing } from '@bridle/kernel/ports/directory'
import type { RowChange } from '@bridle/kernel/ports/row-observer'
import type { ApprovalListing, PageOptions, Scan } from '../sqlite/sqlite-directory.ts'
import type { ObjectNamespace } from './platform-types.ts'
import { type ShardCounts, tenantDirectory } from './shards.ts'

/** Homes that one gateway remembers, about a megabyte: each saves a request to the directory. */
const HOMES_MAX = 10_000

export interface DirectoryUpdate extends Pick<RowChange, 'key' | 'head' | 'row'> {
  /** The name of the object that has it: a branch lives with its parent. */
  readonly home: string
}

export interface SessionPlacement {
  readonly key: Key
  readonly home: string
}

/** The object that has a session, or had it before its removal. A home never changes. */
export interface SessionLocation extends SessionPlacement {
  /** Null until the session's object has reported it. */
  readonly owner: string | null
  readonly isRemoved: boolean
}

/** A list as one directory object read it. */
export interface ShardScan<T> extends Scan<T> {
  /** The reader has too many long lists in progress there. */
  readonly isBusy?: true
}

/** The calls of one directory object, from outside. */
export interface DirectoryStub {
  /** Called before a session's first event is written. Returns its home, which may be another object's. */
  register(placement: SessionPlacement): Promise<string>
  tell(updates: readonly DirectoryUpdate[]): Promise<void>
  find(tenant: string, id: string): Promise<SessionLocation[]>
  /** At most one entry more than the limit, which tells whether there is a next page. `who` is the reader of the list. */
  list(tenant: string, filter: ListFilter, who?: string): Promise<ShardScan<ListedSession>>
  approvals(tenant: string, page: PageOptions, who?: string): Promise<ShardScan<ApprovalListing | null>>
  settled(tenant: string, page: PageOptions, who?: string): Promise<ShardScan<ApprovalListing<SettledListing> | null>>
  /** True the first time. */
  redeem(nonce: string, expiresAt: number): Promise<boolean>
  /** The Worker's signing secret; one well-known object has it. */
  secret(): Promise<string>
  /** All records of a tenant, in pages. */
  known(tenant: string, after: Key | null): Promise<DirectoryRecord[]>
  /** Copies this shard's records from the objects of these names, once. */
  adopt(tenant: string, shard: { readonly index: number; readonly of: number }, from: readonly string[]): Promise<void>
}

/** A record without a row is registered and not yet reported, or removed. */
export interface DirectoryRecord extends DirectoryUpdate {
  readonly isRemoved: boolean
}

/** The home of a session that is no branch; a branch lives with its parent. */
export const defaultHome = (key: Key): string => keyText(key)

export interface RemoteDirectory extends Directory {
  /** The home of a session, also of one that does not exist yet. */
  home(key: Key): Promise<string>
  /** The home of a session, also of a removed one; null = the directory has no record. */
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
    list: (tenant, filter, reader) => of(tenant).list(filter, reader?.who),
    approvals: (tenant, page, reader) => of(tenant).approvals(page, reader?.who),
    settled: (tenant, page, reader) => of(tenant).settled(page, reader?.who),
    // Each session object wakes itself with its alarm.
    due: async () => [],
    inHand: async () => [],
    knownHome: known,
    home: async (key) => (await known(key)) ?? defaultHome(key),
  }
}
