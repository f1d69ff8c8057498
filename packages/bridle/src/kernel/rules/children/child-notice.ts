// A session that was started from another tells that one when it starts and when it ends, so that the parent's streams show
// the work it handed on. The child keeps what it has told in its own log: a crash in between loses no notice.
import type { Key } from '../../event.ts'
import { mayOpen, ownerOf } from '../../owner.ts'
import type { SessionEntry } from '../../ports/store.ts'
import { isTerminal, type SessionState } from '../../projections/state.ts'

export interface ChildNotice {
  readonly parentId: string
  readonly child: Key
  /** The user that the child belongs to; null = nobody. */
  readonly owner: string | null
  readonly status: string
  /** Number of the child's event that made it so: an older notice that arrives late changes nothing. */
  readonly seq: number
}

/** The notice that the parent does not have yet. */
export const pendingNotice = (key: Key, state: SessionState): ChildNotice | null => {
  const { parentSessionId, reportedStatus, parentNotifiedSeq } = state.lifecycle
  if (parentSessionId === null || reportedStatus === null || reportedStatus.seq <= parentNotifiedSeq) return null
  // Between two prompts of its queue the child is still at work.
  if (reportedStatus.status !== 'running' && !isTerminal(state)) return null
  const { status, seq } = reportedStatus
  return { parentId: parentSessionId, child: key, owner: ownerOf(key, state), status, seq }
}

/**
 * The session that a child names by its id alone: the one of its own agent, else the first that was made, as everywhere. `found`
 * is in that order. Null = there is none.
 */
export const findParentKey = (
  found: readonly SessionEntry[],
  { child, owner }: Pick<ChildNotice, 'child' | 'owner'>,
): Key | null => {
  const others = found
    // A user's session writes nothing into another user's.
    .filter((entry) => mayOpen(owner, entry.owner))
    .map(({ key }) => key)
    .filter(({ agent, id }) => agent !== child.agent || id !== child.id)
  return others.find(({ agent }) => agent === child.agent) ?? others[0] ?? null
}
