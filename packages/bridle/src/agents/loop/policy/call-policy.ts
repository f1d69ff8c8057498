// The decision of an agent's policy about one call. All rules that match are weighed: deny before ask before allow. Pure, so that the
// same call in the same session gets the same answer in every process.
import type { ReportItem } from '../../../kernel/commands.ts'
import { type JsonObject, present } from '../../../kernel/json.ts'
import type { PolicyRule } from '../../policy.ts'
import type { CallName } from '../calls/call-items.ts'
import { matchesGlob } from './glob.ts'

/** The rule that decides a call. `granted`: the rule asks once, and a person has approved it in this session. */
export interface RuleDecision {
  readonly outcome: 'allow' | 'ask' | 'deny' | 'granted'
  readonly rule: PolicyRule
  /** The name of the rule in the log. */
  readonly name: string
}

/** Null: no rule is about the call. */
export const ruleOn = (
  policy: readonly PolicyRule[],
  tool: string,
  args: JsonObject,
  isGranted: (rule: string) => boolean,
): RuleDecision | null => {
  const rulings = policy.flatMap((rule, index): RuleDecision[] => {
    if (!matches(rule, tool, args)) return []
    const name = ruleName(policy, index)
    return [{ rule, name, outcome: rule.do === 'ask' && rule.once && isGranted(name) ? 'granted' : rule.do }]
  })
  for (const outcome of WEIGHTS) {
    const ruling = rulings.find((each) => each.outcome === outcome)
    if (ruling) return ruling
  }
  return null
}

const WEIGHTS: readonly RuleDecision['outcome'][] = ['deny', 'ask', 'granted', 'allow']

/** The same in every process and after changes of other rules: the fields of the rule, and a number where several have the same. */
export const ruleName = (policy: readonly PolicyRule[], index: number): string => {
  const text = ruleText(policy[index] as PolicyRule)
  const earlier = policy.slice(0, index).filter((rule) => ruleText(rule) === text).length
  return earlier === 0 ? text : `${text} #${earlier + 1}`
}

const ruleText = ({ do: decision, tool, command, when }: PolicyRule): string =>
  [decision, tool, ...(command === undefined ? [] : [`command ${command}`]), ...(when ? ['when'] : [])].join(' ')

const matches = (rule: PolicyRule, tool: string, args: JsonObject): boolean => {
  if (!matchesGlob(rule.tool, tool)) return false
  if (rule.command !== undefined) return matchesCommand(rule.command, args.command)
  if (!rule.when) return true
  try {
    return Boolean(rule.when(structuredClone(args)))
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

/** The note of a decision in the log. */
export const rulingItem = ({ id, tool }: CallName, { outcome, rule, name }: RuleDecision): ReportItem => ({
  type: 'policy_decision',
  payload: {
    ...{ subject: tool, outcome, source: 'policy', rule: name, tool_call_id: id },
    ...present({ reason: rule.reason }),
  },
})
