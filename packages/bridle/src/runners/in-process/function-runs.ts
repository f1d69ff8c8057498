// The runs of agents with a function in this process.
//
// Any process continues a durable run: everything that its function has done is in the log. A function with `durable: false` lives
// and dies with its process: the kernel ends its run as interrupted in a chat, and starts it again from the beginning in a
// background session, with the same step keys.
import type { AgentDefinition } from '../../agents/agent.ts'
import { AgentRun, type AgentRunPorts } from '../../agents/agent-run.ts'
import { RunEndedError } from '../../agents/errors.ts'
import { beginCallSchemas } from '../../agents/functions/call-schemas.ts'
import { callFunction } from '../../agents/functions/function-call.ts'
import { createAgentSession } from '../../agents/functions/run-session.ts'
import { DurableRun } from '../../agents/steps/durable-run.ts'
import { runDurableFunction } from '../../agents/steps/function-run.ts'
import type { ApprovalAnswer, Job, RunEnd } from '../../kernel/ports/runner.ts'
import type { RunReporter } from '../../kernel/session/run-reporter.ts'
import { attemptName, endInTime } from './stopping.ts'

export class FunctionRuns {
  readonly #ports: AgentRunPorts
  readonly #runs = new Map<string, FunctionRun>()

  constructor(ports: AgentRunPorts) {
    this.#ports = ports
  }

  async start(definition: AgentDefinition, job: Job, reporter: RunReporter): Promise<RunEnd> {
    if (!definition.durable && job.course) return failChanged(reporter)
    beginCallSchemas(reporter, definition)
    return this.#run(job, reporter, (run) =>
      definition.durable ? run.runDurable(definition, true) : run.run(definition),
    )
  }

  async attach(definition: AgentDefinition, job: Job, reporter: RunReporter): Promise<RunEnd> {
    if (!definition.durable) return failChanged(reporter)
    beginCallSchemas(reporter, definition)
    return this.#run(job, reporter, (run) => run.runDurable(definition, false))
  }

  async rest(job: Job): Promise<void> {
    await this.#runs.get(attemptName(job))?.rest()
  }

  async abort(job: Job): Promise<void> {
    await this.#runs.get(attemptName(job))?.abort()
  }

  deliverAnswer(job: Job, answer: ApprovalAnswer): void {
    const run = this.#runs.get(attemptName(job))
    if (!run) throw new Error('The run is not here.')
    run.deliverAnswer(answer)
  }

  async #run(job: Job, reporter: RunReporter, work: (run: FunctionRun) => Promise<RunEnd>): Promise<RunEnd> {
    const run = new FunctionRun(job, reporter, this.#ports)
    this.#runs.set(attemptName(job), run)
    try {
      return await work(run)
    } finally {
      run.markEnded()
      if (this.#runs.get(attemptName(job)) === run) this.#runs.delete(attemptName(job))
    }
  }
}

/** The log of a durable run means nothing to a function that never reads it. */
const failChanged = async (reporter: RunReporter): Promise<RunEnd> => {
  const message = 'The agent became "durable: false" in the middle of this run. Ask it again.'
  await reporter.report([{ type: 'failed', message, reason: 'not_durable' }])
  return 'done'
}

class FunctionRun {
  readonly #job: Job
  readonly #reporter: RunReporter
  readonly #ports: AgentRunPorts
  readonly #abortController = new AbortController()
  readonly #ended: Promise<void>
  #plain: AgentRun | null = null
  #durable: DurableRun | null = null
  #markEnded = () => {}

  constructor(job: Job, reporter: RunReporter, ports: AgentRunPorts) {
    this.#job = job
    this.#reporter = reporter
    this.#ports = ports
    this.#ended = new Promise((resolve) => {
      this.#markEnded = resolve
    })
    // A function that was let go is not cancelled: it begins again when news come.
    reporter.onClose(() => this.#durable?.isLeft || this.#stop('The run was cancelled.'))
  }

  async run(definition: AgentDefinition): Promise<RunEnd> {
    const { signal } = this.#abortController
    const run = new AgentRun(this.#job, this.#reporter, this.#ports, signal)
    this.#plain = run
    await run.report({ type: 'started' })
    const end = await callFunction(definition, run, createAgentSession(run))
    if (signal.aborted) return 'done'
    this.#stop('The run is over.')
    await run.report(end)
    return 'done'
  }

  async runDurable(definition: AgentDefinition, isNew: boolean): Promise<RunEnd> {
    const run = new DurableRun(this.#job, this.#reporter, this.#ports, this.#abortController.signal)
    this.#durable = run
    await run.report(isNew ? { type: 'started', durable: true } : { type: 'resumed' })
    return runDurableFunction(definition, run, () => this.#stop('The run is over.'))
  }

  deliverAnswer(answer: ApprovalAnswer): void {
    this.#plain?.receiveAnswer(answer)
  }

  /** Begins nothing new. Resolves when everything that has begun is in the log. */
  async rest(): Promise<void> {
    await Promise.race([this.#durable?.rest(), this.#ended])
  }

  /** Rejects when the run does not stop in time: its abort cannot be confirmed. */
  async abort(): Promise<void> {
    this.#stop('The run was cancelled.')
    await endInTime(this.#ended, this.#ports.clock)
  }

  markEnded(): void {
    this.#markEnded()
  }

  /** The first reason stays. */
  #stop(why: string): void {
    this.#abortController.abort(new RunEndedError(why))
  }
}
