// The scripted agent plays the scenario in its prompt through the real kernel, store and wires, and always in the same way.

import { type Json, type JsonObject, present } from '@bridle/events/json'
import { OUTCOME_TYPES, outcomeFactsIn, type ToolStatus } from '@bridle/events/schemas'
import type { ReportItem } from '@bridle/kernel/commands'
import { type Key, keyText } from '@bridle/kernel/event'
import { callDigest } from '@bridle/kernel/host/approval-binding'
import { questionReport } from '@bridle/kernel/host/question-report'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Digest } from '@bridle/kernel/ports/digest'
import type { ApprovalAnswer, Job, RunEnd, Runner } from '@bridle/kernel/ports/runner'
import { ReporterClosedError, type RunReporter } from '@bridle/kernel/session/run-reporter'
import { ASK_SUBJECT } from '../session/questions.ts'
import { scriptedIdentity } from './engine-identities.ts'
import {
  parseScript,
  positionAfterText,
  positionOf,
  type ScriptPosition,
  type ScriptStep,
  scriptedEvent,
  splitText,
} from './script.ts'
import { attemptName } from './stopping.ts'

/** Stopped scripts whose position is kept: the session asks for it at once, or never. */
const ENDED_RUNS_KEPT_MAX = 100
/** Pieces of text in a row before other sessions run: about a millisecond of work. */
const PIECES_AT_ONCE = 500

export const scriptedRunner = (ports: { clock: Clock; digest: Digest }): Runner => {
  const performances = new Map<string, ScriptRun>()
  /** Runs that ended after their reporter was closed: the session may still ask where they stopped. */
  const unheard = new Map<string, ScriptRun>()

  const play = async (job: Job, reporter: RunReporter, resumed: boolean): Promise<RunEnd> => {
    const performance = new ScriptRun(job, reporter, ports)
    performances.set(attemptName(job), performance)
    try {
      return await performance.run(resumed)
    } finally {
      if (reporter.closed) rememberRun(unheard, attemptName(job), performance)
      // The next owner may play the same attempt already.
      if (performances.get(attemptName(job)) === performance) performances.delete(attemptName(job))
    }
  }

  return {
    identity: scriptedIdentity,
    start: (job, reporter) => play(job, reporter, false),
    // A script that waits for an approval resumes at that step; a script in mid-stream died with its process.
    attach: (job, reporter) => (job.awaiting.length > 0 ? play(job, reporter, true) : Promise.resolve('lost')),
    abort: async (job) => {
      const performance = performances.get(attemptName(job)) ?? unheard.get(attemptName(job))
      await performance?.abort()
      unheard.delete(attemptName(job))
      return performance?.resumeAfter(job.frame) ?? null
    },
    // A script that waits for an approval resumes at that step.
    outlivesProcess: ({ awaiting }) => awaiting.length > 0,
    checkArguments: async ({ key, toolCallId, tool, arguments: args }) => {
      const performance = [...performances.values()].find((each) => each.isOf(key))
      const misfit = argumentMisfit(args, performance?.takenBy(toolCallId))
      return misfit && `The arguments of "${tool}" do not fit: ${misfit}`
    },
    stopTask: async (job, taskId) => performances.get(attemptName(job))?.stopTask(taskId) ?? false,
    answer: async (job, answer) => {
      const performance = performances.get(attemptName(job))
      if (!performance) throw new Error('The run is not here.')
      performance.deliverAnswer(answer)
    },
  }
}

const rememberRun = (ended: Map<string, ScriptRun>, name: string, performance: ScriptRun): void => {
  ended.set(name, performance)
  const [oldest] = ended.keys()
  if (ended.size > ENDED_RUNS_KEPT_MAX && oldest !== undefined) ended.delete(oldest)
}

class ScriptAbort extends Error {}

class ScriptRun {
  readonly #job: Job
  readonly #reporter: RunReporter
  readonly #clock: Clock
  readonly #digest: Digest
  readonly #answeredIds = new Set<string>()
  readonly #answers = new Map<string, ApprovalAnswer>()
  readonly #answerWaiters = new Map<string, (answer: ApprovalAnswer) => void>()
  readonly #ended = Promise.withResolvers<void>()
  readonly #stopped = Promise.withResolvers<never>()
  #stopCause: Error | null = null
  /** The positions that the script has reached, each with its frame. */
  readonly #positions: { readonly frame: number; readonly place: ScriptPosition }[] = []
  #startPosition: ScriptPosition
  /** The call that waits for an approval, with the names of the arguments that it takes; undefined = any. */
  #taken: { readonly callId: string; readonly names: readonly string[] | undefined } | null = null
  #task: { readonly id: string; readonly stop: () => void } | null = null
  #nextPosition: ScriptPosition = { step: 0, piece: 0 }

  constructor(job: Job, reporter: RunReporter, { clock, digest }: { clock: Clock; digest: Digest }) {
    this.#job = job
    this.#reporter = reporter
    this.#clock = clock
    this.#digest = digest
    this.#startPosition = positionOf(job)
    this.#stopped.promise.catch(() => {})
    reporter.onClose(() => this.#stop(new ReporterClosedError('nobody listens')))
  }

  async run(resumed: boolean): Promise<RunEnd> {
    const { prompt, awaiting } = this.#job
    try {
      if (!resumed) await this.#reporter.report([{ type: 'started', resumable: true }])
      const script = parseScript(prompt)
      if ('problem' in script) throw new Error(script.problem)
      if (!resumed)
        this.#startPosition = positionAfterText(script.steps, this.#startPosition, this.#job.continues?.keptChars ?? 0)
      const at = (step: ScriptStep, index: number) =>
        (step.kind === 'approve' || step.kind === 'ask') && awaiting.includes(callId(step, index))
      const from = resumed ? script.steps.findIndex(at) : this.#startPosition.step
      if (from < 0) return 'lost'
      this.#recordPosition({ step: from, piece: resumed ? 0 : this.#startPosition.piece })
      for (const [index, step] of script.steps.entries()) {
        if (index < from) continue
        this.#nextPosition = { step: index + 1, piece: 0 }
        const end = await this.#runStep(step, index, resumed && index === from)
        if (end === 'ended') return 'done'
        this.#recordPosition(this.#nextPosition)
      }
      await this.#reporter.report([{ type: 'finished' }])
      return 'done'
    } catch (error) {
      if (error instanceof ScriptAbort) return 'done'
      throw error
    } finally {
      this.#ended.resolve()
    }
  }

  isOf(key: Key): boolean {
    return keyText(this.#job.key) === keyText(key)
  }

  /** The names of the arguments that a waiting call takes; undefined = any. */
  takenBy(callId: string): readonly string[] | undefined {
    return this.#taken?.callId === callId ? this.#taken.names : undefined
  }

  /** The handle with which another attempt continues behind this frame, the last in the log. */
  resumeAfter(committed: number): string {
    const { step, piece } = this.#positions.findLast(({ frame }) => frame <= committed)?.place ?? this.#startPosition
    return `${HANDLE}${step}:${piece}`
  }

  #recordPosition(place: ScriptPosition): void {
    const { frame, committedFrame } = this.#reporter
    // Steps that are in the log are not repeated.
    while (this.#positions.length > 1 && this.#positions[1]!.frame <= committedFrame) this.#positions.shift()
    this.#positions.push({ frame, place })
  }

  /** Resolves when the script has let go. */
  async abort(): Promise<void> {
    this.#stop(new ScriptAbort('aborted'))
    await this.#ended.promise
  }

  #stop(cause: Error): void {
    this.#stopCause ??= cause
    this.#stopped.reject(cause)
  }

  /** False if the script has no such task in progress. */
  stopTask(id: string): boolean {
    if (this.#task?.id !== id) return false
    this.#task.stop()
    return true
  }

  deliverAnswer(answer: ApprovalAnswer): void {
    if (this.#answeredIds.has(answer.requestId)) return
    this.#answeredIds.add(answer.requestId)
    this.#answers.set(answer.toolCallId, answer)
    this.#answerWaiters.get(answer.toolCallId)?.(answer)
  }

  async #runStep(step: ScriptStep, index: number, asked: boolean): Promise<'ended' | undefined> {
    const say = (type: string, payload: Json) => this.#reportEvent(type, payload)
    switch (step.kind) {
      case 'text':
        for (const [piece, text] of splitText(step.text, step.chunks).entries()) {
          if (index === this.#startPosition.step && piece < this.#startPosition.piece) continue
          // A flood of pieces without a pause still lets others have their turn.
          if (piece > 0 && (step.everyMs > 0 || piece % PIECES_AT_ONCE === 0)) await this.#sleep(step.everyMs)
          if (this.#stopCause) throw this.#stopCause
          await this.#reporter.token(text)
          this.#recordPosition({ step: index, piece: piece + 1 })
        }
        return
      case 'thinking':
        return say('thinking', { text: step.thinking })
      case 'tool':
        return this.#runTool(step, callId(step, index))
      case 'approve':
        return this.#runApproval(step, callId(step, index), asked)
      case 'ask':
        return this.#runQuestion(step, callId(step, index), asked)
      case 'checkpoint': {
        const payload = { checkpoint_type: 'step', status: 'completed', summary_text: step.checkpoint }
        return say('session_checkpoint', payload)
      }
      case 'artifact':
        return this.#reportItems([
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
      case 'directive':
        return say('directive', step.directive)
      case 'event':
        return say(step.event.type, step.event.payload)
      case 'task':
        return this.#runTask(step, step.id ?? `task-${index + 1}`)
      case 'sleepMs':
        return this.#sleep(step.sleepMs)
      case 'fail': {
        const { fail: message, transient } = step
        await this.#untilStopped(this.#reporter.report([{ type: 'failed', message, transient }]))
        return 'ended'
      }
    }
  }

  async #runTool(step: ScriptStep & { kind: 'tool' }, id: string): Promise<undefined> {
    // Intent before effect: the call is in the log before it does anything.
    const call = { name: step.tool, arguments: step.args, tool_call_id: id, effect: step.effect }
    await this.#untilStopped(this.#reporter.report([scriptEventItem('tool_call', call)]))
    if (step.ms > 0) await this.#sleep(step.ms)
    await this.#reportOutcome(id, step.tool, step.outcome, step.ms, step.result as Json | undefined)
  }

  /** Delegated work, which a client may stop without stopping the run. */
  async #runTask({ task, ms }: ScriptStep & { kind: 'task' }, id: string): Promise<undefined> {
    const status = (word: string) => scriptEventItem('subagent_event', { agent_id: id, status: word, summary: task })
    await this.#untilStopped(this.#reporter.report([status('started')]))
    const ended = Promise.withResolvers<'completed' | 'stopped'>()
    const forget = this.#clock.after(ms, () => ended.resolve('completed'))
    this.#task = { id, stop: () => ended.resolve('stopped') }
    const end = await this.#untilStopped(ended.promise).finally(() => {
      forget()
      this.#task = null
    })
    return this.#reportItems([status(end)])
  }

  async #runApproval(step: ScriptStep & { kind: 'approve' }, id: string, asked: boolean): Promise<undefined> {
    this.#taken = { callId: id, names: step.takes }
    if (!asked) {
      const digest = await callDigest(this.#digest, step.approve, step.args)
      await this.#untilStopped(
        this.#reporter.report([
          scriptEventItem('tool_call', { name: step.approve, arguments: step.args, tool_call_id: id, effect: 'pure' }),
          {
            type: 'ask',
            toolCallId: id,
            tool: step.approve,
            arguments: step.args,
            reason: step.reason,
            digest,
            // The call itself does nothing, so that any process may repeat it. A person is told of the effect that it plays.
            effect: step.effect ?? null,
            ...present({ expiresMs: step.expiresMs, risk: step.risk }),
          },
        ]),
      )
    }
    await this.#reportAnswer(id, step.approve, (args) => ({ arguments: args }))
  }

  async #runQuestion(
    { request, expiresMs }: ScriptStep & { kind: 'ask' },
    id: string,
    asked: boolean,
  ): Promise<undefined> {
    if (!asked) {
      const { questions: [question] = [], schema } = request
      const args = present({ questions: request.questions, schema }) as JsonObject
      const reason = question?.question ?? 'The script asks for values.'
      const call = { toolCallId: id, tool: ASK_SUBJECT, arguments: args, reason, ...present({ expiresMs }) }
      await this.#untilStopped(
        this.#reporter.report([
          scriptEventItem('tool_call', { name: ASK_SUBJECT, arguments: args, tool_call_id: id, effect: 'pure' }),
          { ...(await questionReport(this.#digest, call, request)), effect: null },
        ]),
      )
    }
    await this.#reportAnswer(id, ASK_SUBJECT, ({ answers, values }) => present({ answers, values }) as JsonObject)
  }

  /** Waits for the answer to a call, and reports the outcome: the approved arguments give the result. */
  async #reportAnswer(id: string, tool: string, resultOf: (args: JsonObject) => JsonObject): Promise<undefined> {
    const answer =
      this.#answers.get(id) ??
      (await this.#untilStopped(new Promise<ApprovalAnswer>((resolve) => this.#answerWaiters.set(id, resolve))))
    // Used once: the next call of this name is another question.
    this.#answers.delete(id)
    this.#answerWaiters.delete(id)
    if (answer.decision !== 'approved')
      return this.#reportOutcome(id, tool, 'denied', 0, undefined, answer.reason ?? answer.decision)
    const digest = await callDigest(this.#digest, tool, answer.arguments)
    if (digest !== answer.approvedDigest)
      return this.#reportOutcome(id, tool, 'error', 0, undefined, 'not what was approved')
    await this.#reportOutcome(id, tool, 'ok', 0, resultOf(answer.arguments))
  }

  async #reportOutcome(
    id: string,
    tool: string,
    status: ToolStatus,
    elapsedMs: number,
    result?: Json,
    reason?: string,
  ): Promise<undefined> {
    const shared = { tool_call_id: id, tool_name: tool }
    const shown = result !== undefined && (status === 'ok' || status === 'artifact')
    return this.#reportItems([
      ...(shown ? [scriptEventItem('tool_result', { ...shared, result })] : []),
      scriptEventItem('tool_outcome', {
        ...shared,
        outcome_type: OUTCOME_TYPES[status],
        status,
        elapsed_ms: elapsedMs,
        ...(result !== undefined && { result }),
        ...outcomeFactsIn(result),
        ...(reason !== undefined && { reason }),
        ...(status === 'error' || status === 'timeout' ? { error: reason ?? `The call ended in ${status}.` } : {}),
      }),
    ])
  }

  async #reportEvent(type: string, payload: Json): Promise<undefined> {
    return this.#reportItems([scriptEventItem(type, payload)])
  }

  /** Reports the end of a step. Once it is in the log the step is done, even if the script is stopped at that moment. */
  async #reportItems(items: readonly ReportItem[]): Promise<undefined> {
    const told = this.#reporter.report(items)
    this.#recordPosition(this.#nextPosition)
    await this.#untilStopped(told)
  }

  #sleep(ms: number): Promise<undefined> {
    const slept = Promise.withResolvers<undefined>()
    const forget = this.#clock.after(ms, () => slept.resolve(undefined))
    return this.#untilStopped(slept.promise).finally(forget)
  }

  #untilStopped<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#stopped.promise])
  }
}

const HANDLE = 'step:'

/** The first argument that is missing or that the call does not take; null = there is none. */
const argumentMisfit = (args: JsonObject, names: readonly string[] | undefined): string | null => {
  if (!names) return null
  const missing = names.find((name) => !Object.hasOwn(args, name))
  if (missing !== undefined) return `${missing}: It is missing.`
  const other = Object.keys(args).find((name) => !names.includes(name))
  return other === undefined ? null : `${other}: The call takes no argument of this name.`
}

const scriptEventItem = (type: string, payload: Json) => {
  const checked = scriptedEvent(type, payload)
  if ('problem' in checked) throw new Error(checked.problem)
  return { type: 'event', event: checked.event } as const
}

const callId = (step: { readonly id?: string | undefined }, index: number): string => step.id ?? `call-${index + 1}`
