// Asks a person about a call. The answer arrives in the log that the run follows, and the function reports its delivery.

import { type JsonObject, present } from '@bridle/events/json'
import { assert } from '@bridle/kernel/assert'
import type { ReportItem } from '@bridle/kernel/commands'
import { callDigest } from '@bridle/kernel/host/approval-binding'
import { questionReport } from '@bridle/kernel/host/question-report'
import { INPUT_SUBJECT, inputQuestions } from '@bridle/kernel/user-input'
import { toPlainObject } from '../schemas/input.ts'
import { ToolDenied } from '../session/errors.ts'
import { EXPIRY_MS_MAX } from '../session/limits.ts'
import { checkMs } from '../session/session-parts.ts'
import type { ApprovalOutcome, ApprovalQuestion } from '../session.ts'
import type { CallLookup } from '../steps/call-lookup.ts'
import { OutcomeUnknown } from '../steps/errors.ts'
import type { ApprovalRecord, CallRecord } from '../steps/memo.ts'
import { intent, outcome, success } from './call-reports.ts'
import type { FunctionRun } from './function-run.ts'

export interface CallRequest {
  /** The call's id before it is numbered: the author's, else the tool's name. */
  readonly base: string
  readonly tool: string
}

/** Asks a person without running a tool, once. */
export const waitForApproval = async (
  run: AskingRun,
  lookup: CallLookup,
  { base, tool }: CallRequest,
  { args, reason, expiresMs }: Omit<ApprovalQuestion, 'subject'>,
): Promise<ApprovalOutcome> => {
  const requested = toPlainObject(args ?? {}, 'arguments of an approval')
  const taken = lookup.take(base, tool, requested, 'pure')
  const approval = await askOnce(run, taken, {
    ask: () => question(run, taken.call, reason, expiresMs),
    resultOf: ({ decision, arguments: approved }) => ({ decision, arguments: approved }),
  })
  return approvalOutcome(approval)
}

export interface PersonRequest {
  /** `problem`: why the last answer cannot be used. */
  readonly ask: (problem?: string) => Promise<ReportItem>
  /** The result of the call in the log. */
  readonly resultOf: (approval: ApprovalRecord) => JsonObject
  /** Why an answer cannot be used, after which the person is asked again; null = it can. */
  readonly problem?: (approval: ApprovalRecord) => Promise<string | null>
}

/** Resolves to the answer when its use is in the log. An answer that is there already is returned at once. */
export const askOnce = async (
  run: AskingRun,
  { call, isNew }: { readonly call: CallRecord; readonly isNew: boolean },
  { ask, resultOf, problem = async () => null }: PersonRequest,
): Promise<ApprovalRecord> => {
  const earlier = run.memo.approvals.get(call.id)
  if (call.outcome && earlier) return earlier
  if (isNew || !earlier) await run.report(...(isNew ? [intent(call)] : []), await ask())
  for (;;) {
    const approval = await decision(run, call)
    const isApproved = approval.decision === 'approved'
    if (isApproved) await checkDigest(run, call, approval)
    const misfit = isApproved ? await problem(approval) : null
    if (misfit !== null) {
      await run.report(delivered(approval), await ask(misfit))
      continue
    }
    const settled = isApproved
      ? success(call, resultOf(approval), 0)
      : [outcome(call, 'denied', 0, { reason: approval.reason ?? approval.decision ?? 'denied' })]
    await run.report(delivered(approval), ...settled)
    return approval
  }
}

/** A run that asks a person and waits: a function's run, or an engine's run whose call the server makes. */
export interface AskingRun extends Pick<FunctionRun, 'memo' | 'report' | 'wait'> {
  readonly ports: Pick<FunctionRun['ports'], 'digest'>
}

export interface EditCheck {
  /** Why arguments cannot be used; null = they can. */
  readonly problem: (args: JsonObject) => Promise<string | null>
  /** A repeated question expires after the same time as the first. */
  readonly expiresMs: number | undefined
}

/** Resolves to the arguments when the call may begin. `isAsked`: this attempt has asked a person about the call. */
export const clearance = async (
  run: AskingRun,
  call: CallRecord,
  { isNew, isAsked }: { readonly isNew: boolean; readonly isAsked: boolean },
  edits: EditCheck,
): Promise<JsonObject> => {
  const earlier = run.memo.approvals.get(call.id)
  if (isAsked || (earlier && !earlier.isUsed)) return applyDecision(run, call, await decision(run, call), edits)
  const args = earlier?.arguments ?? call.arguments
  // The call had begun when its process ended. Only a person can say whether to make an unsafe one again.
  if (isNew || call.effect !== 'unsafe') return args
  const reason = `"${call.tool}" was under way when its process ended. It may have acted. Run it again?`
  await run.report(await question(run, { ...call, arguments: args }, reason, undefined, 'unknown_outcome'))
  return applyDecision(run, call, await decision(run, call), edits)
}

const applyDecision = async (
  run: AskingRun,
  call: CallRecord,
  approval: ApprovalRecord,
  edits: EditCheck,
): Promise<JsonObject> => {
  if (approval.decision === 'approved') {
    await checkDigest(run, call, approval)
    const problem = await edits.problem(approval.arguments)
    if (problem === null) {
      await run.report(delivered(approval))
      return approval.arguments
    }
    // The schema was not in memory when the edit was sent, so the edit was not checked then. The person is asked again.
    const reason = `${problem.replace(/\.?$/, '.')} Nothing was done.`
    await run.report(delivered(approval), await question(run, call, reason, edits.expiresMs, approval.kind))
    return applyDecision(run, call, await decision(run, call), edits)
  }
  const error = denial(call, approval)
  const why =
    approval.kind === 'unknown_outcome'
      ? outcome(call, 'error', 0, { reason: 'outcome_unknown', error: error.message })
      : outcome(call, 'denied', 0, { reason: approval.reason ?? approval.decision ?? 'denied' })
  await run.report(delivered(approval), why)
  throw error
}

/** The answer to the question that is open about the call. */
const decision = (run: AskingRun, call: CallRecord): Promise<ApprovalRecord> =>
  run.wait(
    () => {
      const approval = run.memo.approvals.get(call.id)
      return approval?.decision && !approval.isUsed ? approval : undefined
    },
    { holdsRun: true },
  )

export const denial = ({ tool }: CallRecord, { kind, decision, reason }: ApprovalRecord): Error => {
  if (kind === 'unknown_outcome') return new OutcomeUnknown(tool, reason)
  return decision === 'expired' ? new ToolDenied(tool, 'expired', null) : new ToolDenied(tool, 'denied', reason)
}

const checkDigest = async (run: AskingRun, call: CallRecord, approval: ApprovalRecord): Promise<void> => {
  const isApproved = (await callDigest(run.ports.digest, call.tool, approval.arguments)) === approval.approvedDigest
  if (!isApproved) await run.report(outcome(call, 'error', 0, { error: 'not what was approved' }))
  assert(isApproved, `the arguments of "${call.tool}" are those that were approved`)
}

const approvalOutcome = ({ decision, arguments: args, reason }: ApprovalRecord): ApprovalOutcome => {
  const answer = { args: structuredClone(args), reason }
  if (decision === 'approved') return { approved: true, decision, ...answer }
  return { approved: false, decision: decision === 'expired' ? 'expired' : 'denied', ...answer }
}

export const question = async (
  run: AskingRun,
  { id, tool, arguments: args }: CallRecord,
  reason: string,
  expiresMs?: number,
  kind: ApprovalRecord['kind'] = 'tool',
): Promise<ReportItem> => {
  if (typeof reason !== 'string') throw new TypeError('The reason of an approval is a text.')
  checkMs('expiresMs', expiresMs, EXPIRY_MS_MAX)
  if (tool === INPUT_SUBJECT) {
    const call = { toolCallId: id, tool, arguments: args, reason, ...present({ expiresMs }) }
    return questionReport(run.ports.digest, call, { questions: inputQuestions(reason) })
  }
  const digest = await callDigest(run.ports.digest, tool, args)
  return { type: 'ask', kind, toolCallId: id, tool, arguments: args, reason, digest, ...present({ expiresMs }) }
}

const delivered = ({ requestId }: ApprovalRecord): ReportItem => ({ type: 'approval_delivered', requestId })
