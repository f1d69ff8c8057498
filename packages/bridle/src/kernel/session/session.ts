// One live session: it owns the queue of what is asked, and the order in which things become true.
// The drain: take the inbox, decide, append, and only then publish, answer and act. A client must never see what a
// restart would unsay.

import {
  type Answer,
  type AnswerTo,
  type Command,
  isRefusal,
  PROMPT_COMMANDS,
  type Refusal,
  refuse,
} from '../commands.ts'
import type { DeltaOperation } from '../delta.ts'
import type { EngineIdentity } from '../engine-info.ts'
import type { AnyEvent, Event, Key } from '../event.ts'
import type { Json } from '../json.ts'
import {
  ABORT_GRACE_MS,
  BATCH_MAX,
  BYTES_PER_CHAR,
  HEARTBEAT_MS,
  INBOX_MAX,
  READ_CHARS,
  READ_PAGE,
  SESSION_BYTES_MIN,
  SESSION_CHARS_MAX,
  SNAPSHOT_EVERY,
} from '../limits.ts'
import type { Runner } from '../ports/runner.ts'
import {
  type BranchParent,
  type Clock,
  hasFaultCode,
  type Lease,
  type Log,
  type ReadOptions,
  type StoredAnswer,
  StoreFault,
  type Wake,
} from '../ports/store.ts'
import type { Incarnations } from '../positions/incarnation.ts'
import type { LogPosition } from '../positions/log-position.ts'
import type { HarnessMessage } from '../projections/conversation/harness-state.ts'
import { emptyState, evolve, type SessionState, statusOf } from '../projections/state.ts'
import type { ChildNotice } from '../rules/children/child-notice.ts'
import { type DecisionResult, decide, refusalResult } from '../rules/decide.ts'
import { dueTimes, wakeOf } from '../rules/due-time.ts'
import { jobOf, type WantedEffect, wantedEffects } from '../rules/wanted-effects.ts'
import { approximateChars } from '../text/size.ts'
import { directoryRowOf, heartbeatOf, type RowSnapshot } from '../views/directory-row.ts'
import { EffectRunner } from './effect-runner.ts'
import type { ReadScheduler } from './read-scheduler.ts'
import { SessionClock } from './session-clock.ts'
import { restoreSnapshot, settledCount, takeSnapshot } from './snapshot.ts'
import { Subscribers } from './subscribers.ts'

const PAGE_OPTIONS: ReadOptions = { charsMax: READ_CHARS, withoutContent: true }

export interface SessionPorts {
  readonly log: Log
  readonly clock: Clock
  readonly runner: Runner
  /** Absent = long reads need not take turns. */
  readonly readScheduler?: ReadScheduler
  /** Tells the session that this one was started from; absent = nobody is told. */
  readonly notifyParent?: (notice: ChildNotice) => Promise<void>
  readonly tokenPaceMs?: number
  readonly snapshotEvery?: number
  /** For metrics and traces: these events were committed. */
  readonly onCommit?: (events: readonly AnyEvent[]) => void
  /** The session stopped: it lost its lease, its store, or an invariant. The log rebuilds it. */
  readonly onDrop: (session: Session, cause: unknown) => void
}

/** Who asks twice with one id gets one effect and the same answer. */
export interface IdempotencyKey {
  readonly commandId: string
  readonly bodyHash: string
}

interface InboxItem {
  readonly command: Command
  readonly id: IdempotencyKey | null
  readonly resolve: (outcome: Answer | Refusal) => void
  readonly reject: (cause: unknown) => void
}

export class Session {
  readonly key: Key
  readonly subscribers: Subscribers
  /** The incarnations of its log and of the log that it branched from. */
  readonly incarnations: Incarnations
  readonly #ports: SessionPorts
  readonly #lease: Lease
  readonly #effects: EffectRunner
  readonly #inbox: InboxItem[] = []
  #state: SessionState
  #draining = false
  /** The process ends: nothing is started any more. */
  #isShuttingDown = false
  #onHandOver = (): void => {}
  #drained: Promise<void> = Promise.resolve()
  #dropped: { readonly cause: unknown } | null = null
  readonly #clock: SessionClock
  /** What follows from the state that was just appended. */
  #planned: PlannedWork | null = null
  #row: RowSnapshot | null = null
  /** When the row was last touched; at first, when it was opened. */
  #heartbeatAt: number
  #wake: Wake | null = null
  #snapshotMessages: readonly HarnessMessage[] = []
  #snapshotSeq: number
  readonly #awaitingCreation = new Set<() => void>()
  /** Of its events since the snapshot, and of the snapshot: what was rewound since counts until it is counted anew. */
  #chars: number

  private constructor(
    ports: SessionPorts,
    lease: Lease,
    state: SessionState,
    snapshot: SessionState | null,
    chars: number,
  ) {
    this.key = lease.key
    this.incarnations = incarnationsOf(lease)
    this.#ports = ports
    this.#lease = lease
    this.#state = state
    this.#chars = chars
    this.#heartbeatAt = ports.clock.now()
    this.#clock = new SessionClock(ports.clock, () => void this.send({ type: 'tick' }).catch(() => {}))
    this.#snapshotSeq = snapshot?.head ?? lease.parent?.seq ?? 0
    if (snapshot) this.#snapshotMessages = snapshot.conversation.messages.slice(0, settledCount(snapshot))
    this.subscribers = new Subscribers(
      (after, limit) => this.#readPage(after, limit),
      // A re-created id goes on with its numbers, and has nothing to read before its first event.
      () => (lease.parent || this.exists ? this.#state.head : 0),
      ports.readScheduler,
    )
    this.#effects = new EffectRunner({
      runner: ports.runner,
      clock: ports.clock,
      ...(ports.tokenPaceMs !== undefined && { tokenPaceMs: ports.tokenPaceMs }),
      send: (command) => this.send(command),
      notifyParent: async (notice) => ports.notifyParent?.(notice),
      retry: () => this.#reconcile(),
    })
  }

  /** Opens from the snapshot and a short tail; takes up whatever should be in hand. A branch shares its parent's messages. */
  static async open(ports: SessionPorts, lease: Lease, held: readonly HarnessMessage[] = []): Promise<Session> {
    const snapshot = restoreSnapshot(lease.snapshot, held)
    // A re-created id starts empty, yet goes on with its numbers.
    let state = snapshot ?? { ...emptyState, head: lease.exists || lease.parent ? 0 : lease.head }
    let chars = snapshotChars(lease)
    const { parent, key, head } = lease
    // A branch that is not written yet is read from its parent.
    const source = lease.exists || !parent ? key : { ...key, agent: parent.agent, id: parent.id }
    while (state.head < head) {
      const limit = Math.min(READ_PAGE, head - state.head)
      const from = state.head
      const read = () => ports.log.read(source, from, limit, PAGE_OPTIONS)
      const page = await (ports.readScheduler ? ports.readScheduler.schedule(read) : read())
      // The first number may be far above 1, so a page can reach beyond a branch point.
      const events = page.filter(({ seq }) => seq <= head)
      if (events.length === 0) {
        // A parent may be removed at this very moment; a session of our own may not.
        const code = lease.exists ? 'corrupt' : 'refused'
        throw new StoreFault(code, `The log of ${source.id} ends at ${state.head}, not at ${head}.`)
      }
      for (const event of events) {
        state = evolve(state, event)
        chars += eventChars(event)
      }
    }
    const session = new Session(ports, lease, state, snapshot, chars)
    if (lease.exists) await session.send({ type: 'tick' })
    session.#reconcile()
    return session
  }

  get state(): SessionState {
    return this.#state
  }

  /** The engine behind its agent, as its runner names it. */
  get identity(): EngineIdentity | undefined {
    return this.#ports.runner.identity
  }

  /** The memory that it takes, near enough. */
  get bytes(): number {
    return SESSION_BYTES_MIN + BYTES_PER_CHAR * this.#chars
  }

  /** Its settled messages as of its last snapshot, for branches to share. */
  get settledMessages(): { readonly seq: number; readonly messages: readonly HarnessMessage[] } {
    return { seq: this.#snapshotSeq, messages: this.#snapshotMessages }
  }

  /** Of its lease: what a runner knows its owner by. */
  get epoch(): number {
    return this.#lease.epoch
  }

  /** The last sign of life of its run: something it said, or that it was in hand. */
  get heartbeatAt(): number | null {
    const { health, lifecycle, at } = this.#state
    // A silent run is in hand since this process opened it; the row of an earlier owner is not read again.
    const inHand = statusOf(this.#state) === 'running' ? this.#heartbeatAt : 0
    const row = this.#row === null ? 0 : (heartbeatOf(this.#row.row) ?? 0)
    return Math.max(health.activeAt, lifecycle.run ? at : 0, inHand, row) || null
  }

  get exists(): boolean {
    return this.#state.lifecycle.created && this.#state.head > (this.#lease.exists ? 0 : this.#lease.head)
  }

  get dropped(): boolean {
    return this.#dropped !== null
  }

  /** Where it branches from, whether or not that is written yet. */
  get parent(): BranchParent | null {
    return this.#lease.parent
  }

  /** Resolves when nothing of it is on its way to the store any more, dropped or not. */
  get drained(): Promise<void> {
    return this.#drained
  }

  /** Nothing to do. */
  get quiet(): boolean {
    return !this.#draining && this.#inbox.length === 0 && this.#effects.size === 0
  }

  /** Nothing to do and nobody watching: it may leave memory. */
  get idle(): boolean {
    return this.quiet && this.subscribers.size === 0
  }

  /** Resolves after commit. A refusal is an answer; a rejection means that the store failed. */
  send<C extends Command>(command: C, id: IdempotencyKey | null = null): Promise<AnswerTo<C> | Refusal> {
    if (this.#dropped) return Promise.reject(this.#dropped.cause)
    if (this.#inbox.length >= INBOX_MAX && command.type !== 'report') return Promise.resolve(refuse('busy'))
    return new Promise((resolve, reject) => {
      // `decide` answers each command as `Answers` says.
      this.#inbox.push({ command, id, resolve: resolve as InboxItem['resolve'], reject })
      if (!this.#draining) this.#drained = this.#drain()
    })
  }

  /**
   * Calls once, before anything is published, when a session that is not there yet gets its first event: only then is it
   * known whose it is. Returns how to forget it.
   */
  onCreated(call: () => void): () => void {
    this.#awaitingCreation.add(call)
    return () => this.#awaitingCreation.delete(call)
  }

  /** Whether a reader with this cursor can go on from it, or has to be told to begin again. */
  canResumeFrom({ seq, incarnation }: LogPosition): boolean {
    if (seq === 0) return true
    // However long the log has grown by now: the number is of another history.
    return incarnation === this.incarnations.own && this.hasEvent(seq)
  }

  /** Whether the log has an event of this number in its present life. */
  hasEvent(seq: number): boolean {
    return seq <= this.#state.head && this.exists && seq >= this.#state.lifecycle.firstSeq
  }

  /** Committed events after a cursor: a page of them, shorter when they are large. Of artifacts `content` has the text. */
  read(after: number, limit: number): Promise<AnyEvent[]> {
    const read = () => this.#readPage(after, limit)
    return this.#ports.readScheduler ? this.#ports.readScheduler.schedule(read) : read()
  }

  #readPage(after: number, limit: number): Promise<AnyEvent[]> {
    return this.#read(() => this.#ports.log.read(this.key, after, limit, PAGE_OPTIONS))
  }

  /** The text of the chunk of an artifact that has this number. */
  async readChunkText(seq: number): Promise<string> {
    const [event] = await this.#read(() => this.#ports.log.read(this.key, seq - 1, 1))
    return event?.type === 'artifact_chunk' ? event.payload.text : ''
  }

  async #read(read: () => Promise<Event[]>): Promise<AnyEvent[]> {
    try {
      return (await read()) as AnyEvent[]
    } catch (cause) {
      // A damaged log is not served in part: the session stops, and says so to whoever asks.
      if (hasFaultCode(cause, 'corrupt')) this.drop(cause)
      throw cause
    }
  }

  /** Stops a run that would end with this process, and keeps it for the next. Resolves when it has stopped, or is late. */
  async handOver(): Promise<void> {
    this.#isShuttingDown = true
    const { run } = this.#state.lifecycle
    if (this.dropped || !run) return
    const { clock, runner } = this.#ports
    if (runner.outlivesProcess?.(jobOf(this.key, this.#state, run, this.epoch))) return
    await this.send({ type: 'hand_over' })
    await new Promise<void>((resolve) => {
      const forget = clock.after(ABORT_GRACE_MS, resolve)
      this.#onHandOver = () => {
        if (!this.dropped && this.#state.lifecycle.run?.stopRequestedAt != null) return
        forget()
        resolve()
      }
      this.#onHandOver()
    })
  }

  /** Lets go of everything without a word to the log. */
  drop(cause: unknown, why: 'moved' | 'removed' = 'moved'): void {
    if (this.#dropped) return
    this.#dropped = { cause }
    this.#clock.forget()
    for (const item of this.#inbox.splice(0)) item.reject(cause)
    this.#ports.onDrop(this, cause)
    this.#effects.stop()
    this.subscribers.close(why)
    this.#onHandOver()
  }

  async #drain(): Promise<void> {
    this.#draining = true
    try {
      while (this.#inbox.length > 0) await this.#commit(this.#inbox.splice(0, BATCH_MAX))
    } finally {
      this.#draining = false
    }
  }

  async #commit(batch: readonly InboxItem[]): Promise<void> {
    const existed = this.exists
    const events: AnyEvent[] = []
    const operations: DeltaOperation[] = []
    const results: StoredAnswer[] = []
    const outcomes: (Answer | Refusal)[] = []
    try {
      let working = this.#state
      for (const { command, id } of batch) {
        const known =
          id &&
          (results.find((each) => each.commandId === id.commandId) ?? (await this.#findStoredAnswer(id.commandId)))
        if (known) {
          outcomes.push(known.bodyHash === id?.bodyHash ? (known.answer as Answer) : refuse('command_conflict'))
          continue
        }
        const decided = this.#decide(working, command)
        working = decided.state
        for (const event of decided.events) events.push(event)
        for (const operation of decided.operations) operations.push(operation)
        outcomes.push(decided.outcome)
        // Refusals are not stored: the same command may be accepted later.
        if (id && !isRefusal(decided.outcome)) results.push({ ...id, answer: decided.outcome as Json })
      }
      this.#assertLive()
      const isNews = events.length > 0 || results.length > 0
      if (isNews || this.#isHeartbeatDue(working)) await this.#append(working, events, results)
      // It may have been written: whoever asked must not be told that it was not.
      if (this.dropped) throw new StoreFault('outcome_unknown', 'The session was let go while it was being written.')
      this.#state = working
      for (const event of events) this.#chars += eventChars(event)
    } catch (cause) {
      for (const item of batch) item.reject(cause)
      return this.drop(cause)
    }
    if (!existed && this.exists) {
      for (const call of this.#awaitingCreation) call()
      this.#awaitingCreation.clear()
    }
    this.subscribers.publish({ events, operations })
    for (const [index, item] of batch.entries()) item.resolve(outcomes[index] as Answer | Refusal)
    if (events.length > 0 || batch.some(({ command }) => command.type === 'tick')) this.#reconcile()
    if (this.#isShuttingDown) this.#onHandOver()
    notifyObserver(this.#ports.onCommit, events)
  }

  async #append(working: SessionState, events: readonly Event[], results: readonly StoredAnswer[]): Promise<void> {
    const row = directoryRowOf(this.key, working, this.#row, this.#now(), this.incarnations)
    this.#heartbeatAt = heartbeatOf(row) ?? this.#heartbeatAt
    const next = this.#plan(working)
    const { snapshotEvery = SNAPSHOT_EVERY } = this.#ports
    const snapshot =
      working.head - this.#snapshotSeq >= snapshotEvery
        ? takeSnapshot(working, this.#snapshotMessages, this.#snapshotSeq, 2 * snapshotEvery)
        : null
    await this.#ports.log.append(this.#lease, {
      events,
      ...(row !== this.#row?.row && { row }),
      ...(!isSameWake(next.wake, this.#wake) && { wake: next.wake }),
      ...(results.length > 0 && { results }),
      ...(snapshot && { snapshot: snapshot.write }),
    })
    this.#row = { row, state: working }
    this.#wake = next.wake
    this.#planned = next
    if (!snapshot) return
    this.#snapshotMessages = snapshot.written
    this.#snapshotSeq = working.head
  }

  #decide(working: SessionState, command: Command): DecisionResult {
    if (PROMPT_COMMANDS.has(command.type) && this.#isFull()) return refusalResult(working, refuse('session_full'))
    const { exists, head, parent } = this.#lease
    const branchPoint = !exists && working.head === head ? parent : null
    const options = { starts: !this.#isShuttingDown, identity: this.identity, branchPoint }
    return decide(this.key, working, command, this.#now(), options)
  }

  /** Counted anew before it is said: prompts that were rewound take no memory. */
  #isFull(): boolean {
    if (this.#chars > SESSION_CHARS_MAX) this.#chars = approximateChars(this.#state)
    return this.#chars > SESSION_CHARS_MAX
  }

  /** While it waited for the store it may have been dropped; what it decided then must not be told. */
  #assertLive(): void {
    if (this.#dropped) throw this.#dropped.cause
  }

  async #findStoredAnswer(commandId: string): Promise<StoredAnswer | null> {
    return this.#lease.exists || this.#state.head > this.#lease.head
      ? await this.#ports.log.result(this.key, commandId)
      : null
  }

  /** Brings hands and timer in line with the committed state. */
  #reconcile(): void {
    if (this.#dropped || !this.exists) return
    const { effects, due } = this.#planned ?? this.#plan(this.#state)
    this.#planned = null
    this.#effects.reconcile(effects)
    this.#clock.setTimer(due, this.#now())
  }

  #plan(state: SessionState): PlannedWork {
    const effects = wantedEffects(this.key, state, this.#lease.epoch)
    const times = dueTimes(state, this.#now())
    const wake = wakeOf(effects.length > 0, times)
    if (effects.length === 0 || statusOf(state) !== 'running') return { effects, wake, due: times.next }
    const heartbeatAt = this.#heartbeatAt + HEARTBEAT_MS
    return { effects, wake, due: Math.min(times.next ?? Number.POSITIVE_INFINITY, heartbeatAt) }
  }

  #isHeartbeatDue(state: SessionState): boolean {
    return this.exists && statusOf(state) === 'running' && this.#now() >= this.#heartbeatAt + HEARTBEAT_MS
  }

  #now(): number {
    return this.#clock.now(this.#state.at)
  }
}

/** The text of an artifact stays in the log. */
const eventChars = ({ type, payload }: Pick<Event, 'type' | 'payload'>): number =>
  type === 'artifact_chunk' ? 0 : approximateChars(payload)

const snapshotChars = ({ snapshot }: Lease): number =>
  snapshot ? snapshot.messages.reduce((chars, text) => chars + (text?.length ?? 0), snapshot.state.length) : 0

const incarnationsOf = ({ incarnation, parent, parentIncarnation }: Lease): Incarnations => ({
  own: incarnation,
  ...(parent && { parent: { id: parent.id, incarnation: parentIncarnation ?? 1 } }),
})

const isSameWake = (a: Wake, b: Wake | null): boolean => a.inHand === b?.inHand && a.dueAt === b.dueAt

/** What watches from outside must not stop what it watches. */
const notifyObserver = (observe: SessionPorts['onCommit'], events: readonly AnyEvent[]): void => {
  try {
    observe?.(events)
  } catch {
    // Its own log is the place for that.
  }
}

/** What should be in hand, and when it is to be looked at though nobody asks. */
interface PlannedWork {
  readonly effects: readonly WantedEffect[]
  readonly wake: Wake
  readonly due: number | null
}
