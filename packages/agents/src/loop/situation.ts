// Where a run stands, for `next`: from its transcript and from the course in its job.

import type { ToolEffect } from '@bridle/events/schemas'
import type { RunCourse } from '@bridle/kernel/ports/runner'
import type { AgentDefinition } from '../agent.ts'
import { childAgentOf } from '../subagents/child-agents.ts'
import { ANSWER_TOOL, type Tool } from '../tools/tool.ts'
import { isLooping } from './calls/call-history.ts'
import type { CallSituation, Situation } from './next.ts'
import { type CallView, toolNameOf } from './transcript/rendering.ts'
import type { TurnRecord } from './transcript/turn-record.ts'

export const situationOf = (
  definition: AgentDefinition,
  tools: readonly Tool[],
  turn: TurnRecord,
  course: RunCourse,
  now: number,
  room: Situation['room'] = 'enough',
): Situation => ({
  now,
  limits: definition.limits,
  steps: turn.steps,
  callCount: turn.callCount,
  isLooping: isLooping(turn.history),
  workMs: turn.workMs(now),
  calls: turn.last?.calls.map((view) => callSituation(definition, tools, view, course)) ?? null,
  hasNews: turn.hasNews || course.steers.length > 0,
  retryAt: turn.retryAt,
  room,
  output: definition.output === null ? 'none' : acceptedOutput(turn) ? 'given' : 'missing',
  reminders: turn.reminders + rejectedOutputs(turn),
  isStartDue: !turn.isStarted && definition.use.some(({ start }) => start !== undefined),
  isReviewed: definition.use.some(({ answer }) => answer !== undefined),
})

/** The call with which the model gave an output that fits, and that no middleware sent back. */
export const acceptedOutput = ({ last, isSentBack }: TurnRecord): CallView | undefined =>
  isSentBack ? undefined : last?.calls.find((view) => toolNameOf(view) === ANSWER_TOOL && view.outcome?.status === 'ok')

/** An output that does not fit is told to the model as the outcome of its call. */
const rejectedOutputs = ({ history }: TurnRecord): number =>
  history.filter(({ call, outcome }) => call.tool === ANSWER_TOOL && outcome !== null && outcome.status !== 'ok').length

const callSituation = (
  definition: AgentDefinition,
  tools: readonly Tool[],
  view: CallView,
  course: RunCourse,
): CallSituation => ({
  id: view.call.id,
  stage: stageOf(view, course),
  effect: effectOf(tools, view, course),
  ...(childAgentOf(definition, toolNameOf(view)) && { isDelegated: true }),
})

const stageOf = ({ call: { id }, outcome }: CallView, { calls, open, answers }: RunCourse): CallSituation['stage'] => {
  if (outcome) return 'settled'
  if (answers.some(({ toolCallId }) => toolCallId === id)) return 'answered'
  if (open.some(({ toolCallId }) => toolCallId === id)) return 'asked'
  return Object.hasOwn(calls, id) ? 'begun' : 'new'
}

/** A call is repeated unasked only if its tool could be when it began, and still can. A tool that is gone repeats nothing. */
const effectOf = (tools: readonly Tool[], view: CallView, { calls }: RunCourse): ToolEffect => {
  const { call } = view
  const logged = Object.hasOwn(calls, call.id) ? calls[call.id]?.effect : undefined
  const tool = tools.find(({ name }) => name === toolNameOf(view))
  if (!tool) return logged === undefined ? 'unsafe' : 'pure'
  return logged === 'unsafe' || tool.effect === 'unsafe' ? 'unsafe' : (logged ?? tool.effect)
}
