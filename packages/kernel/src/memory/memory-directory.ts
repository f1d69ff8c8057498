import { mayOpen, rowOwner } from '../owner.ts'
import {
  type Directory,
  type DirectoryRow,
  flagsOf,
  type ListedSession,
  type ListFilter,
  parentIdOf,
} from '../ports/directory.ts'
import { comparePositions, cutPage, decodeCursor, type PositionedEntry, pageSize, searchText } from './listing.ts'
import { type MemoryData, type MemorySession, memoryHeadOf, memoryIncarnationOf, memoryRowOf } from './memory-data.ts'

export const memoryDirectory = (data: MemoryData): Directory => {
  const ofTenant = (tenant: string) => [...data.sessions.values()].filter((session) => session.key.tenant === tenant)

  const openTo = (tenant: string, viewer: string | null = null) =>
    ofTenant(tenant).filter((session) => mayOpen(viewer, rowOwner(session.key, memoryRowOf(session))))

  return {
    async list(tenant, filter) {
      const isByCreation = filter.order === 'created'
      const found = ofTenant(tenant).flatMap((session): PositionedEntry<ListedSession>[] => {
        const row = memoryRowOf(session)
        if (!matches(session, row, filter)) return []
        const incarnation = memoryIncarnationOf(data, session)
        const key = { ...session.key }
        return [
          {
            at: isByCreation ? [session.order] : [row.updatedAt, session.order],
            entry: { key, head: memoryHeadOf(session), row, ...(incarnation > 1 && { incarnation }) },
          },
        ]
      })
      const { entries: sessions, ...rest } = isByCreation ? pageOf(found, filter, 1, 1) : pageOf(found, filter, 2, -1)
      return { sessions, ...rest }
    },

    async approvals(tenant, page) {
      const found = openTo(tenant, page.viewer).flatMap((session) =>
        memoryRowOf(session).approvals.map((approval, index) => ({
          at: [approval.requestedAt, session.order, index],
          entry: { key: { ...session.key }, approval },
        })),
      )
      const { entries: approvals, ...rest } = pageOf(found, page, 3, 1)
      return { approvals, ...rest }
    },

    async settled(tenant, page) {
      const found = openTo(tenant, page.viewer).flatMap((session) =>
        (memoryRowOf(session).settled ?? []).map((approval) => ({
          at: [approval.decidedAt, session.order, approval.seq],
          entry: { key: { ...session.key }, approval },
        })),
      )
      const { entries: approvals, ...rest } = pageOf(found, page, 3, -1)
      return { approvals, ...rest }
    },

    async openApprovals() {
      return [...data.sessions.values()].reduce((sum, session) => sum + memoryRowOf(session).approvals.length, 0)
    },

    async due(now, limit) {
      const position = ({ wake, order }: MemorySession) => [wake.dueAt!, order]
      return [...data.sessions.values()]
        .filter(({ wake }) => wake.dueAt !== null && wake.dueAt <= now)
        .sort((a, b) => comparePositions(position(a), position(b)))
        .slice(0, limit)
        .map(({ key }) => ({ ...key }))
    },

    async inHand(limit) {
      return [...data.sessions.values()]
        .filter(({ wake }) => wake.inHand)
        .sort((a, b) => a.order - b.order)
        .slice(0, limit)
        .map(({ key }) => ({ ...key }))
    },

    async find(tenant, id) {
      return ofTenant(tenant)
        .filter(({ key }) => key.id === id)
        .sort((a, b) => a.order - b.order)
        .map((session) => ({ key: { ...session.key }, owner: rowOwner(session.key, memoryRowOf(session)) }))
    },
  }
}

const pageOf = <T>(
  found: readonly PositionedEntry<T>[],
  { cursor, limit }: Pick<ListFilter, 'cursor' | 'limit'>,
  cursorLength: number,
  direction: 1 | -1,
): ReturnType<typeof cutPage<T>> => {
  const last = cursor === undefined ? null : decodeCursor(cursor, cursorLength)
  const ahead = found.filter(({ at }) => !last || direction * comparePositions(at, last) > 0)
  return cutPage(
    ahead.sort((a, b) => direction * comparePositions(a.at, b.at)),
    pageSize(limit),
  )
}

const matches = ({ key }: MemorySession, row: DirectoryRow, filter: ListFilter): boolean =>
  (filter.status === undefined || row.status === filter.status) &&
  (filter.kind === undefined || row.kind === filter.kind) &&
  (filter.agent === undefined || key.agent === filter.agent) &&
  (filter.agents === undefined || filter.agents.includes(key.agent)) &&
  !filter.otherAgents?.includes(key.agent) &&
  (filter.archived === undefined || (row.isArchived ?? false) === filter.archived) &&
  (filter.flag === undefined || flagsOf(row).includes(filter.flag)) &&
  (filter.changedSince === undefined || row.updatedAt > filter.changedSince) &&
  mayOpen(filter.viewer ?? null, rowOwner(key, row)) &&
  (filter.parentId === undefined || parentIdOf(row) === filter.parentId) &&
  (filter.search === undefined || searchText(key.id, row.title).includes(filter.search.toLowerCase()))
