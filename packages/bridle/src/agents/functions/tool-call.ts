// The life of a tool call: its intent enters the log, a person approves where that is required, the effect happens, and the
// outcome enters the log.

import { assert } from '../../kernel/assert.ts'
import type { ReportItem } from '../../kernel/commands.ts'
import { keyText } from '../../kernel/event.ts'
import { callDigest } from '../../kernel/host/approval-binding.ts'
import { type Json, type JsonObject, present } from '../../kernel/json.ts'
import { OUTCOME_TYPES, outcomeFactsIn, type ToolOutcome, type ToolStatus } from '../../kernel/schemas.ts'
import { type AgentRun, agentEventItem } from '../agent-run.ts'
import { shortErrorMessage } from '../error-message.ts'
import { ToolDenied, ToolTimeout } from '../errors.ts'
import { EXPIRY_MS_MAX, TIMER_MS_MAX } from '../limits.ts'
import { toPlainJson, toPlainObject } from '../schemas/input.ts'
import { validateWithSchema } from '../schemas/standard-schema.ts'
import type { ApprovalOutcome, ApprovalQuestion, ToolContext, ToolOptions } from '../session.ts'
import { keepCallSchema } from './call-schemas.ts'

export interface AgentToolCall {
  readonly id: string
  readonly tool: string
}

export const runTool = async <Args extends object, Result>(
  run: AgentRun,
  call: AgentToolCall,
  proposed: Args,
  execute: (args: Args, context: ToolContext) => Result | Promise<Result>,
  options: ToolOptions<Args>,
): Promise<Result> => {
  const requested = toPlainObject(proposed, 'arguments of a tool')
  const { effect = 'unsafe', approve, timeoutMs } = options
  checkMs('timeoutMs', timeoutMs, TIMER_MS_MAX)
  const intent = agentEventItem('tool_call', { name: call.tool, arguments: requested, tool_call_id: call.id, effect })
  if (approve && options.input) keepCallSchema(run.reporter, call.id, options.input)
  // Intent before effect: after a crash the log must tell whether the effect may have happened.
  const args = approve
    ? await approvedArguments(run, call, intent, requested, approve === true ? {} : approve)
    : await run.report(intent).then(() => requested)
  const startedAt = run.ports.clock.now()
  const elapsedMs = () => Math.max(0, run.ports.clock.now() - startedAt)
  try {
    const result = await perform(run, call, await validatedArguments(call, args, options), execute, options)
    await run.report(
      ...success(call, result === undefined ? null : toPlainJson(result, 'result of a tool'), elapsedMs()),
    )
    return result
  } catch (error) {
    if (run.signal.aborted) throw error
    const status = error instanceof ToolTimeout ? 'timeout' : 'error'
    await run.report(
      ...misfitItems(call, error),
      outcome(call, status, elapsedMs(), { error: shortErrorMessage(error) }),
    )
    throw error
  }
}

/** Asks a person without running a tool. The question is a tool call in the log, and the decision is its outcome. */
export const waitForApproval = async (
  run: AgentRun,
  call: AgentToolCall,
  { args, reason, expiresMs }: Omit<ApprovalQuestion, 'subject'>,
): Promise<ApprovalOutcome> => {
  const requested = toPlainObject(args ?? {}, 'arguments of an approval')
  const intent = agentEventItem('tool_call', {
    name: call.tool,
    arguments: requested,
    tool_call_id: call.id,
    effect: 'pure',
  })
  const approval = await waitForDecision(run, call, intent, requested, reason, expiresMs)
  const { decision, args: granted } = approval
  if (approval.approved) await run.report(...success(call, { decision, arguments: granted }, 0))
  else await run.report(outcome(call, 'denied', 0, { reason: approval.reason ?? decision }))
  return approval
}

const approvedArguments = async (
  run: AgentRun,
  call: AgentToolCall,
  intent: ReportItem,
  requested: JsonObject,
  { reason = `The agent wants to run "${call.tool}".`, expiresMs }: { reason?: string; expiresMs?: number },
): Promise<JsonObject> => {
  const approval = await waitForDecision(run, call, intent, requested, reason, expiresMs)
  if (approval.decision === 'approved') return approval.args
  await run.report(outcome(call, 'denied', 0, { reason: approval.reason ?? approval.decision }))
  throw new ToolDenied(call.tool, approval.decision, approval.decision === 'expired' ? null : approval.reason)
}

const waitForDecision = async (
  run: AgentRun,
  { id, tool }: AgentToolCall,
  intent: ReportItem,
  requested: JsonObject,
  reason: string,
  expiresMs: number | undefined,
): Promise<ApprovalOutcome> => {
  const { digest } = run.ports
  if (typeof reason !== 'string') throw new TypeError('The reason of an approval is a text.')
  checkMs('expiresMs', expiresMs, EXPIRY_MS_MAX)
  await run.report(intent, {
    type: 'ask',
    toolCallId: id,
    tool,
    arguments: requested,
    reason,
    digest: await callDigest(digest, tool, requested),
    ...present({ expiresMs }),
  })
  const { decision, arguments: args, approvedDigest, reason: comment } = await run.answer(id)
  if (decision !== 'approved') {
    return { approved: false, decision: decision === 'expired' ? 'expired' : 'denied', args, reason: comment }
  }
  const isApproved = (await callDigest(digest, tool, args)) === approvedDigest
  if (!isApproved) await run.report(outcome({ id, tool }, 'error', 0, { error: 'not what was approved' }))
  assert(isApproved, `the arguments of "${tool}" are those that were approved`)
  return { approved: true, decision, args, reason: comment }
}

export const validatedArguments = async <Args>(
  call: AgentToolCall,
  args: JsonObject,
  options: ToolOptions<Args>,
): Promise<Args> => {
  const checked = await checkedArguments(call, args, options)
  if ('problem' in checked) throw new ArgumentsMisfit(checked.problem)
  return checked.value
}

/** The arguments of a call do not fit its schema. */
class ArgumentsMisfit extends TypeError {}

/** Report items that come before the outcome of a call whose arguments do not fit. */
export const misfitItems = ({ id, tool }: AgentToolCall, error: unknown): ReportItem[] =>
  error instanceof ArgumentsMisfit
    ? [agentEventItem('tool_validation_error', { tool_call_id: id, tool_name: tool, error: error.message })]
    : []

/** The arguments as the schema of the call makes them, or a sentence why they do not fit. */
export const checkedArguments = async <Args>(
  { tool }: AgentToolCall,
  args: JsonObject,
  { input }: ToolOptions<Args>,
): Promise<{ readonly value: Args } | { readonly problem: string }> => {
  if (!input) return { value: args as Args }
  const checked = await validateWithSchema(input, args)
  return 'problem' in checked ? { problem: `The arguments of "${tool}" do not fit: ${checked.problem}` } : checked
}

export const perform = async <Args, Result>(
  run: AgentRun,
  { id, tool }: AgentToolCall,
  args: Args,
  execute: (args: Args, context: ToolContext) => Result | Promise<Result>,
  { timeoutMs }: ToolOptions<Args>,
): Promise<Result> => {
  // The run may have ended while its intent was being written.
  run.signal.throwIfAborted()
  const stepKey = `${keyText(run.job.key)}:${run.job.runId}:${id}`
  const timeout = new AbortController()
  const signal = timeoutMs === undefined ? run.signal : AbortSignal.any([run.signal, timeout.signal])
  const cancelTimer =
    timeoutMs === undefined
      ? () => {}
      : run.ports.clock.after(timeoutMs, () => timeout.abort(new ToolTimeout(tool, timeoutMs)))
  // Inside the promise: an error that `execute` throws before its first await becomes an outcome too.
  const work = new Promise<Result>((resolve) => resolve(execute(args, { signal, stepKey })))
  return run.orRunEnd(work, signal).finally(cancelTimer)
}

/** The session makes an artifact of a result that is too large for an event. */
export const success = (call: AgentToolCall, result: Json, elapsedMs: number): ReportItem[] => [
  agentEventItem('tool_result', { tool_call_id: call.id, tool_name: call.tool, result }),
  outcome(call, 'ok', elapsedMs, { result, ...outcomeFactsIn(result) }),
]

export const outcome = (
  { id, tool }: AgentToolCall,
  status: ToolStatus,
  elapsedMs: number,
  more: Partial<ToolOutcome> & { readonly result?: Json; readonly transient?: boolean },
): ReportItem =>
  agentEventItem('tool_outcome', {
    tool_call_id: id,
    tool_name: tool,
    outcome_type: OUTCOME_TYPES[status],
    status,
    elapsed_ms: elapsedMs,
    ...more,
  })

export const checkMs = (name: string, ms: number | undefined, max: number): void => {
  if (ms !== undefined && !(typeof ms === 'number' && ms >= 0 && ms <= max))
    throw new RangeError(`${name} is between 0 and ${max}.`)
}
