// The policy of a run: the rules that its agent has now, with the grants of its session.
import type { JsonObject } from '../../../kernel/json.ts'
import { hasFact } from '../../../kernel/projections/governance.ts'
import type { Tool } from '../../tools/tool.ts'
import type { LoopRun } from '../loop-run.ts'
import { isLoopTool } from '../toolset/loop-tools.ts'
import { type RuleDecision, ruleOn } from './call-policy.ts'

export const ruleInRun = ({ definition, reporter }: LoopRun, tool: Tool, args: JsonObject): RuleDecision | null => {
  const { policy } = definition
  if (policy.length === 0 || isLoopTool(tool)) return null
  const { grants } = reporter.session.governance()
  return ruleOn(policy, tool.name, args, (rule) => hasFact(grants, rule))
}
