// A tool call of a function. A settled call returns what the log says. An open one resumes: it waits for its approval, is made again
// if that is harmless, or a person is asked. With `durable: false` every call is new.

import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import type { Payloads } from '@bridle/events/schemas'
import type { ReportItem } from '@bridle/kernel/commands'
import { keyText } from '@bridle/kernel/event'
import type { CallName } from '../loop/calls/call-items.ts'
import { toPlainJson, toPlainObject } from '../schemas/input.ts'
import { validateWithSchema } from '../schemas/standard-schema.ts'
import { shortErrorMessage } from '../session/error-message.ts'
import { ToolTimeout } from '../session/errors.ts'
import { TIMER_MS_MAX, TOOL_RESULT_CHARS_MAX } from '../session/limits.ts'
import { orAbort } from '../session/or-abort.ts'
import { agentEventItem } from '../session/session-items.ts'
import { checkMs } from '../session/session-parts.ts'
import type { ToolContext, ToolOptions } from '../session.ts'
import type { CallLookup } from '../steps/call-lookup.ts'
import { errorDetails, loggedError, OutcomeUnknown } from '../steps/errors.ts'
import type { CallRecord } from '../steps/memo.ts'
import { type CallRequest, clearance, denial, type EditCheck, question } from './call-approval.ts'
import { intent, outcome, success } from './call-reports.ts'
import { keepCallSchema } from './call-schemas.ts'
import type { FunctionRun } from './function-run.ts'

/** The calls of a run: those in the log, and those that begin now. */
export interface RunCalls {
  readonly lookup: CallLookup
  /** Called for each new call, before anything else of it is awaited. */
  readonly joinBatch: (callId: string) => void
}

/** Makes the call, or returns what came of it when it was made before. */
export const runTool = async <Args extends object, Result>(
  run: FunctionRun,
  { lookup, joinBatch }: RunCalls,
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
  if (isNew) joinBatch(call.id)
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

/** A person is asked again about edited arguments only. Invalid arguments of the function are an error for its author. */
const editProblem = async <Args>(
  call: CallRecord,
  args: JsonObject,
  options: ToolOptions<Args>,
): Promise<string | null> => {
  if (canonicalJson(args) === canonicalJson(call.arguments)) return null
  const checked = await checkedArguments(call, args, options)
  return 'problem' in checked ? checked.problem : null
}

const validatedArguments = async <Args>(
  call: CallName,
  args: JsonObject,
  options: ToolOptions<Args>,
): Promise<Args> => {
  const checked = await checkedArguments(call, args, options)
  if ('problem' in checked) throw new ArgumentsMisfit(checked.problem)
  return checked.value
}

class ArgumentsMisfit extends TypeError {}

/** Report items that come before the outcome of a call whose arguments do not fit. */
const misfitItems = ({ id, tool }: CallName, error: unknown): ReportItem[] =>
  error instanceof ArgumentsMisfit
    ? [agentEventItem('tool_validation_error', { tool_call_id: id, tool_name: tool, error: error.message })]
    : []

/** The arguments as the schema of the call makes them, or a sentence why they do not fit. */
const checkedArguments = async <Args>(
  { tool }: CallName,
  args: JsonObject,
  { input }: ToolOptions<Args>,
): Promise<{ readonly value: Args } | { readonly problem: string }> => {
  if (!input) return { value: args as Args }
  const checked = await validateWithSchema(input, args)
  return 'problem' in checked ? { problem: `The arguments of "${tool}" do not fit: ${checked.problem}` } : checked
}

const perform = async <Args, Result>(
  run: FunctionRun,
  { id, tool }: CallName,
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
  return orAbort(work, signal).finally(cancelTimer)
}

const settledResult = async (
  run: FunctionRun,
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

/** A large result is stored as an artifact, as JSON or text. */
const artifactResult = async (run: FunctionRun, call: CallRecord, reference: Json): Promise<Json> => {
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
