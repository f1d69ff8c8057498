// One run inside a runner: what it said, who has read how far, and what it waits for. Frames stay until they are
// acknowledged, so whoever comes back goes on where it stopped.
import { callDigest } from '../../kernel/host/approval-binding.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { Digest } from '../../kernel/ports/store.ts'
import type { Question, Turn, Verdict } from '../engines/engine.ts'
import { encodeFrame, isTerminal, type RunnerEvent, type RunnerVerdict } from '../protocol.ts'
import { type ApprovalMode, decideUnanswered } from './approval-mode.ts'

/** Unread text above this makes the engine wait. */
const UNREAD_CHARS_MAX = 4_000_000
/** Read frames kept for somebody who comes back without having acknowledged anything. */
const KEPT_CHARS_MAX = 8_000_000
const TRIM_FRAMES = 1_000
/** Arguments that a person may be asked about. */
const INPUT_CHARS_MAX = 1_000_000

export interface RecordOptions {
  readonly requestId: string
  readonly token: string | null
  readonly acknowledges: boolean
  /** How approvals are decided where the caller answers none; null = the caller answers them. */
  readonly approvals: ApprovalMode | null
  /** Of what was asked: the same id with anything else is another run. */
  readonly bodyDigest: string
  readonly env: RunEnv
  readonly epoch: number
  readonly digest: Digest
  readonly now: () => number
}

type RunEnv = { readonly [name: string]: string | null }

export class RunRecord implements Turn {
  readonly requestId: string
  readonly token: string | null
  readonly bodyDigest: string
  /** Variables of this run alone. */
  env: RunEnv
  /** The highest that was seen of its owners: an earlier owner may ask nothing more. */
  epoch: number
  readonly #options: RecordOptions
  /** The frames behind `#gone`, in order, and where each ends in the whole text. */
  #frames: string[] = []
  #ends: number[] = []
  #gone = 0
  #goneChars = 0
  #chars = 0
  #last = 0
  #acknowledged = 0
  readonly #readers = new Map<object, number>()
  #waiting: (() => void)[] = []
  readonly #asked = new Map<string, Asked>()
  /** Calls under way, and whether each only reads. */
  readonly #openCalls = new Map<string, boolean>()
  #end: RunnerEvent | null = null
  /** When it last said something, or somebody was last there. */
  saidAt: number
  seenAt: number

  constructor(options: RecordOptions) {
    this.#options = options
    this.requestId = options.requestId
    this.token = options.token
    this.bodyDigest = options.bodyDigest
    this.env = options.env
    this.epoch = options.epoch
    this.saidAt = options.now()
    this.seenAt = options.now()
  }

  get end(): RunnerEvent | null {
    return this.#end
  }

  get last(): number {
    return this.#last
  }

  /** Everything was said and its reader has it. */
  get done(): boolean {
    return this.#end !== null && this.#acknowledged >= this.#last
  }

  get isRead(): boolean {
    return this.#readers.size > 0
  }

  /** It waits for a person or for a call: silence is no sign of anything. */
  get isWaiting(): boolean {
    return this.#asked.size > 0 || this.#openCalls.size > 0
  }

  say(event: RunnerEvent): number {
    // Nothing after the end.
    if (this.#end) return this.#last
    this.#last += 1
    const frame = encodeFrame(this.#last, event)
    this.#chars += frame.length
    this.#frames.push(frame)
    this.#ends.push(this.#chars)
    this.saidAt = this.#options.now()
    if (event.type === 'tool.started') this.#openCalls.set(event.toolUseId, event.effect === 'pure')
    if (event.type === 'tool.completed') this.#openCalls.delete(event.toolUseId)
    if (isTerminal(event)) this.#finish(event)
    this.#trim()
    this.#changed()
    return this.#last
  }

  async room(): Promise<void> {
    while (!this.#end && this.#unread > UNREAD_CHARS_MAX) await this.change()
  }

  async heard(frame: number): Promise<void> {
    if (!this.#options.acknowledges) return
    while (!this.#end && this.#acknowledged < frame) await this.change()
  }

  async ask(question: Question): Promise<Verdict> {
    const { toolUseId } = question
    if (this.#options.approvals !== null) return this.#decideUnanswered(this.#options.approvals, question)
    // Nobody could see what they would approve.
    if (JSON.stringify(question.input).length > INPUT_CHARS_MAX)
      return { decision: 'denied', reason: 'Its arguments are too large to be shown to somebody.' }
    const answer = new Promise<Verdict>((resolve) => this.#asked.set(toolUseId, { question, resolve }))
    this.say({ type: 'approval.required', ...question })
    return answer
  }

  #decideUnanswered(mode: ApprovalMode, { toolUseId, toolName, input }: Question): Verdict {
    const verdict = decideUnanswered(mode, input, this.#openCalls.get(toolUseId) ?? false)
    const reason = verdict.decision === 'denied' ? verdict.reason : `Approvals of this runner: ${mode}.`
    this.say({ type: 'policy.decided', subject: toolName, outcome: verdict.decision, reason, source: 'runner' })
    return verdict
  }

  /** Whether somebody asked. An answer that does not fit its digest is a refusal. */
  async answer(toolUseId: string, given: RunnerVerdict): Promise<boolean> {
    const asked = this.#asked.get(toolUseId)
    if (!asked) return false
    this.#asked.delete(toolUseId)
    asked.resolve(await this.#verdict(asked.question, given))
    this.saidAt = this.#options.now()
    return true
  }

  acknowledge(frame: number): void {
    this.#acknowledged = Math.min(this.#last, Math.max(this.#acknowledged, frame))
    this.seenAt = this.#options.now()
    this.#trim()
    this.#changed()
  }

  /** Resolves at the next change of anything. */
  change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Null: what comes next is no longer here. */
  after(frame: number): readonly string[] | null {
    return frame < this.#gone ? null : this.#frames.slice(frame - this.#gone)
  }

  read(reader: object, frame: number): void {
    this.#readers.set(reader, frame)
    this.seenAt = this.#options.now()
    this.#trim()
    this.#changed()
  }

  leave(reader: object): void {
    this.#readers.delete(reader)
    this.seenAt = this.#options.now()
  }

  #finish(end: RunnerEvent): void {
    this.#end = end
    for (const { resolve } of this.#asked.values()) resolve({ decision: 'denied', reason: 'The run is over.' })
    this.#asked.clear()
    this.#openCalls.clear()
  }

  async #verdict({ toolName, input }: Question, given: RunnerVerdict): Promise<Verdict> {
    if (given.decision === 'denied') return { decision: 'denied', reason: given.reason || 'The call was not approved.' }
    const approved: JsonObject = given.input ?? input
    // A caller that keeps a log binds each approval to what was shown. Without the digest it is nobody's.
    if (this.#options.acknowledges && !given.approvedDigest)
      return { decision: 'denied', reason: 'The approval does not say what was approved.' }
    if (given.approvedDigest && (await callDigest(this.#options.digest, toolName, approved)) !== given.approvedDigest)
      return { decision: 'denied', reason: 'This is not what was approved.' }
    return { decision: 'approved', input: approved }
  }

  /** Up to here nobody needs it any more: acknowledged, or read by all who read. */
  get #passed(): number {
    if (this.#options.acknowledges) return this.#acknowledged
    // By the fastest: one that reads nothing makes nobody wait, and is cut when what it lacks is gone.
    return Math.max(this.#acknowledged, ...this.#readers.values())
  }

  get #unread(): number {
    return this.#chars - this.#endOf(this.#passed)
  }

  #endOf(frame: number): number {
    return frame <= this.#gone ? this.#goneChars : (this.#ends[frame - this.#gone - 1] ?? this.#chars)
  }

  /** Now and then: to drop from the front of a long list costs as much as the list is long. */
  #trim(): void {
    const passed = this.#passed
    const isMuch = this.#chars - this.#goneChars > KEPT_CHARS_MAX
    if (passed - this.#gone < TRIM_FRAMES || (!this.#options.acknowledges && !isMuch)) return
    this.#goneChars = this.#endOf(passed)
    this.#frames.splice(0, passed - this.#gone)
    this.#ends.splice(0, passed - this.#gone)
    this.#gone = passed
  }

  #changed(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}

interface Asked {
  readonly question: Question
  readonly resolve: (verdict: Verdict) => void
}
