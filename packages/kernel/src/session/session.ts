// The drain takes a batch from the inbox, decides, appends, and only then publishes, answers and starts effects: a client must
// never see what a restart would take back.

import { type JsonObject, present } from '@bridle/events/json'
import { BYTES_PER_CHAR } from '@bridle/events/limits'
import { type Answer, type AnswerTo, type Command, PROMPT_COMMANDS, type Refusal, refuse } from '../commands.ts'
import type { EngineIdentity } from '../engine-info.ts'
import type { AnyEvent, Key } from '../event.ts'
import { type Clock, settledWithin } from '../ports/clock.ts'
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
import { HandOver, REST_GRACE_MS } from './hand-over.ts'
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
  readonly readScheduler?: ReadScheduler
  /** Absent: no notices are sent. */
  readonly notifyParent?: (notice: ChildNotice) => Promise<void>
  /** False if there is no such child. */
  readonly cancelChild?: (child: Key, parent: Key) => Promise<boolean>
  readonly tokenPaceMs?: number
  /** Tests set fewer, so that short sessions have snapshots too. */
  readonly snapshotEvery?: number
  /** The process is about to end, so durable runs are not resumed. */
  readonly isResting?: boolean
  /** Absent: runs start at once. */
  readonly gate?: RunGate
  readonly rows?: RowObserver
  readonly onCommit?: (events: readonly AnyEvent[]) => void
  /** The session lost its lease or store, or broke an invariant. The log rebuilds it. */
  readonly onDrop: (session: Session, cause: unknown) => void
}

export class Session {
  readonly key: Key
  readonly subscribers: Subscribers
  readonly incarnations: Incarnations
  /** Schedules long work fairly among sessions. */
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
  /** Work planned by the last append. */
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
      // A new session under a removed id continues its numbers but has nothing to read before its first event.
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

  /** Opens from the snapshot and later events. A branch reuses what its opener knows of the parent. */
  static async open(ports: SessionPorts, lease: Lease, known: KnownHistory = NO_HISTORY): Promise<Session> {
    const session = new Session(ports, lease, await loadState(ports, lease, known))
    // Voice lines do not survive a process, so playback was lost.
    if (session.state.listening.answer) await session.send({ type: 'lose_listener' })
    if (lease.exists) await session.send({ type: 'tick' })
    session.#reconcile()
    return session
  }

  get state(): SessionState {
    return this.#state
  }

  get identity(): EngineIdentity | undefined {
    return this.#ports.runner.identity
  }

  /** Why the runner would reject these arguments, as a sentence. Null if it would not, or cannot tell. */
  checkArguments({ tool, toolCallId }: Approval, args: JsonObject): Promise<string | null> {
    const { settings } = this.#state.lifecycle
    return this.#effects.checkArguments({ key: this.key, tool, toolCallId, arguments: args, settings })
  }

  /** Estimate. */
  get bytes(): number {
    return this.#size.bytes + BYTES_PER_CHAR * this.#effects.cachedChars
  }

  /** Estimate. */
  get chars(): number {
    return this.#size.chars
  }

  /** Branches share these. */
  get settledPieces(): SessionWriter['settledPieces'] {
    return this.#writer.settledPieces
  }

  /** Runners refuse owners with a lower epoch. */
  get epoch(): number {
    return this.#lease.epoch
  }

  get heartbeatAt(): number | null {
    return this.#writer.lastHeartbeatAt(this.#state)
  }

  get exists(): boolean {
    return this.#state.lifecycle.created && this.#state.head > (this.#lease.exists ? 0 : this.#lease.head)
  }

  get dropped(): boolean {
    return this.#dropped !== null
  }

  /** The branch point, even before the branch is written. */
  get parent(): BranchParent | null {
    return this.#lease.parent
  }

  /** Resolves when no append is pending, even after a drop. */
  get drained(): Promise<void> {
    return this.#inbox.drained
  }

  /** A run is active in this process. One that waits for an approval is not: a restart costs it nothing. */
  get isWorking(): boolean {
    const { run } = this.#state.lifecycle
    return run?.durable ? this.#effects.hasRun : statusOf(this.#state) === 'running'
  }

  get quiet(): boolean {
    return this.#inbox.isQuiet && this.#effects.size === 0
  }

  /** May be evicted. */
  get idle(): boolean {
    return this.quiet && this.subscribers.size === 0
  }

  /** Resolves after commit. A refusal is a normal answer; a rejection means that the store failed. */
  send<C extends Command>(command: C, id: IdempotencyKey | null = null): Promise<AnswerTo<C> | Refusal> {
    if (this.#dropped) return Promise.reject(this.#dropped.cause)
    if (this.#inbox.isFull && command.type !== 'report') return Promise.resolve(refuse('busy'))
    return this.#inbox.add(command, id)
  }

  /** Calls once, before its first event is published, when the session is created. Returns a cancel function. */
  onCreated(call: () => void): () => void {
    this.#awaitingCreation.add(call)
    return () => this.#awaitingCreation.delete(call)
  }

  /** If not, the reader has to start over. */
  canResumeFrom({ seq, incarnation }: LogPosition): boolean {
    if (seq === 0) return true
    // Other incarnations use the same numbers for other events.
    return incarnation === this.incarnations.own && this.hasEvent(seq)
  }

  /** Events before the session's creation belong to an earlier one. */
  hasEvent(seq: number): boolean {
    return seq <= this.#state.head && this.exists && seq >= this.#state.lifecycle.firstSeq
  }

  /** Without artifact text. Pages of large events are shorter. */
  read(after: number, limit: number): Promise<AnyEvent[]> {
    return this.#reader.read(after, limit)
  }

  /** Like `read`, with artifact text, for copies of the log. */
  readWithContent(after: number, limit: number): Promise<AnyEvent[]> {
    return this.#reader.readWithContent(after, limit)
  }

  readChunkText(seq: number): Promise<string> {
    return this.#reader.chunkText(seq)
  }

  /** Parks a run that would end with this process. Resolves when the run has stopped or is late. */
  async handOver(): Promise<void> {
    this.#handOver.isRequested = true
    const { run } = this.#state.lifecycle
    if (this.dropped || !run) return
    if (run.durable) return this.rest()
    if (this.#ports.runner.outlivesProcess?.(jobOf(this.key, this.#state, run, this.epoch))) return
    await this.send({ type: 'hand_over' })
    await this.#handOver.waitFor(() => this.dropped || this.#state.lifecycle.run?.stopRequestedAt == null)
  }

  /** Resolves when a durable run has finished its current step, or is late: it then continues as after a crash. */
  async rest(): Promise<void> {
    const { hasRun } = this.#effects
    await settledWithin(this.#ports.clock, REST_GRACE_MS, async () => {
      const rest = this.#effects.rest()
      // An announced stop does not count against the run, even if it is late.
      if (hasRun && !this.dropped) await this.send({ type: 'excuse_run', reason: 'stopping' })
      await rest
    })
  }

  /** Writes nothing. Callers get the cause, and readers reconnect to the next owner. */
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
      // Dropped during the lookup of an answer: neither write nor publish.
      if (this.#dropped) throw this.#dropped.cause
      const hasNews = events.length > 0 || results.length > 0
      if (hasNews || (this.exists && this.#writer.isHeartbeatDue(state, this.#now())))
        this.#planned = await this.#writer.append(state, events, results, this.#now())
      // The append may have succeeded, so report an unknown outcome.
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

  /** If a runner fails here, callers still get their answers; then the session stops and is rebuilt from the log. */
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

  async hasAnswered(commandId: string): Promise<boolean> {
    return (await this.#findStoredAnswer(commandId)) !== null
  }

  async #findStoredAnswer(commandId: string): Promise<StoredAnswer | null> {
    return this.#lease.exists || this.#state.head > this.#lease.head
      ? await this.#ports.log.result(this.key, commandId)
      : null
  }

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

/** A failing hook must not fail a commit. */
const notifyObserver = (observe: SessionPorts['onCommit'], events: readonly AnyEvent[]): void => {
  try {
    observe?.(events)
  } catch {
    // Hooks report their own faults.
  }
}
