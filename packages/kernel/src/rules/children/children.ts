// Child sessions: the parent records their status, and the child records which notices the parent has.

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
  // A repeated notice, or a late one.
  if ((subagent?.childSeq ?? -1) >= seq) return {}
  const task = ownProperty(w.state.delegations, child.id)
  // Only a child that the log names does a task of a run here, and its usage counts once.
  const isTask = task?.agent === child.agent
  // The parent has given up a child that was not there, with the number 0: the events of a child begin with 1. Its start was on its way.
  const abandoned = subagent?.childSeq === 0 && !isTaskOver(status)
  w.add('subagent_event', {
    agent_id: child.id,
    status,
    parent_session_id: w.key.id,
    session_id: child.id,
    agent: child.agent,
    // Leave the child's title out: a reader of this session may not be allowed to open the child.
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
