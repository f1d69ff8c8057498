// The scripted agent: plays the scenario in its prompt through the real kernel, store and wires. Deterministic, so
// demos, tests, benchmarks and anybody's conformance run can rely on it.

import type { ReportItem } from '../../kernel/commands.ts'
import { callDigest } from '../../kernel/host/approval-binding.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { ApprovalAnswer, Job, RunEnd, Runner } from '../../kernel/ports/runner.ts'
import type { Clock, Digest } from '../../kernel/ports/store.ts'
import { OUTCOME_TYPES, type ToolStatus } from '../../kernel/schemas.ts'
import { type Outlet, OutletClosed } from '../../kernel/session/run-reporter.ts'
import { parseScript, type Step, scriptedEvent } from './script.ts'

export const scriptedRunner = (ports: { clock: Clock; digest: Digest }): Runner => {
  const performances = new Map<string, Performance>()
  /** Performances that ended when nobody listened any more: somebody may ask how they go on. */
  const unheard = new Map<string, Performance>()
  const name = ({ key, runId, attempt }: Job) => `${key.tenant}/${key.agent}/${key.id}/${runId}/${attempt}`

  const play = async (job: Job, outlet: Outlet, resumed: boolean): Promise<RunEnd> => {
    const performance = new Performance(job, outlet, ports)
    performances.set(name(job), performance)
    try {
      return await performance.play(resumed)
    } finally {
      if (outlet.closed) remember(unheard, name(job), performance)
      // The next owner may play the same attempt already.
      if (performances.get(name(job)) === performance) performances.delete(name(job))
    }
  }

  return {
    start: (job, outlet) => play(job, outlet, false),
    // A script that waits for an approval can be taken up at that step; one in mid-stream died with its process.
    attach: (job, outlet) => (job.awaiting.length > 0 ? play(job, outlet, true) : Promise.resolve('lost')),
    abort: async (job) => {
      const performance = performances.get(name(job)) ?? unheard.get(name(job))
      await performance?.abort()
      unheard.delete(name(job))
      return performance?.resumeAfter(job.frame) ?? null
    },
    // A script that waits for an approval is taken up at that step.
    outlivesProcess: ({ awaiting }) => awaiting.length > 0,
    answer: async (job, answer) => {
      const performance = performances.get(name(job))
      if (!performance) throw new Error('The run is not here.')
      performance.hear(answer)
    },
  }
}

/** Stopped scripts whose place is remembered until somebody asks: each is asked about at once, or never. */
const UNHEARD_MAX = 100

const remember = (ended: Map<string, Performance>, name: string, performance: Performance): void => {
  ended.set(name, performance)
  const [oldest] = ended.keys()
  if (ended.size > UNHEARD_MAX && oldest !== undefined) ended.delete(oldest)
}

/** Pieces of text in a row before others have their turn. */
const PIECES_AT_ONCE = 500

class Aborted extends Error {}

class Performance {
  readonly #job: Job
  readonly #outlet: Outlet
  readonly #clock: Clock
  readonly #digest: Digest
  readonly #heard = new Set<string>()
  readonly #answers = new Map<string, ApprovalAnswer>()
  readonly #waiting = new Map<string, (answer: ApprovalAnswer) => void>()
  readonly #over: Promise<void>
  #leave: (cause: Error) => void = () => {}
  #end: () => void = () => {}
  readonly #left: Promise<never>
  #gone: Error | null = null
  /** The places that the script has reached, each with the frame by which it had. */
  readonly #places: { readonly frame: number; readonly place: Place }[] = []
  #place: Place
  /** Where it stands when the present step is done. */
  #next: Place = { step: 0, piece: 0 }

  constructor(job: Job, outlet: Outlet, { clock, digest }: { clock: Clock; digest: Digest }) {
    this.#job = job
    this.#outlet = outlet
    this.#clock = clock
    this.#digest = digest
    this.#place = placeOf(job)
    this.#left = new Promise((_, reject) => {
      this.#leave = (cause) => {
        this.#gone ??= cause
        reject(cause)
      }
    })
    this.#left.catch(() => {})
    this.#over = new Promise((resolve) => {
      this.#end = resolve
    })
    outlet.onClose(() => this.#leave(new OutletClosed('nobody listens')))
  }

  async play(resumed: boolean): Promise<RunEnd> {
    const { prompt, awaiting } = this.#job
    try {
      if (!resumed) await this.#outlet.report([{ type: 'started', resumable: true }])
      const script = parseScript(prompt)
      if ('problem' in script) throw new Error(script.problem)
      if (!resumed) this.#place = behindText(script.steps, this.#place, this.#job.continues?.keptChars ?? 0)
      const at = (step: Step, index: number) => step.kind === 'approve' && awaiting.includes(callId(step, index))
      const from = resumed ? script.steps.findIndex(at) : this.#place.step
      if (from < 0) return 'lost'
      this.#reached({ step: from, piece: resumed ? 0 : this.#place.piece })
      for (const [index, step] of script.steps.entries()) {
        if (index < from) continue
        this.#next = { step: index + 1, piece: 0 }
        const end = await this.#step(step, index, resumed && index === from)
        if (end === 'ended') return 'done'
        this.#reached(this.#next)
      }
      await this.#outlet.report([{ type: 'finished' }])
      return 'done'
    } catch (error) {
      if (error instanceof Aborted) return 'done'
      throw error
    } finally {
      this.#end()
    }
  }

  /** How another attempt goes on behind this frame, the last that is in the log. */
  resumeAfter(committed: number): string {
    const { step, piece } = this.#places.findLast(({ frame }) => frame <= committed)?.place ?? this.#place
    return `${HANDLE}${step}:${piece}`
  }

  #reached(place: Place): void {
    const { frame, taken } = this.#outlet
    // Behind the last that is in the log none is asked for again.
    while (this.#places.length > 1 && this.#places[1]!.frame <= taken) this.#places.shift()
    this.#places.push({ frame, place })
  }

  /** Resolves when the script has let go. */
  async abort(): Promise<void> {
    this.#leave(new Aborted('aborted'))
    await this.#over
  }

  hear(answer: ApprovalAnswer): void {
    if (this.#heard.has(answer.requestId)) return
    this.#heard.add(answer.requestId)
    this.#answers.set(answer.toolCallId, answer)
    this.#waiting.get(answer.toolCallId)?.(answer)
  }

  async #step(step: Step, index: number, asked: boolean): Promise<'ended' | undefined> {
    const say = (type: string, payload: Json) => this.#say(type, payload)
    switch (step.kind) {
      case 'text':
        for (const [piece, text] of pieces(step.text, step.chunks).entries()) {
          if (index === this.#place.step && piece < this.#place.piece) continue
          // A flood of pieces without a pause still lets others have their turn.
          if (piece > 0 && (step.everyMs > 0 || piece % PIECES_AT_ONCE === 0)) await this.#sleep(step.everyMs)
          if (this.#gone) throw this.#gone
          await this.#outlet.token(text)
          this.#reached({ step: index, piece: piece + 1 })
        }
        return
      case 'thinking':
        return say('thinking', { text: step.thinking })
      case 'tool':
        return this.#tool(step, callId(step, index))
      case 'approve':
        return this.#approve(step, callId(step, index), asked)
      case 'checkpoint':
        return say('session_checkpoint', {
          checkpoint_type: 'step',
          status: 'completed',
          summary_text: step.checkpoint,
        })
      case 'artifact':
        return this.#tell([
          {
            type: 'artifact',
            name: step.artifact.name,
            contentType: 'text/plain; charset=utf-8',
            text: step.artifact.content,
            ...(step.artifact.kind !== undefined && { kind: step.artifact.kind }),
          },
        ])
      case 'usage':
        return say('usage', step.usage as JsonObject)
      case 'event':
        return say(step.event.type, step.event.payload)
      case 'sleepMs':
        return this.#sleep(step.sleepMs)
      case 'fail':
        await this.#race(this.#outlet.report([{ type: 'failed', message: step.fail, transient: step.transient }]))
        return 'ended'
    }
  }

  async #tool(step: Step & { kind: 'tool' }, id: string): Promise<undefined> {
    // Intent before effect: the call is in the log before it does anything.
    const call = { name: step.tool, arguments: step.args, tool_call_id: id, effect: step.effect }
    await this.#race(this.#outlet.report([event('tool_call', call)]))
    if (step.ms > 0) await this.#sleep(step.ms)
    await this.#outcome(id, step.tool, step.outcome, step.ms, step.result as Json | undefined)
  }

  async #approve(step: Step & { kind: 'approve' }, id: string, asked: boolean): Promise<undefined> {
    if (!asked) {
      const digest = await callDigest(this.#digest, step.approve, step.args)
      await this.#race(
        this.#outlet.report([
          event('tool_call', { name: step.approve, arguments: step.args, tool_call_id: id, effect: 'pure' }),
          {
            type: 'ask',
            toolCallId: id,
            tool: step.approve,
            arguments: step.args,
            reason: step.reason,
            digest,
            ...(step.expiresMs !== undefined && { expiresMs: step.expiresMs }),
          },
        ]),
      )
    }
    const answer =
      this.#answers.get(id) ??
      (await this.#race(new Promise<ApprovalAnswer>((resolve) => this.#waiting.set(id, resolve))))
    // Used once: the next call of this name is another question.
    this.#answers.delete(id)
    this.#waiting.delete(id)
    if (answer.decision !== 'approved')
      return this.#outcome(id, step.approve, 'denied', 0, undefined, answer.reason ?? answer.decision)
    const digest = await callDigest(this.#digest, step.approve, answer.arguments)
    if (digest !== answer.approvedDigest)
      return this.#outcome(id, step.approve, 'error', 0, undefined, 'not what was approved')
    await this.#outcome(id, step.approve, 'ok', 0, { arguments: answer.arguments })
  }

  async #outcome(
    id: string,
    tool: string,
    status: ToolStatus,
    elapsedMs: number,
    result?: Json,
    reason?: string,
  ): Promise<undefined> {
    const shared = { tool_call_id: id, tool_name: tool }
    const shown = result !== undefined && (status === 'ok' || status === 'artifact')
    return this.#tell([
      ...(shown ? [event('tool_result', { ...shared, result })] : []),
      event('tool_outcome', {
        ...shared,
        outcome_type: OUTCOME_TYPES[status],
        status,
        elapsed_ms: elapsedMs,
        ...(result !== undefined && { result }),
        ...(reason !== undefined && { reason }),
        ...(status === 'error' || status === 'timeout' ? { error: reason ?? `The call ended in ${status}.` } : {}),
      }),
    ])
  }

  async #say(type: string, payload: Json): Promise<undefined> {
    return this.#tell([event(type, payload)])
  }

  /** The last word of a step. With it in the log the step is done, also where the script is stopped at that very moment. */
  async #tell(items: readonly ReportItem[]): Promise<undefined> {
    const told = this.#outlet.report(items)
    this.#reached(this.#next)
    await this.#race(told)
  }

  #sleep(ms: number): Promise<undefined> {
    let forget = () => {}
    const slept = new Promise<undefined>((resolve) => {
      forget = this.#clock.after(ms, () => resolve(undefined))
    })
    return this.#race(slept).finally(() => forget())
  }

  #race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#left])
  }
}

/** The next step of a script, and the next piece of its text. */
interface Place {
  readonly step: number
  readonly piece: number
}

const HANDLE = 'step:'

const placeOf = ({ continues, resume }: Job): Place => {
  const [, step, piece] = (continues && /^step:(\d+):(\d+)$/.exec(resume ?? '')) || []
  return { step: Number(step ?? 0), piece: Number(piece ?? 0) }
}

/** The place behind a text that was said already, where the handle is from before that. */
const behindText = (steps: readonly Step[], from: Place, chars: number): Place => {
  let place = from
  let said = 0
  for (const [index, step] of steps.entries()) {
    // An event of the script's own may change the text.
    if (step.kind === 'event') return from
    if (step.kind !== 'text') continue
    for (const [piece, text] of pieces(step.text, step.chunks).entries()) {
      said += text.length
      if (said > chars) return place
      const isBehind = index > from.step || (index === from.step && piece >= from.piece)
      if (isBehind) place = { step: index, piece: piece + 1 }
    }
  }
  return place
}

const event = (type: string, payload: Json) => {
  const checked = scriptedEvent(type, payload)
  if ('problem' in checked) throw new Error(checked.problem)
  return { type: 'event', event: checked.event } as const
}

const callId = (step: { readonly id?: string | undefined }, index: number): string => step.id ?? `call-${index + 1}`

/** As many even pieces as asked for, or as there are characters; never between two surrogates. */
const pieces = (text: string, count: number): string[] => {
  const characters = [...text]
  const total = Math.min(count, characters.length)
  const cut = (index: number) => Math.floor((index * characters.length) / total)
  return Array.from({ length: total }, (_, index) => characters.slice(cut(index), cut(index + 1)).join(''))
}
