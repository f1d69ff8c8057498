// Approvals: asked by a runner or by the kernel itself, answered once, by anybody on any wire, also after a restart.
import { type Answer, type ApproveCommand, type Ask, type Refusal, refuse } from '../commands.ts'
import { own } from '../json.ts'
import { AT_MAX, OPEN_APPROVALS_MAX } from '../limits.ts'
import type { Approval, DecidedApproval } from '../projections/approvals.ts'
import type { Decision, Payloads } from '../schemas.ts'
import { grantBudget } from './granted-budget.ts'
import { endTurn, isResumable } from './runs.ts'
import type { Working } from './working.ts'

/** A runner asks. Asking the same call again after a crash or a retry uses the answer already given, once. */
export const ask = (w: Working, asked: Ask): void => {
  const { run } = w
  if (!run) return
  const { open, decided } = w.state.approvals
  const again = (each: Approval | DecidedApproval) =>
    each.runId === run.runId && each.attempt === run.attempt && each.toolCallId === asked.toolCallId
  // Open, or its answer is on the way. Once the answer was used, or for other arguments, it is another question.
  const same = (each: Approval | DecidedApproval) => again(each) && each.requestedDigest === asked.digest
  if (Object.values(open).some(same) || Object.values(decided).some((each) => each.pending && same(each))) return

  const earlier = (each: Approval | DecidedApproval) =>
    each.runId === run.runId && each.requestedDigest === asked.digest && each.attempt < run.attempt
  // Expiry is nobody's answer: asked again, it is a question again.
  const answered = Object.values(decided).find((each) => each.pending && each.decision !== 'expired' && earlier(each))
  const id = `apr-${w.next}`
  for (const old of Object.values(open).filter((each) => earlier(each) || again(each)))
    settle(w, old, 'superseded', { superseded_by: id })

  w.addToRun('approval_required', {
    request_id: id,
    tool_call_id: asked.toolCallId,
    tool_name: asked.tool,
    reason: asked.reason,
    arguments: { ...asked.arguments, _tool_call_id: asked.toolCallId },
    kind: 'tool',
    requested_digest: asked.digest,
    expires_at:
      asked.expiresMs === undefined ? null : new Date(Math.min(w.now + asked.expiresMs, AT_MAX)).toISOString(),
  })
  const request = own(w.state.approvals.open, id)
  if (!request) return
  if (!answered) {
    const isFlood = Object.keys(w.state.approvals.open).length > OPEN_APPROVALS_MAX
    if (isFlood) settle(w, request, 'denied', { reason: 'Too many approvals are open.' })
    return
  }
  w.addToRun('approval_delivered', { request_id: answered.id })
  settle(w, request, answered.decision, {
    ...(answered.arguments && { arguments: answered.arguments }),
    ...(answered.approvedDigest !== null && { approved_digest: answered.approvedDigest }),
    ...(answered.reason !== null && { reason: answered.reason }),
  })
}

/** The kernel asks: more budget, or what to do about a call whose outcome nobody knows. */
export const askOperator = (w: Working, kind: 'budget' | 'unknown_outcome', subject: string, reason: string): void => {
  const id = `apr-${w.next}`
  w.addToRun('approval_required', {
    request_id: id,
    tool_call_id: kind === 'budget' ? id : subject,
    tool_name: kind === 'budget' ? 'budget' : (own(w.state.lifecycle.tools, subject)?.name ?? 'tool'),
    reason,
    arguments: { subject },
    kind,
    expires_at: null,
  })
}

/**
 * Calls under way whose repetition nobody declared harmless: they may have happened or not, and running the turn again
 * blindly is the one thing never done. A call that still waits for its approval has not happened.
 */
export const askAboutUnsafe = (w: Working, what: string, keepsMemory = false): boolean => {
  const waiting = new Set(Object.values(w.state.approvals.open).map((asked) => asked.toolCallId))
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

export const approve = (w: Working, command: ApproveCommand): Answer | Refusal => {
  const { approvalId: id, decision } = command
  const given = own(w.state.approvals.decided, id)
  if (given) {
    const same =
      given.decision === decision && (decision === 'denied' || given.approvedDigest === (command.digest ?? null))
    return same ? { approvalId: id, decision } : refuse('approval_settled', `The approval was ${given.decision}.`)
  }
  const asked = own(w.state.approvals.open, id)
  if (!asked) return refuse('approval_not_found')
  if (asked.expiresAt !== null && w.now >= asked.expiresAt)
    return refuse('approval_settled', 'The approval has expired.')
  settle(w, asked, decision, {
    ...(command.reason !== undefined && { reason: command.reason }),
    ...(command.actor !== undefined && { actor: command.actor }),
    ...(decision === 'approved' && command.args && { arguments: command.args }),
    ...(decision === 'approved' && command.digest !== undefined && { approved_digest: command.digest }),
  })
  return { approvalId: id, decision }
}

export const expireApprovals = (w: Working): void => {
  for (const asked of Object.values(w.state.approvals.open)) {
    if (asked.expiresAt !== null && w.now >= asked.expiresAt) settle(w, asked, 'expired', { reason: 'expired' })
  }
}

export const cancelApprovals = (w: Working): void => {
  for (const asked of Object.values(w.state.approvals.open)) settle(w, asked, 'cancelled', {})
}

export const withdrawBudgetQuestions = (w: Working, reason: string): void => {
  for (const approval of Object.values(w.state.approvals.open))
    if (approval.kind === 'budget') settle(w, approval, 'superseded', { reason })
}

interface Settlement {
  readonly reason?: string
  readonly actor?: string
  readonly arguments?: Approval['arguments']
  readonly approved_digest?: string
  readonly superseded_by?: string
}

/** An answer as it is shown. */
export const applied = (asked: Approval, decision: Decision, by: Settlement): Payloads['approval_applied'] => ({
  request_id: asked.id,
  tool_call_id: asked.toolCallId,
  tool_name: asked.tool,
  decision,
  reason: by.reason ?? null,
  actor: by.actor ?? null,
  approved_digest: by.approved_digest ?? null,
  ...(by.arguments && asked.kind === 'tool' && { arguments: { ...by.arguments, _tool_call_id: asked.toolCallId } }),
})

const settle = (w: Working, asked: Approval, decision: Decision, by: Settlement): void => {
  w.addToRun('approval_decided', { request_id: asked.id, decision, ...by })
  w.addToRun('approval_applied', applied(asked, decision, by))
  consequences[asked.kind](w, decision)
}

/** What the kernel's own questions lead to; a tool's answer goes to its runner as a wanted effect. */
const consequences: { readonly [K in Approval['kind']]: (w: Working, decision: Decision) => void } = {
  tool: () => {},
  budget: (w, decision) => {
    if (decision === 'approved') grantBudget(w)
    else if ((decision === 'denied' || decision === 'expired') && !w.state.lifecycle.paused)
      w.add('session_paused', { reason: `budget ${decision}` })
  },
  unknown_outcome: (w, decision) => {
    if (decision === 'approved' || decision === 'cancelled') return
    endTurn(w, 'failed', {
      message: 'The outcome of a call is unknown, and it was not to be repeated.',
      reason: 'outcome_unknown',
    })
  },
}
