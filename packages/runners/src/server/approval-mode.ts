// Approvals of runs whose caller does not answer any. The document of the runner protocol has no approvals: a caller that was written
// from it would wait for ever at the first question. The runner decides in its place, as its operator chose.
import type { JsonObject } from '@bridle/events/json'
import type { EngineApprovalDecision } from '../engines/engine.ts'
import type { RunnerQuery } from '../protocol/protocol.ts'

export const APPROVAL_MODES = ['deny', 'allow', 'read-only'] as const
/** deny: no call that needs an approval runs. allow: each does. read-only: those that change nothing do. */
export type ApprovalMode = (typeof APPROVAL_MODES)[number]

/** Throws a sentence to act on. */
export const parseApprovalMode = (text: string): ApprovalMode => {
  const mode = APPROVAL_MODES.find((each) => each === text)
  if (mode) return mode
  throw new Error(`"${text}" is no way to decide approvals. BRIDLE_RUNNER_APPROVALS is deny, allow or read-only.`)
}

/** A caller that names its run, or acknowledges frames, knows more than the document and can come back to the run. */
export const isDocumentCaller = ({ requestId, acknowledges }: RunnerQuery): boolean =>
  requestId === undefined && acknowledges !== true

/** The query may say whether its caller answers approvals; by default callers of the document alone do not. */
export const answersApprovals = (query: RunnerQuery): boolean => query.answersApprovals ?? !isDocumentCaller(query)

/** No setting can answer a question. */
export const UNANSWERED_QUESTION = {
  decision: 'denied',
  reason: 'Questions cannot be answered here: the caller of this runner takes none. Decide without an answer.',
} as const

const HINT = 'Start the runner with --approvals allow or read-only (BRIDLE_RUNNER_APPROVALS) to let such calls run.'

export const decideWithoutCaller = (
  mode: ApprovalMode,
  input: JsonObject,
  isReadOnly: boolean,
): EngineApprovalDecision => {
  if (mode === 'allow' || (mode === 'read-only' && isReadOnly)) return { decision: 'approved', input }
  const which = mode === 'deny' ? 'calls that need an approval' : 'calls that may change something'
  return { decision: 'denied', reason: `The runner denies ${which}: its caller does not answer approvals. ${HINT}` }
}
