// The reporter of a run: a runner reports everything through it. Tokens are paced here, before they are numbered: the first leaves
// at once, then at most one token event per pace, and any other report sends the waiting text first. A numbered event never changes.

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

/** Unacknowledged reports a runner may have before it is made to wait. */
export const REPORTS_HIGH_WATER = 256

export class ReporterClosedError extends Error {
  readonly code = 'reporter_closed'
}

export interface RunReporterOptions extends Pick<Job, 'runId' | 'attempt' | 'frame'> {
  readonly clock: Clock
  readonly tokenPaceMs: number
  readonly send: (report: RunReport) => Promise<unknown>
  /** Absent in tests of the reporter alone. */
  readonly session?: ReportedSession
}

/** The session as its runner reads it: the committed state and events. */
export interface ReportedSession {
  /** The run as of the last commit; null: it is no longer wanted. */
  readonly job: () => Job | null
  /** Committed events after a number, without the text of artifacts. A page is shorter when its events are large. */
  readonly read: (after: number, limit: number) => Promise<readonly AnyEvent[]>
  /** The conversation as of the last commit. */
  readonly messages: () => readonly HarnessMessage[]
  /** The memory as of the last commit. */
  readonly memory: () => Memory
  /** The grants and the tools of the session as of the last commit. */
  readonly governance: () => Governance
  /** The child sessions as of the last commit: those that do a task of a run now, and the status of all. */
  readonly children: () => { readonly open: Delegations; readonly all: Subagents }
  /** The text of an artifact; null: the session has no such artifact. `seq` is its `artifact_published`: the index forgets old ones. */
  readonly artifactText: (artifactId: string, seq?: number) => Promise<string | null>
  /** Values that a runner keeps as long as the session stays in memory, which counts their characters. */
  readonly cache: Map<string, CachedValue>
}

export interface CachedValue {
  /** The characters that the value holds, approximately. */
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

  /** The last frame that is in the log. Reports of a run that was stopped do not get there. */
  get committedFrame(): number {
    return this.#committedFrame
  }

  get closed(): boolean {
    return this.#closed
  }

  /** The session as its runner reads it. */
  get session(): ReportedSession {
    const { session } = this.#options
    assert(session !== undefined, 'the reporter belongs to a session')
    return session
  }

  /** Calls with all events of each commit, before the reports in it resolve. The returned function ends that. */
  follow(call: (events: readonly AnyEvent[]) => void): () => void {
    this.#followers.add(call)
    return () => this.#followers.delete(call)
  }

  /** The session has committed these events. */
  notifyFollowers(events: readonly AnyEvent[]): void {
    for (const call of this.#followers) call(events)
  }

  /** Calls once, when the session no longer takes reports: the runner should stop. */
  onClose(call: () => void): void {
    if (this.#closed) call()
    else this.#onClose.push(call)
  }

  /**
   * Resolves when the items are in the log; a tool awaits this before it acts. `frame` is the place in the runner's stream, if it
   * has one: a frame that was reported already is ignored, because merged text could no longer be told apart.
   */
  async report(items: readonly ReportItem[], frame = this.#frame + 1): Promise<void> {
    if (frame <= this.#frame) return
    for (const item of items) {
      if (isDeeperThan(item, DEPTH_MAX)) throw new RangeError(`The report is nested deeper than ${DEPTH_MAX} levels.`)
      if (item.type === 'event' && JSON.stringify(withoutResult(item.event)).length > PAYLOAD_CHARS_MAX) {
        throw new RangeError(`The payload of ${item.event.type} is too large.`)
      }
    }
    if (items.some(({ type }) => type === 'finished' || type === 'failed'))
      this.#text += this.#characters.flush('token')
    await this.#send([...this.#takeText(), ...items.map((item) => this.#withWholeCharacters(item))], frame)
  }

  /** Reports on behalf of the server, without a frame of the runner's stream. Resolves when the item is in the log. */
  async reportOutOfBand(item: ReportItem): Promise<void> {
    if (this.#closed) throw new ReporterClosedError('nobody listens')
    const { runId, attempt, send } = this.#options
    await send({ type: 'report', runId, attempt, frame: null, items: [item] })
  }

  /** Resolves at once, unless too many reports are unacknowledged: then it waits for the log. */
  async token(text: string, frame = this.#frame + 1): Promise<void> {
    if (this.#closed) throw new ReporterClosedError('nobody listens')
    if (frame <= this.#frame) return
    this.#frame = frame
    this.#text += this.#characters.add('token', text)
    this.#textFrame = frame
    if (this.#cancelTimer === null || this.#text.length > TOKEN_CHARS_MAX) this.#flush()
    if (this.#unacknowledged > REPORTS_HIGH_WATER) await this.#last
  }

  /** Resolves when everything reported so far is in the log, also text that waits for its pace. */
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

  /** Sends the waiting text and starts the next pause; a pause in which no text came ends the pacing. */
  #flush(): void {
    const items = this.#takeText()
    if (items.length === 0) return
    // A refusal reaches the runner at its next awaited report.
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
    // A report that ends the run, or its wait, closes the reporter, and counts all the same.
    if (this.#closed && !items.some(({ type }) => CLOSING.has(type))) throw new ReporterClosedError('nobody listens')
  }
}

const CLOSING: ReadonlySet<ReportItem['type']> = new Set(['finished', 'failed', 'waiting'])

type TextDraft = Pick<Event<'token' | 'thinking' | 'reflection'>, 'type' | 'payload'>
const isTextDraft = (event: Pick<AnyEventDraft, 'type' | 'payload'>): event is TextDraft =>
  event.type === 'token' || event.type === 'thinking' || event.type === 'reflection'

/** The result of a tool call may have any size: it becomes an artifact before it is numbered. */
const withoutResult = ({ type, payload }: Pick<AnyEventDraft, 'type' | 'payload'>): unknown =>
  type === 'tool_result' || type === 'tool_outcome' ? { ...payload, result: null } : payload
