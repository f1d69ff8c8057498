// A tool call of a function. A settled call returns what the log says. An open one continues where it was: it waits for its approval, is
// made again if that is harmless, or a person is asked. All calls of a function with `durable: false` are new.
import { assert } from '../../kernel/assert.ts'
import type { ReportItem } from '../../kernel/commands.ts'
import { callDigest } from '../../kernel/host/approval-binding.ts'
import { canonicalJson, isJsonObject, type Json, type JsonObject, present } from '../../kernel/json.ts'
import type { Payloads } from '../../kernel/schemas.ts'
import { agentEventItem } from '../agent-run.ts'
import { shortErrorMessage } from '../error-message.ts'
import { ToolDenied, ToolTimeout } from '../errors.ts'
import type { CallBatch } from '../functions/call-batch.ts'
import { keepCallSchema } from '../functions/call-schemas.ts'
import {
  checkedArguments,
  checkMs,
  misfitItems,
  outcome,
  perform,
  success,
  validatedArguments,
} from '../functions/tool-call.ts'
import { EXPIRY_MS_MAX, TIMER_MS_MAX, TOOL_RESULT_CHARS_MAX } from '../limits.ts'
import { toPlainJson, toPlainObject } from '../schemas/input.ts'
import type { ApprovalOutcome, ApprovalQuestion, ToolContext, ToolOptions } from '../session.ts'
import type { CallLookup } from './call-lookup.ts'
import type { DurableRun } from './durable-run.ts'
import { errorDetails, loggedError, OutcomeUnknown } from './errors.ts'
import type { ApprovalRecord, CallRecord } from './memo.ts'

export interface CallRequest {
  /** The call's id before it is numbered: the author's, else the tool's name. */
  readonly base: string
  readonly tool: string
}

/** The calls of a run: those in the log, and those that begin now. */
export interface RunCalls {
  readonly lookup: CallLookup
  readonly batch: CallBatch
}

/** Makes the call, or returns what came of it when it was made before. */
export const runDurableTool = async <Args extends object, Result>(
  run: DurableRun,
  { lookup, batch }: RunCalls,
  { base, tool }: CallRequest,
  proposed: Args,
  execute: (args: Args, context: ToolContext) => Result | Promise<Result>,
  options: ToolOptions<Args>,
): Promise<Result> => {
  const requested = toPlainObject(proposed, 'arguments of a tool')
  const { effect = 'unsafe', approve, timeoutMs } = options
  checkMs('timeoutMs', timeoutMs, TIMER_MS_MAX)
  const { call, isNew } = lookup.take(base, tool, requested, effect)
  if (call.outcome) return (await settledResult(run, call, call.outcome, timeoutMs)) as Result
  if (isNew) batch.add(call.id)
  const { reason = `The agent wants to run "${tool}".`, expiresMs } = typeof approve === 'object' ? approve : {}
  if (approve && options.input) keepCallSchema(run.reporter, call.id, options.input)
  if (isNew) await run.report(intent(call), ...(approve ? [await question(run, call, reason, expiresMs)] : []))
  const edits: EditCheck = {
    problem: async (given) => (run.isDurable ? editProblem(call, given, options) : null),
    expiresMs,
  }
  const args = await clearance(run, call, { isNew, isAsked: isNew && Boolean(approve) }, edits)
  const startedAt = run.ports.clock.now()
  const elapsedMs = () => Math.max(0, run.ports.clock.now() - startedAt)
  const inScope = (given: Args, context: ToolContext) =>
    run.scope.run({ kind: 'call', name: call.id }, () => execute(given, context))
  try {
    const valid = await validatedArguments(call, args, options)
    const returned = await perform(run, { id: call.stepId, tool }, valid, inScope, options)
    const result = returned === undefined ? null : toPlainJson(returned, 'result of a tool')
    if (run.isDurable) checkSize(tool, result)
    await run.report(...success(call, result, elapsedMs()))
    // A durable function sees the value of the log each time. The session holds that value: the function may change its own copy.
    return (run.isDurable ? structuredClone(result) : returned) as Result
  } catch (error) {
    if (run.signal.aborted) throw error
    const details = run.isDurable ? errorDetails(error) : {}
    const message = shortErrorMessage(error)
    const status = error instanceof ToolTimeout ? 'timeout' : 'error'
    await run.report(...misfitItems(call, error), outcome(call, status, elapsedMs(), { error: message, ...details }))
    throw status === 'timeout' || !run.isDurable ? error : loggedError(message, details, error)
  }
}

const checkSize = (tool: string, result: Json): void => {
  if (JSON.stringify(result).length > TOOL_RESULT_CHARS_MAX)
    throw new RangeError(
      `The result of "${tool}" has more than ${TOOL_RESULT_CHARS_MAX} characters. Return less of it.`,
    )
}

/** Asks a person without running a tool, once. */
export const waitForDurableApproval = async (
  run: DurableRun,
  lookup: CallLookup,
  { base, tool }: CallRequest,
  { args, reason, expiresMs }: Omit<ApprovalQuestion, 'subject'>,
): Promise<ApprovalOutcome> => {
  const requested = toPlainObject(args ?? {}, 'arguments of an approval')
  const { call, isNew } = lookup.take(base, tool, requested, 'pure')
  const earlier = run.memo.approvals.get(call.id)
  if (call.outcome && earlier) return approvalOutcome(earlier)
  if (isNew || !earlier)
    await run.report(...(isNew ? [intent(call)] : []), await question(run, call, reason, expiresMs))
  const approval = await decision(run, call)
  const answer = approvalOutcome(approval)
  if (answer.approved) await checkDigest(run, call, approval)
  await run.report(
    delivered(approval),
    ...(answer.approved
      ? success(call, { decision: answer.decision, arguments: answer.args }, 0)
      : [outcome(call, 'denied', 0, { reason: answer.reason ?? answer.decision })]),
  )
  return answer
}

/** The outcome of a call that the function did not make again. */
export const abandonedOutcome = (call: CallRecord): ReportItem =>
  outcome(call, 'error', 0, { reason: 'abandoned', error: 'The agent did not make this call again.' })

interface EditCheck {
  /** Why arguments cannot be used; null = they can. */
  readonly problem: (args: JsonObject) => Promise<string | null>
  /** A question that is asked anew has as much time as the first. */
  readonly expiresMs: number | undefined
}

/** Only a person's arguments are asked about again: those of the function are its author's to mend. */
const editProblem = async <Args>(
  call: CallRecord,
  args: JsonObject,
  options: ToolOptions<Args>,
): Promise<string | null> => {
  if (canonicalJson(args) === canonicalJson(call.arguments)) return null
  const checked = await checkedArguments(call, args, options)
  return 'problem' in checked ? checked.problem : null
}

/** Resolves to the arguments when the call may begin. `isAsked`: this attempt has asked a person about the call. */
const clearance = async (
  run: DurableRun,
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
  run: DurableRun,
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
    // Nobody could check the edit when it was sent: the schema was in no memory. The person is asked anew, and nothing is lost.
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
const decision = (run: DurableRun, call: CallRecord): Promise<ApprovalRecord> =>
  run.wait(
    () => {
      const approval = run.memo.approvals.get(call.id)
      return approval?.decision && !approval.isUsed ? approval : undefined
    },
    { holdsRun: true },
  )

const denial = ({ tool }: CallRecord, { kind, decision, reason }: ApprovalRecord): Error => {
  if (kind === 'unknown_outcome') return new OutcomeUnknown(tool, reason)
  return decision === 'expired' ? new ToolDenied(tool, 'expired', null) : new ToolDenied(tool, 'denied', reason)
}

const checkDigest = async (run: DurableRun, call: CallRecord, approval: ApprovalRecord): Promise<void> => {
  const isApproved = (await callDigest(run.ports.digest, call.tool, approval.arguments)) === approval.approvedDigest
  if (!isApproved) await run.report(outcome(call, 'error', 0, { error: 'not what was approved' }))
  assert(isApproved, `the arguments of "${call.tool}" are those that were approved`)
}

const settledResult = async (
  run: DurableRun,
  call: CallRecord,
  settled: Payloads['tool_outcome'],
  timeoutMs = 0,
): Promise<Json> => {
  const approval = run.memo.approvals.get(call.id)
  if (settled.status === 'ok') return structuredClone(settled.result ?? null)
  if (settled.status === 'artifact') return artifactResult(run, call, settled.result ?? null)
  if (settled.status === 'timeout') throw new ToolTimeout(call.tool, timeoutMs)
  if (settled.status === 'denied' && approval) throw denial(call, approval)
  if (settled.reason === 'outcome_unknown') throw new OutcomeUnknown(call.tool, approval?.reason ?? null)
  const details = errorDetailsOf(settled)
  throw loggedError(settled.error ?? settled.reason ?? 'The call failed.', details)
}

/** A large result stands in an artifact: JSON, or a text. */
const artifactResult = async (run: DurableRun, call: CallRecord, reference: Json): Promise<Json> => {
  const id = isJsonObject(reference) ? reference.artifact_id : undefined
  const artifact = run.memo.artifacts.get(String(id))
  const text = artifact ? await run.reporter.session.artifactText(String(id), artifact.seq) : null
  if (!artifact || text === null)
    throw new Error(`The result of "${call.tool}" is no longer kept. Return less, or keep it outside.`)
  return artifact.contentType.startsWith('text/') ? text : (JSON.parse(text) as Json)
}

const errorDetailsOf = ({ error_name, error_code, transient }: Payloads['tool_outcome']) => ({
  ...(typeof error_name === 'string' && { error_name }),
  ...(typeof error_code === 'string' && { error_code }),
  ...(transient === true && { transient }),
})

const approvalOutcome = ({ decision, arguments: args, reason }: ApprovalRecord): ApprovalOutcome => {
  const answer = { args: structuredClone(args), reason }
  if (decision === 'approved') return { approved: true, decision, ...answer }
  return { approved: false, decision: decision === 'expired' ? 'expired' : 'denied', ...answer }
}

const intent = ({ id, tool, arguments: args, effect, stepId }: CallRecord): ReportItem =>
  agentEventItem('tool_call', {
    ...{ name: tool, arguments: args, tool_call_id: id, effect },
    ...(stepId !== id && { retry_of: stepId }),
  })

const question = async (
  run: DurableRun,
  { id, tool, arguments: args }: CallRecord,
  reason: string,
  expiresMs?: number,
  kind: 'tool' | 'unknown_outcome' = 'tool',
): Promise<ReportItem> => {
  if (typeof reason !== 'string') throw new TypeError('The reason of an approval is a text.')
  checkMs('expiresMs', expiresMs, EXPIRY_MS_MAX)
  const digest = await callDigest(run.ports.digest, tool, args)
  return { type: 'ask', kind, toolCallId: id, tool, arguments: args, reason, digest, ...present({ expiresMs }) }
}

const delivered = ({ requestId }: ApprovalRecord): ReportItem => ({ type: 'approval_delivered', requestId })
