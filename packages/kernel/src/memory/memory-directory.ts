import { mayOpen, rowOwner } from '../owner.ts'
import {
  type Directory,
  type DirectoryRow,
  flagsOf,
  type ListFilter,
  type OpenApproval,
  parentIdOf,
} from '../ports/directory.ts'
import { cutPage, decodeCursor, pageSize, searchText } from './listing.ts'
import { type MemoryData, type MemorySession, memoryHeadOf, memoryIncarnationOf, memoryRowOf } from './memory-data.ts'

export const memoryDirectory = (data: MemoryData): Directory => {
  const ofTenant = (tenant: string) => [...data.sessions.values()].filter((session) => session.key.tenant === tenant)

  return {
    async list(tenant, filter) {
      const isByCreation = filter.order === 'created'
      const last = filter.cursor === undefined ? undefined : decodeCursor(filter.cursor, isByCreation ? 1 : 2)
      const position = ({ session, row }: MemoryListEntry) =>
        isByCreation ? [session.order] : [row.updatedAt, session.order]
      const direction = isByCreation ? 1 : -1
      const found = ofTenant(tenant)
        .map((session): MemoryListEntry => ({ session, row: memoryRowOf(session) }))
        .filter((entry) => matches(entry, filter))
        .filter((entry) => !last || direction * compare(position(entry), last) > 0)
        .sort((a, b) => direction * compare(position(a), position(b)))
      const standing = found.map((entry) => ({ at: position(entry), entry }))
      const { entries, next } = cutPage(standing, pageSize(filter.limit))
      const sessions = entries.map(({ session, row }) => {
        const incarnation = memoryIncarnationOf(data, session)
        return { key: { ...session.key }, head: memoryHeadOf(session), row, ...(incarnation > 1 && { incarnation }) }
      })
      return { sessions, ...(next !== undefined && { next }) }
    },

    async approvals(tenant, { limit, cursor, viewer }) {
      const after = cursor === undefined ? undefined : decodeCursor(cursor, 3)
      const position = ({ approval, session, index }: MemoryApprovalEntry) => [
        approval.requestedAt,
        session.order,
        index,
      ]
      const found = ofTenant(tenant)
        .filter((session) => mayOpen(viewer ?? null, rowOwner(session.key, memoryRowOf(session))))
        .flatMap((session) =>
          memoryRowOf(session).approvals.map((approval, index): MemoryApprovalEntry => ({ approval, session, index })),
        )
        .filter((entry) => !after || compare(position(entry), after) > 0)
        .sort((a, b) => compare(position(a), position(b)))
      const standing = found.map((entry) => ({ at: position(entry), entry }))
      const { entries, next } = cutPage(standing, pageSize(limit))
      const approvals = entries.map(({ session, approval }) => ({ key: { ...session.key }, approval }))
      return { approvals, ...(next !== undefined && { next }) }
    },

    async settled(tenant, { limit, cursor, viewer }) {
      const before = cursor === undefined ? undefined : decodeCursor(cursor, 3)
      const found = ofTenant(tenant)
        .filter((session) => mayOpen(viewer ?? null, rowOwner(session.key, memoryRowOf(session))))
        .flatMap((session) =>
          (memoryRowOf(session).settled ?? []).map((approval) => ({
            at: [approval.decidedAt, session.order, approval.seq],
            entry: { key: { ...session.key }, approval },
          })),
        )
        .filter(({ at }) => !before || compare(at, before) < 0)
        .sort((a, b) => compare(b.at, a.at))
      const { entries, next } = cutPage(found, pageSize(limit))
      return { approvals: entries, ...(next !== undefined && { next }) }
    },

    async openApprovals() {
      return [...data.sessions.values()].reduce((sum, session) => sum + memoryRowOf(session).approvals.length, 0)
    },

    async due(now, limit) {
      const position = ({ wake, order }: MemorySession) => [wake.dueAt!, order]
      return [...data.sessions.values()]
        .filter(({ wake }) => wake.dueAt !== null && wake.dueAt <= now)
        .sort((a, b) => compare(position(a), position(b)))
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

interface MemoryListEntry {
  session: MemorySession
  row: DirectoryRow
}
interface MemoryApprovalEntry {
  session: MemorySession
  approval: OpenApproval
  index: number
}

const matches = ({ session: { key }, row }: MemoryListEntry, filter: ListFilter): boolean =>
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

const compare = (a: readonly number[], b: readonly number[]): number => {
  for (const [index, value] of a.entries()) if (value !== b[index]) return value - b[index]!
  return 0
}
