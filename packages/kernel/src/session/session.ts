// A live session: its inbox, and the order in which commands take effect.
// The drain takes a batch from the inbox, decides, appends, and only then publishes, answers and starts effects: a client must
// never see what a restart would take back.

import { type JsonObject, present } from '@bridle/events/json'
import { BYTES_PER_CHAR } from '@bridle/events/limits'
import { type Answer, type AnswerTo, type Command, PROMPT_COMMANDS, type Refusal, refuse } from '../commands.ts'
import type { EngineIdentity } from '../engine-info.ts'
import type { AnyEvent, Key } from '../event.ts'
import type { Clock } from '../ports/clock.ts'
import type { BranchParent, Lease, Log, StoredAnswer, TakeTurns } from '../ports/log.ts'
import type { RowObserver } from '../ports/row-observer.ts'
import type { Runner } from '../ports/runner.ts'
import { StoreFault } from '../ports/store-fault.ts'
import { type Incarnations, incarnationsOf } from '../positions/incarnation.ts'
import type { LogPosition } from '../positions/log-position.ts'
import type { Approval } from '../projections/approvals.ts'
import { type SessionState, statusOf } from '../projections/state.ts'
import type { ChildNotice } from '../rules/children/child-notice.ts'
import { type DecisionResult, decide, refusalResult } from '../rules/decide.ts'
import { jobOf } from '../rules/wanted-effects.ts'
import { EffectRunner } from './effect-runner.ts'
import { HandOver } from './hand-over.ts'
import { type BatchResult, decideBatch, type IdempotencyKey, Inbox, type InboxItem } from './inbox.ts'
import { readArtifactText } from './reading/artifact-text.ts'
import { LogReader } from './reading/log-reader.ts'
import type { ReadScheduler } from './reading/read-scheduler.ts'
import type { RunGate } from './run-gate.ts'
import { SessionClock } from './session-clock.ts'
import type { SessionSize } from './session-size.ts'
import { type PlannedWork, SessionWriter } from './session-writer.ts'
import { type KnownHistory, loadState, NO_HISTORY, type StoredState } from './stored-state.ts'
import { Subscribers } from './subscribers.ts'

export interface SessionPorts {
  readonly log: Log
  readonly clock: Clock
  readonly runner: Runner
  /** Absent = long reads need not take turns. */
  readonly readScheduler?: ReadScheduler
  /** Sends the status of this session to its parent; absent = there is no parent to send to. */
  readonly notifyParent?: (notice: ChildNotice) => Promise<void>
  /** Cancels a child of a session; false = there is none. Absent = no session has children. */
  readonly cancelChild?: (child: Key, parent: Key) => Promise<boolean>
  readonly tokenPaceMs?: number
  /** Events between snapshots. Tests set fewer, so that short sessions have snapshots too. */
  readonly snapshotEvery?: number
  /** The process is about to end: no durable run is taken up. */
  readonly isResting?: boolean
  /** Delays runs of this process; absent = runs start at once. */
  readonly gate?: RunGate
  /** Learns of each change of a session's row, and of removals; absent = nobody does. */
  readonly rows?: RowObserver
  /** For metrics and traces: these events were committed. */
  readonly onCommit?: (events: readonly AnyEvent[]) => void
  /** The session stopped: it lost its lease, its store, or an invariant. The log rebuilds it. */
  readonly onDrop: (session: Session, cause: unknown) => void
}

export class Session {
  readonly key: Key
  readonly subscribers: Subscribers
  /** The incarnations of the session's log and of the log that it branched from. */
  readonly incarnations: Incarnations
  /** Long work about the session waits for its turn, so that it does not block other sessions. */
  readonly takeTurns: TakeTurns
  readonly #ports: SessionPorts
  readonly #lease: Lease
  readonly #effects: EffectRunner
  readonly #inbox = new Inbox((batch) => this.#commit(batch))
  readonly #handOver: HandOver
  #state: SessionState
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
    this.takeTurns = readScheduler?.takeTurns ?? ((step) => step())
    this.#ports = ports
    this.#lease = lease
    this.#state = state
    this.#size = size
    this.#handOver = new HandOver(clock)
    this.#writer = new SessionWriter({
      ...{ log, lease, incarnations: this.incarnations, snapshot, snapshotEvery },
      openedAt: clock.now(),
      ...{ state, rows: ports.rows },
    })
    this.#reader = new LogReader({
      ...{ log, key: lease.key, ...(readScheduler && { readScheduler }) },
      onCorrupt: (cause) => this.drop(cause),
    })
    this.#clock = new SessionClock(clock, () => void this.send({ type: 'tick' }).catch(() => {}))
    this.subscribers = new Subscribers(
      (after, limit) => this.#reader.page(after, limit),
      // The numbers of a removed session's id continue in the next session of that id, which has nothing to read before its first event.
      () => (lease.parent || this.exists ? this.#state.head : 0),
      readScheduler,
    )
    this.#effects = new EffectRunner({
      runner: ports.runner,
      clock,
      ...present({ tokenPaceMs: ports.tokenPaceMs, gate: ports.gate, isResting: ports.isResting }),
      excuse: async () => void (await this.send({ type: 'excuse_run', reason: 'company' })),
      send: (command) => this.send(command),
      notifyParent: async (notice) => ports.notifyParent?.(notice),
      cancelChild: async (child) => (await ports.cancelChild?.(child, lease.key)) ?? false,
      session: {
        read: (after, limit) => this.read(after, limit),
        messages: () => this.#state.conversation.messages,
        memory: () => this.#state.memory,
        governance: () => this.#state.governance,
        children: () => ({ open: this.#state.delegations, all: this.#state.subagents }),
        artifactText: (artifactId, seq) => readArtifactText(this, artifactId, seq),
      },
      retry: () => this.#reconcile(),
    })
  }

  /**
   * Opens from the snapshot and the events after it, and starts the effects that its state wants. A branch shares what its opener
   * knows of its parent.
   */
  static async open(ports: SessionPorts, lease: Lease, known: KnownHistory = NO_HISTORY): Promise<Session> {
    const session = new Session(ports, lease, await loadState(ports, lease, known))
    // Lines live in a process: an answer that was being played has lost its listener.
    if (session.state.listening.answer) await session.send({ type: 'lose_listener' })
    if (lease.exists) await session.send({ type: 'tick' })
    session.#reconcile()
    return session
  }

  get state(): SessionState {
    return this.#state
  }

  /** The engine of the session's agent, as the runner names it. */
  get identity(): EngineIdentity | undefined {
    return this.#ports.runner.identity
  }

  /** Why the runner of this call would not take these arguments, as a sentence; null = it would, or cannot tell. */
  checkArguments({ tool, toolCallId }: Approval, args: JsonObject): Promise<string | null> {
    const { settings } = this.#state.lifecycle
    return this.#effects.checkArguments({ key: this.key, tool, toolCallId, arguments: args, settings })
  }

  /** The memory that the session takes, near enough. */
  get bytes(): number {
    return this.#size.bytes + BYTES_PER_CHAR * this.#effects.cachedChars
  }

  /** The characters that the session holds, near enough. */
  get chars(): number {
    return this.#size.chars
  }

  /** The settled pieces of the last snapshot, for branches to share. */
  get settledPieces(): SessionWriter['settledPieces'] {
    return this.#writer.settledPieces
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

  /** The point where the session branches from its parent, written or not; null = the session is no branch. */
  get parent(): BranchParent | null {
    return this.#lease.parent
  }

  /** Resolves when no append is on its way to the store any more, also after a drop. */
  get drained(): Promise<void> {
    return this.#inbox.drained
  }

  /** A run is at work in this process. A run that waits for an approval loses nothing by a restart. */
  get isWorking(): boolean {
    const { run } = this.#state.lifecycle
    return run?.durable ? this.#effects.hasRun : statusOf(this.#state) === 'running'
  }

  /** The session has nothing to do. */
  get quiet(): boolean {
    return this.#inbox.isQuiet && this.#effects.size === 0
  }

  /** The session has nothing to do and no reader: it may leave memory. */
  get idle(): boolean {
    return this.quiet && this.subscribers.size === 0
  }

  /** Resolves after commit. A refusal is an answer; a rejection means that the store failed. */
  send<C extends Command>(command: C, id: IdempotencyKey | null = null): Promise<AnswerTo<C> | Refusal> {
    if (this.#dropped) return Promise.reject(this.#dropped.cause)
    if (this.#inbox.isFull && command.type !== 'report') return Promise.resolve(refuse('busy'))
    return this.#inbox.add(command, id)
  }

  /**
   * Calls once, before anything is published, when a session that does not exist yet gets its first event: its owner is known from
   * then on. The returned function cancels the call.
   */
  onCreated(call: () => void): () => void {
    this.#awaitingCreation.add(call)
    return () => this.#awaitingCreation.delete(call)
  }

  /** Whether a reader can continue from this position; if not, it has to start again from the beginning. */
  canResumeFrom({ seq, incarnation }: LogPosition): boolean {
    if (seq === 0) return true
    // A number of another incarnation names another event, also where the log has grown past it.
    return incarnation === this.incarnations.own && this.hasEvent(seq)
  }

  /** Whether the log has an event of this number since the session was created. */
  hasEvent(seq: number): boolean {
    return seq <= this.#state.head && this.exists && seq >= this.#state.lifecycle.firstSeq
  }

  /** Committed events after a number, without the text of artifacts. A page is shorter when its events are large. */
  read(after: number, limit: number): Promise<AnyEvent[]> {
    return this.#reader.read(after, limit)
  }

  /** The same with the text of artifacts, for a copy of the log. */
  readWithContent(after: number, limit: number): Promise<AnyEvent[]> {
    return this.#reader.readWithContent(after, limit)
  }

  /** The text of the chunk of an artifact that has this number. */
  readChunkText(seq: number): Promise<string> {
    return this.#reader.chunkText(seq)
  }

  /** Stops a run that would end with this process, and keeps it for the next process. Resolves when the run has stopped, or is late. */
  async handOver(): Promise<void> {
    this.#handOver.isRequested = true
    const { run } = this.#state.lifecycle
    if (this.dropped || !run) return
    if (run.durable) return this.rest()
    if (this.#ports.runner.outlivesProcess?.(jobOf(this.key, this.#state, run, this.epoch))) return
    await this.send({ type: 'hand_over' })
    await this.#handOver.waitFor(() => this.dropped || this.#state.lifecycle.run?.stopRequestedAt == null)
  }

  /**
   * The process is about to end: a durable run ends what it has begun, and begins nothing new. Resolves then. A run that takes too
   * long is continued as after a crash. Other runs go on.
   */
  async rest(): Promise<void> {
    const { hasRun } = this.#effects
    await this.#handOver.withinGrace(async () => {
      const rest = this.#effects.rest()
      // An announced stop does not count against the run, even if the run does not come to rest in time.
      if (hasRun && !this.dropped) await this.send({ type: 'excuse_run', reason: 'stopping' })
      await rest
    })
  }

  /** Stops the session without writing to the log: callers get the cause, and readers come back to the next owner. */
  drop(cause: unknown, why: 'moved' | 'removed' = 'moved'): void {
    if (this.#dropped) return
    this.#dropped = { cause }
    this.#clock.forget()
    this.#inbox.rejectAll(cause)
    this.#ports.onDrop(this, cause)
    this.#effects.stop()
    this.subscribers.close(why)
    this.#handOver.check()
  }

  async #commit(batch: readonly InboxItem[]): Promise<void> {
    const existed = this.exists
    let decided: BatchResult
    try {
      decided = await decideBatch(
        batch,
        this.#state,
        (state, command) => this.#decide(state, command),
        (commandId) => this.#findStoredAnswer(commandId),
      )
      const { state, events, results } = decided
      // A session that was dropped while it looked up an answer must not write, nor tell, its decision.
      if (this.#dropped) throw this.#dropped.cause
      const hasNews = events.length > 0 || results.length > 0
      if (hasNews || (this.exists && this.#writer.isHeartbeatDue(state, this.#now())))
        this.#planned = await this.#writer.append(state, events, results, this.#now())
      // The append may have been written: callers must not hear that it was not.
      if (this.dropped) throw new StoreFault('outcome_unknown', 'The session was let go while it was being written.')
      this.#state = state
      this.#size.add(events)
    } catch (cause) {
      for (const item of batch) item.reject(cause)
      return this.drop(cause)
    }
    const { events, operations, outcomes } = decided
    if (!existed && this.exists) {
      for (const call of this.#awaitingCreation) call()
      this.#awaitingCreation.clear()
    }
    this.subscribers.publish({ events, operations })
    const fault = this.#notifyRunners(events)
    for (const [index, item] of batch.entries()) item.resolve(outcomes[index] as Answer | Refusal)
    if (fault) return this.drop(fault.cause)
    if (events.length > 0 || batch.some(({ command }) => command.type === 'tick')) this.#reconcile()
    this.#handOver.check()
    notifyObserver(this.#ports.onCommit, events)
  }

  /** A runner that cannot read its own log must not leave callers without an answer: the session stops, and the log rebuilds it. */
  #notifyRunners(events: readonly AnyEvent[]): { readonly cause: unknown } | null {
    try {
      this.#effects.notifyRunners(events)
      return null
    } catch (cause) {
      return { cause }
    }
  }

  #decide(working: SessionState, command: Command): DecisionResult {
    if (PROMPT_COMMANDS.has(command.type) && this.#size.isFull(this.#state))
      return refusalResult(working, refuse('session_full'))
    const { exists, head, parent } = this.#lease
    const branchPoint = !exists && working.head === head ? parent : null
    const options = { starts: !this.#handOver.isRequested, identity: this.identity, branchPoint }
    return decide(this.key, working, command, this.#now(), options)
  }

  /** True where a command with this id has its answer already: sending it again has no effect. */
  async hasAnswered(commandId: string): Promise<boolean> {
    return (await this.#findStoredAnswer(commandId)) !== null
  }

  async #findStoredAnswer(commandId: string): Promise<StoredAnswer | null> {
    return this.#lease.exists || this.#state.head > this.#lease.head
      ? await this.#ports.log.result(this.key, commandId)
      : null
  }

  /** Brings the effects and the timer in line with the committed state. */
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

/** A metrics or trace hook that throws must not fail a commit. */
const notifyObserver = (observe: SessionPorts['onCommit'], events: readonly AnyEvent[]): void => {
  try {
    observe?.(events)
  } catch {
    // The hook reports its faults itself.
  }
}
