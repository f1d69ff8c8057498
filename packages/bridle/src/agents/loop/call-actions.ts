// The calls of the model's last answer: begun in waves, repeated or asked about after a crash, and made once a person has answered.
import type { ReportItem } from '../../kernel/commands.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { OUTCOME_TICKS } from '../limits.ts'
import type { StepCall } from '../model/model.ts'
import type { Tool } from '../tools/tool.ts'
import { applyAnswer, outcomeQuestion } from './calls/call-approvals.ts'
import { type AcceptedCall, checkCalls } from './calls/call-checks.ts'
import type { PastCall } from './calls/call-history.ts'
import { type CallName, eventItem, outcomeItem } from './calls/call-items.ts'
import { beginning, beginsAtOnce, type CallContext, makeCall, refusal, schemaDeadline } from './calls/calls.ts'
import { planWaves } from './calls/waves.ts'
import { withExcerpt } from './excerpt.ts'
import type { LoopRun } from './loop-run.ts'
import type { CallView } from './rendering.ts'

/** A call that is made as soon as the log says so. */
interface CallToMake {
  readonly call: CallName
  readonly tool: Tool
  readonly args: JsonObject
}

/** The reports with which calls begin, and the calls that are made once these are in the log. */
export interface CallStart {
  readonly items: readonly ReportItem[]
  readonly calls: readonly CallToMake[]
}

/** Begins the first wave of the new calls. Calls that are not made get their outcomes in the same write. */
export const beginCalls = async (
  run: LoopRun,
  history: readonly (PastCall & { readonly call: StepCall })[],
  unmade: readonly string[],
): Promise<CallStart> => {
  const deadline = schemaDeadline(callContext(run))
  const checks = await checkCalls(history, (id) => unmade.includes(id), run.toolset.tools, deadline)
  const refusals = checks.flatMap((check) => ('refusal' in check ? refusal(check) : []))
  const accepted = checks.filter((check): check is AcceptedCall => !('refusal' in check))
  const wave = planWaves(accepted)[0] ?? []
  const beginnings = await Promise.all(wave.map((each) => beginning(each, run.ports.digest)))
  const batch = eventItem('tool_batch', { tool_call_ids: wave.map(({ call }) => call.id), mode: 'parallel' })
  return {
    items: [...refusals, ...(wave.length > 1 ? [batch] : []), ...beginnings.flat()],
    calls: wave
      .filter((_, index) => beginsAtOnce(beginnings[index] ?? []))
      .map(({ call, tool }) => ({ call, tool, args: call.input })),
  }
}

/** Makes the calls at the same time. Each outcome enters the log as soon as it is known; those of one moment share a write. */
export const makeCalls = async (run: LoopRun, calls: readonly CallToMake[]): Promise<void> => {
  const context = callContext(run)
  let left = calls.length
  let outcomes: ReportItem[] = []
  let written: Promise<void> | null = null
  const write = async () => {
    for (let tick = 0; tick < OUTCOME_TICKS && left > 0; tick++) await null
    const items = outcomes
    outcomes = []
    written = null
    await run.report(items)
  }
  await Promise.all(
    calls.map(async ({ call, tool, args }) => {
      const items = await makeCall(call, tool, args, context)
      left -= 1
      outcomes.push(...withExcerpt(items))
      written ??= write()
      await written
    }),
  )
}

const callContext = ({ reporter, ports, controls, definition, job }: LoopRun): CallContext => ({
  ...{ key: job.key, reporter, clock: ports.clock, signal: controls.signal, toolMs: definition.limits.toolMs },
})

/** Makes calls again that were under way when their process ended, with the same step keys. */
export const repeatCalls = async (run: LoopRun, ids: readonly string[]): Promise<void> => {
  const calls: CallToMake[] = []
  const gone: ReportItem[] = []
  for (const view of viewsOf(run, ids)) {
    const tool = run.toolset.get(view.call.tool)
    if (tool) calls.push({ call: view.call, tool, args: argumentsOf(view) })
    else gone.push(toolGone(view))
  }
  if (gone.length > 0) await run.report(gone)
  if (calls.length > 0) await makeCalls(run, calls)
}

/** Asks a person about calls whose outcome nobody knows. */
export const askAboutCalls = async (run: LoopRun, ids: readonly string[]): Promise<void> => {
  const views = viewsOf(run, ids)
  await run.report(
    await Promise.all(views.map((view) => outcomeQuestion(view.call, argumentsOf(view), run.ports.digest))),
  )
}

/** Uses every answer that has come. Using an answer and the beginning, or the outcome, of its call are one write. */
export const applyAnswers = async (run: LoopRun): Promise<void> => {
  const items: ReportItem[] = []
  const calls: CallToMake[] = []
  for (const answer of run.course.answers) {
    const [view] = viewsOf(run, [answer.toolCallId])
    if (!view) {
      items.push({ type: 'approval_delivered', requestId: answer.requestId })
      continue
    }
    const tool = run.toolset.get(view.call.tool)
    const use = await applyAnswer(view.call, argumentsOf(view), answer, run.ports.digest)
    items.push(...use.items)
    if (use.args === null) continue
    if (tool) calls.push({ call: view.call, tool, args: use.args })
    else items.push(toolGone(view))
  }
  await run.report(items)
  if (calls.length > 0) await makeCalls(run, calls)
}

const viewsOf = ({ transcript }: LoopRun, ids: readonly string[]): CallView[] =>
  (transcript.turn.last?.calls ?? []).filter(({ call }) => ids.includes(call.id))

/** A person may have approved other arguments than the model's. */
const argumentsOf = ({ call, edited }: CallView): JsonObject => edited ?? call.input

const toolGone = ({ call }: CallView): ReportItem =>
  outcomeItem(call, 'error', {
    error: `The tool "${call.tool}" is no longer there. Nobody knows whether the call has happened.`,
    reason: 'tool_gone',
  })
