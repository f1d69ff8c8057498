// A child session notifies its parent when it starts and when it ends, so that the parent's streams show delegated work.
// The child logs which notices the parent has: a crash in between loses none.
import type { Key } from '../../event.ts'
import { mayOpen, ownerOf } from '../../owner.ts'
import type { SessionEntry } from '../../ports/directory.ts'
import { isTerminal, type SessionState } from '../../projections/state.ts'

export interface ChildNotice {
  readonly parentId: string
  readonly child: Key
  /** The user who owns the child; null: nobody. */
  readonly owner: string | null
  readonly status: string
  /** Number of the child's event that caused the notice: a late, older notice changes nothing. */
  readonly seq: number
}

/** The notice that the parent does not have yet. */
export const pendingNotice = (key: Key, state: SessionState): ChildNotice | null => {
  const { parentSessionId, reportedStatus, parentNotifiedSeq } = state.lifecycle
  if (parentSessionId === null || reportedStatus === null || reportedStatus.seq <= parentNotifiedSeq) return null
  // Between two queued prompts the child is still working.
  if (reportedStatus.status !== 'running' && !isTerminal(state)) return null
  const { status, seq } = reportedStatus
  return { parentId: parentSessionId, child: key, owner: ownerOf(key, state), status, seq }
}

/**
 * The parent that a child names with an id alone: the session of the child's agent, else the first one created. `found` is
 * in that order. Null: there is none.
 */
export const findParentKey = (
  found: readonly SessionEntry[],
  { child, owner }: Pick<ChildNotice, 'child' | 'owner'>,
): Key | null => {
  const others = found
    // A user's session never writes into another user's.
    .filter((entry) => mayOpen(owner, entry.owner))
    .map(({ key }) => key)
    .filter(({ agent, id }) => agent !== child.agent || id !== child.id)
  return others.find(({ agent }) => agent === child.agent) ?? others[0] ?? null
}
