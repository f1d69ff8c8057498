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
import type { AnyEvent, Key } from '../event.ts'
import type { Json } from '../json.ts'
import { ABORT_GRACE_MS, BATCH_MAX, INBOX_MAX } from '../limits.ts'
import type { Runner } from '../ports/runner.ts'
import { type BranchParent, type Clock, type Lease, type Log, type StoredAnswer, StoreFault } from '../ports/store.ts'
import type { Incarnations } from '../positions/incarnation.ts'
import type { LogPosition } from '../positions/log-position.ts'
import type { HarnessMessage } from '../projections/conversation/harness-state.ts'
import type { SessionState } from '../projections/state.ts'
import type { ChildNotice } from '../rules/children/child-notice.ts'
import { type DecisionResult, decide, refusalResult } from '../rules/decide.ts'
import { jobOf } from '../rules/wanted-effects.ts'
import { EffectRunner } from './effect-runner.ts'
import { LogReader } from './log-reader.ts'
import type { ReadScheduler } from './read-scheduler.ts'
import { SessionClock } from './session-clock.ts'
import type { SessionSize } from './session-size.ts'
import { type PlannedWork, SessionWriter } from './session-writer.ts'
import { loadState, type StoredState } from './stored-state.ts'
import { Subscribers } from './subscribers.ts'

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
  readonly #writer: SessionWriter
  readonly #reader: LogReader
  readonly #size: SessionSize
  /** The work that follows from the state that was just appended. */
  #planned: PlannedWork | null = null
  readonly #awaitingCreation = new Set<() => void>()

  private constructor(ports: SessionPorts, lease: Lease, { state, snapshot, size }: StoredState) {
    const { log, clock, readScheduler, snapshotEvery } = ports
    this.key = lease.key
    this.incarnations = incarnationsOf(lease)
    this.#ports = ports
    this.#lease = lease
    this.#state = state
    this.#size = size
    this.#writer = new SessionWriter({
      ...{ log, lease, incarnations: this.incarnations, snapshot, snapshotEvery },
      openedAt: clock.now(),
    })
    this.#reader = new LogReader({
      ...{ log, key: lease.key, ...(readScheduler && { readScheduler }) },
      onCorrupt: (cause) => this.drop(cause),
    })
    this.#clock = new SessionClock(clock, () => void this.send({ type: 'tick' }).catch(() => {}))
    this.subscribers = new Subscribers(
      (after, limit) => this.#reader.page(after, limit),
      // A re-created id goes on with its numbers, and has nothing to read before its first event.
      () => (lease.parent || this.exists ? this.#state.head : 0),
      readScheduler,
    )
    this.#effects = new EffectRunner({
      runner: ports.runner,
      clock,
      ...(ports.tokenPaceMs !== undefined && { tokenPaceMs: ports.tokenPaceMs }),
      send: (command) => this.send(command),
      notifyParent: async (notice) => ports.notifyParent?.(notice),
      retry: () => this.#reconcile(),
    })
  }

  /**
   * Opens from the snapshot and the events after it, and starts the effects that its state wants. `messages` are settled messages
   * of the parent of a branch, which the branch shares.
   */
  static async open(ports: SessionPorts, lease: Lease, messages: readonly HarnessMessage[] = []): Promise<Session> {
    const session = new Session(ports, lease, await loadState(ports, lease, messages))
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

  /** The memory that the session takes, near enough. */
  get bytes(): number {
    return this.#size.bytes
  }

  /** The settled messages of the last snapshot, for branches to share. */
  get settledMessages(): SessionWriter['settledMessages'] {
    return this.#writer.settledMessages
  }

  /** The epoch of the lease: a runner refuses an owner with a lower one. */
  get epoch(): number {
    return this.#lease.epoch
  }

  /** The last sign of life of the run; null = there was none. */
  get heartbeatAt(): number | null {
    return this.#writer.lastHeartbeatAt(this.#state)
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

  /** Committed events after a number, without the text of artifacts. A page is shorter when its events are large. */
  read(after: number, limit: number): Promise<AnyEvent[]> {
    return this.#reader.read(after, limit)
  }

  /** The text of the chunk of an artifact that has this number. */
  readChunkText(seq: number): Promise<string> {
    return this.#reader.chunkText(seq)
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
      if (isNews || (this.exists && this.#writer.isHeartbeatDue(working, this.#now())))
        this.#planned = await this.#writer.append(working, events, results, this.#now())
      // It may have been written: whoever asked must not be told that it was not.
      if (this.dropped) throw new StoreFault('outcome_unknown', 'The session was let go while it was being written.')
      this.#state = working
      this.#size.add(events)
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

  #decide(working: SessionState, command: Command): DecisionResult {
    if (PROMPT_COMMANDS.has(command.type) && this.#size.isFull(this.#state))
      return refusalResult(working, refuse('session_full'))
    const { exists, head, parent } = this.#lease
    const branchPoint = !exists && working.head === head ? parent : null
    const options = { starts: !this.#isShuttingDown, identity: this.identity, branchPoint }
    return decide(this.key, working, command, this.#now(), options)
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
    const { effects, due } = this.#planned ?? this.#writer.plan(this.#state, this.#now())
    this.#planned = null
    this.#effects.reconcile(effects)
    this.#clock.setTimer(due, this.#now())
  }

  #now(): number {
    return this.#clock.now(this.#state.at)
  }
}

const incarnationsOf = ({ incarnation, parent, parentIncarnation }: Lease): Incarnations => ({
  own: incarnation,
  ...(parent && { parent: { id: parent.id, incarnation: parentIncarnation ?? 1 } }),
})

/** What watches from outside must not stop what it watches. */
const notifyObserver = (observe: SessionPorts['onCommit'], events: readonly AnyEvent[]): void => {
  try {
    observe?.(events)
  } catch {
    // Its own log is the place for that.
  }
}
