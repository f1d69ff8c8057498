// Runs an agent written in TypeScript, in this process.
//
// Another process cannot resume a JavaScript function in the middle. So a run whose process is gone is lost,
// also one that only waited for an approval: the kernel ends it as interrupted in a chat, and starts it again from the
// beginning in a background session, with the same step keys.
import type { AgentDefinition } from '../../agents/agent.ts'
import { AgentRun, type AgentRunPorts } from '../../agents/agent-run.ts'
import { RunEndedError } from '../../agents/errors.ts'
import { parseRunInput, parseRunResult } from '../../agents/input.ts'
import { createAgentSession } from '../../agents/run-session.ts'
import { shortErrorMessage } from '../../agents/tool-call.ts'
import type { ReportItem } from '../../kernel/commands.ts'
import { keyText } from '../../kernel/event.ts'
import { ABORT_GRACE_MS } from '../../kernel/limits.ts'
import type { ApprovalAnswer, Job, RunEnd, Runner } from '../../kernel/ports/runner.ts'
import type { RunReporter } from '../../kernel/session/run-reporter.ts'
import { nativeIdentity } from '../engine-identities.ts'
import { ModelRuns } from './model-runs.ts'

/** A function is called at each start: a changed definition serves new runs, and live runs keep the old one. */
export const nativeRunner = (agent: AgentDefinition | (() => AgentDefinition), ports: AgentRunPorts): Runner => {
  const current = typeof agent === 'function' ? agent : () => agent
  const runs = new Map<string, NativeRun>()
  const models = new ModelRuns(ports)
  const name = ({ key, runId, attempt }: Job) => `${keyText(key)}/${runId}/${attempt}`

  return {
    identity: nativeIdentity,
    start: async (job, reporter) => {
      const model = modelAgent(current)
      if (model) return models.start(model, job, reporter)
      const run = new NativeRun(job, reporter, ports)
      runs.set(name(job), run)
      try {
        return await run.run(current)
      } finally {
        run.markEnded()
        if (runs.get(name(job)) === run) runs.delete(name(job))
      }
    },
    attach: async (job, reporter) => {
      if (!job.course) return 'lost'
      const model = modelAgent(current)
      if (model) return models.attach(model, job, reporter)
      if (isGone(current)) {
        const message = `The agent "${job.key.agent}" is no longer there, so that its run cannot go on.`
        await reporter.report([{ type: 'failed', message, reason: 'agent_unavailable' }])
        return 'done'
      }
      return 'lost'
    },
    rest: (job) => models.rest(job),
    abort: async (job) => {
      await models.abort(job)
      await runs.get(name(job))?.abort()
      return null
    },
    answer: async (job, answer) => {
      const run = runs.get(name(job))
      if (!run) throw new Error('The run is not here.')
      run.deliverAnswer(answer)
    },
  }
}

/** The definition, where the agent has a model. A definition that is gone is none. */
const modelAgent = (current: () => AgentDefinition): AgentDefinition | null => {
  const definition = definitionOf(current)
  return definition?.model ? definition : null
}

const isGone = (current: () => AgentDefinition): boolean => definitionOf(current) === null

const definitionOf = (current: () => AgentDefinition): AgentDefinition | null => {
  try {
    return current()
  } catch {
    return null
  }
}

class NativeRun {
  readonly #voice: AgentRun
  readonly #abortController = new AbortController()
  readonly #ended: Promise<void>
  #markEnded = () => {}

  constructor(job: Job, reporter: RunReporter, ports: AgentRunPorts) {
    this.#voice = new AgentRun(job, reporter, ports, this.#abortController.signal)
    this.#ended = new Promise((resolve) => {
      this.#markEnded = resolve
    })
    reporter.onClose(() => this.#stop('The run was cancelled.'))
  }

  async run(current: () => AgentDefinition): Promise<RunEnd> {
    const { reporter, signal } = this.#voice
    await reporter.report([{ type: 'started' }])
    const end = await this.#runAgent(current)
    if (signal.aborted) return 'done'
    this.#stop('The run is over.')
    await reporter.report([end])
    return 'done'
  }

  deliverAnswer(answer: ApprovalAnswer): void {
    this.#voice.receiveAnswer(answer)
  }

  /** Rejects when the run does not stop in time: its abort cannot be confirmed. */
  async abort(): Promise<void> {
    this.#stop('The run was cancelled.')
    await new Promise<void>((resolve, reject) => {
      const late = () => reject(new Error('The run ignores that it was cancelled.'))
      const forget = this.#voice.ports.clock.after(ABORT_GRACE_MS, late)
      this.#ended.then(resolve).finally(forget)
    })
  }

  markEnded(): void {
    this.#markEnded()
  }

  async #runAgent(current: () => AgentDefinition): Promise<ReportItem> {
    const voice = this.#voice
    const { prompt, input, settings } = voice.job
    try {
      const definition = current()
      if (definition.run === null) return { type: 'failed', message: 'The agent has no run function.' }
      const given = await parseRunInput(definition, prompt, input)
      if ('problem' in given) return { type: 'failed', message: given.problem, reason: 'input_invalid' }
      const { signal } = voice
      const returned = await definition.run({
        input: given.value,
        session: createAgentSession(voice),
        signal,
        ...(typeof settings.workspace_path === 'string' && { workspace: settings.workspace_path }),
      })
      // Calls that the agent started and did not await still belong to the run.
      await voice.whenIdle()
      const result = await parseRunResult(definition, returned)
      if ('problem' in result) return { type: 'failed', message: result.problem, reason: 'output_invalid' }
      return { type: 'finished', ...(result.value !== undefined && { result: result.value }) }
    } catch (error) {
      const transient = (error as { transient?: unknown } | null)?.transient === true
      return { type: 'failed', message: shortErrorMessage(error), ...(transient && { transient }) }
    }
  }

  /** The first reason stays. */
  #stop(why: string): void {
    this.#abortController.abort(new RunEndedError(why))
  }
}
