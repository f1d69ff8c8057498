// The index over all sessions of a tenant, for the gateway and the session objects.
import { type Key, keyText } from '@bridle/kernel/event'
import type { Directory, ListedSession, ListFilter, SettledListing } from '@bridle/kernel/ports/directory'
import type { RowChange } from '@bridle/kernel/ports/row-observer'
import type { ApprovalListing, PageOptions, Scan } from '../sqlite/sqlite-directory.ts'
import type { ObjectNamespace } from './platform-types.ts'
import { type ShardCounts, tenantDirectory } from './shards.ts'

/** About a megabyte in a gateway. Each home saves a request to the directory. */
const HOMES_MAX = 10_000

export interface DirectoryUpdate extends Pick<RowChange, 'key' | 'head' | 'row'> {
  /** The object of the session. A branch lives with its parent. */
  readonly home: string
}

export interface SessionPlacement {
  readonly key: Key
  readonly home: string
}

/** The object that has, or had, a session. A home never changes. */
export interface SessionLocation extends SessionPlacement {
  /** Null until the session's object reports it. */
  readonly owner: string | null
  readonly isRemoved: boolean
}

export interface ShardScan<T> extends Scan<T> {
  /** The reader has too many long lists in progress there. */
  readonly isBusy?: true
}

export interface DirectoryStub {
  /** Called before a session's first event. Returns its actual home, which may be another object. */
  register(placement: SessionPlacement): Promise<string>
  tell(updates: readonly DirectoryUpdate[]): Promise<void>
  find(tenant: string, id: string): Promise<SessionLocation[]>
  /** An entry beyond the limit signals a next page. `who` identifies the reader. */
  list(tenant: string, filter: ListFilter, who?: string): Promise<ShardScan<ListedSession>>
  approvals(tenant: string, page: PageOptions, who?: string): Promise<ShardScan<ApprovalListing | null>>
  settled(tenant: string, page: PageOptions, who?: string): Promise<ShardScan<ApprovalListing<SettledListing> | null>>
  /** True the first time. */
  redeem(nonce: string, expiresAt: number): Promise<boolean>
  /** The Worker's signing secret, kept by one well-known object. */
  secret(): Promise<string>
  /** All records of a tenant, page by page. */
  known(tenant: string, after: Key | null): Promise<DirectoryRecord[]>
  /** Copies this shard's records from the named objects, once. */
  adopt(tenant: string, shard: { readonly index: number; readonly of: number }, from: readonly string[]): Promise<void>
}

/** Without a row: registered but not yet reported, or removed. */
export interface DirectoryRecord extends DirectoryUpdate {
  readonly isRemoved: boolean
}

export interface RemoteDirectory extends Directory {
  /** Also for sessions that do not exist yet. */
  home(key: Key): Promise<string>
  /** Also for removed sessions. Null if the directory has no record. */
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
    // Session objects wake themselves by alarm.
    due: async () => [],
    inHand: async () => [],
    knownHome: known,
    // A new branch is registered with its parent's home; any other session gets an object of its own.
    home: async (key) => (await known(key)) ?? keyText(key),
  }
}
