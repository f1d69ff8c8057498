// Tasks that a run gives to child sessions. The log names a child before it is started, so that a run that ends finds every child
// that it has to cancel. The budgets of a child are its share of what the parent has left.

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

/** Children whose call is over: cancelled, or with an outcome of its own. Nobody waits for them any more. */
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

/** The policy of a child: that of its parent, with a share of the budgets that neither the parent nor its other children have. */
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
