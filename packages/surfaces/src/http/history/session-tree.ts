// All sessions of a tree are in one store, because a branch reads its parent's log.
import type { Key } from '@bridle/kernel/event'
import type { SessionService } from '@bridle/kernel/host/host'
import { mayOpen, rowOwner } from '@bridle/kernel/owner'
import type { Directory, DirectoryRow } from '@bridle/kernel/ports/directory'
import type { BranchParent } from '@bridle/kernel/ports/log'
import type { Session } from '@bridle/kernel/session/session'
import { nextRow } from '@bridle/kernel/views/directory-row'
import { isoOrNull } from '@bridle/kernel/views/session-fields'
import type { SessionTree, TreeSession } from '@bridle/wire/http/wire'
import { LIST_PAGE_MAX } from '../limits.ts'

/** More than a page can draw. */
export const TREE_SESSIONS_MAX = 200
/** Each session that is not in memory is read from the store for its checkpoints and approvals. */
export const TREE_OPENED_MAX = 32
/** Newest checkpoints and approvals per session: marks on one line of the drawing. */
const TREE_POINTS_MAX = 100

interface TreePorts {
  readonly host: Pick<SessionService, 'find'>
  readonly directory: Pick<Directory, 'list'>
}

interface TreeNode {
  readonly key: Key
  readonly parent: BranchParent | null
  /** Null: the session was removed. */
  readonly listing: { readonly head: number; readonly row: DirectoryRow } | null
  /** When a later session reused the key. Newer branches belong to that one. */
  readonly replacedAt?: number
  readonly children: TreeNode[]
}

/** `viewer` has the format of a session's owner; null: all sessions of the tenant are visible. */
export const sessionTreeOf = async (
  ports: TreePorts,
  session: Session,
  viewer: string | null,
): Promise<SessionTree> => {
  const lineage = await lineageOf(ports, session)
  const root = lineage[0] as TreeNode
  const truncated = await addBranches(ports, session.key.tenant, lineage)
  const isVisible = ({ key, listing }: TreeNode) => listing !== null && mayOpen(viewer, rowOwner(key, listing.row))
  const nodes = inTreeOrder(root).filter((node) => inTreeOrder(node).some(isVisible))
  // Ancestors first: a page about the session needs their points most.
  const byNeed = [...new Set([...lineage.toReversed(), ...nodes])].filter((node) => nodes.includes(node))
  const opened = new Set(byNeed.filter(isVisible).slice(0, TREE_OPENED_MAX))
  const sessions: TreeSession[] = []
  for (const node of nodes)
    sessions.push(
      isVisible(node)
        ? treeSession(node, opened.has(node) ? await findOrNull(ports, node.key) : null)
        : gapOf(node, viewer),
    )
  return { root: root.key.id, sessions, truncated }
}

/** From the root to this session. A removed session has no row that names its own parent, so the lineage ends there. */
const lineageOf = async (ports: TreePorts, session: Session): Promise<TreeNode[]> => {
  const lineage: TreeNode[] = [nodeOf(session)]
  for (;;) {
    const below = lineage[0] as TreeNode
    if (!below.parent) return lineage
    const { agent, id } = below.parent
    const key = { ...session.key, agent, id }
    const found = await findOrNull(ports, key)
    // An id may have been reused since. A parent is never younger than its branch.
    const replacedAt = found?.state.lifecycle.createdAt ?? Number.POSITIVE_INFINITY
    const isParent = found !== null && replacedAt <= createdAtOf(below)
    const above: TreeNode = isParent ? nodeOf(found) : { key, parent: null, listing: null, replacedAt, children: [] }
    above.children.push(below)
    lineage.unshift(above)
    if (!isParent) return lineage
  }
}

/** Nearest first. True if there are more than the answer holds. */
const addBranches = async (
  { directory }: TreePorts,
  tenant: string,
  lineage: readonly TreeNode[],
): Promise<boolean> => {
  let count = lineage.length
  const waiting = lineage.slice(0, 1)
  for (let node = waiting.shift(); node; node = waiting.shift()) {
    let cursor: string | undefined
    do {
      const filter = { parentId: node.key.id, order: 'created', limit: LIST_PAGE_MAX } as const
      const page = await directory.list(tenant, { ...filter, ...(cursor !== undefined && { cursor }) })
      for (const { key, head, row } of page.sessions) {
        if (!isBranchOf(node, row) || node.children.some((child) => isSameKey(child.key, key))) continue
        if (count >= TREE_SESSIONS_MAX) return true
        count += 1
        node.children.push({ key, parent: row.parent, listing: { head, row }, children: [] })
      }
      cursor = page.next
    } while (cursor !== undefined)
    node.children.sort((a, b) => (a.parent?.seq ?? 0) - (b.parent?.seq ?? 0) || createdAtOf(a) - createdAtOf(b))
    waiting.push(...node.children)
  }
  return false
}

/** A parent's list also contains its background sessions, and branches of a deleted session with its id. */
const isBranchOf = ({ key, listing, replacedAt }: TreeNode, { parent, createdAt }: DirectoryRow): boolean =>
  parent?.id === key.id &&
  parent.agent === key.agent &&
  createdAt >= (listing?.row.createdAt ?? 0) &&
  createdAt < (replacedAt ?? Number.POSITIVE_INFINITY)

const isSameKey = (a: Key, b: Key): boolean => a.id === b.id && a.agent === b.agent

const createdAtOf = ({ listing }: TreeNode): number => listing?.row.createdAt ?? 0

const nodeOf = ({ key, state, incarnations }: Session): TreeNode => ({
  key,
  parent: state.lifecycle.parent,
  listing: { head: state.head, row: nextRow(key, state, null, state.at, incarnations).row },
  children: [],
})

/** Treats a session that cannot be opened as removed. */
const findOrNull = ({ host }: TreePorts, key: Key): Promise<Session | null> => host.find(key).catch(() => null)

const inTreeOrder = (node: TreeNode): TreeNode[] => [node, ...node.children.flatMap(inTreeOrder)]

const treeSession = ({ key, parent, listing }: TreeNode, session: Session | null): TreeSession => {
  const { head = 0, row } = listing ?? {}
  const usage = row?.detail.usage
  return {
    ...{ id: key.id, agent: key.agent, visible: true, parent: placeOf(parent) },
    title: row?.title ?? null,
    status: row?.status ?? null,
    head,
    created_at: isoOrNull(row?.createdAt ?? null),
    updated_at: isoOrNull(row?.updatedAt ?? null),
    cost_usd: usage?.cost_usd ?? null,
    tokens: usage?.total_tokens ?? null,
    checkpoints: session && ownPoints(session, 'checkpoint'),
    approvals: session && ownPoints(session, 'approval'),
  }
}

/** Numbers up to the branch point belong to the parent. */
const ownPoints = ({ state }: Session, kind: 'checkpoint' | 'approval'): number[] => {
  const { resumePoints, lifecycle, checkpoints } = state
  // A branch starts with a checkpoint that says nothing about the work.
  const seeds = new Set(checkpoints.latest.filter(({ type }) => type === 'resume_seed').map(({ seq }) => seq))
  return resumePoints
    .filter(({ kind: each, seq }) => each === kind && seq > (lifecycle.parent?.seq ?? 0) && !seeds.has(seq))
    .map(({ seq }) => seq)
    .slice(-TREE_POINTS_MAX)
}

/** Must not reveal whether another user's session exists. */
const gapOf = ({ key, parent }: TreeNode, viewer: string | null): TreeSession => ({
  ...{ id: key.id, agent: key.agent, visible: false, gap: viewer === null ? 'removed' : 'unavailable' },
  ...{ parent: placeOf(parent), title: null, status: null, head: null, created_at: null, updated_at: null },
  ...{ cost_usd: null, tokens: null, checkpoints: null, approvals: null },
})

const placeOf = (parent: BranchParent | null) => parent && { id: parent.id, seq: parent.seq }
