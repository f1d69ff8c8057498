// Sessions that were started from another: what the parent writes down of them, and what the child knows to be written.
import type { Answers, Command } from '../../commands.ts'
import { ownProperty } from '../../json.ts'
import type { DecisionBuilder } from '../decision-builder.ts'

export const recordChildStatus = (
  w: DecisionBuilder,
  { child, status, seq }: Command & { type: 'child_status' },
): Answers['child_status'] => {
  const known = ownProperty(w.state.subagents, child.id)
  // The same notice again, or an older one that was late.
  if ((known?.childSeq ?? -1) >= seq) return {}
  w.add('subagent_event', {
    agent_id: child.id,
    status,
    parent_session_id: w.key.id,
    session_id: child.id,
    agent: child.agent,
    // Its title is its own: not everybody who may watch this session may open that one.
    child_seq: seq,
  })
  return {}
}

export const recordParentNotified = (
  w: DecisionBuilder,
  { seq }: Command & { type: 'parent_told' },
): Answers['parent_told'] => {
  if (seq > w.state.lifecycle.parentNotifiedSeq) w.add('parent_told', { seq })
  return {}
}
