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
import type { RunInHand } from './native.ts'

/** Takes a run of a function up. Null: the agent has changed, so that the run cannot go on. */
export const beginFunctionRun = (
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
