import { ownProperty, present } from '@bridle/events/json'
import type { Answers, Command } from '../../commands.ts'
import { isTaskOver } from '../../projections/indexes/subagents.ts'
import type { DecisionBuilder } from '../decision-builder.ts'
import { recordChildApprovals } from './child-approvals.ts'

export const recordChildStatus = (
  w: DecisionBuilder,
  { child, owner, status, seq, steps, usage, approvals, settled }: Command & { type: 'child_status' },
): Answers['child_status'] => {
  const subagent = ownProperty(w.state.subagents, child.id)
  // Repeated or late.
  if ((subagent?.childSeq ?? -1) >= seq) return {}
  const task = ownProperty(w.state.delegations, child.id)
  // Only a child in this log does a task here, and its usage counts once.
  const isTask = task?.agent === child.agent
  // The parent gave up a missing child with sequence 0 (a child's events start at 1), but its start was only delayed.
  const abandoned = subagent?.childSeq === 0 && !isTaskOver(status)
  w.add('subagent_event', {
    agent_id: child.id,
    status,
    parent_session_id: w.key.id,
    session_id: child.id,
    agent: child.agent,
    // Omit the child's title: readers of this session may not be allowed to open the child.
    child_seq: seq,
    ...(isTask && present({ tool_call_id: task.toolCallId || undefined, steps, usage })),
    ...(abandoned && { abandoned }),
  })
  const asked = approvals ?? (isTaskOver(status) ? [] : null)
  const isOfRun = isTask && w.run !== null && Object.hasOwn(w.state.lifecycle.tools, task.toolCallId)
  if (asked) recordChildApprovals(w, { ...{ child, owner, isOfRun, approvals: asked }, ...present({ settled }) })
  return {}
}

export const recordParentNotified = (
  w: DecisionBuilder,
  { seq }: Command & { type: 'parent_told' },
): Answers['parent_told'] => {
  if (seq > w.state.lifecycle.parentNotifiedSeq) w.add('parent_told', { seq })
  return {}
}
