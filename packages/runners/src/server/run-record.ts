// A run inside a runner. Frames are kept until they are acknowledged, so that a reader who reconnects continues where it stopped.

import { randomBytes } from 'node:crypto'
import { answeredArguments, answerProblem } from '@bridle/events/answers'
import { type JsonObject, present } from '@bridle/events/json'
import { callDigest } from '@bridle/kernel/host/approval-binding'
import type { Digest } from '@bridle/kernel/ports/digest'
import { givenAnswer, questionFields } from '@bridle/kernel/question-request'
import type { EngineApprovalDecision, EngineApprovalRequest, TurnReporter } from '../engines/engine.ts'
import {
  encodeFrame,
  isTerminalEvent,
  type RunEnvVars,
  type RunnerApprovalAnswer,
  type RunnerEvent,
} from '../protocol/protocol.ts'
import { type ApprovalMode, decideWithoutCaller, UNANSWERED_QUESTION } from './approval-mode.ts'

/** Text that no reader has taken yet: some minutes of output. Above it the engine waits. */
const UNREAD_CHARS_MAX = 4_000_000
/** Read frames that are kept for a reader who reconnects without having acknowledged anything. */
const KEPT_CHARS_MAX = 8_000_000
/** Frames are dropped in batches: dropping each one alone would move the array for every frame. */
const TRIM_FRAMES = 1_000
/** Acknowledged frames that are kept: a server that restarts asks for those behind its log, in which some frames left nothing. */
const KEPT_FRAMES = 100
/** Arguments that a person may be asked to approve: below the limit of a log entry. */
const APPROVAL_INPUT_CHARS_MAX = 1_000_000
/** The words of a person who declines without a reason. */
const DECLINED = 'The user declined to answer.'

export interface RunRecordOptions {
  readonly requestId: string
  readonly token: string | null
  readonly acknowledges: boolean
  /** How approvals are decided where the caller answers none; null = the caller answers them. */
  readonly approvals: ApprovalMode | null
  /** The digest of the request: the same id with another body is refused. */
  readonly bodyDigest: string
  readonly env: RunEnvVars
  /** The names of the MCP servers behind the relay. */
  readonly mcpServers?: readonly string[]
  readonly epoch: number
  readonly digest: Digest
  readonly now: () => number
}

export class RunRecord implements TurnReporter {
  readonly requestId: string
  readonly token: string | null
  readonly bodyDigest: string
  /** The secret part of the run's MCP addresses. */
  readonly mcpPart = randomBytes(16).toString('hex')
  readonly mcpServers: readonly string[]
  /** Errors of `initialize`, by the name of the MCP server. */
  readonly mcpErrors = new Map<string, string>()
  env: RunEnvVars
  /** The highest epoch of its owners so far: requests of earlier owners are refused. */
  epoch: number
  readonly #options: RunRecordOptions
  /** The frames behind `#gone`, in order, and where each ends in the whole text. */
  #frames: string[] = []
  #frameEnds: number[] = []
  #droppedFrames = 0
  #droppedChars = 0
  #chars = 0
  #lastFrame = 0
  #acknowledgedFrame = 0
  readonly #readers = new Map<object, number>()
  #waiters: (() => void)[] = []
  readonly #pendingApprovals = new Map<string, ApprovalWaiter>()
  /** Open calls, and whether each only reads. */
  readonly #openCalls = new Map<string, boolean>()
  #end: RunnerEvent | null = null
  /** The time of the last event or the last reader. */
  lastEventAt: number
  lastSeenAt: number

  constructor(options: RunRecordOptions) {
    this.#options = options
    this.requestId = options.requestId
    this.token = options.token
    this.bodyDigest = options.bodyDigest
    this.mcpServers = options.mcpServers ?? []
    this.env = options.env
    this.epoch = options.epoch
    this.lastEventAt = options.now()
    this.lastSeenAt = options.now()
  }

  get end(): RunnerEvent | null {
    return this.#end
  }

  get lastFrame(): number {
    return this.#lastFrame
  }

  /** True when the run has ended and its reader has every frame. */
  get isDelivered(): boolean {
    return this.#end !== null && this.#acknowledgedFrame >= this.#lastFrame
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0
  }

  /** True while a person or a call is awaited: silence is then no sign of a stuck engine. */
  get isWaiting(): boolean {
    return this.#pendingApprovals.size > 0 || this.#openCalls.size > 0
  }

  report(event: RunnerEvent): number {
    // No event follows the end.
    if (this.#end) return this.#lastFrame
    this.#lastFrame += 1
    const frame = encodeFrame(this.#lastFrame, event)
    this.#chars += frame.length
    this.#frames.push(frame)
    this.#frameEnds.push(this.#chars)
    this.lastEventAt = this.#options.now()
    if (event.type === 'tool.started') this.#openCalls.set(event.toolUseId, event.effect === 'pure')
    if (event.type === 'tool.completed') this.#openCalls.delete(event.toolUseId)
    if (isTerminalEvent(event)) this.#finish(event)
    this.#trim()
    this.#notifyWaiters()
    return this.#lastFrame
  }

  async waitForRoom(): Promise<void> {
    while (!this.#end && this.#unreadChars > UNREAD_CHARS_MAX) await this.nextChange()
  }

  async waitForAcknowledgement(frame: number): Promise<void> {
    if (!this.#options.acknowledges) return
    while (!this.#end && this.#acknowledgedFrame < frame) await this.nextChange()
  }

  async requestApproval(request: EngineApprovalRequest): Promise<EngineApprovalDecision> {
    if (this.#options.approvals !== null) return this.#decideUnanswered(this.#options.approvals, request)
    const { question, ...call } = request
    // A person could not read the whole input before approving it.
    if (JSON.stringify(call.input).length > APPROVAL_INPUT_CHARS_MAX)
      return { decision: 'denied', reason: 'Its arguments are too large to be shown to somebody.' }
    const answer = new Promise<EngineApprovalDecision>((resolve) =>
      this.#pendingApprovals.set(call.toolUseId, { request, resolve }),
    )
    this.report({
      type: 'approval.required',
      ...call,
      ...(question && { kind: 'question', ...questionFields(question) }),
    })
    return answer
  }

  #decideUnanswered(mode: ApprovalMode, request: EngineApprovalRequest): EngineApprovalDecision {
    const { toolUseId, toolName, input, question } = request
    const verdict = question
      ? UNANSWERED_QUESTION
      : decideWithoutCaller(mode, input, this.#openCalls.get(toolUseId) ?? false)
    const reason = verdict.decision === 'denied' ? verdict.reason : `Approvals of this runner: ${mode}.`
    this.report({ type: 'policy.decided', subject: toolName, outcome: verdict.decision, reason, source: 'runner' })
    return verdict
  }

  /** False = no approval waits for it. An answer that does not match its digest counts as denied. */
  async answer(toolUseId: string, answer: RunnerApprovalAnswer): Promise<boolean> {
    const pending = this.#pendingApprovals.get(toolUseId)
    if (!pending) return false
    this.#pendingApprovals.delete(toolUseId)
    pending.resolve(await this.#checkAnswer(pending.request, answer))
    this.lastEventAt = this.#options.now()
    return true
  }

  acknowledge(frame: number): void {
    this.#acknowledgedFrame = Math.min(this.#lastFrame, Math.max(this.#acknowledgedFrame, frame))
    this.lastSeenAt = this.#options.now()
    this.#trim()
    this.#notifyWaiters()
  }

  nextChange(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  /** Null: the next frames were dropped. */
  framesAfter(frame: number): readonly string[] | null {
    return frame < this.#droppedFrames ? null : this.#frames.slice(frame - this.#droppedFrames)
  }

  markRead(reader: object, frame: number): void {
    this.#readers.set(reader, frame)
    this.lastSeenAt = this.#options.now()
    this.#trim()
    this.#notifyWaiters()
  }

  removeReader(reader: object): void {
    this.#readers.delete(reader)
    this.lastSeenAt = this.#options.now()
  }

  #finish(end: RunnerEvent): void {
    this.#end = end
    for (const { resolve } of this.#pendingApprovals.values())
      resolve({ decision: 'denied', reason: 'The run is over.' })
    this.#pendingApprovals.clear()
    this.#openCalls.clear()
  }

  async #checkAnswer(
    { toolName, input, question }: EngineApprovalRequest,
    answer: RunnerApprovalAnswer,
  ): Promise<EngineApprovalDecision> {
    if (answer.decision === 'denied') {
      const reason = answer.reason || (question ? DECLINED : 'The call was not approved.')
      return { decision: 'denied', reason, ...(answer.refused && { isRefused: true }) }
    }
    const given = question ? givenAnswer(present({ answers: answer.answers, values: answer.values })) : null
    const approved: JsonObject = answeredArguments(answer.input ?? input, given ?? {})
    // A caller that keeps a log binds each approval to the arguments it showed; an answer without the digest is refused.
    if (this.#options.acknowledges && !answer.approvedDigest)
      return { decision: 'denied', reason: 'The approval does not say what was approved.' }
    if (answer.approvedDigest && (await callDigest(this.#options.digest, toolName, approved)) !== answer.approvedDigest)
      return { decision: 'denied', reason: 'This is not what was approved.' }
    const problem = question && given ? answerProblem(question, given) : null
    if (problem !== null) return { decision: 'denied', reason: `The answer does not fit. ${problem}` }
    return { decision: 'approved', input: approved, ...(given && { given }) }
  }

  /** Frames up to here can be dropped: acknowledged, or read by every reader. */
  get #consumedFrame(): number {
    if (this.#options.acknowledges) return this.#acknowledgedFrame
    // The fastest reader counts: a stalled reader makes nobody wait, and is cut when the frames it lacks are dropped.
    return Math.max(this.#acknowledgedFrame, ...this.#readers.values())
  }

  get #unreadChars(): number {
    return this.#chars - this.#charsUpTo(this.#consumedFrame)
  }

  #charsUpTo(frame: number): number {
    return frame <= this.#droppedFrames
      ? this.#droppedChars
      : (this.#frameEnds[frame - this.#droppedFrames - 1] ?? this.#chars)
  }

  /** Runs only now and then: dropping from the front of a list costs time in proportion to its length. */
  #trim(): void {
    const passed = this.#consumedFrame - (this.#options.acknowledges ? KEPT_FRAMES : 0)
    const isMuch = this.#chars - this.#droppedChars > KEPT_CHARS_MAX
    if (passed - this.#droppedFrames < TRIM_FRAMES || (!this.#options.acknowledges && !isMuch)) return
    this.#droppedChars = this.#charsUpTo(passed)
    this.#frames.splice(0, passed - this.#droppedFrames)
    this.#frameEnds.splice(0, passed - this.#droppedFrames)
    this.#droppedFrames = passed
  }

  #notifyWaiters(): void {
    const waiting = this.#waiters
    this.#waiters = []
    for (const resolve of waiting) resolve()
  }
}

interface ApprovalWaiter {
  readonly request: EngineApprovalRequest
  readonly resolve: (verdict: EngineApprovalDecision) => void
}
