// The beginning of calls: what middleware and checks decide about the first wave is one write with its intents.

import type { JsonObject } from '@bridle/events/json'
import type { ReportItem } from '@bridle/kernel/commands'
import type { StepCall } from '../model/model.ts'
import type { Tool } from '../tools/tool.ts'
import { resourcesOf } from './calls/arguments.ts'
import { type AcceptedCall, type CallCheck, checkCalls } from './calls/call-checks.ts'
import { type CallDraft, draftCall } from './calls/call-draft.ts'
import type { PastCall } from './calls/call-history.ts'
import { type BeforeDecision, decideAfter, decideBefore } from './calls/call-hooks.ts'
import { type CallName, eventItem } from './calls/call-items.ts'
import { beginning, beginsAtOnce, type CallContext, refusal, schemaDeadline, validationItem } from './calls/calls.ts'
import type { Deadline } from './calls/deadline.ts'
import { planWaves, type WaveMember } from './calls/waves.ts'
import type { LoopRun } from './loop-run.ts'
import { ruleInRun, rulingItem } from './policy/call-policy.ts'
import { FIND_TOOLS, foundIn } from './selection/find-tools.ts'
import { isLoopTool } from './tools/loop-tools.ts'
import { foundItem, selectedItem } from './toolset/offer.ts'

/** A call that is made as soon as the log says so. */
export interface CallToMake {
  readonly call: CallName
  readonly tool: Tool
  readonly args: JsonObject
  /** When the call began, where that was in the past: a child session has done its work. */
  readonly startedAt?: number
}

/** Whether middleware looks at each call before it begins. The answer is then in the log first: a middleware may take long. */
export const asksBefore = ({ definition: { use } }: LoopRun): boolean => use.some(({ before }) => before !== undefined)

/** Begins the first wave of the new calls. Calls that are not made get their outcomes in the same write. */
export const beginCalls = async (
  run: LoopRun,
  history: readonly (PastCall & { readonly call: StepCall })[],
  unmade: readonly string[],
): Promise<{ readonly items: readonly ReportItem[]; readonly calls: readonly CallToMake[] }> => {
  const deadline = schemaDeadline(callContext(run))
  const calls = history.map(({ call }) => call).filter(({ id }) => unmade.includes(id))
  const drafts = await draftsOf(run, calls, deadline)
  // A middleware is asked right before the call, and about no call of a later wave: that one may still change.
  const candidates = asksBefore(run) ? likelyWave(calls, drafts) : calls
  const decisions = await decisionsAbout(run, asksBefore(run) ? candidates : [], drafts)
  const ids = new Set(candidates.map(({ id }) => id))
  const checks = await checkCalls(history, (id) => ids.has(id), run.toolset.tools, deadline, {
    ...{ drafts, decisions },
    ruleOn: (tool, args) => ruleInRun(run, tool, args),
  })
  const itemsOf = ({ call, tool, repaired, ruling }: CallCheck) => {
    const name = { id: call.id, tool: tool?.name ?? call.tool }
    return [
      ...(repaired === undefined ? [] : [validationItem(name, repaired, true)]),
      ...(decisions.get(call.id)?.items ?? []),
      ...(ruling ? [rulingItem(name, ruling)] : []),
      ...(tool ? selectedItem(run, name) : []),
    ]
  }
  const refusals = checks.flatMap((check) => ('refusal' in check ? [...itemsOf(check), ...refusal(check)] : []))
  const accepted = checks.filter((check): check is AcceptedCall => !('refusal' in check))
  const wave = planWaves(accepted)[0] ?? []
  const beginnings = await Promise.all(wave.map((each) => beginning(each, run.ports.digest)))
  const batch = eventItem('tool_batch', {
    tool_call_ids: wave.map(({ call }) => call.id),
    wave: waveNumber(run, calls),
    mode: wave.length > 1 ? 'parallel' : 'single',
  })
  return {
    items: [
      ...refusals,
      ...(wave.length > 0 ? [batch] : []),
      ...wave.flatMap((check, index) => [...itemsOf(check), ...(beginnings[index] ?? [])]),
    ],
    calls: wave
      .filter((_, index) => beginsAtOnce(beginnings[index] ?? []))
      .map(({ call: { id }, tool, args }) => ({ call: { id, tool: tool.name }, tool, args })),
  }
}

/** From 1, for the waves of one answer. An answer that is not in the log yet has none. */
const waveNumber = ({ transcript: { turn } }: LoopRun, [first]: readonly StepCall[]): number =>
  turn.last?.calls.some(({ call }) => call.id === first?.id) ? turn.waves + 1 : 1

type Drafts = ReadonlyMap<string, CallDraft>

const draftsOf = async (run: LoopRun, calls: readonly StepCall[], deadline: Deadline): Promise<Drafts> => {
  const tools = new Map(run.toolset.tools.map((tool) => [tool.name, tool]))
  return new Map(
    await Promise.all(
      calls.map(async (call): Promise<[string, CallDraft]> => [call.id, await draftCall(call, tools, deadline)]),
    ),
  )
}

/** The first wave, as far as the arguments of the model tell: a middleware may change them. */
const likelyWave = (calls: readonly StepCall[], drafts: Drafts): StepCall[] => {
  const members = calls.map((call) => ({ call, ...likelyMember(drafts.get(call.id)) }))
  return (planWaves(members)[0] ?? []).map(({ call }) => call)
}

const likelyMember = ({ tool, checked }: Partial<CallDraft> = {}): WaveMember => {
  if (!tool) return { effect: 'pure', resources: [] }
  return { effect: tool.effect, resources: checked && 'value' in checked ? resourcesOf(tool, checked.value) : null }
}

/** Calls without a tool, or with arguments that are no JSON object, are refused in any case. */
const decisionsAbout = async (
  run: LoopRun,
  calls: readonly StepCall[],
  drafts: Drafts,
): Promise<ReadonlyMap<string, BeforeDecision>> => {
  const decisions = await Promise.all(
    calls.map(async ({ id, problem }): Promise<[string, BeforeDecision][]> => {
      const { tool = null, args = {}, repaired = null } = drafts.get(id) ?? {}
      if (!tool || (problem !== undefined && repaired === null)) return []
      return [[id, await decideBefore(run, { id, tool: tool.name, args, effect: tool.effect })]]
    }),
  )
  return new Map(decisions.flat())
}

/** A run as its calls need it. */
export const callContext = (run: LoopRun): CallContext => {
  const { reporter, ports, controls, definition, job } = run
  const { key, runId, attempt } = job
  const { onFailure } = ports
  return {
    ...{
      key,
      reporter,
      clock: ports.clock,
      digest: ports.digest,
      signal: controls.signal,
      toolMs: definition.limits.toolMs,
    },
    ...(onFailure && { onThrown: (error, tool) => onFailure({ key, runId, attempt, error, tool }) }),
    consequences: (tool, result) =>
      tool.name === FIND_TOOLS && isLoopTool(tool) ? foundItem(run, foundIn(result)) : [],
    ...(definition.use.some(({ after }) => after !== undefined) && {
      after: (call, result) => decideAfter(run, call, result),
    }),
  }
}
