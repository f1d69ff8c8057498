// The loop of a model agent. It holds nothing that the log does not: it asks `next` what to do, does it, reports what came of it, and
// asks again. So starting a run and taking one up are the same function, whoever calls it.

import type { ToolEffect } from '@bridle/events/schemas'
import { assert } from '@bridle/kernel/assert'
import type { ReportItem } from '@bridle/kernel/commands'
import type { RunCourse, RunEnd } from '@bridle/kernel/ports/runner'
import { ReporterClosedError, type RunReporter } from '@bridle/kernel/session/run-reporter'
import type { AgentDefinition } from '../agent.ts'
import { answerText, type StepCall } from '../model/model.ts'
import type { AgentRunPorts } from '../run-ports.ts'
import { parseRunInput } from '../schemas/input.ts'
import { shortErrorMessage } from '../session/error-message.ts'
import { messagesBefore } from '../session/session-parts.ts'
import { childAgentOf } from '../subagents/child-agents.ts'
import { ANSWER_TOOL, type Tool } from '../tools/tool.ts'
import { startAgentSpan } from '../trace/spans.ts'
import { askModel, stepProgress } from './asking/asking.ts'
import { makeRoom } from './asking/compaction.ts'
import { applyAnswers, askAboutCalls, endedQuestions, makeCalls, repeatCalls } from './call-actions.ts'
import { asksBefore, beginCalls } from './call-start.ts'
import { isLooping } from './calls/call-history.ts'
import { eventItem } from './calls/call-items.ts'
import { roomOf } from './context/budget.ts'
import { delegateCalls } from './delegated-calls.ts'
import { reviewAnswer } from './hooks/answer-review.ts'
import { startTurn } from './hooks/turn-start.ts'
import { type LoopControls, LoopRun } from './loop-run.ts'
import { type CallSituation, type NextAction, next, type Situation, type StopReason } from './next.ts'
import { openSkills } from './skills/read-skill.ts'
import { answerOf } from './toolset/answer.ts'
import { openToolset, ToolSourceError } from './toolset/toolset.ts'
import { argumentsOf, type CallView, toolNameOf } from './transcript/rendering.ts'
import { OUTPUT_REMINDER, type TurnRecord } from './transcript/turn-record.ts'

/** The longest pause before a model is asked again that is spent in memory. A longer one is a wait, which costs nothing. */
const PAUSE_MS_MAX = 10_000

/** Drives a run that has been reported as started or resumed, from wherever it stands. */
export const runLoop = async (
  definition: AgentDefinition,
  reporter: RunReporter,
  ports: AgentRunPorts,
  controls: LoopControls,
): Promise<RunEnd> => {
  const run = new LoopRun(definition, reporter, ports, controls)
  run.span = startAgentSpan(run)
  let unfollow = () => {}
  try {
    unfollow = await run.follow()
    return await run.span.within(() => drive(run))
  } catch (error) {
    if (reporter.closed || controls.signal.aborted || error instanceof ReporterClosedError) return 'done'
    const { key, runId, attempt } = run.job
    ports.onFailure?.({ key, runId, attempt, error, tool: null })
    await run.report([{ type: 'failed', message: shortErrorMessage(error) }])
    return 'done'
  } finally {
    run.span.end(run.failure)
    unfollow()
    run.toolset.close()
  }
}

const drive = async (run: LoopRun): Promise<RunEnd> => {
  const { definition, transcript } = run
  run.skills = openSkills(definition, run.ports)
  if (!(await openTools(run)) || !(await writeInstructions(run))) return 'done'
  run.instructions = [run.instructions, run.skills.list].filter((text) => text).join('\n\n') || null
  if (run.skills.items.length > 0) await run.report(run.skills.items)
  for (;;) {
    if (run.isResting) return 'waiting'
    const ended = endedQuestions(run)
    if (ended.length > 0) await run.report(ended)
    const room = roomOf(run)
    const action = next(situationOf(definition, run.toolset.tools, transcript.turn, run.course, run.now, room))
    const before = transcript.seq
    const end = await act(run, action)
    if (end) return end
    assert(transcript.seq > before || UNLOGGED.has(action.type), 'each action is in the log')
  }
}

/** Actions that the end of the turn's time, or a short pause, leaves without a trace. */
const UNLOGGED: ReadonlySet<NextAction['type']> = new Set(['wait', 'think', 'compact', 'delegate'])

const act = async (run: LoopRun, action: NextAction): Promise<RunEnd | null> => {
  switch (action.type) {
    case 'start':
      await run.report(await startTurn(run))
      return null
    case 'think':
      return takeStep(run)
    case 'compact':
      await makeRoom(run)
      return null
    case 'begin': {
      const { items, calls } = await beginCalls(run, run.transcript.turn.history, action.calls)
      await run.report(items)
      await makeCalls(run, calls)
      return null
    }
    case 'repeat':
      await repeatCalls(run, action.calls)
      return null
    case 'ask':
      await askAboutCalls(run, action.calls)
      return null
    case 'delegate': {
      const pause = await delegateCalls(run, action.calls)
      return pause && wait(run, pause.until, pause.seen)
    }
    case 'use_answers':
      await applyAnswers(run)
      return null
    case 'remind':
      await run.report([eventItem('context_added', { text: REMINDER, source: OUTPUT_REMINDER })])
      return null
    case 'wait':
      return wait(run, action.until)
    case 'review':
    case 'finish': {
      const { definition, transcript } = run
      const end = await withinToolTime(run, 'The output schema', () => finishReport(definition, transcript.turn))
      const { items, isSentBack } =
        action.type === 'review' ? await reviewAnswer(run, end) : { items: [end], isSentBack: false }
      await run.report([...(isSentBack ? [] : stepProgress(run)), ...items])
      return isSentBack ? null : 'done'
    }
    case 'stop':
      await run.report([{ type: 'failed', reason: action.reason, message: stopMessage(run, action.reason) }])
      return 'done'
  }
}

/** Asks the model. Its answer and the intents of its first calls are one write, unless middleware looks at the calls first. */
const takeStep = async (run: LoopRun): Promise<RunEnd | null> => {
  const answer = await askModel(run)
  if (!answer) return run.reporter.closed ? 'done' : null
  const { turn } = run.transcript
  const made = answer.thought.content.filter((entry): entry is StepCall => entry.type === 'call')
  const history = [...turn.history, ...made.map((call) => ({ call, outcome: null }))]
  const following = next({
    ...situationOf(run.definition, run.toolset.tools, turn, run.course, run.now),
    callCount: turn.callCount + made.length,
    calls: made.map(({ id }) => ({ id, stage: 'new', effect: 'pure' })),
  })
  const beginsNow = following.type === 'begin' && !run.isResting && !asksBefore(run)
  const unmade = beginsNow ? following.calls : []
  const { items, calls } = await beginCalls(run, history, unmade)
  await run.report([...answer.items, ...items])
  await makeCalls(run, calls)
  return null
}

const REMINDER = `[The turn ends when you call the tool "${ANSWER_TOOL}" with the result. Call it now.]`

/** The text of the last answer, or the output that the schema of the agent asks for. */
const finishReport = async (definition: AgentDefinition, turn: TurnRecord): Promise<ReportItem> => {
  const accepted = acceptedOutput(turn)
  if (definition.output === null || !accepted) return { type: 'finished', result: answerText(turn.last?.content ?? []) }
  const result = await answerOf(definition.output, argumentsOf(accepted))
  return 'problem' in result
    ? { type: 'failed', message: result.problem, reason: 'output_invalid' }
    : { type: 'finished', result: result.value }
}

/** False: the run has failed, since its tools are not there. */
const openTools = async (run: LoopRun): Promise<boolean> => {
  try {
    run.toolset = await openToolset(run)
    return true
  } catch (error) {
    if (!(error instanceof ToolSourceError)) throw error
    await run.report([{ type: 'failed', message: error.message, reason: error.code, transient: true }])
    return false
  }
}

/** A short pause is spent here. For a longer one the run leaves memory: whatever comes, or the time, takes it up again. */
const wait = async (run: LoopRun, until: number | null, seen = run.transcript.seq): Promise<RunEnd | null> => {
  const ms = until === null ? Number.POSITIVE_INFINITY : until - run.now
  if (ms <= PAUSE_MS_MAX) {
    await run.pause(ms)
    return null
  }
  const { seq } = run.transcript
  await run.report([{ type: 'waiting', until, seen }])
  if (run.reporter.closed) return 'waiting'
  // The session's clock may be ahead of ours: then it finds that the time is over already.
  if (run.transcript.seq === seq && until !== null) await run.pause(PAUSE_MS_MAX)
  return null
}

/** Writes the instructions of the turn. False: the run has failed, since its input does not fit and it has not begun. */
const writeInstructions = async (run: LoopRun): Promise<boolean> => {
  const { definition, job, transcript } = run
  const checked = await withinToolTime(run, 'The input schema', () => parseRunInput(definition, job.prompt, job.input))
  // The schema may have changed since the run began; the model has read the input already.
  if ('problem' in checked && transcript.turn.steps === 0) {
    await run.report([{ type: 'failed', message: checked.problem, reason: 'input_invalid' }])
    return false
  }
  const { instructions } = definition
  if (typeof instructions !== 'function') {
    run.instructions = instructions
    return true
  }
  const input = 'value' in checked ? checked.value : (job.input ?? { prompt: job.prompt })
  const runIds = new Set([job.runId, job.course?.continuesRun ?? job.runId])
  const messages = async () => messagesBefore(run, runIds)
  const turn = { input, prompt: job.prompt, sessionId: job.key.id, messages }
  const text: unknown = await withinToolTime(run, 'The instructions', () => instructions(turn))
  if (typeof text !== 'string') throw new TypeError('The function `instructions` of an agent returns a text.')
  run.instructions = text
  return true
}

/** Schemas and instructions may ask a service. */
const withinToolTime = <T>(run: LoopRun, subject: string, work: () => T | Promise<T>): Promise<T> =>
  run.withinToolTime(work, (ms) => new Error(`${subject} of the agent took longer than ${ms} ms.`))

const stopMessage = ({ definition: { limits } }: LoopRun, reason: StopReason): string =>
  ({
    max_steps: `The turn was ended after ${limits.steps} steps. Raise limits.steps of the agent, or ask for less.`,
    max_calls: `The model asked for more than ${limits.calls} calls in one turn. Raise limits.calls of the agent, or ask for less.`,
    max_time: `The turn was ended after ${limits.turnMs} ms of work. Raise limits.turnMs of the agent, or ask for less.`,
    loop: 'The model made the same call again and again, also after it was told not to.',
    output_invalid: 'The model gave no output that fits the schema, also after it was reminded twice.',
  })[reason]

/** Where a run stands, for `next`: from its transcript and from the course in its job. */
const situationOf = (
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
const acceptedOutput = ({ last, isSentBack }: TurnRecord): CallView | undefined =>
  isSentBack ? undefined : last?.calls.find((view) => toolNameOf(view) === ANSWER_TOOL && view.outcome?.status === 'ok')

/** The model reads about an output that does not fit as the outcome of its call. */
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
