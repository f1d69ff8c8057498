// The child logs which notices its parent has received, so that a crash loses none.

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
  readonly owner: string | null
  readonly status: string
  /** The event in the child that caused the notice. Older notices are ignored. */
  readonly seq: number
  /** Only for a task of the parent's run. `usage` is sent at the end. */
  readonly parentAgent?: string
  readonly steps?: number
  readonly usage?: Payloads['subagent_event']['usage']
  /** Open approvals of the child and its descendants. Absent in notices of older versions. */
  readonly approvals?: readonly AskedApproval[]
  readonly settled?: readonly SettledAnswer[]
}

/** Null if the parent is up to date. */
export const pendingNotice = (key: Key, state: SessionState): ChildNotice | null => {
  const { parentSessionId, reportedStatus, parentNotifiedSeq, delegation } = state.lifecycle
  if (parentSessionId === null || reportedStatus === null || reportedStatus.seq <= parentNotifiedSeq) return null
  // A child with queued prompts is still working.
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

/** The child or a descendant waits for a person. */
const AWAITING = 'awaiting_approval'

const isAtRest = ({ lifecycle: { run, queue, lastTurnStatus } }: SessionState): boolean =>
  run === null && lastTurnStatus !== null && queue.length === 0

/** For a session removed during a task or with open approvals. Null if the parent waits for nothing. */
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

/** If the child names its parent by id alone: a session of the child's agent, or else the first created. */
export const findParentKey = (
  found: readonly SessionEntry[],
  { child, owner, parentId, parentAgent }: Pick<ChildNotice, 'child' | 'owner'> & Partial<ChildNotice>,
): Key | null => {
  if (parentId !== undefined && parentAgent !== undefined)
    return { tenant: child.tenant, agent: parentAgent, id: parentId }
  const others = found
    // A user's sessions never write to another user's.
    .filter((entry) => mayOpen(owner, entry.owner))
    .map(({ key }) => key)
    .filter(({ agent, id }) => agent !== child.agent || id !== child.id)
  return others.find(({ agent }) => agent === child.agent) ?? others[0] ?? null
}
