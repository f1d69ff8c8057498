// A child session notifies its parent when it starts and when it ends, so that the parent's streams show delegated work.
// The child logs which notices the parent has: a crash in between loses none.

import type { Payloads } from '@bridle/events/schemas'
import type { Key } from '../../event.ts'
import { mayOpen, ownerOf } from '../../owner.ts'
import type { SessionEntry } from '../../ports/directory.ts'
import { isTaskOver, PROGRESS } from '../../projections/indexes/subagents.ts'
import { isTerminal, type SessionState } from '../../projections/state.ts'
import { type AskedApproval, approvalsOf, type SettledAnswer } from './child-approvals.ts'

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
  /** All approvals that are open in the child and below it; absent: an older version, which does not say. */
  readonly approvals?: readonly AskedApproval[]
  /** The newest settled ones. */
  readonly settled?: readonly SettledAnswer[]
}

/** The notice that the parent does not have yet. */
export const pendingNotice = (key: Key, state: SessionState): ChildNotice | null => {
  const { parentSessionId, reportedStatus, parentNotifiedSeq, delegation } = state.lifecycle
  if (parentSessionId === null || reportedStatus === null || reportedStatus.seq <= parentNotifiedSeq) return null
  // Between two queued prompts the child is still working.
  const { status: reported, seq, steps } = reportedStatus
  if (reported !== 'running' && reported !== PROGRESS && !isAtRest(state)) return null
  const asked = approvalsOf(key, state)
  const status = asked.approvals.length > 0 && !isTaskOver(reported) ? AWAITING : reported
  const notice = { parentId: parentSessionId, child: key, owner: ownerOf(key, state), status, seq, ...asked }
  if (!delegation) return notice
  return {
    ...notice,
    parentAgent: delegation.agent,
    ...(steps !== undefined && { steps }),
    ...(isTerminal(state) && { usage: usageOf(state) }),
  }
}

/** The status of a child that waits for a person, itself or below it. */
const AWAITING = 'awaiting_approval'

/** A background session has ended then, and a chat waits for its next prompt. */
const isAtRest = ({ lifecycle: { run, queue, lastTurnStatus } }: SessionState): boolean =>
  run === null && lastTurnStatus !== null && queue.length === 0

/** The last notice of a session that is removed in the middle of a task or of a question; null: the parent waits for nothing. */
export const removalNotice = (key: Key, state: SessionState): ChildNotice | null => {
  const { parentSessionId, delegation, reportedStatus } = state.lifecycle
  if (parentSessionId === null) return null
  const isTask = delegation !== null && !isTerminal(state)
  const asks = reportedStatus !== null && approvalsOf(key, state).approvals.length > 0
  if (!isTask && !asks) return null
  return {
    ...{ parentId: parentSessionId, child: key, owner: ownerOf(key, state), status: 'cancelled', seq: state.head + 1 },
    ...(delegation && { parentAgent: delegation.agent, usage: usageOf(state) }),
    approvals: [],
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
