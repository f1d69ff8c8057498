// The parts of a tool call: its arguments are checked, it runs with its time limit, and its result becomes a report.
import type { ReportItem } from '../../kernel/commands.ts'
import { keyText } from '../../kernel/event.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { OUTCOME_TYPES, type ToolStatus } from '../../kernel/schemas.ts'
import { agentEventItem } from '../agent-run.ts'
import { ToolTimeout } from '../errors.ts'
import { validateWithSchema } from '../schemas/standard-schema.ts'
import type { ToolContext, ToolOptions } from '../session.ts'
import type { DurableRun } from '../steps/durable-run.ts'

export interface AgentToolCall {
  readonly id: string
  readonly tool: string
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
  run: DurableRun,
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
  outcome(call, 'ok', elapsedMs, { result }),
]

export const outcome = (
  { id, tool }: AgentToolCall,
  status: ToolStatus,
  elapsedMs: number,
  more: { result?: Json; error?: string; reason?: string; transient?: boolean },
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
