// The check of each call that a model asks for: whether it is made, with which input, or why it is not.
import type { JsonObject } from '@bridle/events/json'
import type { ToolEffect, ToolStatus } from '@bridle/events/schemas'
import type { StepCall } from '../../model/model.ts'
import type { Tool } from '../../tools/tool.ts'
import type { RuleDecision } from '../policy/call-policy.ts'
import { checkArguments, resourcesOf } from './arguments.ts'
import { type CallDraft, draftCall } from './call-draft.ts'
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
import type { Deadline } from './deadline.ts'

export type CallCheck = AcceptedCall | RefusedCall

export interface AcceptedCall {
  readonly call: StepCall
  readonly tool: Tool
  /** The arguments of the call: the model's, unless they were repaired, or a middleware has changed them. */
  readonly args: JsonObject
  /** The arguments as the schema returns them. */
  readonly input: unknown
  readonly effect: ToolEffect
  readonly resources: readonly string[] | null
  /** The rule that is about the call; null: none. */
  readonly ruling: RuleDecision | null
  /** The problem with the call as the model wrote it, which a repair has solved. */
  readonly repaired?: string
}

export interface RefusedCall {
  readonly call: StepCall
  readonly args: JsonObject
  /** Null: there is no such tool. */
  readonly tool: Tool | null
  readonly refusal: CallRefusal
  readonly repaired?: string
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
  readonly drafts?: ReadonlyMap<string, CallDraft>
  readonly decisions?: ReadonlyMap<string, BeforeDecision>
  readonly ruleOn?: (tool: Tool, args: JsonObject) => RuleDecision | null
}

/** Checks each new call, in order. `calls` are all calls of the turn: the earlier ones decide what is a repetition. */
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
    const draft = governance.drafts?.get(past.call.id) ?? (await draftCall(past.call, byName, deadline))
    const check = await checkCall(past.call, draft, before, deadline, governance)
    checks.push(check)
    before.push({ call: past.call, outcome: 'refusal' in check ? check.refusal : null })
  }
  return checks
}

const checkCall = async (
  call: StepCall,
  draft: CallDraft,
  before: readonly PastCall[],
  deadline: Deadline,
  { decisions, ruleOn }: CallGovernance,
): Promise<CallCheck> => {
  const decision = decisions?.get(call.id)
  const args = decision?.args ?? draft.args
  const { tool, repaired } = draft
  const known = { call, args, ...(repaired !== null && { repaired }) }
  const refuse = (status: CallRefusal['status'], reason: string, error: string): RefusedCall => ({
    ...known,
    tool,
    refusal: { status, reason, error },
  })
  if (!tool) return refuse('error', UNKNOWN_TOOL, 'problem' in draft.checked ? draft.checked.problem : '')
  if (isResting(before, call.tool)) return refuse('denied', TOOL_RESTS, restingTool(call.tool))
  if (decision?.refusal)
    return isRepeated(before, call)
      ? refuse('denied', REPEATED, REPEATED_CALL)
      : { ...known, tool, refusal: decision.refusal }
  const checked = args === draft.args ? draft.checked : await checkArguments(tool, args, deadline)
  if ('problem' in checked)
    return isLastInvalid(before, call.tool)
      ? refuse('denied', TOOL_RESTS, `${checked.problem} ${restingTool(call.tool)}`)
      : refuse('error', ARGUMENTS_INVALID, checked.problem)
  if (isRepeated(before, call)) return refuse('denied', REPEATED, REPEATED_CALL)
  const ruling = ruleOn?.(tool, args) ?? null
  if (ruling?.outcome === 'deny')
    return { ...refuse('denied', POLICY_DENIED, ruling.rule.reason ?? deniedTool(tool.name)), ruling }
  return {
    ...{ ...known, tool, ruling, input: checked.value },
    ...{ effect: tool.effect, resources: resourcesOf(tool, checked.value) },
  }
}

export const deniedTool = (name: string): string => `A rule of the agent denies this call of "${name}".`

const restingTool = (name: string): string =>
  `"${name}" was called with arguments that do not fit too often, and cannot be called again in this turn.`

const REPEATED_CALL =
  'The same call with the same arguments was made twice just before. Use its result, or do something else.'
