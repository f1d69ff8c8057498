// A call as the model wrote it, made ready for everybody who decides about it: its tool, and its arguments as the schema reads them.
// Arguments that only nearly fit are repaired here, ahead of middleware and policy: both must see the call that is made.
import type { JsonObject } from '../../../kernel/json.ts'
import { RAW_CHARS_MAX } from '../../model/limits.ts'
import type { StepCall } from '../../model/model.ts'
import type { Tool } from '../../tools/tool.ts'
import { argumentForms } from '../repair/argument-forms.ts'
import { repairJsonText } from '../repair/json-text.ts'
import { toolMeant, unknownTool } from '../repair/tool-names.ts'
import { modelTools } from '../toolset/offered-tools.ts'
import { type ArgumentCheck, checkArguments } from './arguments.ts'
import type { Deadline } from './deadline.ts'

export interface CallDraft {
  readonly tool: Tool | null
  readonly args: JsonObject
  readonly checked: ArgumentCheck
  /** The problem with the call as it came, where a repair was enough; null: there was none, or it is still there. */
  readonly repaired: string | null
}

export const draftCall = async (
  call: StepCall,
  tools: ReadonlyMap<string, Tool>,
  deadline: Deadline,
): Promise<CallDraft> => {
  const named = tools.get(call.tool)
  const tool = named ?? toolMeant(call.tool, tools)
  const problem = named ? null : unknownTool(call.tool, tools)
  const asWritten = (checked: ArgumentCheck): CallDraft => ({
    tool: named ?? null,
    args: call.input,
    checked,
    repaired: null,
  })
  if (!tool) return asWritten({ problem: problem ?? '' })
  const checked =
    call.problem === undefined ? await checkArguments(tool, call.input, deadline) : { problem: call.problem }
  if ('value' in checked) return { tool, args: call.input, checked, repaired: problem }
  for (const args of await repairs(tool, call)) {
    const again = await checkArguments(tool, args, deadline)
    if ('value' in again) return { tool, args, checked: again, repaired: problem ?? checked.problem }
  }
  // A name that only nearly fits, with arguments that do not, is a call of an unknown tool.
  return asWritten(problem === null ? checked : { problem })
}

const repairs = async (tool: Tool, { input, problem, raw }: StepCall): Promise<readonly JsonObject[]> => {
  const [{ inputSchema } = { inputSchema: {} }] = modelTools([tool])
  if (problem === undefined) return argumentForms(inputSchema as JsonObject, input)
  // The log has only the beginning of a long text, which may end one character early so as not to split a pair.
  const args = raw === undefined || raw.length >= RAW_CHARS_MAX - 1 ? null : repairJsonText(raw)
  return args === null ? [] : [args, ...argumentForms(inputSchema as JsonObject, args)]
}
