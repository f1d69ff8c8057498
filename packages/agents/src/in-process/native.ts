// Runs an agent written in TypeScript, in this process: one with a model, or one with a function.

import type { ReportItem } from '@bridle/kernel/commands'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { EditedCall, Job, RunEnd, Runner } from '@bridle/kernel/ports/runner'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import { tryOr } from '@bridle/kernel/try-or'
import type { AgentDefinition } from '../agent.ts'
import { beginCallSchemas, functionCallProblem } from '../functions/call-schemas.ts'
import { FunctionRun } from '../functions/function-run.ts'
import { createFunctionSession } from '../functions/function-session.ts'
import { READ_ARTIFACT } from '../loop/artifacts/read-artifact.ts'
import { checkArguments } from '../loop/calls/arguments.ts'
import { schemaDeadline } from '../loop/calls/calls.ts'
import { runLoop } from '../loop/loop.ts'
import { offerAtOnce } from '../loop/toolset/offer.ts'
import { closeSource, declaredTools, hasResultArtifacts, openSource } from '../loop/toolset/toolset.ts'
import { isModelName, modelParts } from '../model/model-choice.ts'
import type { AgentRunPorts } from '../run-ports.ts'
import { parseRunInput, parseRunResult } from '../schemas/input.ts'
import { attachmentsOf } from '../session/attachments.ts'
import { withDirectiveSchemas } from '../session/directive-schemas.ts'
import { shortErrorMessage } from '../session/error-message.ts'
import { RunEndedError } from '../session/errors.ts'
import type { AgentSession } from '../session.ts'
import { isTool, type Tool } from '../tools/tool.ts'
import type { ToolSource } from '../tools/tool-source.ts'
import { nativeIdentity } from './engine-identities.ts'
import { attemptName, endInTime } from './stopping.ts'

/** A run in this process. */
export interface RunInHand {
  readonly work: Promise<RunEnd>
  readonly stop: () => void
  /** The run begins nothing new, and ends when everything that has begun is in the log. */
  readonly rest: () => void
}

/** A function is called at each start: a changed definition serves new runs, and live runs keep the old one. */
export const nativeRunner = (agent: AgentDefinition | (() => AgentDefinition), ports: AgentRunPorts): Runner => {
  const current = typeof agent === 'function' ? agent : () => agent
  const runs = new Map<string, RunInHand>()

  const follow = async (job: Job, begun: RunInHand): Promise<RunEnd> => {
    runs.set(attemptName(job), begun)
    try {
      return await begun.work
    } finally {
      if (runs.get(attemptName(job)) === begun) runs.delete(attemptName(job))
    }
  }

  const run = async (how: 'start' | 'attach', job: Job, reporter: RunReporter): Promise<RunEnd> => {
    // The run lived in a process that is gone, and nothing in the log says how it continues.
    if (how === 'attach' && !job.course) return 'lost'
    const definition = withSessionModel(definitionOf(current), job)
    const begun =
      definition && (definition.model ? beginModelRun : beginFunctionRun)(definition, how, job, reporter, ports)
    if (begun) return follow(job, begun)
    if (definition) return failChanged(reporter)
    const { open = [], answers = [], head = 0 } = job.course ?? {}
    // Nothing can be done before a person answers, and the agent may be back by then.
    if (open.length > 0 && answers.length === 0) {
      await reporter.report([{ type: 'waiting', until: null, seen: head }])
      if (reporter.closed) return 'waiting'
    }
    const agent = `The agent "${job.key.agent}"`
    const message =
      how === 'start' ? `${agent} is not available.` : `${agent} is no longer there, so that its run cannot go on.`
    await reporter.report([
      ...(how === 'start' ? [{ type: 'started' } as const] : []),
      { type: 'failed', message, reason: 'agent_unavailable' },
    ])
    return 'done'
  }

  return {
    identity: nativeIdentity,
    start: (job, reporter) => run('start', job, reporter),
    attach: (job, reporter) => run('attach', job, reporter),
    rest: async (job) => {
      const inHand = runs.get(attemptName(job))
      inHand?.rest()
      await inHand?.work.catch(() => {})
    },
    abort: async (job) => {
      const inHand = runs.get(attemptName(job))
      inHand?.stop()
      if (inHand)
        await endInTime(
          inHand.work.catch(() => {}),
          ports.clock,
        )
      return null
    },
    checkArguments: async (call) => {
      const definition = definitionOf(current)
      return definition && (definition.model ? modelCallProblem : functionCallProblem)(definition, call, ports.clock)
    },
  }
}

/** The log of a durable run means nothing to a function that never reads it. */
const failChanged = async (reporter: RunReporter): Promise<RunEnd> => {
  const message = 'The agent became "durable: false" in the middle of this run. Ask it again.'
  await reporter.report([{ type: 'failed', message, reason: 'not_durable' }])
  return 'done'
}

/** The model that the session names replaces those of the agent. A name without a provider means a model of an engine. */
const withSessionModel = (definition: AgentDefinition | null, { settings }: Job): AgentDefinition | null => {
  const { model } = settings
  if (!definition?.model || typeof model !== 'string' || !isModelName(model)) return definition
  return { ...definition, model: [model] }
}

/** Null: the agent is gone. */
const definitionOf = (current: () => AgentDefinition): AgentDefinition | null => tryOr(null, () => current())

// Checks arguments that a person edited as they will be checked when the call is made, while the approval is still open.

/** Why the arguments do not fit, as a sentence; null = they fit, or the agent has no such tool now. */
const modelCallProblem = async (
  definition: AgentDefinition,
  call: EditedCall,
  clock: Clock,
): Promise<string | null> => {
  const declared = declaredTools(definition)
  // No run is at work while its call waits.
  const limits = { clock, signal: new AbortController().signal, toolMs: definition.limits.toolMs }
  const problemIn = async (tools: readonly Tool[]): Promise<string | null | undefined> => {
    const tool = tools.find(({ name }) => name === call.tool)
    if (!tool) return undefined
    const checked = await checkArguments(tool, call.arguments, schemaDeadline(limits))
    return 'problem' in checked ? checked.problem : null
  }
  const problem = await problemIn(declared.filter(isTool))
  if (problem !== undefined) return problem
  const found = await Promise.allSettled(
    declared
      .filter((entry): entry is ToolSource => !isTool(entry))
      .map(async (source) => {
        const opened = await openSource(source, call, { ...limits, ms: limits.toolMs })
        return problemIn(opened.tools).finally(() => closeSource(opened))
      }),
  )
  // A source that fails says nothing about the arguments: its tool does when the call is made.
  return (
    found.map((each) => (each.status === 'fulfilled' ? each.value : undefined)).find((each) => each != null) ?? null
  )
}

/** The runs of model agents in this process. Starting and resuming a run differ only in their first report. */
const beginModelRun = (
  definition: AgentDefinition,
  how: 'start' | 'attach',
  job: Job,
  reporter: RunReporter,
  ports: AgentRunPorts,
): RunInHand => {
  const stop = new AbortController()
  const rest = new AbortController()
  const end = () => stop.abort(new RunEndedError('The run is over.'))
  reporter.onClose(end)
  const work = reporter
    .report(how === 'start' ? startItems(definition, job, reporter) : [{ type: 'resumed' }])
    .then(() => runLoop(definition, reporter, ports, { signal: stop.signal, rest: rest.signal }))
    .finally(end)
  return {
    work,
    stop: () => stop.abort(new RunEndedError('The run was cancelled.')),
    rest: () => rest.abort(),
  }
}

const startItems = (definition: AgentDefinition, job: Job, reporter: RunReporter): readonly ReportItem[] => [
  { type: 'started', durable: true, steer: true, ...modelNames(definition) },
  // An attempt after a pause or a budget is in the middle of its turn.
  ...(job.continues ? [] : offerAtOnce(definition, job.runId, hasResultArtifacts(reporter) ? [READ_ARTIFACT] : [])),
]

/** The status card names the first model. */
const modelNames = ({ model }: AgentDefinition): { provider?: string; model?: string } => {
  const first = model?.[0]
  return first === undefined ? {} : modelParts(first)
}

/** Takes a run of a function up. Null: the agent has changed, so that the run cannot go on. */
const beginFunctionRun = (
  definition: AgentDefinition,
  how: 'start' | 'attach',
  job: Job,
  reporter: RunReporter,
  ports: AgentRunPorts,
): RunInHand | null => {
  const { durable } = definition
  if (!durable && (how === 'attach' || job.course)) return null
  beginCallSchemas(reporter, definition)
  const abortion = new AbortController()
  const stop = (why: string) => abortion.abort(new RunEndedError(why))
  const run = new FunctionRun(job, reporter, ports, abortion.signal, durable)
  // A function that was let go is not cancelled: it begins again when news come.
  reporter.onClose(() => run.isLeft || stop('The run was cancelled.'))
  const first: ReportItem =
    how === 'start' ? { type: 'started', ...(durable && { durable: true }) } : { type: 'resumed' }
  return {
    work: play(definition, run, first, () => stop('The run is over.')),
    stop: () => stop('The run was cancelled.'),
    rest: () => void run.rest(),
  }
}

/** Every start begins at the first line: the log has the steps that are done. `over` aborts what the function leaves unfinished. */
const play = async (
  definition: AgentDefinition,
  run: FunctionRun,
  first: ReportItem,
  over: () => void,
): Promise<RunEnd> => {
  try {
    await run.report(first)
    await run.load()
    // The function must not begin if the process is about to end, or if the run was cancelled while the log was read.
    if (run.isLeft) return 'waiting'
    if (run.signal.aborted) return 'done'
    const { session, closing } = createFunctionSession(run)
    const end = await Promise.race([callFunction(definition, run, session), run.left.then(() => null)])
    if (run.isLeft || end === null) return 'waiting'
    if (run.signal.aborted) return 'done'
    // Sleeps and waits for signals that are left never settle: one that rejected might end the process.
    run.close()
    over()
    await run.report(...(end.type === 'finished' ? closing() : []), end)
    return 'done'
  } finally {
    run.close()
  }
}

/** Calls the `run` function of an agent: its input is checked before, and its result after. */
const callFunction = async (
  definition: AgentDefinition,
  run: FunctionRun,
  session: AgentSession,
): Promise<ReportItem> => {
  const { prompt, input, settings } = run.job
  try {
    if (definition.run === null) return { type: 'failed', message: 'The agent has no run function.' }
    const given = await parseRunInput(definition, prompt, input)
    if ('problem' in given) return { type: 'failed', message: given.problem, reason: 'input_invalid' }
    const { signal } = run
    const returned = await definition.run({
      input: given.value,
      session: withDirectiveSchemas(run, session, definition.directives),
      attachments: attachmentsOf(input, { uploads: run.ports.uploads, tenant: run.job.key.tenant }),
      signal,
      ...(typeof settings.workspace_path === 'string' && { workspace: settings.workspace_path }),
    })
    // Calls that the agent started and did not await still belong to the run.
    await run.whenIdle()
    const result = await parseRunResult(definition, returned)
    if ('problem' in result) return { type: 'failed', message: result.problem, reason: 'output_invalid' }
    return { type: 'finished', ...(result.value !== undefined && { result: result.value }) }
  } catch (error) {
    const { key, runId, attempt } = run.job
    if (!run.isOver) run.ports.onFailure?.({ key, runId, attempt, error, tool: null })
    const transient = (error as { transient?: unknown } | null)?.transient === true
    return { type: 'failed', message: shortErrorMessage(error), ...(transient && { transient }) }
  }
}
