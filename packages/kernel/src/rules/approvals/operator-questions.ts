// Questions of the kernel to an operator are approvals of their own kind.

import { ownProperty } from '@bridle/events/json'
import { approvalIdOf } from '../../ids.ts'
import type { DecisionBuilder } from '../decision-builder.ts'
import { isResumable } from '../runs/resumption.ts'

export const askOperator = (
  w: DecisionBuilder,
  kind: 'budget' | 'unknown_outcome',
  subject: string,
  reason: string,
): void => {
  const id = approvalIdOf(w.nextSeq)
  w.addToRun('approval_required', {
    request_id: id,
    tool_call_id: kind === 'budget' ? id : subject,
    tool_name: kind === 'budget' ? 'budget' : (ownProperty(w.state.lifecycle.tools, subject)?.name ?? 'tool'),
    reason,
    arguments: { subject },
    kind,
    expires_at: null,
  })
}

/** Such calls may have executed, so the turn must not rerun without an answer. Calls that await approval have not executed. */
export const askAboutUnsafe = (w: DecisionBuilder, what: string, keepsMemory = false): boolean => {
  const waiting = new Set(Object.values(w.state.approvals.open).map((approval) => approval.toolCallId))
  const unsafe = Object.entries(w.state.lifecycle.tools).filter(
    ([id, tool]) => tool.effect === 'unsafe' && !waiting.has(id),
  )
  const [first] = unsafe
  if (!first) return false
  const names = unsafe.map(([, { name }]) => `"${name}"`).join(', ')
  const next = isResumable(w) && keepsMemory ? 'Go on from there?' : 'Run the turn again?'
  askOperator(w, 'unknown_outcome', first[0], `${names} was under way when ${what}. ${next}`)
  return true
}
