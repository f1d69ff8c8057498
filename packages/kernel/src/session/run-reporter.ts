// Tokens are paced before they are numbered: at most one event per interval. Any other report sends pending text first.

import { isDeeperThan, isJsonObject } from '@bridle/events/json'
import { DEPTH_MAX, PAYLOAD_CHARS_MAX, TOKEN_CHARS_MAX } from '@bridle/events/limits'
import { assert } from '../assert.ts'
import type { ReportItem, RunReport } from '../commands.ts'
import type { AnyEvent, AnyEventDraft, Event } from '../event.ts'
import type { Clock } from '../ports/clock.ts'
import type { Job } from '../ports/runner.ts'
import type { Delegations } from '../projections/delegations.ts'
import type { Governance } from '../projections/governance.ts'
import type { HarnessMessage } from '../projections/harness-state.ts'
import type { Subagents } from '../projections/indexes/subagents.ts'
import type { Memory } from '../projections/memory.ts'
import { splitIntoChunks } from '../text/chunks.ts'
import { SurrogateJoiner } from '../text/surrogate-joiner.ts'

/** Unacknowledged reports before the runner must wait. */
export const REPORTS_HIGH_WATER = 256

export class ReporterClosedError extends Error {
  readonly code = 'reporter_closed'
}

export interface RunReporterOptions extends Pick<Job, 'runId' | 'attempt' | 'frame'> {
  readonly clock: Clock
  readonly tokenPaceMs: number
  readonly send: (report: RunReport) => Promise<unknown>
  /** Absent in unit tests. */
  readonly session?: ReportedSession
}

export interface ReportedSession {
  /** Null if the run is no longer wanted. */
  readonly job: () => Job | null
  /** Without artifact text. Pages of large events are shorter. */
  readonly read: (after: number, limit: number) => Promise<readonly AnyEvent[]>
  readonly messages: () => readonly HarnessMessage[]
  readonly memory: () => Memory
  readonly governance: () => Governance
  /** `open`: tasks in progress. `all`: the status of every child. */
  readonly children: () => { readonly open: Delegations; readonly all: Subagents }
  /** Null if there is no such artifact. `seq` of its `artifact_published` finds old ones that left the index. */
  readonly artifactText: (artifactId: string, seq?: number) => Promise<string | null>
  /** Lives as long as the session stays in memory, and counts towards its size. */
  readonly cache: Map<string, CachedValue>
}

export interface CachedValue {
  /** Approximate size. */
  readonly chars: number
}

export class RunReporter {
  readonly #options: RunReporterOptions
  #frame: number
  readonly #characters = new SurrogateJoiner()
  #text = ''
  #textFrame = 0
  #cancelTimer: (() => void) | null = null
  #unacknowledged = 0
  #committedFrame: number
  #last: Promise<unknown> = Promise.resolve()
  #closed = false
  readonly #onClose: (() => void)[] = []
  readonly #followers = new Set<(events: readonly AnyEvent[]) => void>()

  constructor(options: RunReporterOptions) {
    this.#options = options
    this.#frame = options.frame
    this.#committedFrame = options.frame
  }

  get frame(): number {
    return this.#frame
  }

  /** Reports of a stopped run are not committed. */
  get committedFrame(): number {
    return this.#committedFrame
  }

  get closed(): boolean {
    return this.#closed
  }

  get session(): ReportedSession {
    const { session } = this.#options
    assert(session !== undefined, 'the reporter belongs to a session')
    return session
  }

  /** Called with all events of a commit, before its reports resolve. Returns the unsubscribe function. */
  follow(call: (events: readonly AnyEvent[]) => void): () => void {
    this.#followers.add(call)
    return () => this.#followers.delete(call)
  }

  notifyFollowers(events: readonly AnyEvent[]): void {
    for (const call of this.#followers) call(events)
  }

  /** Called once when the session takes no more reports: the runner should stop. */
  onClose(call: () => void): void {
    if (this.#closed) call()
    else this.#onClose.push(call)
  }

  /** Resolves when the items are logged; tools await this before they act. Known frames are ignored: their text may be merged already. */
  async report(items: readonly ReportItem[], frame = this.#frame + 1): Promise<void> {
    if (frame <= this.#frame) return
    checkSizes(items)
    if (items.some(({ type }) => type === 'finished' || type === 'failed'))
      this.#text += this.#characters.flush('token')
    await this.#send([...this.#takeText(), ...items.map((item) => this.#withWholeCharacters(item))], frame)
  }

  /**
   * For the server itself, without a frame. Resolves when the items are in the log, after any pending text. Rejects if the session drops
   * them, for example because the run is over budget.
   */
  async reportOutOfBand(...items: readonly ReportItem[]): Promise<void> {
    if (this.#closed) throw new ReporterClosedError('nobody listens')
    checkSizes(items)
    this.#flush()
    const { runId, attempt, send } = this.#options
    const answer = await send({ type: 'report', runId, attempt, frame: null, items })
    if (isJsonObject(answer) && 'dropped' in answer) throw new ReporterClosedError('the session drops the report')
  }

  /** Resolves immediately, unless backpressure requires waiting for the log. */
  async token(text: string, frame = this.#frame + 1): Promise<void> {
    if (this.#closed) throw new ReporterClosedError('nobody listens')
    if (frame <= this.#frame) return
    this.#frame = frame
    this.#text += this.#characters.add('token', text)
    this.#textFrame = frame
    if (this.#cancelTimer === null || this.#text.length > TOKEN_CHARS_MAX) this.#flush()
    if (this.#unacknowledged > REPORTS_HIGH_WATER) await this.#last
  }

  /** Includes text that is still paced. */
  async whenCommitted(): Promise<void> {
    this.#flush()
    await this.#last
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#cancelTimer?.()
    for (const call of this.#onClose) call()
  }

  /** Sends pending text and starts the next interval. Pacing ends after an interval without text. */
  #flush(): void {
    const items = this.#takeText()
    if (items.length === 0) return
    // The runner sees a refusal at its next awaited report.
    this.#send(items, this.#textFrame).catch(() => {})
    const { clock, tokenPaceMs } = this.#options
    this.#cancelTimer?.()
    if (tokenPaceMs > 0) this.#cancelTimer = clock.after(tokenPaceMs, () => this.#next())
  }

  #next(): void {
    this.#cancelTimer = null
    if (!this.#closed) this.#flush()
  }

  #withWholeCharacters(item: ReportItem): ReportItem {
    if (item.type !== 'event' || !isTextDraft(item.event)) return item
    const { type, payload } = item.event
    const event = { type, payload: { ...payload, text: this.#characters.add(type, payload.text) } }
    return { ...item, event: event as typeof item.event }
  }

  #takeText(): ReportItem[] {
    if (this.#text === '') return []
    const text = this.#text
    this.#text = ''
    return splitIntoChunks(text).map((piece) => ({ type: 'event', event: { type: 'token', payload: { text: piece } } }))
  }

  async #send(items: readonly ReportItem[], frame: number): Promise<void> {
    if (this.#closed) throw new ReporterClosedError('nobody listens')
    const { runId, attempt, send } = this.#options
    this.#frame = Math.max(this.#frame, frame)
    this.#unacknowledged += 1
    try {
      const sent = send({ type: 'report', runId, attempt, frame, items })
      this.#last = sent
      const answer = await sent
      if (!isJsonObject(answer) || !('dropped' in answer)) this.#committedFrame = Math.max(this.#committedFrame, frame)
    } finally {
      this.#unacknowledged -= 1
    }
    // Reports that end the run, or its wait, close the reporter but still succeed.
    if (this.#closed && !items.some(({ type }) => CLOSING.has(type))) throw new ReporterClosedError('nobody listens')
  }
}

const checkSizes = (items: readonly ReportItem[]): void => {
  for (const item of items) {
    if (isDeeperThan(item, DEPTH_MAX)) throw new RangeError(`The report is nested deeper than ${DEPTH_MAX} levels.`)
    if (item.type === 'event' && JSON.stringify(withoutResult(item.event)).length > PAYLOAD_CHARS_MAX) {
      throw new RangeError(`The payload of ${item.event.type} is too large.`)
    }
  }
}

const CLOSING: ReadonlySet<ReportItem['type']> = new Set(['finished', 'failed', 'waiting'])

type TextDraft = Pick<Event<'token' | 'thinking' | 'reflection'>, 'type' | 'payload'>
const isTextDraft = (event: Pick<AnyEventDraft, 'type' | 'payload'>): event is TextDraft =>
  event.type === 'token' || event.type === 'thinking' || event.type === 'reflection'

/** Large results become artifacts before they are numbered. */
const withoutResult = ({ type, payload }: Pick<AnyEventDraft, 'type' | 'payload'>): unknown =>
  type === 'tool_result' || type === 'tool_outcome' ? { ...payload, result: null } : payload
