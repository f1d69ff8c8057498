// Spreads a tenant's directory over several objects by a hash of the session id. Lists query all of them and merge the pages.
import { hashText } from '@bridle/events/json'
import { comparePositions, decodeCursor, encodeCursor } from '@bridle/kernel/memory/listing'
import type { Directory, ListFilter } from '@bridle/kernel/ports/directory'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { approvalsPage, listPage, type PageOptions, type Scan } from '../sqlite/sqlite-directory.ts'
import type { ObjectNamespace } from './platform-types.ts'
import type {
  DirectoryStub,
  DirectoryUpdate,
  SessionLocation,
  SessionPlacement,
  ShardScan,
} from './remote-directory.ts'

export interface ShardCounts {
  readonly count: number
  /** Records of earlier counts are taken over. */
  readonly previousCounts: readonly number[]
}

export interface TenantDirectory {
  register(placement: SessionPlacement): Promise<string>
  update(updates: readonly DirectoryUpdate[]): Promise<void>
  find(id: string): Promise<SessionLocation[]>
  list(filter: ListFilter, who?: string): ReturnType<Directory['list']>
  approvals(page: PageOptions, who?: string): ReturnType<Directory['approvals']>
  settled(page: PageOptions, who?: string): ReturnType<Directory['settled']>
  redeem(nonce: string, expiresAt: number): Promise<boolean>
}

export const tenantDirectory = (
  objects: ObjectNamespace<DirectoryStub>,
  shards: ShardCounts,
  tenant: string,
): TenantDirectory => {
  const { count } = shards
  const all = Array.from({ length: count }, (_, index) => index)
  const shard = async <T>(index: number, ask: (stub: DirectoryStub) => Promise<T>): Promise<T> => {
    const stub = objects.get(objects.idFromName(shardName(tenant, index, count)))
    await ensureAdopted(objects, shards, tenant, index, stub)
    return ask(stub)
  }
  const at = <T>(name: string, ask: (stub: DirectoryStub) => Promise<T>) => shard(shardOf(name, count), ask)
  /** Merges the lists of all objects. `ask` translates the cursor for each object. */
  const merged = async <T>(
    ask: (stub: DirectoryStub, index: number) => Promise<ShardScan<T>>,
    order: 1 | -1,
    placeOf: (at: readonly number[], index: number) => readonly number[] = ([moment = 0, sid = 0, ...rest], index) => [
      moment,
      sid * count + index,
      ...rest,
    ],
  ): Promise<Scan<T>> => {
    const scans = await Promise.all(
      all.map(async (index) => {
        const { found, end, isBusy } = await shard(index, (stub) => ask(stub, index))
        if (isBusy) throw new StoreFault('busy', 'the reader has too many long lists in progress')
        return {
          found: found.map(({ at, entry }) => ({ at: placeOf(at, index), entry })),
          end: end && placeOf(end, index),
        }
      }),
    )
    const byOrder = (a: readonly number[], b: readonly number[]) => order * comparePositions(a, b)
    // An object that stopped here may have unread entries beyond the first such end.
    const [end = null] = scans.flatMap((scan) => (scan.end ? [scan.end] : [])).sort(byOrder)
    const found = scans.flatMap((scan) => scan.found).sort((a, b) => byOrder(a.at, b.at))
    return { found: end ? found.filter(({ at }) => byOrder(at, end) <= 0) : found, end }
  }
  return {
    register: (placement) => at(placement.key.id, (stub) => stub.register(placement)),
    update: async (updates) => {
      const parts = Map.groupBy(updates, ({ key }) => shardOf(key.id, count))
      await Promise.all([...parts].map(([index, part]) => shard(index, (stub) => stub.tell(part))))
    },
    find: (id) => at(id, (stub) => stub.find(tenant, id)),
    list: async ({ cursor, ...filter }, who) => {
      if (filter.order === 'created') {
        const [place] = cursor === undefined ? [] : decodeCursor(cursor, 1)
        const behind = (index: number) =>
          place !== undefined && { cursor: encodeCursor([Math.floor((place - index) / count)]) }
        const ask = (stub: DirectoryStub, index: number) => stub.list(tenant, { ...filter, ...behind(index) }, who)
        return listPage(await merged(ask, 1, ([sid = 0], index) => [sid * count + index]), filter)
      }
      const position = cursor === undefined ? null : decodeCursor(cursor, 2)
      const cursorOf = (index: number) => position && { cursor: listCursor(position, index, count) }
      const found = await merged((stub, index) => stub.list(tenant, { ...filter, ...cursorOf(index) }, who), -1)
      return listPage(found, filter)
    },
    approvals: async ({ cursor, ...page }, who) => {
      const position = cursor === undefined ? null : decodeCursor(cursor, 3)
      const cursorOf = (index: number) => position && { cursor: approvalsCursor(position, index, count) }
      const found = await merged((stub, index) => stub.approvals(tenant, { ...page, ...cursorOf(index) }, who), 1)
      return approvalsPage(found, page)
    },
    settled: async ({ cursor, ...page }, who) => {
      const position = cursor === undefined ? null : decodeCursor(cursor, 3)
      const cursorOf = (index: number) => position && { cursor: settledCursor(position, index, count) }
      const found = await merged((stub, index) => stub.settled(tenant, { ...page, ...cursorOf(index) }, who), -1)
      return approvalsPage(found, page)
    },
    redeem: (nonce, expiresAt) => at(nonce, (stub) => stub.redeem(nonce, expiresAt)),
  }
}

/** The name includes the count: a new count is a new directory, which takes over from the old one. */
export const shardName = (tenant: string, index: number, count: number): string =>
  count === 1 ? tenant : `${tenant}/${count}/${index}`

/** The object with the readers of the tenant's changes. */
export const readersName = (tenant: string, count: number): string => shardName(tenant, 0, count)

/** The other directory objects, which relay their changes to it. */
export const readerPeers = (tenant: string, count: number): readonly string[] =>
  Array.from({ length: count - 1 }, (_, index) => shardName(tenant, index + 1, count))

export const shardOf = (name: string, count: number): number => Number.parseInt(hashText(name), 16) % count

/** Newest first: the object's first position that is not below the merged cursor. */
const listCursor = ([moment = 0, place = 0]: readonly number[], index: number, count: number): string =>
  encodeCursor([moment, Math.ceil((place - index) / count)])

/** Oldest first: objects without the cursor's entry continue after all entries of the preceding session. */
const approvalsCursor = ([moment = 0, place = 0, nth = 0]: readonly number[], index: number, count: number): string => {
  const sid = (place - index) / count
  return encodeCursor([moment, Math.floor(sid), Number.isInteger(sid) ? nth : Number.MAX_SAFE_INTEGER])
}

/** Newest first: objects without the cursor's entry continue after all entries of the following session. */
const settledCursor = ([moment = 0, place = 0, seq = 0]: readonly number[], index: number, count: number): string => {
  const sid = (place - index) / count
  return encodeCursor([moment, Math.ceil(sid), Number.isInteger(sid) ? seq : 0])
}

/** Adoptions known to this isolate. */
const takenOver = new WeakMap<object, Map<string, Promise<void>>>()

const ensureAdopted = async (
  objects: ObjectNamespace<DirectoryStub>,
  { count, previousCounts }: ShardCounts,
  tenant: string,
  index: number,
  stub: DirectoryStub,
): Promise<void> => {
  const others = previousCounts.filter((each) => each !== count)
  if (others.length === 0) return
  const adoptions = takenOver.get(objects) ?? new Map<string, Promise<void>>()
  takenOver.set(objects, adoptions)
  const name = shardName(tenant, index, count)
  const from = others.flatMap((of) => Array.from({ length: of }, (_, each) => shardName(tenant, each, of)))
  const adoption = adoptions.get(name) ?? Promise.resolve(stub.adopt(tenant, { index, of: count }, from))
  adoptions.set(name, adoption)
  try {
    await adoption
  } catch (cause) {
    adoptions.delete(name)
    throw cause
  }
}
