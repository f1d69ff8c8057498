// The log names a child before it starts, so that a run that ends can find and cancel all of its children.

import type { Policy } from '@bridle/events/schemas'
import type { ReportItem } from '../../commands.ts'
import type { Key } from '../../event.ts'
import { remainingBudgets, SHARED_BUDGETS } from '../../projections/health/budgets.ts'
import type { SessionState } from '../../projections/state.ts'
import type { DecisionBuilder } from '../decision-builder.ts'

export const delegateTasks = (w: DecisionBuilder, { children, shares }: ReportItem & { type: 'delegate' }): void => {
  if (!w.run?.durable) return
  const policy = childPolicy(w.state, w.now, Math.max(shares, children.length))
  for (const { toolCallId, agent, id } of children) {
    if (Object.hasOwn(w.state.subagents, id)) continue
    w.addToRun('subagent_event', {
      agent_id: id,
      status: 'started',
      parent_session_id: w.key.id,
      session_id: id,
      agent,
      tool_call_id: toolCallId,
      policy,
    })
  }
}

/** Children whose call was cancelled or has an outcome. */
export const abandonedChildren = (
  { tenant }: Key,
  { delegations, lifecycle, subagents }: SessionState,
): readonly { readonly child: Key; readonly seq: number }[] =>
  Object.entries(delegations)
    .filter(([, { toolCallId }]) => !Object.hasOwn(lifecycle.tools, toolCallId))
    .map(([id, { agent }]) => ({
      child: { tenant, agent, id },
      seq: (subagents[id]?.childSeq ?? -1) + 1,
    }))

/** The parent's policy, with a share of budgets that are neither spent nor reserved by other children. */
const childPolicy = (
  { health, lifecycle: { policy }, delegations }: SessionState,
  now: number,
  shares: number,
): Policy => {
  const remaining = remainingBudgets(health, policy, now)
  const reserved = Object.values(delegations).map((each) => each.policy.health ?? {})
  const parts = SHARED_BUDGETS.flatMap((budget) => {
    const rest = remaining[budget]
    if (rest === undefined) return []
    const left = reserved.reduce((sum, health) => sum - (health[budget] ?? 0), rest)
    const share = Math.max(0, left) / shares
    return [[budget, budget === 'max_total_tokens' ? Math.floor(share) : share]]
  })
  return parts.length === 0 ? policy : { ...policy, health: { ...policy.health, ...Object.fromEntries(parts) } }
}
