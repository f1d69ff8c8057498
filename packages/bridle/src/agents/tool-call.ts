// The life of one tool call: intent in the log, a person's word if wanted, the effect, its outcome in the log.

import { assert } from '../kernel/assert.ts'
import type { ReportItem } from '../kernel/commands.ts'
import { keyText } from '../kernel/event.ts'
import { callDigest } from '../kernel/host/approval-binding.ts'
import { type Json, type JsonObject, present } from '../kernel/json.ts'
import { PAYLOAD_CHARS_MAX, PREVIEW_CHARS } from '../kernel/limits.ts'
import { OUTCOME_TYPES, type ToolStatus } from '../kernel/schemas.ts'
import { truncate } from '../kernel/text/truncate.ts'
import { type AgentRun, agentEventItem } from './agent-run.ts'
import { ToolDenied, ToolTimeout } from './errors.ts'
import { toPlainJson, toPlainObject } from './input.ts'
import type { ApprovalOutcome, ApprovalQuestion, ToolContext, ToolOptions } from './session.ts'
import { validateWithSchema } from './standard-schema.ts'

export interface AgentToolCall {
  readonly id: string
  readonly tool: string
}

export const runTool = async <Args extends object, Result>(
  voice: AgentRun,
  call: AgentToolCall,
  given: Args,
  execute: (args: Args, context: ToolContext) => Result | Promise<Result>,
  options: ToolOptions<Args>,
): Promise<Result> => {
  const requested = toPlainObject(given, 'arguments of a tool')
  const { effect = 'unsafe', approve, timeoutMs } = options
  checkMs('timeoutMs', timeoutMs, TIMER_MS_MAX)
  const intent = agentEventItem('tool_call', { name: call.tool, arguments: requested, tool_call_id: call.id, effect })
  // Intent before effect: what is not in the log has not begun.
  const args = approve
    ? await approvedArguments(voice, call, intent, requested, approve === true ? {} : approve)
    : await voice.report(intent).then(() => requested)
  const began = voice.ports.clock.now()
  const elapsedMs = () => Math.max(0, voice.ports.clock.now() - began)
  try {
    const result = await perform(voice, call, await validatedArguments(call, args, options), execute, options)
    await voice.report(
      ...success(call, result === undefined ? null : toPlainJson(result, 'result of a tool'), elapsedMs()),
    )
    return result
  } catch (error) {
    if (voice.signal.aborted) throw error
    const status = error instanceof ToolTimeout ? 'timeout' : 'error'
    await voice.report(outcome(call, status, elapsedMs(), { error: shortErrorMessage(error) }))
    throw error
  }
}

/** A question that is a call of its own: its outcome is the answer. */
export const waitForApproval = async (
  voice: AgentRun,
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
  const verdict = await waitForDecision(voice, call, intent, requested, reason, expiresMs)
  const { decision, args: granted } = verdict
  if (verdict.approved) await voice.report(...success(call, { decision, arguments: granted }, 0))
  else await voice.report(outcome(call, 'denied', 0, { reason: verdict.reason ?? decision }))
  return verdict
}

const approvedArguments = async (
  voice: AgentRun,
  call: AgentToolCall,
  intent: ReportItem,
  requested: JsonObject,
  { reason = `The agent wants to run "${call.tool}".`, expiresMs }: { reason?: string; expiresMs?: number },
): Promise<JsonObject> => {
  const verdict = await waitForDecision(voice, call, intent, requested, reason, expiresMs)
  if (verdict.decision === 'approved') return verdict.args
  await voice.report(outcome(call, 'denied', 0, { reason: verdict.reason ?? verdict.decision }))
  throw new ToolDenied(call.tool, verdict.decision, verdict.decision === 'expired' ? null : verdict.reason)
}

const waitForDecision = async (
  voice: AgentRun,
  { id, tool }: AgentToolCall,
  intent: ReportItem,
  requested: JsonObject,
  reason: string,
  expiresMs: number | undefined,
): Promise<ApprovalOutcome> => {
  const { digest } = voice.ports
  if (typeof reason !== 'string') throw new TypeError('The reason of an approval is a text.')
  checkMs('expiresMs', expiresMs, EXPIRY_MS_MAX)
  await voice.report(intent, {
    type: 'ask',
    toolCallId: id,
    tool,
    arguments: requested,
    reason,
    digest: await callDigest(digest, tool, requested),
    ...present({ expiresMs }),
  })
  const { decision, arguments: args, approvedDigest, reason: because } = await voice.answer(id)
  if (decision !== 'approved') {
    return { approved: false, decision: decision === 'expired' ? 'expired' : 'denied', args, reason: because }
  }
  const isApproved = (await callDigest(digest, tool, args)) === approvedDigest
  if (!isApproved) await voice.report(outcome({ id, tool }, 'error', 0, { error: 'not what was approved' }))
  assert(isApproved, `the arguments of "${tool}" are those that were approved`)
  return { approved: true, decision, args, reason: because }
}

const validatedArguments = async <Args>(
  { tool }: AgentToolCall,
  args: JsonObject,
  { input }: ToolOptions<Args>,
): Promise<Args> => {
  if (!input) return args as Args
  const checked = await validateWithSchema(input, args)
  if ('problem' in checked) throw new TypeError(`The arguments of "${tool}" do not fit: ${checked.problem}`)
  return checked.value
}

const perform = async <Args, Result>(
  voice: AgentRun,
  { id, tool }: AgentToolCall,
  args: Args,
  execute: (args: Args, context: ToolContext) => Result | Promise<Result>,
  { timeoutMs }: ToolOptions<Args>,
): Promise<Result> => {
  // The run may have ended while its intent was being written.
  voice.signal.throwIfAborted()
  const stepKey = `${keyText(voice.job.key)}:${voice.job.runId}:${id}`
  const late = new AbortController()
  const signal = timeoutMs === undefined ? voice.signal : AbortSignal.any([voice.signal, late.signal])
  const forget =
    timeoutMs === undefined
      ? () => {}
      : voice.ports.clock.after(timeoutMs, () => late.abort(new ToolTimeout(tool, timeoutMs)))
  // In a promise of its own: what `execute` throws at once is an outcome too.
  const work = new Promise<Result>((resolve) => resolve(execute(args, { signal, stepKey })))
  return voice.orRunEnd(work, signal).finally(forget)
}

/** What is too large for one entry is published beside it; below that the session sees to it. */
const success = (call: AgentToolCall, result: Json, elapsedMs: number): ReportItem[] => {
  const shared = { tool_call_id: call.id, tool_name: call.tool }
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  if (JSON.stringify(result).length <= PAYLOAD_CHARS_MAX - 1_000) {
    return [agentEventItem('tool_result', { ...shared, result }), outcome(call, 'ok', elapsedMs, { result })]
  }
  const [ending, contentType] = typeof result === 'string' ? ['txt', 'text/plain'] : ['json', 'application/json']
  const name = `${call.tool}.${ending}`
  const reference = { artifact_name: name, size: text.length, preview: truncate(text, PREVIEW_CHARS) }
  return [
    { type: 'artifact', name, kind: 'tool_result', contentType, text },
    agentEventItem('tool_result', { ...shared, result: reference, artifact: true }),
    outcome(call, 'artifact', elapsedMs, { result: reference }),
  ]
}

const outcome = (
  { id, tool }: AgentToolCall,
  status: ToolStatus,
  elapsedMs: number,
  more: { result?: Json; error?: string; reason?: string },
): ReportItem =>
  agentEventItem('tool_outcome', {
    tool_call_id: id,
    tool_name: tool,
    outcome_type: OUTCOME_TYPES[status],
    status,
    elapsed_ms: elapsedMs,
    ...more,
  })

/** A date made of nonsense would stop the session, and timers beyond 2^31 ms fire at once. */
const checkMs = (name: string, ms: number | undefined, most: number): void => {
  if (ms !== undefined && !(ms >= 0 && ms <= most)) throw new RangeError(`${name} is between 0 and ${most}.`)
}
const TIMER_MS_MAX = 2 ** 31 - 1
const EXPIRY_MS_MAX = 10 * 366 * 86_400_000

/** For the log and for callers: no stack, and no novel. */
export const shortErrorMessage = (error: unknown): string => {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.length > MESSAGE_CHARS_MAX ? `${truncate(text, MESSAGE_CHARS_MAX)}…` : text
}

const MESSAGE_CHARS_MAX = 2_000
