// The runs of model agents in this process. Starting a run and taking one up differ in their first report only.

import type { ReportItem } from '@bridle/kernel/commands'
import type { Job, RunEnd } from '@bridle/kernel/ports/runner'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import type { AgentDefinition } from '../agent.ts'
import { READ_ARTIFACT } from '../loop/artifacts/read-artifact.ts'
import { runLoop } from '../loop/loop.ts'
import { offerAtOnce } from '../loop/toolset/offer.ts'
import { hasResultArtifacts } from '../loop/toolset/toolset.ts'
import { modelParts } from '../model/model-choice.ts'
import type { AgentRunPorts } from '../run-ports.ts'
import { RunEndedError } from '../session/errors.ts'
import { attemptName, endInTime } from './stopping.ts'

interface ModelRun {
  readonly stop: AbortController
  readonly rest: AbortController
  /** Resolves when the run does nothing any more. */
  readonly ended: Promise<unknown>
}

export class ModelRuns {
  readonly #ports: AgentRunPorts
  readonly #runs = new Map<string, ModelRun>()

  constructor(ports: AgentRunPorts) {
    this.#ports = ports
  }

  start(definition: AgentDefinition, job: Job, reporter: RunReporter): Promise<RunEnd> {
    return this.#run(definition, job, reporter, [
      { type: 'started', durable: true, steer: true, ...modelNames(definition) },
      // An attempt after a pause or a budget is in the middle of its turn.
      ...(job.continues ? [] : offerAtOnce(definition, job.runId, hasResultArtifacts(reporter) ? [READ_ARTIFACT] : [])),
    ])
  }

  attach(definition: AgentDefinition, job: Job, reporter: RunReporter): Promise<RunEnd> {
    return this.#run(definition, job, reporter, [{ type: 'resumed' }])
  }

  /** Rejects when the run does not stop in time: its abort cannot be confirmed. */
  async abort(job: Job): Promise<void> {
    const run = this.#runs.get(attemptName(job))
    if (!run) return
    run.stop.abort(new RunEndedError('The run was cancelled.'))
    await endInTime(run.ended, this.#ports.clock)
  }

  /** Resolves when everything that has begun has ended and is in the log. */
  async rest(job: Job): Promise<void> {
    const run = this.#runs.get(attemptName(job))
    run?.rest.abort()
    await run?.ended
  }

  async #run(
    definition: AgentDefinition,
    job: Job,
    reporter: RunReporter,
    first: readonly ReportItem[],
  ): Promise<RunEnd> {
    const stop = new AbortController()
    const rest = new AbortController()
    reporter.onClose(() => stop.abort(new RunEndedError('The run is over.')))
    const work = reporter
      .report(first)
      .then(() => runLoop(definition, reporter, this.#ports, { signal: stop.signal, rest: rest.signal }))
    const run: ModelRun = { stop, rest, ended: work.catch(() => {}) }
    this.#runs.set(attemptName(job), run)
    try {
      return await work
    } finally {
      stop.abort(new RunEndedError('The run is over.'))
      if (this.#runs.get(attemptName(job)) === run) this.#runs.delete(attemptName(job))
    }
  }
}

/** The status card names the first model. */
const modelNames = ({ model }: AgentDefinition): { provider?: string; model?: string } => {
  const first = model?.[0]
  return first === undefined ? {} : modelParts(first)
}
