// A call as the model wrote it, made ready for everybody who decides about it: its tool, and its arguments as the schema reads them.
// Arguments that only nearly fit are repaired here, ahead of middleware and policy: both must see the call that is made.
import type { JsonObject } from '@bridle/events/json'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { RAW_CHARS_MAX } from '../../model/limits.ts'
import type { StepCall } from '../../model/model.ts'
import type { Tool } from '../../tools/tool.ts'
import { argumentForms } from '../repair/argument-forms.ts'
import { repairJsonText } from '../repair/json-text.ts'
import { modelTools } from '../tools/offered-tools.ts'
import { type ArgumentCheck, checkArguments } from './arguments.ts'
import type { Deadline } from './deadline.ts'

/** Tools that are named to a model that calls an unknown one: a longer list is not read. */
const TOOLS_NAMED_MAX = 50

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

/**
 * The tool that the name means; null: unclear. A similar name is enough for a tool whose calls may be repeated. A tool that acts must be
 * called by its name, in any spelling.
 */
export const toolMeant = (name: string, tools: ReadonlyMap<string, Tool>): Tool | null => {
  const spelled = plain(name)
  const same = spelled === '' ? [] : [...tools.values()].filter((tool) => plain(tool.name) === spelled)
  if (same.length > 0) return same.length === 1 ? (same[0] ?? null) : null
  const near = tools.get(nearestName(name, [...tools.keys()]) ?? '')
  return near && near.effect !== 'unsafe' ? near : null
}

/** Only letters and digits count, and providers put a prefix such as `functions.` ahead of the name. */
const plain = (name: string): string =>
  name
    .slice(name.lastIndexOf('.') + 1)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')

const unknownTool = (name: string, tools: ReadonlyMap<string, Tool>): string => {
  if (tools.size === 0) return `There is no tool "${name}", and no other.`
  const names = [...tools.keys()]
  if (names.length <= TOOLS_NAMED_MAX) return `There is no tool "${name}". The tools are: ${names.join(', ')}.`
  const near = nearestName(name, names)
  return `There is no tool "${name}". ${near === null ? 'Search for one with find_tools.' : `Did you mean "${near}"?`}`
}
