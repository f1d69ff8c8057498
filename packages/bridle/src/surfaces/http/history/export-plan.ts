// The parts of an export: which sessions, in which order, and which events of each.
import type { ExportSession } from '../../../history/export/export-file.ts'
import { EXPORT_SESSIONS_MAX } from '../../../history/limits.ts'
import type { Key } from '../../../kernel/event.ts'
import type { SessionService } from '../../../kernel/host/host.ts'
import { READ_PAGE } from '../../../kernel/limits.ts'
import type { Directory, DirectoryRow, ListedSession, ListFilter } from '../../../kernel/ports/directory.ts'
import type { Session } from '../../../kernel/session/session.ts'
import { LIST_PAGE_MAX } from '../limits.ts'

export interface ExportPorts {
  readonly host: Pick<SessionService, 'find'>
  readonly directory: Pick<Directory, 'list'>
}

/** A session of a file, and the log that its events are read from: a session that is gone lives on in its branches. */
export interface ExportPart {
  readonly session: ExportSession
  readonly source: Key
  /** The last event of a session that is there for its branches; null = all of its events. */
  readonly upTo: number | null
  /** The last event that a branch in the file needs; 0 = none does. */
  readonly neededSeq: number
}

export type ExportListing = Pick<ListedSession, 'key'> & {
  readonly row: Pick<DirectoryRow, 'kind' | 'parent' | 'createdAt'>
}

/** All sessions of a list, in the order in which they were made; null = there are more than a file has. */
export const listSessions = async (
  { directory }: ExportPorts,
  tenant: string,
  filter: ListFilter,
): Promise<ExportListing[] | null> => {
  const found: ExportListing[] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await directory.list(tenant, {
      ...{ ...filter, order: 'created', limit: LIST_PAGE_MAX },
      ...(cursor !== undefined && { cursor }),
    })
    found.push(...page.sessions)
    if (found.length > EXPORT_SESSIONS_MAX) return null
    cursor = page.next
  }
  return found
}

/** The session, and the branches below it that the viewer may open; null = there are more than a file has. */
export const listBranches = async (
  ports: ExportPorts,
  session: Session,
  filter: ListFilter,
): Promise<ExportListing[] | null> => {
  const all: ExportListing[] = [listingOf(session)]
  for (let index = 0; index < all.length; index++) {
    const { key, row } = all[index] as ExportListing
    const children = await listSessions(ports, key.tenant, { ...filter, parentId: key.id })
    // The list also has background sessions, and branches of an earlier session of the id.
    const branches = children?.filter(
      (child) =>
        child.row.parent?.id === key.id && child.row.parent.agent === key.agent && child.row.createdAt >= row.createdAt,
    )
    if (!branches || all.length + branches.length > EXPORT_SESSIONS_MAX) return null
    all.push(...branches)
  }
  return all
}

export const listingOf = ({ key, state: { lifecycle } }: Session): ExportListing => ({
  key,
  row: { kind: lifecycle.kind, parent: lifecycle.parent, createdAt: lifecycle.createdAt },
})

/** Parents come before their branches, and the order depends on nothing but the logs. */
export const planExport = async (
  { host }: ExportPorts,
  listings: readonly ExportListing[],
): Promise<readonly ExportPart[]> => {
  const parts = new Map<string, ExportPart & { readonly createdAt: number }>()
  for (const { key, row } of listings)
    parts.set(nameOf(key), {
      session: { ...identityOf(key), kind: row.kind, ...(row.parent && { parent: row.parent }) },
      ...{ source: key, upTo: null, neededSeq: 0, createdAt: row.createdAt },
    })
  for (const { key, row } of listings) {
    if (!row.parent || parts.get(nameOf(row.parent))?.upTo === null) continue
    const session = await host.find(key)
    for (const above of session ? await ancestorsOf(session) : []) {
      const known = parts.get(nameOf(above.session))
      if (!known || (known.upTo !== null && known.upTo < (above.upTo ?? 0))) parts.set(nameOf(above.session), above)
    }
  }
  return inTreeOrder([...parts.values()])
}

/** The sessions that a branch continues, as its own log tells of them, the nearest last. */
const ancestorsOf = async (session: Session) => {
  const ancestors: (ExportPart & { readonly createdAt: number })[] = []
  const own = session.state.lifecycle.parent?.seq ?? 0
  let kind: ExportSession['kind'] = 'chat'
  let createdAt = 0
  let parent: ExportSession['parent']
  for (let seen = 0; seen <= own; ) {
    const events = await session.read(seen, READ_PAGE)
    for (const event of events) {
      if (event.hearsay || event.seq > own + 1) continue
      if (event.type === 'branched') {
        const { agent, id, seq } = event.payload.parent
        ancestors.push({
          session: { id, agent, kind, partial: true, ...(parent && { parent }) },
          ...{ source: session.key, upTo: seq, neededSeq: seq, createdAt },
        })
        parent = { agent, id, seq }
      }
      if (event.type === 'branched' || event.type === 'session_created') {
        kind = event.payload.kind
        createdAt = event.at
      }
    }
    const last = events.at(-1)
    if (!last) break
    seen = last.seq
  }
  return ancestors
}

const inTreeOrder = (parts: readonly (ExportPart & { readonly createdAt: number })[]): ExportPart[] => {
  const names = new Set(parts.map(({ session }) => nameOf(session)))
  const childrenOf = Map.groupBy(parts, ({ session: { parent } }) =>
    parent && names.has(nameOf(parent)) ? nameOf(parent) : '',
  )
  const ordered: ExportPart[] = []
  const waiting = [...(childrenOf.get('') ?? [])].toSorted(byBirth).toReversed()
  for (let part = waiting.pop(); part; part = waiting.pop()) {
    const children = (childrenOf.get(nameOf(part.session)) ?? []).toSorted(byBirth)
    const { createdAt: _createdAt, ...own } = part
    ordered.push({ ...own, neededSeq: Math.max(0, ...children.map(({ session }) => session.parent?.seq ?? 0)) })
    waiting.push(...children.toReversed())
  }
  return ordered
}

type BornPart = ExportPart & { readonly createdAt: number }

const byBirth = (a: BornPart, b: BornPart): number =>
  (a.session.parent?.seq ?? 0) - (b.session.parent?.seq ?? 0) ||
  a.createdAt - b.createdAt ||
  (nameOf(a.session) < nameOf(b.session) ? -1 : 1)

const identityOf = ({ id, agent }: { readonly id: string; readonly agent: string }) => ({ id, agent })
const nameOf = ({ id, agent }: { readonly id: string; readonly agent: string }): string => `${agent}/${id}`
