// The check of each call that a model asks for: whether it is made, with which input, or why it is not.
import type { JsonObject } from '../../../kernel/json.ts'
import type { ToolEffect, ToolStatus } from '../../../kernel/schemas.ts'
import { truncate } from '../../../kernel/text/truncate.ts'
import { ERROR_CHARS_MAX } from '../../limits.ts'
import type { StepCall } from '../../model/model.ts'
import { validateWithSchema } from '../../schemas/standard-schema.ts'
import type { Tool } from '../../tools/tool.ts'
import type { RuleDecision } from '../policy/call-policy.ts'
import {
  ARGUMENTS_INVALID,
  isLastInvalid,
  isRepeated,
  isResting,
  type PastCall,
  POLICY_DENIED,
  REPEATED,
  TOOL_RESTS,
  UNKNOWN_TOOL,
} from './call-history.ts'
import type { BeforeDecision } from './call-hooks.ts'
import { type Deadline, withDeadline } from './deadline.ts'

export type CallCheck = AcceptedCall | RefusedCall

/** A call that is made. */
export interface AcceptedCall {
  readonly call: StepCall
  readonly tool: Tool
  /** The arguments of the call: the model's, unless a middleware has changed them. */
  readonly args: JsonObject
  /** The arguments as the schema returns them. */
  readonly input: unknown
  readonly effect: ToolEffect
  readonly resources: readonly string[] | null
  /** The rule that is about the call; null: none. */
  readonly ruling: RuleDecision | null
}

/** A call that is not made. */
export interface RefusedCall {
  readonly call: StepCall
  readonly args: JsonObject
  readonly refusal: CallRefusal
  /** The rule that denies the call; absent: another reason. */
  readonly ruling?: RuleDecision
}

/** Why a call is not made: a sentence for the model, and a code. */
export interface CallRefusal {
  readonly status: Extract<ToolStatus, 'error' | 'denied'>
  readonly reason: string
  readonly error: string
}

/** The word of others about calls: of middleware, and of the agent's policy. Absent: there is none. */
export interface CallGovernance {
  /** The decisions of the middleware, by the id of the call. */
  readonly decisions?: ReadonlyMap<string, BeforeDecision>
  readonly ruleOn?: (tool: Tool, args: JsonObject) => RuleDecision | null
}

/**
 * Checks each new call, in order. `calls` are all calls of the turn: a call that has begun or ended says something about
 * those after it.
 */
export const checkCalls = async (
  calls: readonly (PastCall & { readonly call: StepCall })[],
  isNew: (callId: string) => boolean,
  tools: readonly Tool[],
  deadline: Deadline,
  governance: CallGovernance = {},
): Promise<CallCheck[]> => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const before: PastCall[] = []
  const checks: CallCheck[] = []
  for (const past of calls) {
    if (!isNew(past.call.id)) {
      before.push(past)
      continue
    }
    const check = await checkCall(past.call, byName, before, deadline, governance)
    checks.push(check)
    before.push({ call: past.call, outcome: 'refusal' in check ? check.refusal : null })
  }
  return checks
}

const checkCall = async (
  call: StepCall,
  tools: ReadonlyMap<string, Tool>,
  before: readonly PastCall[],
  deadline: Deadline,
  { decisions, ruleOn }: CallGovernance,
): Promise<CallCheck> => {
  const decision = decisions?.get(call.id)
  const args = decision?.args ?? call.input
  const refuse = (status: CallRefusal['status'], reason: string, error: string): RefusedCall => ({
    ...{ call, args },
    refusal: { status, reason, error },
  })
  const tool = tools.get(call.tool)
  if (!tool) return refuse('error', UNKNOWN_TOOL, unknownTool(call.tool, tools))
  if (isResting(before, call.tool)) return refuse('denied', TOOL_RESTS, restingTool(call.tool))
  if (decision?.refusal)
    return isRepeated(before, call)
      ? refuse('denied', REPEATED, REPEATED_CALL)
      : { call, args, refusal: decision.refusal }
  const checked = call.problem === undefined ? await checkArguments(tool, args, deadline) : { problem: call.problem }
  if ('problem' in checked)
    return isLastInvalid(before, call.tool)
      ? refuse('denied', TOOL_RESTS, `${checked.problem} ${restingTool(call.tool)}`)
      : refuse('error', ARGUMENTS_INVALID, checked.problem)
  if (isRepeated(before, call)) return refuse('denied', REPEATED, REPEATED_CALL)
  const ruling = ruleOn?.(tool, args) ?? null
  if (ruling?.outcome === 'deny')
    return { ...refuse('denied', POLICY_DENIED, ruling.rule.reason ?? deniedTool(call.tool)), ruling }
  return {
    ...{ call, tool, args, ruling, input: checked.value },
    ...{ effect: tool.effect, resources: resourcesOf(tool, checked.value) },
  }
}

/** The input of the tool's function, or a sentence for the model that says what does not fit. */
export const checkArguments = async (
  { name, input }: Tool,
  args: JsonObject,
  deadline: Deadline,
): Promise<{ readonly value: unknown } | { readonly problem: string }> => {
  const checked = input
    ? await validateWithSchema(input, args, (checking) => withDeadline(() => checking, deadline))
    : { value: args }
  return 'problem' in checked
    ? { problem: truncate(`The arguments of "${name}" do not fit: ${checked.problem}`, ERROR_CHARS_MAX) }
    : checked
}

/** A function that fails says nothing about the things that the call touches. */
export const resourcesOf = ({ resources }: Tool, input: unknown): readonly string[] | null => {
  try {
    const names: unknown = resources?.(input)
    return Array.isArray(names) && names.every((name) => typeof name === 'string') ? names : null
  } catch {
    return null
  }
}

const unknownTool = (name: string, tools: ReadonlyMap<string, Tool>): string =>
  tools.size === 0
    ? `There is no tool "${name}", and no other.`
    : `There is no tool "${name}". The tools are: ${[...tools.keys()].join(', ')}.`

export const deniedTool = (name: string): string => `A rule of the agent denies this call of "${name}".`

const restingTool = (name: string): string =>
  `"${name}" was called with arguments that do not fit too often, and cannot be called again in this turn.`

const REPEATED_CALL =
  'The same call with the same arguments was made twice just before. Use its result, or do something else.'
