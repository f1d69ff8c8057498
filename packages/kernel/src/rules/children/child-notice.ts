// A child session notifies its parent when it starts and when it ends, so that the parent's streams show delegated work.
// The child logs which notices the parent has: a crash in between loses none.

import type { Payloads } from '@bridle/events/schemas'
import type { Key } from '../../event.ts'
import { mayOpen, ownerOf } from '../../owner.ts'
import type { SessionEntry } from '../../ports/directory.ts'
import { PROGRESS } from '../../projections/indexes/subagents.ts'
import { isTerminal, type SessionState } from '../../projections/state.ts'

export interface ChildNotice {
  readonly parentId: string
  readonly child: Key
  /** The user who owns the child; null: nobody. */
  readonly owner: string | null
  readonly status: string
  /** Number of the child's event that caused the notice: a late, older notice changes nothing. */
  readonly seq: number
  /** For a task of the parent's run: the agent of the parent, the steps so far, and at the end the sums that the task has used. */
  readonly parentAgent?: string
  readonly steps?: number
  readonly usage?: Payloads['subagent_event']['usage']
}

/** The notice that the parent does not have yet. */
export const pendingNotice = (key: Key, state: SessionState): ChildNotice | null => {
  const { parentSessionId, reportedStatus, parentNotifiedSeq, delegation } = state.lifecycle
  if (parentSessionId === null || reportedStatus === null || reportedStatus.seq <= parentNotifiedSeq) return null
  // Between two queued prompts the child is still working.
  const { status, seq, steps } = reportedStatus
  if (status !== 'running' && status !== PROGRESS && !isAtRest(state)) return null
  const notice = { parentId: parentSessionId, child: key, owner: ownerOf(key, state), status, seq }
  if (!delegation) return notice
  return {
    ...notice,
    parentAgent: delegation.agent,
    ...(steps !== undefined && { steps }),
    ...(isTerminal(state) && { usage: usageOf(state) }),
  }
}

/** A background session has ended then, and a chat waits for its next prompt. */
const isAtRest = ({ lifecycle: { run, queue, lastTurnStatus } }: SessionState): boolean =>
  run === null && lastTurnStatus !== null && queue.length === 0

/** The last notice of a session that is removed in the middle of a task; null: nobody waits for it. */
export const removalNotice = (key: Key, state: SessionState): ChildNotice | null => {
  const { parentSessionId, delegation } = state.lifecycle
  if (parentSessionId === null || !delegation || isTerminal(state)) return null
  return {
    ...{ parentId: parentSessionId, parentAgent: delegation.agent, child: key, owner: ownerOf(key, state) },
    ...{ status: 'cancelled', seq: state.head + 1, usage: usageOf(state) },
  }
}

const usageOf = ({ health: { tokens, costUsd, ranMs } }: SessionState): NonNullable<ChildNotice['usage']> => ({
  total_tokens: Math.max(0, Math.round(tokens)),
  cost_usd: Math.max(0, costUsd),
  runtime_ms: Math.max(0, Math.round(ranMs)),
})

/**
 * The parent of a child. Where the child names it with an id alone: the session of the child's agent, else the first one created.
 * `found` is in that order. Null: there is none.
 */
export const findParentKey = (
  found: readonly SessionEntry[],
  { child, owner, parentId, parentAgent }: Pick<ChildNotice, 'child' | 'owner'> & Partial<ChildNotice>,
): Key | null => {
  if (parentId !== undefined && parentAgent !== undefined)
    return { tenant: child.tenant, agent: parentAgent, id: parentId }
  const others = found
    // A user's session never writes into another user's.
    .filter((entry) => mayOpen(owner, entry.owner))
    .map(({ key }) => key)
    .filter(({ agent, id }) => agent !== child.agent || id !== child.id)
  return others.find(({ agent }) => agent === child.agent) ?? others[0] ?? null
}
