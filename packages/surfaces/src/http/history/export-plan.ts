import { READ_PAGE } from '@bridle/events/limits'
import type { ExportSession } from '@bridle/history/export/export-file'
import { EXPORT_SESSIONS_MAX } from '@bridle/history/export/export-reader'
import type { Key } from '@bridle/kernel/event'
import type { SessionService } from '@bridle/kernel/host/host'
import type { Directory, DirectoryRow, ListedSession, ListFilter } from '@bridle/kernel/ports/directory'
import type { Session } from '@bridle/kernel/session/session'
import { LIST_PAGE_MAX } from '../limits.ts'

/** The limit of the id grammar. */
const ID_CHARS_MAX = 128

export interface ExportPorts {
  readonly host: Pick<SessionService, 'find'>
  readonly directory: Pick<Directory, 'list'>
}

/** A session, and the log to read it from: a deleted session lives on in its branches. */
export interface ExportPart {
  readonly session: ExportSession
  readonly source: Key
  /** Last event to export, if the session is only included for its branches; null: all. */
  readonly upTo: number | null
  /** Last event that a branch in the file needs; 0: none. */
  readonly neededSeq: number
  readonly createdAt: number
}

export type ExportListing = Pick<ListedSession, 'key'> & {
  readonly row: Pick<DirectoryRow, 'kind' | 'parent' | 'createdAt'>
}

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

/** The session and its branches visible to the viewer; null if they exceed the file limit. */
export const listBranches = async (
  ports: ExportPorts,
  session: Session,
  filter: ListFilter,
): Promise<ExportListing[] | null> => {
  const all: ExportListing[] = [listingOf(session)]
  for (let index = 0; index < all.length; index++) {
    const { key, row } = all[index] as ExportListing
    const children = await listSessions(ports, key.tenant, { ...filter, parentId: key.id })
    // The list also contains background sessions, and branches of an earlier session with the same id.
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

/** Ids can be deleted and reused. A lost incarnation is identified by its name and first event number. */
interface PlannedPart extends ExportPart {
  readonly life: string
  /** The incarnation that a branch continues; null if the session is not a branch. */
  readonly parentLife: string | null
  readonly createdAt: number
}

/** Parents precede their branches. The order depends only on the logs. */
export const planExport = async (
  { host }: ExportPorts,
  listings: readonly ExportListing[],
): Promise<readonly ExportPart[]> => {
  const listed = new Map(listings.map((listing) => [nameOf(listing.key), listing]))
  const firstSeqs = new Map<string, number>()
  const firstSeqOf = async ({ key, row }: ExportListing): Promise<number> => {
    const known = row.parent ? row.parent.seq + 1 : firstSeqs.get(nameOf(key))
    const first = known ?? (await (await host.find(key))?.read(0, 1))?.[0]?.seq ?? 1
    firstSeqs.set(nameOf(key), first)
    return first
  }
  const lifeOf = async ({ session, first, upTo, leftAt }: Ancestor): Promise<string> => {
    const listing = listed.get(nameOf(session))
    const lost = `${nameOf(session)}/${first}`
    if (!listing) return lost
    const { parent, createdAt } = listing.row
    // If the parent left its own parent later than that, the branch's log contains none of the parent's events.
    const isSame = parent && upTo <= parent.seq ? createdAt <= leftAt : (await firstSeqOf(listing)) === first
    return isSame ? nameOf(session) : lost
  }
  const parts = new Map<string, PlannedPart>()
  for (const { key, row } of listings) {
    const session = { ...identityOf(key), kind: row.kind, ...(row.parent && { parent: row.parent }) }
    const above = row.parent ? listed.get(nameOf(row.parent)) : undefined
    // A later session with the parent's id is never older than the branch, so most lineages need no log read.
    const isPlain = !row.parent || (above !== undefined && above.row.createdAt < row.createdAt)
    let parentLife = row.parent ? nameOf(row.parent) : null
    const branch = isPlain ? null : await host.find(key)
    if (branch) parentLife = null
    for (const ancestor of branch ? await ancestorsOf(branch) : []) {
      const life = await lifeOf(ancestor)
      const known = parts.get(life)
      const isListed = life === nameOf(ancestor.session)
      if (!isListed && (known?.upTo ?? 0) < ancestor.upTo) {
        const { first: _first, leftAt: _leftAt, ...part } = ancestor
        parts.set(life, { ...part, source: key, neededSeq: 0, life, parentLife })
      }
      parentLife = life
    }
    const life = nameOf(key)
    parts.set(life, { session, source: key, upTo: null, neededSeq: 0, life, parentLife, createdAt: row.createdAt })
  }
  return inTreeOrder(withNames([...parts.values()]))
}

/** An ancestor as recorded in the branch's own log. */
interface Ancestor {
  readonly session: ExportSession
  /** Number of its first own event, which differs between incarnations of an id. */
  readonly first: number
  readonly upTo: number
  readonly createdAt: number
  readonly leftAt: number
}

/** Nearest last. */
const ancestorsOf = async (session: Session): Promise<Ancestor[]> => {
  const ancestors: Ancestor[] = []
  const own = session.state.lifecycle.parent?.seq ?? 0
  let opening: Pick<Ancestor, 'first' | 'createdAt'> & Pick<ExportSession, 'kind' | 'parent'> = {
    ...{ kind: 'chat', first: 1, createdAt: 0 },
  }
  for (let seen = 0; seen <= own; ) {
    const events = await session.read(seen, READ_PAGE)
    for (const event of events) {
      if (event.hearsay || event.seq > own + 1) continue
      if (event.type === 'session_created')
        opening = { kind: event.payload.kind, first: event.seq, createdAt: event.at }
      if (event.type !== 'branched') continue
      const { agent, id, seq } = event.payload.parent
      const { kind, parent, first, createdAt } = opening
      ancestors.push({
        session: { id, agent, kind, partial: true, ...(parent && { parent }) },
        ...{ first, upTo: seq, createdAt, leftAt: event.at },
      })
      opening = { kind: event.payload.kind, parent: { agent, id, seq }, first: event.seq, createdAt: event.at }
    }
    const last = events.at(-1)
    if (!last) break
    seen = last.seq
  }
  return ancestors
}

/** Names must be unique within a file, so lost incarnations of a reused id are renamed, and their branches follow. */
const withNames = (parts: readonly PlannedPart[]): PlannedPart[] => {
  const ids = new Map<string, string>()
  const names = new Set<string>()
  // Listed sessions keep their ids. If an id was deleted and reused, only its last incarnation does.
  const byClaim = parts.toSorted((a, b) => Number(a.upTo !== null) - Number(b.upTo !== null) || firstIn(b) - firstIn(a))
  for (const { session, life } of byClaim) {
    let id = session.id
    for (let copy = 1; names.has(nameOf({ ...session, id })); copy++) id = lostId(session.id, life, copy)
    names.add(nameOf({ ...session, id }))
    ids.set(life, id)
  }
  return parts.map((part) => {
    const { parent } = part.session
    const id = ids.get(part.life) ?? part.session.id
    const parentId = (part.parentLife !== null && ids.get(part.parentLife)) || parent?.id
    return {
      ...part,
      session: { ...part.session, id, ...(parent && parentId && { parent: { ...parent, id: parentId } }) },
    }
  })
}

/** `s-from-1` is the session `s` whose events start at 1. */
const lostId = (id: string, life: string, copy: number): string => {
  const suffix = `-from-${life.slice(life.lastIndexOf('/') + 1)}${copy > 1 ? `-${copy}` : ''}`
  return `${id.slice(0, ID_CHARS_MAX - suffix.length)}${suffix}`
}

const firstIn = ({ upTo, life }: PlannedPart): number =>
  upTo === null ? 0 : Number(life.slice(life.lastIndexOf('/') + 1))

const inTreeOrder = (parts: readonly PlannedPart[]): ExportPart[] => {
  const lives = new Set(parts.map(({ life }) => life))
  const childrenOf = Map.groupBy(parts, ({ parentLife }) =>
    parentLife !== null && lives.has(parentLife) ? parentLife : '',
  )
  const ordered: ExportPart[] = []
  const waiting = [...(childrenOf.get('') ?? [])].toSorted(byBirth).toReversed()
  for (let part = waiting.pop(); part; part = waiting.pop()) {
    const children = (childrenOf.get(part.life) ?? []).toSorted(byBirth)
    const { createdAt, parentLife: _parentLife, life: _life, ...own } = part
    const neededSeq = Math.max(0, ...children.map(({ session }) => session.parent?.seq ?? 0))
    ordered.push({ ...own, neededSeq, createdAt })
    waiting.push(...children.toReversed())
  }
  return ordered
}

const byBirth = (a: PlannedPart, b: PlannedPart): number =>
  (a.session.parent?.seq ?? 0) - (b.session.parent?.seq ?? 0) ||
  a.createdAt - b.createdAt ||
  (nameOf(a.session) < nameOf(b.session) ? -1 : 1)

const identityOf = ({ id, agent }: { readonly id: string; readonly agent: string }) => ({ id, agent })
const nameOf = ({ id, agent }: { readonly id: string; readonly agent: string }): string => `${agent}/${id}`
