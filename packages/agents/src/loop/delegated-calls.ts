// Calls that child sessions do. The log names a child before it is started, the child tells its end, and the outcome of the call
// follows: whichever process has the run finds in the log which of the three comes next. Meanwhile the run waits, and is nowhere.

import { type JsonObject, present } from '@bridle/events/json'
import type { Policy } from '@bridle/events/schemas'
import type { ReportItem } from '@bridle/kernel/commands'
import { isId, type Key } from '@bridle/kernel/event'
import type { ChildResult, ChildSessions, ChildStart } from '@bridle/kernel/ports/child-sessions'
import type { ChildAgent } from '../middleware/middleware.ts'
import { acceptInput } from '../schemas/input.ts'
import { shortErrorMessage } from '../session/error-message.ts'
import { childAgentName, childAgentOf } from '../subagents/child-agents.ts'
import { performCalls, viewsOf } from './call-actions.ts'
import { type CallName, eventItem, outcomeItem } from './calls/call-items.ts'
import { stepKeyOf } from './calls/calls.ts'
import type { LoopRun } from './loop-run.ts'
import { argumentsOf, callNameOf, toolNameOf } from './transcript/rendering.ts'

/** The first pause before a child that could not be reached is tried again; each further one is twice as long. */
const CHILD_RETRY_MS = 1_000
/** Tries in a row, after which the call fails: half a minute is longer than a restart takes. */
const CHILD_FAILURES_MAX = 5
/** Digits of the hash in the id of a child: 128 bits, so that no two calls share one. */
const CHILD_ID_DIGITS = 32

interface Task {
  readonly call: CallName
  readonly args: JsonObject
  readonly agent: ChildAgent
  readonly child: Key
}

/** Nothing can be done before news come, or before the time. `seen` is the last event that was looked at. */
export interface ChildWait {
  readonly until: number | null
  readonly seen: number
}

/** Brings the calls as far as they get now. Null: the log has changed; else the run waits. */
export const delegateCalls = async (run: LoopRun, ids: readonly string[]): Promise<ChildWait | null> => {
  const tasks = await tasksOf(run, ids)
  const { seq: seen } = run.transcript
  const { open, all } = run.reporter.session.children()
  const { children } = run.ports
  const refusals = tasks.flatMap((task) => refusalOf(run, task, children))
  if (!children || refusals.length > 0) {
    await run.report(refusals)
    return null
  }
  const over = tasks.filter(({ child: { id } }) => Object.hasOwn(all, id) && !Object.hasOwn(open, id))
  if (over.length > 0) return settle(run, over, children, seen)
  const underWay = tasks.filter(({ child }) => Object.hasOwn(open, child.id))
  const admitted = admit(tasks, underWay)
  if (admitted.length > 0) await run.report([delegation(run, admitted)])
  return startAll(run, [...underWay, ...admitted], children, seen)
}

const tasksOf = async (run: LoopRun, ids: readonly string[]): Promise<readonly Task[]> => {
  const { definition, job, ports } = run
  const tasks = viewsOf(run, ids).map(async (view): Promise<Task[]> => {
    const agent = childAgentOf(definition, toolNameOf(view))
    if (!agent) return []
    const hash = await ports.digest(stepKeyOf(job.key, view.call.id))
    const name = childAgentName(job.key.agent, agent)
    const child = { tenant: job.key.tenant, agent: name, id: `task-${hash.slice(0, CHILD_ID_DIGITS)}` }
    return [{ call: callNameOf(view), args: argumentsOf(view), agent, child }]
  })
  return (await Promise.all(tasks)).flat()
}

const refusalOf = (run: LoopRun, { call, agent, child }: Task, children: ChildSessions | undefined): ReportItem[] => {
  const refuse = (reason: string, error: string) => [outcomeItem(call, 'denied', { elapsed_ms: 0, reason, error })]
  const depth = run.job.depth ?? 0
  if (!children) return refuse('subagents_unavailable', 'Other agents cannot be asked here.')
  if (depth >= agent.maxDepth)
    return refuse('subagents_too_deep', `${depth} sessions above this one wait for it. Do the task here.`)
  if (!isId(child.agent)) return refuse('agent_name_too_long', `The name "${child.agent}" is too long. Shorten it.`)
  return []
}

/** The first calls that may start now: each list of agents has a limit of its own. */
const admit = (tasks: readonly Task[], underWay: readonly Task[]): readonly Task[] => {
  const active = [...underWay]
  for (const task of tasks) if (!active.includes(task) && active.length < task.agent.maxAtOnce) active.push(task)
  return active.slice(underWay.length)
}

/** Calls that wait for an approval may start while these are under way: they get a share, too. */
const delegation = (run: LoopRun, admitted: readonly Task[]): ReportItem => {
  const { open } = run.course
  const asked = (run.transcript.turn.last?.calls ?? []).filter(
    (view) =>
      open.some(({ toolCallId }) => toolCallId === view.call.id) && childAgentOf(run.definition, toolNameOf(view)),
  )
  return {
    type: 'delegate',
    children: admitted.map(({ call, child: { agent, id } }) => ({ toolCallId: call.id, agent, id })),
    shares: admitted.length + asked.length,
  }
}

const startAll = async (
  run: LoopRun,
  tasks: readonly Task[],
  children: ChildSessions,
  seen: number,
): Promise<ChildWait | null> => {
  const { open, all } = run.reporter.session.children()
  const starts = await Promise.allSettled(
    tasks.map((task) => {
      const { policy = {} } = open[task.child.id] ?? {}
      return startTask(run, task, children, { policy, isKnown: all[task.child.id]?.childSeq !== undefined })
    }),
  )
  const problems = starts.flatMap((start, index) =>
    start.status === 'fulfilled' && start.value !== null ? failure(tasks[index], start.value, 'child_refused') : [],
  )
  if (problems.length > 0) {
    await run.report(problems)
    return null
  }
  return waitFor(run, tasks, starts, seen)
}

const startTask = async (
  run: LoopRun,
  { args, agent, child }: Task,
  children: ChildSessions,
  known: { readonly policy: Policy; readonly isKnown: boolean },
): Promise<string | null> => {
  const { key, settings, depth = 0 } = run.job
  const input = agent.agent.input === null ? { prompt: args.task ?? '' } : args
  const submission = await inTime(run, () => acceptInput(agent.agent, input))
  if ('problem' in submission) return submission.problem
  const start: ChildStart = {
    ...{ parent: key, child, prompt: submission.prompt, ...known, depth: depth + 1 },
    ...present({ input: submission.input }),
    // The child works in the folder of its parent.
    settings: folderSettings(settings),
  }
  return inTime(run, () => children.start(start))
}

/** The kind travels with the folder: git's files of a person's own folder are protected from the child, too. */
const folderSettings = ({ workspace_path: path, workspace_kind: kind }: JsonObject): JsonObject =>
  typeof path === 'string' ? { workspace_path: path, ...(kind === 'in_place' && { workspace_kind: kind }) } : {}

/** The children have ended: their results are the outcomes of the calls. */
const settle = async (
  run: LoopRun,
  tasks: readonly Task[],
  children: ChildSessions,
  seen: number,
): Promise<ChildWait | null> => {
  const results = await Promise.allSettled(tasks.map(({ child }) => inTime(run, () => children.result(child))))
  const { all } = run.reporter.session.children()
  const calls = tasks.flatMap(({ call, args, child }, index) => {
    const result = results[index]
    const tool = run.toolset.get(call.tool)
    if (result?.status !== 'fulfilled' || !tool) return []
    // The call took as long as its child.
    const { startedAt } = all[child.id] ?? {}
    return [{ call, args, tool: { ...tool, run: () => childValue(result.value) }, ...present({ startedAt }) }]
  })
  if (calls.length === 0) return waitFor(run, tasks, results, seen)
  await performCalls(run, calls)
  return null
}

const childValue = (result: ChildResult): unknown => {
  if ('problem' in result) throw new Error(result.problem)
  return result.value
}

/** The run waits for news, or tries again soon where a child could not be reached. */
const waitFor = async (
  run: LoopRun,
  tasks: readonly Task[],
  answers: readonly PromiseSettledResult<unknown>[],
  seen: number,
): Promise<ChildWait | null> => {
  const lost = answers.find((answer) => answer.status === 'rejected')
  if (!lost) return { until: null, seen }
  run.controls.signal.throwIfAborted()
  const count = run.transcript.turn.childFailures + 1
  const reason = shortErrorMessage(lost.reason)
  if (count > CHILD_FAILURES_MAX) {
    const unreached = tasks.filter((_, index) => answers[index]?.status === 'rejected')
    await run.report(unreached.flatMap((task) => failure(task, `The agent cannot be reached: ${reason}`, 'child_lost')))
    return null
  }
  await run.report([
    eventItem('transport_diagnostic', { status: 'retrying', kind: 'subagent', reason, failure_count: count }),
  ])
  return { until: run.now + CHILD_RETRY_MS * 2 ** (count - 1), seen }
}

const failure = (task: Task | undefined, error: string, reason: string): ReportItem[] =>
  task ? [outcomeItem(task.call, 'error', { error, reason })] : []

const inTime = <T>(run: LoopRun, work: () => Promise<T>): Promise<T> =>
  run.withinToolTime(work, (ms) => new Error(`no answer in ${ms} ms.`))
