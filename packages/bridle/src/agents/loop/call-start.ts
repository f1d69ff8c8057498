// The beginning of calls: middleware and checks decide about each new call of the first wave, and everything that they decide is
// one write with the intents.
import type { ReportItem } from '../../kernel/commands.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { StepCall } from '../model/model.ts'
import type { Tool } from '../tools/tool.ts'
import { callContext } from './call-context.ts'
import { type AcceptedCall, type CallCheck, checkArguments, checkCalls, resourcesOf } from './calls/call-checks.ts'
import type { PastCall } from './calls/call-history.ts'
import { type BeforeDecision, decideBefore } from './calls/call-hooks.ts'
import { type CallName, eventItem } from './calls/call-items.ts'
import { beginning, beginsAtOnce, refusal, schemaDeadline } from './calls/calls.ts'
import type { Deadline } from './calls/deadline.ts'
import { planWaves, type WaveMember } from './calls/waves.ts'
import { hookContext } from './hook-context.ts'
import type { LoopRun } from './loop-run.ts'
import { rulingItem } from './policy/call-policy.ts'
import { ruleInRun } from './policy/run-policy.ts'

/** A call that is made as soon as the log says so. */
export interface CallToMake {
  readonly call: CallName
  readonly tool: Tool
  readonly args: JsonObject
}

/** The reports with which calls begin, and the calls that are made once these are in the log. */
export interface CallStart {
  readonly items: readonly ReportItem[]
  readonly calls: readonly CallToMake[]
}

/** Whether middleware looks at each call before it begins. The answer is then in the log first: a middleware may take long. */
export const asksBefore = ({ definition: { use } }: LoopRun): boolean => use.some(({ before }) => before !== undefined)

/** Begins the first wave of the new calls. Calls that are not made get their outcomes in the same write. */
export const beginCalls = async (
  run: LoopRun,
  history: readonly (PastCall & { readonly call: StepCall })[],
  unmade: readonly string[],
): Promise<CallStart> => {
  const deadline = schemaDeadline(callContext(run))
  const isNew = ({ call: { id } }: PastCall & { readonly call: StepCall }) => unmade.includes(id)
  const calls = history.filter(isNew).map(({ call }) => call)
  // A middleware is asked right before the call, and about no call of a later wave: that one may still change.
  const candidates = asksBefore(run) ? await likelyWave(run, calls, deadline) : calls
  const decisions = await decisionsAbout(run, asksBefore(run) ? candidates : [])
  const ids = new Set(candidates.map(({ id }) => id))
  const checks = await checkCalls(history, (id) => ids.has(id), run.toolset.tools, deadline, {
    decisions,
    ruleOn: (tool, args) => ruleInRun(run, tool, args),
  })
  const itemsOf = ({ call, ruling }: CallCheck) => [
    ...(decisions.get(call.id)?.items ?? []),
    ...(ruling ? [rulingItem(call, ruling)] : []),
  ]
  const refusals = checks.flatMap((check) => ('refusal' in check ? [...itemsOf(check), ...refusal(check)] : []))
  const accepted = checks.filter((check): check is AcceptedCall => !('refusal' in check))
  const wave = planWaves(accepted)[0] ?? []
  const beginnings = await Promise.all(wave.map((each) => beginning(each, run.ports.digest)))
  const batch = eventItem('tool_batch', { tool_call_ids: wave.map(({ call }) => call.id), mode: 'parallel' })
  return {
    items: [
      ...refusals,
      ...(wave.length > 1 ? [batch] : []),
      ...wave.flatMap((check, index) => [...itemsOf(check), ...(beginnings[index] ?? [])]),
    ],
    calls: wave
      .filter((_, index) => beginsAtOnce(beginnings[index] ?? []))
      .map(({ call, tool, args }) => ({ call, tool, args })),
  }
}

/** The first wave, as far as the arguments of the model tell: a middleware may change them. */
const likelyWave = async (run: LoopRun, calls: readonly StepCall[], deadline: Deadline): Promise<StepCall[]> => {
  const members = await Promise.all(
    calls.map(async (call) => ({ call, ...(await likelyMember(run.toolset.get(call.tool), call, deadline)) })),
  )
  return (planWaves(members)[0] ?? []).map(({ call }) => call)
}

const likelyMember = async (tool: Tool | undefined, call: StepCall, deadline: Deadline): Promise<WaveMember> => {
  if (!tool) return { effect: 'pure', resources: [] }
  const { effect } = tool
  const checked = tool.resources === null ? null : await checkArguments(tool, call.input, deadline)
  return { effect, resources: checked && 'value' in checked ? resourcesOf(tool, checked.value) : null }
}

/** Calls without a tool, or with arguments that are no JSON object, are refused in any case. */
const decisionsAbout = async (
  run: LoopRun,
  calls: readonly StepCall[],
): Promise<ReadonlyMap<string, BeforeDecision>> => {
  const { definition, toolset } = run
  const context = hookContext(run)
  const decisions = await Promise.all(
    calls.map(async ({ id, tool: name, input: args, problem }): Promise<[string, BeforeDecision][]> => {
      const tool = problem === undefined ? toolset.get(name) : undefined
      if (!tool) return []
      return [[id, await decideBefore(definition.use, context, { id, tool: name, args, effect: tool.effect })]]
    }),
  )
  return new Map(decisions.flat())
}
