// The calls of the model's last answer: made, repeated or asked about after a crash, and made once a person has answered.
import type { ReportItem } from '@bridle/kernel/commands'
import { childAgentOf } from '../subagents/child-agents.ts'
import { callInSpan } from '../trace/spans.ts'
import { type CallToMake, callContext } from './call-start.ts'
import { applyAnswer, outcomeQuestion } from './calls/call-approvals.ts'
import { deniedTool } from './calls/call-checks.ts'
import { POLICY_DENIED } from './calls/call-history.ts'
import { outcomeItem, toolGoneMessage } from './calls/call-items.ts'
import { askingCallOf } from './calls/call-questions.ts'
import { makeCall } from './calls/calls.ts'
import type { LoopRun } from './loop-run.ts'
import { type RuleDecision, ruleInRun, rulingItem } from './policy/call-policy.ts'
import { withExcerpt } from './transcript/excerpt.ts'
import { argumentsOf, type CallView, callNameOf, toolNameOf } from './transcript/rendering.ts'

/** Turns of the microtask queue in which outcomes that are known at the same moment come together in one write. */
const OUTCOME_TICKS = 20

/** Makes calls. Those that child sessions do have only begun with it. */
export const makeCalls = (run: LoopRun, calls: readonly CallToMake[]): Promise<void> =>
  performCalls(
    run,
    calls.filter(({ tool }) => !childAgentOf(run.definition, tool.name)),
  )

/** Makes the calls at the same time. Each outcome enters the log as soon as it is known; those of one moment share a write. */
export const performCalls = async (run: LoopRun, calls: readonly CallToMake[]): Promise<void> => {
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
    calls.map(async ({ call, tool, args, startedAt }) => {
      const items = await callInSpan(run, call, () => makeCall(call, tool, args, context, startedAt))
      left -= 1
      outcomes.push(...withExcerpt(items))
      written ??= write()
      await written
    }),
  )
}

/** Makes calls again that were under way when their process ended, with the same step keys. */
export const repeatCalls = async (run: LoopRun, ids: readonly string[]): Promise<void> => {
  const calls: CallToMake[] = []
  const gone: ReportItem[] = []
  for (const view of viewsOf(run, ids)) {
    const tool = run.toolset.get(toolNameOf(view))
    if (tool) calls.push({ call: callNameOf(view), tool, args: argumentsOf(view) })
    else gone.push(toolGone(view))
  }
  if (gone.length > 0) await run.report(gone)
  if (calls.length > 0) await makeCalls(run, calls)
}

/** Asks a person about calls whose outcome nobody knows. */
export const askAboutCalls = async (run: LoopRun, ids: readonly string[]): Promise<void> => {
  const views = viewsOf(run, ids)
  await run.report(
    await Promise.all(views.map((view) => outcomeQuestion(callNameOf(view), argumentsOf(view), run.ports.digest))),
  )
}

/** Uses every answer that has come. Using an answer and the beginning, or the outcome, of its call are one write. */
export const applyAnswers = async (run: LoopRun): Promise<void> => {
  const items: ReportItem[] = []
  const calls: CallToMake[] = []
  for (const answer of run.course.answers) {
    const [view] = viewsOf(run, [answer.toolCallId])
    if (!view) {
      // The call that asked uses the answer itself, when it is repeated.
      if (askingCallOf(answer.toolCallId) !== null) continue
      items.push({ type: 'approval_delivered', requestId: answer.requestId })
      continue
    }
    const tool = run.toolset.get(toolNameOf(view))
    const use = await applyAnswer(callNameOf(view), argumentsOf(view), answer, run.ports.digest)
    items.push(...use.items)
    if (use.args === null) continue
    const ruling = tool ? ruleInRun(run, tool, use.args) : null
    // A person may have changed the arguments to something that a rule denies, and a rule may be newer than a call that was cut off; no
    // approval is above a denial.
    if (ruling?.outcome === 'deny')
      items.push(rulingItem(callNameOf(view), ruling), deniedOutcome(view, ruling, answer.kind === 'unknown_outcome'))
    // The answer is the result: its use and the outcome are one write, so that no crash comes between them.
    else if (tool?.isQuestion && answer.kind === 'question')
      items.push(...(await makeCall(callNameOf(view), tool, use.args, callContext(run))))
    else if (tool) calls.push({ call: callNameOf(view), tool, args: use.args })
    else items.push(toolGone(view))
  }
  await run.report(items)
  if (calls.length > 0) await makeCalls(run, calls)
}

/** Ends the questions of calls that are over: they were repeated after a crash and asked something else, or not repeated at all. */
export const endedQuestions = ({ course, transcript }: LoopRun): readonly ReportItem[] => {
  const underWay = (transcript.turn.last?.calls ?? []).filter(({ outcome }) => outcome === null)
  const isOver = ({ toolCallId }: { readonly toolCallId: string }) => {
    const asking = askingCallOf(toolCallId)
    return asking !== null && !underWay.some(({ call }) => call.id === asking)
  }
  return [
    ...course.open.filter(isOver).map(({ id }): ReportItem => ({ type: 'withdraw', requestId: id })),
    ...course.answers.filter(isOver).map(({ requestId }): ReportItem => ({ type: 'approval_delivered', requestId })),
  ]
}

export const viewsOf = ({ transcript }: LoopRun, ids: readonly string[]): CallView[] =>
  (transcript.turn.last?.calls ?? []).filter(({ call }) => ids.includes(call.id))

const deniedOutcome = (view: CallView, { rule }: RuleDecision, wasCutOff: boolean): ReportItem => {
  const why = rule.reason ?? deniedTool(toolNameOf(view))
  return wasCutOff
    ? outcomeItem(callNameOf(view), 'error', { error: `${CUT_OFF} ${why}`, reason: 'outcome_unknown' })
    : outcomeItem(callNameOf(view), 'denied', { elapsed_ms: 0, error: why, reason: POLICY_DENIED })
}

const CUT_OFF = 'The server stopped while the call ran. Nobody knows whether it has happened, and it is not run again.'

const toolGone = (view: CallView): ReportItem =>
  outcomeItem(callNameOf(view), 'error', {
    error: toolGoneMessage(toolNameOf(view)),
    reason: 'tool_gone',
  })
