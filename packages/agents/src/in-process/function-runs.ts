// Runs of agents with a function in this process. Any process continues a durable run from its log. With `durable: false` a run dies
// with its process; in a background session the next attempt starts from nothing, with the same step keys.

import type { ReportItem } from '@bridle/kernel/commands'
import type { Job, RunEnd } from '@bridle/kernel/ports/runner'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import type { AgentDefinition } from '../agent.ts'
import { beginCallSchemas } from '../functions/call-schemas.ts'
import { FunctionRun } from '../functions/function-run.ts'
import { createFunctionSession } from '../functions/function-session.ts'
import type { AgentRunPorts } from '../run-ports.ts'
import { parseRunInput, parseRunResult } from '../schemas/input.ts'
import { attachmentsOf } from '../session/attachments.ts'
import { withDirectiveSchemas } from '../session/directive-schemas.ts'
import { shortErrorMessage } from '../session/error-message.ts'
import { RunEndedError } from '../session/errors.ts'
import type { AgentSession } from '../session.ts'
import { attemptName, endInTime } from './stopping.ts'

interface RunInHand {
  readonly run: FunctionRun
  /** The first reason stays. */
  readonly stop: (why: string) => void
  /** Resolves when the run does nothing any more. */
  readonly ended: Promise<unknown>
}

export class FunctionRuns {
  readonly #ports: AgentRunPorts
  readonly #runs = new Map<string, RunInHand>()

  constructor(ports: AgentRunPorts) {
    this.#ports = ports
  }

  async start(definition: AgentDefinition, job: Job, reporter: RunReporter): Promise<RunEnd> {
    if (!definition.durable && job.course) return failChanged(reporter)
    return this.#run(definition, job, reporter, { type: 'started', ...(definition.durable && { durable: true }) })
  }

  async attach(definition: AgentDefinition, job: Job, reporter: RunReporter): Promise<RunEnd> {
    if (!definition.durable) return failChanged(reporter)
    return this.#run(definition, job, reporter, { type: 'resumed' })
  }

  /** The run begins nothing new. Resolves when everything that has begun is in the log. */
  async rest(job: Job): Promise<void> {
    const inHand = this.#runs.get(attemptName(job))
    if (inHand) await Promise.race([inHand.run.rest(), inHand.ended])
  }

  /** Rejects when the run does not stop in time: its abort cannot be confirmed. */
  async abort(job: Job): Promise<void> {
    const inHand = this.#runs.get(attemptName(job))
    inHand?.stop('The run was cancelled.')
    if (inHand) await endInTime(inHand.ended, this.#ports.clock)
  }

  async #run(definition: AgentDefinition, job: Job, reporter: RunReporter, first: ReportItem): Promise<RunEnd> {
    beginCallSchemas(reporter, definition)
    const abortion = new AbortController()
    const stop = (why: string) => abortion.abort(new RunEndedError(why))
    const run = new FunctionRun(job, reporter, this.#ports, abortion.signal, definition.durable)
    // A function that was let go is not cancelled: it begins again when news come.
    reporter.onClose(() => run.isLeft || stop('The run was cancelled.'))
    const work = play(definition, run, first, () => stop('The run is over.'))
    const inHand: RunInHand = { run, stop, ended: work.catch(() => {}) }
    this.#runs.set(attemptName(job), inHand)
    try {
      return await work
    } finally {
      if (this.#runs.get(attemptName(job)) === inHand) this.#runs.delete(attemptName(job))
    }
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

/** The log of a durable run means nothing to a function that never reads it. */
const failChanged = async (reporter: RunReporter): Promise<RunEnd> => {
  const message = 'The agent became "durable: false" in the middle of this run. Ask it again.'
  await reporter.report([{ type: 'failed', message, reason: 'not_durable' }])
  return 'done'
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
