// The decision of a policy about one call: deny before ask before allow. Pure, so that every process decides alike.

import { hashText, type JsonObject, present } from '@bridle/events/json'
import type { ReportItem } from '@bridle/kernel/commands'
import { hasFact } from '@bridle/kernel/projections/governance'
import type { PolicyRule } from '../../policy.ts'
import { syncAnswer } from '../../tools/sync-answer.ts'
import type { Tool } from '../../tools/tool.ts'
import type { CallName } from '../calls/call-items.ts'
import type { LoopRun } from '../loop-run.ts'
import { isLoopTool } from '../tools/loop-tools.ts'
import { matchesGlob } from './glob.ts'

/** The rule that decides a call. `granted`: the rule asks once, and a person has approved it in this session. */
export interface RuleDecision {
  readonly outcome: 'allow' | 'ask' | 'deny' | 'granted'
  readonly rule: PolicyRule
  /** The name of the rule in the log. */
  readonly name: string
}

/** The decision of the rules that the agent has now, with the grants of the session; null: no rule is about the call. */
export const ruleInRun = ({ definition, reporter }: LoopRun, tool: Tool, args: JsonObject): RuleDecision | null => {
  const { policy } = definition
  if (policy.length === 0 || isLoopTool(tool)) return null
  const { grants } = reporter.session.governance()
  return ruleOn(policy, tool.name, args, (rule) => hasFact(grants, rule))
}

export const ruleOn = (
  policy: readonly PolicyRule[],
  tool: string,
  args: JsonObject,
  isGranted: (rule: string) => boolean,
): RuleDecision | null => {
  const names = ruleNames(policy)
  const rulings = policy.flatMap((rule, index): RuleDecision[] => {
    if (!matches(rule, tool, args)) return []
    const name = names[index] ?? ''
    return [{ rule, name, outcome: rule.do === 'ask' && rule.once && isGranted(name) ? 'granted' : rule.do }]
  })
  for (const outcome of WEIGHTS) {
    const ruling = rulings.find((each) => each.outcome === outcome)
    if (ruling) return ruling
  }
  return null
}

const WEIGHTS: readonly RuleDecision['outcome'][] = ['deny', 'ask', 'granted', 'allow']

/** The same in every process and after changes of other rules: the fields of each rule, and a number where several have the same. */
export const ruleNames = (policy: readonly PolicyRule[]): readonly string[] => {
  const known = namesOfPolicies.get(policy)
  if (known) return known
  const counts = new Map<string, number>()
  const names = policy.map((rule) => {
    const text = ruleText(rule)
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    return count === 1 ? text : `${text} #${count}`
  })
  namesOfPolicies.set(policy, names)
  return names
}

/** A policy does not change, and each call of a model is weighed by it. */
const namesOfPolicies = new WeakMap<readonly PolicyRule[], readonly string[]>()

const ruleText = ({ do: decision, tool, command, when, once }: PolicyRule): string => {
  // A grant must not pass to another function: the text of the function is part of the name.
  const condition = when ? [once ? `when ${hashText(String(when))}` : 'when'] : []
  return [decision, tool, ...(command === undefined ? [] : [`command ${command}`]), ...condition].join(' ')
}

const matches = (rule: PolicyRule, tool: string, args: JsonObject): boolean => {
  if (!matchesGlob(rule.tool, tool)) return false
  if (rule.command !== undefined) return matchesCommand(rule.command, args.command)
  if (!rule.when) return true
  try {
    return Boolean(syncAnswer('when', rule.when(structuredClone(args))))
  } catch {
    // A rule that cannot tell lets no call pass that it was made to stop.
    return true
  }
}

/** Some tools take the words of a command as a list. */
const matchesCommand = (glob: string, command: unknown): boolean => {
  const text = Array.isArray(command) ? command.join(' ') : command
  return typeof text === 'string' && matchesGlob(glob, text.trim())
}

export const rulingItem = ({ id, tool }: CallName, { outcome, rule, name }: RuleDecision): ReportItem => ({
  type: 'policy_decision',
  payload: {
    ...{ subject: tool, outcome, source: 'policy', rule: name, tool_call_id: id },
    ...present({ reason: rule.reason }),
  },
})
