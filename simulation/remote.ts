// A runner outside the hosts: it survives their crashes, keeps its frames, and a host can attach to a run again. The runner may
// forget a run, or stop it without a message.

import { canonicalJson, hashText } from '@bridle/events/json'
import { OUTCOME_TYPES } from '@bridle/events/schemas'
import type { ReportItem } from '@bridle/kernel/commands'
import { keyText } from '@bridle/kernel/event'
import type { ApprovalAnswer, Job } from '@bridle/kernel/ports/runner'
import { fail, note, type SimulationContext } from './ground.ts'
import { parsePrompt, type ScriptStep } from './scripts.ts'

type RemoteFrame = { readonly token: string } | { readonly items: readonly ReportItem[]; readonly last?: true }

export class RemoteRun {
  readonly name: string
  readonly steps: readonly ScriptStep[]
  readonly frames: RemoteFrame[] = [{ items: [{ type: 'started', handle: { at: 'remote' }, steer: true }] }]
  readonly answers = new Map<string, ApprovalAnswer>()
  readonly steers = new Set<string>()
  /** `started` is in the log, so the run may act. */
  working = false
  /** The run writes no more frames. */
  isOver = false
  forgotten = false
  readonly #waiting: (() => void)[] = []

  constructor(job: Job) {
    this.name = nameOf(job)
    this.steps = parsePrompt(job.prompt)
  }

  /** All tokens so far, as they went out. */
  get text(): string {
    return this.frames.map((frame) => ('token' in frame ? frame.token : '')).join('')
  }

  change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  changed(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

export class SimulatedRemoteRunner {
  readonly #ground: SimulationContext
  readonly #runs = new Map<string, RemoteRun>()
  readonly #aborted = new Set<string>()
  /** Every attempt that did work, also those that the runner forgot. */
  readonly worked = new Map<string, RemoteRun>()

  constructor(ground: SimulationContext) {
    this.#ground = ground
  }

  /** A runner that has the attempt already does not start it twice. */
  begin(job: Job): RemoteRun | null {
    const name = nameOf(job)
    if (this.#aborted.has(name)) return null
    const run = this.#runs.get(name) ?? new RemoteRun(job)
    this.#runs.set(name, run)
    return run
  }

  find(job: Job): RemoteRun | null {
    return this.#runs.get(nameOf(job)) ?? null
  }

  work(run: RemoteRun): void {
    if (run.working || run.isOver) return
    run.working = true
    if (this.worked.has(run.name)) fail(this.#ground, 6, `${run.name} was done twice`)
    this.worked.set(run.name, run)
    this.#play(run).catch((cause) => fail(this.#ground, 'simulation', String(cause)))
  }

  abort(job: Job): void {
    this.#aborted.add(nameOf(job))
    const run = this.find(job)
    if (!run) return
    run.isOver = true
    run.changed()
  }

  /** Loses the machine and its run; or the run stops without a message. */
  forgetOne(): void {
    const run = this.#ground.prng.pick([...this.#runs.values()].filter(({ isOver }) => !isOver))
    if (!run) return
    if (this.#ground.prng.chance(0.3)) {
      note(this.#ground, `${run.name} stops without a word`)
      run.isOver = true
      return run.changed()
    }
    note(this.#ground, `the remote runner forgets ${run.name}`)
    run.forgotten = true
    run.isOver = true
    this.#runs.delete(run.name)
    run.changed()
  }

  receiveAnswer(run: RemoteRun, answer: ApprovalAnswer): void {
    const known = run.answers.get(answer.toolCallId)
    if (known && canonicalJson(known) !== canonicalJson(answer))
      fail(this.#ground, 7, `${run.name} heard two answers to ${answer.requestId}: ${canonicalJson([known, answer])}`)
    run.answers.set(answer.toolCallId, answer)
    run.changed()
  }

  steer(run: RemoteRun, { messageId, text }: { readonly messageId: string; readonly text: string }): void {
    if (run.steers.has(messageId)) return
    run.steers.add(messageId)
    if (!run.isOver) this.#emit(run, { token: ` [${messageId}: ${text.length}]` })
  }

  async #play(run: RemoteRun): Promise<void> {
    for (const step of run.steps) {
      await this.#sleep(this.#ground.prng.int(0, 5))
      await this.#step(run, step)
      if (run.isOver) return
    }
    this.#emit(run, { items: [{ type: 'finished', resume: `resume-${run.name}` }], last: true })
    run.isOver = true
  }

  async #step(run: RemoteRun, step: ScriptStep): Promise<void> {
    if (run.isOver) return
    if ('text' in step) {
      const characters = [...step.text]
      const size = Math.max(1, Math.ceil(characters.length / (step.chunks ?? 1)))
      for (let at = 0; at < characters.length && !run.isOver; at += size) {
        if (at > 0) await this.#sleep(step.everyMs ?? 0)
        this.#emit(run, { token: characters.slice(at, at + size).join('') })
      }
    } else if ('thinking' in step) this.#event(run, 'thinking', { text: step.thinking })
    else if ('usage' in step) this.#event(run, 'usage', step.usage)
    else if ('sleepMs' in step) await this.#sleep(step.sleepMs)
    else if ('checkpoint' in step)
      this.#event(run, 'session_checkpoint', {
        checkpoint_type: 'step',
        status: 'completed',
        summary_text: step.checkpoint,
      })
    else if ('artifact' in step) {
      const { name, content } = step.artifact
      this.#emit(run, { items: [{ type: 'artifact', name, contentType: 'text/plain', text: content }] })
    } else if ('tool' in step) {
      this.#event(run, 'tool_call', {
        name: step.tool,
        arguments: step.args,
        tool_call_id: step.id,
        effect: step.effect,
      })
      await this.#sleep(step.ms)
      this.#outcome(run, step.id, step.tool, 'ok', step.result)
    } else if ('approve' in step) await this.#approve(run, step)
    else {
      this.#emit(run, { items: [{ type: 'failed', message: step.fail, transient: step.transient }], last: true })
      run.isOver = true
    }
  }

  async #approve(
    run: RemoteRun,
    { approve: tool, id, args, expiresMs }: Extract<ScriptStep, { approve: string }>,
  ): Promise<void> {
    this.#emit(run, {
      items: [
        eventItem('tool_call', { name: tool, arguments: args, tool_call_id: id, effect: 'pure' }),
        {
          type: 'ask',
          toolCallId: id,
          tool,
          arguments: args,
          reason: 'the script asks',
          digest: hashText(canonicalJson({ tool, arguments: args })),
          ...(expiresMs !== undefined && { expiresMs }),
        },
      ],
    })
    while (!run.answers.has(id) && !run.isOver) await run.change()
    const answer = run.answers.get(id)
    if (!answer || run.isOver) return
    if (answer.decision !== 'approved') return this.#outcome(run, id, tool, 'denied')
    if (answer.approvedDigest !== hashText(canonicalJson({ tool, arguments: answer.arguments })))
      fail(this.#ground, 7, `${run.name} was told to run what was not approved: ${canonicalJson(answer)}`)
    this.#outcome(run, id, tool, 'ok', answer.arguments)
  }

  #outcome(run: RemoteRun, id: string, tool: string, status: 'ok' | 'denied', result?: object): void {
    this.#event(run, 'tool_outcome', {
      tool_call_id: id,
      tool_name: tool,
      outcome_type: OUTCOME_TYPES[status],
      status,
      ...(result && { result }),
    })
  }

  #event(run: RemoteRun, type: string, payload: object): void {
    this.#emit(run, { items: [eventItem(type, payload)] })
  }

  #emit(run: RemoteRun, frame: RemoteFrame): void {
    if (run.isOver) return
    run.frames.push(frame)
    run.changed()
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#ground.schedule.after(ms, resolve))
  }
}

export const nameOf = ({ key, runId, attempt }: Pick<Job, 'key' | 'runId' | 'attempt'>): string =>
  `${keyText(key)}/${runId}/${attempt}`

const eventItem = (type: string, payload: object): ReportItem =>
  ({ type: 'event', event: { type, payload } }) as unknown as ReportItem
