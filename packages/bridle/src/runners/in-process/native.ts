// Runs an agent written in TypeScript, in this process.
//
// A JavaScript function cannot be taken up in the middle by another process. So a run whose process is gone is lost,
// also one that only waited for an approval: the kernel ends it as interrupted in a chat, and starts it again from the
// beginning in a background session, with the same step keys.
import type { AgentDefinition } from '../../agents/agent.ts'
import { Voice, type VoicePorts } from '../../agents/agent-run.ts'
import { RunOver } from '../../agents/errors.ts'
import { runInput, runResult } from '../../agents/input.ts'
import { liveSession } from '../../agents/run-session.ts'
import { messageOf } from '../../agents/tool-call.ts'
import type { ReportItem } from '../../kernel/commands.ts'
import { keyText } from '../../kernel/event.ts'
import { ABORT_GRACE_MS } from '../../kernel/limits.ts'
import type { ApprovalAnswer, Job, RunEnd, Runner } from '../../kernel/ports/runner.ts'
import type { Outlet } from '../../kernel/session/run-reporter.ts'

/** A function is asked at each start: a changed definition serves new runs, and live ones keep the one they have. */
export const nativeRunner = (agent: AgentDefinition | (() => AgentDefinition), ports: VoicePorts): Runner => {
  const current = typeof agent === 'function' ? agent : () => agent
  const runs = new Map<string, NativeRun>()
  const name = ({ key, runId, attempt }: Job) => `${keyText(key)}/${runId}/${attempt}`

  return {
    start: async (job, outlet) => {
      const run = new NativeRun(job, outlet, ports)
      runs.set(name(job), run)
      try {
        return await run.play(current)
      } finally {
        run.end()
        if (runs.get(name(job)) === run) runs.delete(name(job))
      }
    },
    attach: async () => 'lost',
    abort: async (job) => {
      await runs.get(name(job))?.abort()
      return null
    },
    answer: async (job, answer) => {
      const run = runs.get(name(job))
      if (!run) throw new Error('The run is not here.')
      run.hear(answer)
    },
  }
}

class NativeRun {
  readonly #voice: Voice
  readonly #leave = new AbortController()
  readonly #over: Promise<void>
  #end = () => {}

  constructor(job: Job, outlet: Outlet, ports: VoicePorts) {
    this.#voice = new Voice(job, outlet, ports, this.#leave.signal)
    this.#over = new Promise((resolve) => {
      this.#end = resolve
    })
    outlet.onClose(() => this.#stop('The run was cancelled.'))
  }

  async play(current: () => AgentDefinition): Promise<RunEnd> {
    const { outlet, signal } = this.#voice
    await outlet.report([{ type: 'started' }])
    const end = await this.#run(current)
    if (signal.aborted) return 'done'
    this.#stop('The run is over.')
    await outlet.report([end])
    return 'done'
  }

  hear(answer: ApprovalAnswer): void {
    this.#voice.hear(answer)
  }

  /** Rejects when the run does not let go: what still runs is not confirmed to have stopped. */
  async abort(): Promise<void> {
    this.#stop('The run was cancelled.')
    await new Promise<void>((resolve, reject) => {
      const late = () => reject(new Error('The run ignores that it was cancelled.'))
      const forget = this.#voice.ports.clock.after(ABORT_GRACE_MS, late)
      this.#over.then(resolve).finally(forget)
    })
  }

  end(): void {
    this.#end()
  }

  async #run(current: () => AgentDefinition): Promise<ReportItem> {
    const voice = this.#voice
    const { prompt, input, settings } = voice.job
    try {
      const definition = current()
      const given = await runInput(definition, prompt, input)
      if ('problem' in given) return { type: 'failed', message: given.problem, reason: 'input_invalid' }
      const { signal } = voice
      const returned = await definition.run({
        input: given.value,
        session: liveSession(voice),
        signal,
        ...(typeof settings.workspace_path === 'string' && { workspace: settings.workspace_path }),
      })
      // What was begun and not awaited still belongs to the run.
      await voice.quiet()
      const result = await runResult(definition, returned)
      if ('problem' in result) return { type: 'failed', message: result.problem, reason: 'output_invalid' }
      return { type: 'finished', ...(result.value !== undefined && { result: result.value }) }
    } catch (error) {
      const transient = (error as { transient?: unknown } | null)?.transient === true
      return { type: 'failed', message: messageOf(error), ...(transient && { transient }) }
    }
  }

  /** The first reason stays. */
  #stop(why: string): void {
    this.#leave.abort(new RunOver(why))
  }
}
