// The sessions this process has in memory: opened when asked for or when due, dropped when idle or fenced.

import {
  type AnswerTo,
  type BranchCommand,
  type Command,
  isRefusal,
  PROMPT_COMMANDS,
  type Refusal,
  refuse,
} from '../commands.ts'
import { type AnyEvent, type Key, keyText } from '../event.ts'
import { DUE_PAGE, IDLE_SESSIONS_MAX } from '../limits.ts'
import type { Runner } from '../ports/runner.ts'
import {
  type BranchParent,
  type Clock,
  type Digest,
  type Directory,
  type Log,
  StoreFault,
  type StoreFaultCode,
} from '../ports/store.ts'
import type { Run } from '../projections/lifecycle.ts'
import { statusOf } from '../projections/state.ts'
import { branchRequestRefusal } from '../rules/branch.ts'
import { type ChildNotice, findParentKey } from '../rules/children/child-notice.ts'
import { wantedEffects } from '../rules/wanted-effects.ts'
import { type EventLoop, ReadScheduler } from '../session/read-scheduler.ts'
import { type IdempotencyKey, Session } from '../session/session.ts'
import { bindApproval } from './approval-binding.ts'
import { MemoryBudget, type MemoryLimits, sessionsToEvict } from './memory-budget.ts'
import { releaseRemovedSession } from './removal.ts'

export interface HostPorts {
  readonly log: Log
  readonly directory: Directory
  readonly clock: Clock
  readonly digest: Digest
  /** So that long reads of all sessions take turns; absent = they need not. */
  readonly eventLoop?: EventLoop
  /** The runner behind an agent; null = there is no such agent. */
  readonly runner: (agent: string) => Runner | null
  /** Tells a session's parent where sessions may live elsewhere; absent = all of them are in this store. */
  readonly notifyParent?: (notice: ChildNotice) => Promise<void>
  readonly tokenPaceMs?: number
  /** Events between snapshots; fewer make short sessions meet what long ones meet. */
  readonly snapshotEvery?: number
  /** The memory that loaded sessions may take; above it idle ones are evicted. Default 256 MiB, half of it for one tenant. */
  readonly memory?: Partial<MemoryLimits>
  /** For traces: these events were committed. */
  readonly onCommit?: (key: Key, events: readonly AnyEvent[]) => void
  /** For logs: a session stopped, or could not be opened. */
  readonly onFault?: (key: Key, cause: unknown) => void
}

const REOPEN_MS = 1_000
const SUPERVISE_MS = 1_000
/** Longer than any round takes. */
const JUMP_MS = 10_000
const RETRIES_MAX = 3
const EVICT_LOOKS = 32

/** What the wires ask of it. */
export type SessionService = Pick<Host, 'open' | 'find' | 'send' | 'stopTask' | 'branch' | 'remove' | 'counts'>

export class Host {
  readonly #ports: HostPorts
  readonly #opening = new Map<string, Promise<Session>>()
  readonly #live = new Map<string, Session>()
  readonly #reopening = new Set<string>()
  /** Whose log was found damaged while it was open: stopped until the next start, and each caller is told why. */
  readonly #damaged = new Map<string, unknown>()
  readonly #removing = new Map<string, Promise<boolean>>()
  /** Sessions that were let go because they are removed, and whether the removal took place. */
  readonly #erasures = new WeakMap<Session, Promise<boolean>>()
  /** Cannot be opened: the supervisor leaves these alone, a caller may still ask and is told why. */
  readonly #broken = new Set<string>()
  readonly #memory: MemoryBudget
  readonly #turns: ReadScheduler | null
  #forget: (() => void) | null = null
  #stopped = false
  #events = 0

  constructor(ports: HostPorts) {
    this.#ports = ports
    this.#memory = new MemoryBudget(ports.memory)
    this.#turns = ports.eventLoop ? new ReadScheduler(ports.eventLoop) : null
  }

  /** Takes up what was in hand when the last owner died, then looks for what is due. */
  async start(): Promise<void> {
    await this.resumeWork()
    let lookedAt = this.#ports.clock.now()
    const round = async () => {
      const now = this.#ports.clock.now()
      // Timers do not see the wall clock jump; what has come due by it is due all the same.
      if (now - lookedAt > JUMP_MS)
        for (const session of this.#live.values()) session.send({ type: 'tick' }).catch(() => {})
      lookedAt = now
      if (this.#storeFault()) return this.#next(round)
      // A session that was busy or watched may be idle by now.
      if (this.#memory.bytes > this.#memory.limits.tenantBytes) this.#makeRoom(null)
      await this.openDue().catch(() => {})
      this.#next(round)
    }
    this.#next(round)
  }

  #next(round: () => void): void {
    if (!this.#stopped) this.#forget = this.#ports.clock.after(SUPERVISE_MS, round)
  }

  /** Why no session may be shown, if so. Where another process has them all, those in memory are let go: they may be old. */
  #storeFault(): StoreFault | null {
    try {
      this.#ports.log.check?.()
      return null
    } catch (cause) {
      if (!(cause instanceof StoreFault)) throw cause
      if (cause.code === 'fenced') for (const session of [...this.#live.values()]) session.drop(cause)
      return cause
    }
  }

  /** Opens the sessions that had an effect in hand when their last owner let go of them, and those that are due. */
  async resumeWork(): Promise<void> {
    await this.#openEach((limit) => this.#ports.directory.inHand(limit))
    await this.openDue()
  }

  /** Opens the sessions that are due. */
  openDue(): Promise<void> {
    const { clock, directory } = this.#ports
    return this.#openEach((limit) => directory.due(clock.now(), limit))
  }

  /** Opens sessions that sleep; opening ticks them. Live ones look after themselves. */
  async #openEach(list: (limit: number) => Promise<Key[]>): Promise<void> {
    for (let passed = 0; !this.#stopped; ) {
      // Those that are live or cannot be opened stay in the list: ask for as many more.
      const limit = DUE_PAGE + passed
      const keys = await list(limit)
      const asleep = keys.filter((key) => this.#isAsleep(key))
      await Promise.all(asleep.map((key) => this.open(key).catch(() => {})))
      if (keys.length < limit) return
      passed = keys.length
    }
  }

  /** The live session of a key, whether or not anything was ever appended to it. */
  open(key: Key): Promise<Session> {
    return this.#opened(key, null)
  }

  async #opened(key: Key, branch: PendingBranch | null): Promise<Session> {
    if (this.#stopped) throw new StoreFault('fenced', 'The host stopped.')
    const fault = this.#storeFault()
    if (fault) throw fault
    const name = keyText(key)
    if (this.#damaged.has(name)) throw this.#damaged.get(name)
    const live = this.#live.get(name) ?? this.#opening.get(name)
    if (live) return live
    this.#evict()
    // It is live before it is no longer opening: in between, a second one would be opened beside it.
    const opening = this.#open(key, branch)
      .then((session) => {
        if (!session.dropped) {
          this.#live.set(name, session)
          this.#resized(session)
        }
        this.#broken.delete(name)
        return session
      })
      .finally(() => this.#opening.delete(name))
    this.#opening.set(name, opening)
    try {
      return await opening
    } catch (cause) {
      if (hasCode(cause, 'refused')) throw cause
      if (!(cause instanceof StoreFault) || cause.code === 'corrupt') this.#broken.add(name)
      else if (cause.code !== 'fenced' && cause.code !== 'gone') this.#reopenLater(key)
      this.#ports.onFault?.(key, cause)
      throw cause
    }
  }

  /** The session if it exists. Asking for an unknown one leaves nothing behind. */
  async find(key: Key): Promise<Session | null> {
    const session = await this.open(key)
    if (session.exists) return session
    if (session.idle) this.#discard(session)
    return null
  }

  /** Asks a session. With a command id an unknown outcome is looked up and, if need be, tried again. */
  send<C extends Command>(key: Key, command: C, id: IdempotencyKey | null = null): Promise<AnswerTo<C> | Refusal> {
    return this.#persist(id, async () => {
      if (PROMPT_COMMANDS.has(command.type) && this.#isExhausted(key)) return refuse('busy', EXHAUSTED)
      const session = await this.open(key)
      const outcome = await this.#unlessErased(session, async () =>
        session.send(await bindApproval(session, command, this.#ports.digest), id),
      )
      if (isRefusal(outcome) && !session.exists && session.idle) this.#discard(session)
      return outcome
    })
  }

  /**
   * Stops one task of the run in progress; how it ended is the engine's to report. False = there is no such task, or its engine cannot
   * stop one by itself. Nothing of this is logged: asking twice is harmless, and whoever gets no answer asks again.
   */
  async stopTask(key: Key, taskId: string): Promise<boolean> {
    const session = await this.find(key)
    const effects = session ? wantedEffects(key, session.state, session.epoch) : []
    const run = effects.find((effect) => effect.kind === 'run')
    if (!run?.started) return false
    return (await this.#ports.runner(key.agent)?.stopTask?.(run.job, taskId)) ?? false
  }

  /** A new session that goes on from an event of `parent`, which is not touched. */
  branch(
    parent: Key,
    seq: number,
    childId: string,
    options: Omit<BranchCommand, 'type' | 'parent'> & { id?: IdempotencyKey } = {},
  ): Promise<AnswerTo<BranchCommand> | Refusal> {
    const { id = null, ...more } = options
    return this.#persist(id, async () => {
      const source = await this.find(parent)
      const refusal = branchRequestRefusal(source && { id: parent.id, head: source.state.head }, seq, childId)
      if (!source || refusal) return refusal ?? refuse('session_not_found')
      const from: BranchParent = { agent: parent.agent, id: parent.id, seq }
      const child = await this.#child({ ...parent, id: childId }, { from, source })
      if (!child) return refuse('bad_branch_point')
      const taken = id && (await this.#unlessErased(source, () => reserveBranchId(source, childId, id)))
      const command: BranchCommand = { type: 'branch', parent: from, ...more }
      const outcome = taken ?? (await this.#unlessErased(child, () => child.send(command, id), source))
      if (isRefusal(outcome) && !child.exists && child.idle) this.#discard(child)
      return outcome
    })
  }

  /** Tells the parent of a session how that one stands. Where the parent is not here there is nobody to tell. */
  async notifyParent(notice: ChildNotice): Promise<void> {
    const { parentId, owner: _owner, ...more } = notice
    const parent = findParentKey(await this.#ports.directory.find(more.child.tenant, parentId), notice)
    if (!parent) return
    try {
      await this.send(parent, { type: 'child_status', ...more })
    } catch (cause) {
      // A parent that cannot be opened is told nothing; waiting for it would keep the child at work for ever.
      if (!hasCode(cause, 'corrupt') && !hasCode(cause, 'refused')) throw cause
    }
  }

  /** Erases a session. Its watchers are told; a run in hand is let go. */
  async remove(key: Key): Promise<boolean> {
    const name = keyText(key)
    // What cannot be opened can still be removed.
    const session = await this.find(key).catch((cause: unknown) => {
      if (hasCode(cause, 'corrupt')) return undefined
      throw cause
    })
    if (session === null) return false
    const run = session?.state.lifecycle.run ?? null
    // Nobody opens it meanwhile: it would come back to life, in memory alone.
    const removal = this.#removing.get(name) ?? this.#eraseAll(key, session ?? null, run)
    this.#removing.set(name, removal)
    try {
      const removed = await removal
      this.#damaged.delete(name)
      this.#broken.delete(name)
      return removed
    } catch (cause) {
      this.#reopenLater(key)
      throw cause
    }
  }

  /** And nobody opens it again before its runner has let go: what it has left is not for the next of this name. */
  async #eraseAll(key: Key, session: Session | null, run: Run | null): Promise<boolean> {
    try {
      const removed = await this.#erase(key)
      const { clock, runner } = this.#ports
      // Not before: had the removal failed, the run would have been stopped behind the log's back.
      if (removed) await releaseRemovedSession({ runner: runner(key.agent), clock }, key, run, session?.epoch ?? 0)
      return removed
    } finally {
      this.#removing.delete(keyText(key))
    }
  }

  async #erase(key: Key): Promise<boolean> {
    const name = keyText(key)
    await this.#opening.get(name)?.catch(() => {})
    const live = this.#live.get(name)
    if (!live) return this.#ports.log.remove(key)
    // An append that is on its way must not land behind the back of whoever opens it next.
    const erasure = live.drained.then(() => this.#ports.log.remove(key))
    this.#erasures.set(live, erasure)
    live.drop(new StoreFault('fenced', 'The session was removed.'), 'removed')
    return erasure
  }

  /**
   * A command that meets the removal of its session is erased with it, written or not. A branch that the store refuses because
   * its parent was removed finds no parent.
   */
  async #unlessErased<T>(session: Session, ask: () => Promise<T>, parent?: Session): Promise<T | Refusal> {
    try {
      return await ask()
    } catch (cause) {
      const erased = parent && hasCode(cause, 'refused') ? parent : session
      const isErased = await this.#erasures.get(erased)?.catch(() => false)
      if (!isErased) throw cause
      return refuse('session_not_found')
    }
  }

  /** For metrics. */
  counts(): { sessions: number; listeners: number; running: number; events: number } {
    let listeners = 0
    let running = 0
    for (const session of this.#live.values()) {
      listeners += session.subscribers.size
      if (session.state.lifecycle.run) running += 1
    }
    return { sessions: this.#live.size, listeners, running, events: this.#events }
  }

  /** The memory that loaded sessions take, as it is counted. */
  get memoryBytes(): number {
    return this.#memory.bytes
  }

  /** Sessions whose run is at work; one that waits for an approval loses nothing by a restart. */
  get runningCount(): number {
    let busy = 0
    for (const session of this.#live.values()) if (statusOf(session.state) === 'running') busy += 1
    return busy
  }

  /** Before a stop that was announced: runs that would end with this process are kept for the next, at no retry's cost. */
  async handOver(): Promise<void> {
    await Promise.allSettled([...this.#live.values()].map((session) => session.handOver()))
  }

  /** Lets go of all sessions. Whoever owns the store next takes them up from the log. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#forget?.()
    await Promise.allSettled(this.#opening.values())
    for (const session of [...this.#live.values()]) session.drop(new StoreFault('fenced', 'The host stopped.'))
  }

  /** Null where the store allows no branch. */
  async #child(key: Key, branch: PendingBranch): Promise<Session | null> {
    try {
      const child = await this.#opened(key, branch)
      if (child.exists || child.parent || !child.quiet) return child
      // One that only waits for its first event gives way to the branch; its watchers come back.
      this.#discard(child)
      return await this.#opened(key, branch)
    } catch (cause) {
      if (hasCode(cause, 'refused')) return null
      throw cause
    }
  }

  async #persist<T>(id: IdempotencyKey | null, ask: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; ) {
      try {
        return await ask()
      } catch (cause) {
        // One that was evicted between being opened and being asked has decided nothing.
        if (cause === EVICTED) continue
        const unknown = hasCode(cause, 'outcome_unknown') && id !== null
        if (!unknown || ++tries > RETRIES_MAX) throw cause
      }
    }
  }

  async #open(key: Key, branch: PendingBranch | null): Promise<Session> {
    const { log, clock, runner: runnerOf, tokenPaceMs, snapshotEvery } = this.#ports
    const runner = runnerOf(key.agent)
    if (!runner) throw new StoreFault('refused', `There is no agent "${key.agent}".`)
    await this.#removing.get(keyText(key))?.catch(() => {})
    const { seq, messages } = branch?.source.settledMessages ?? nothingSettled
    const lease = await log.open(key, branch?.from, { seq, count: messages.length })
    if (!lease) throw new StoreFault('fenced', 'Another owner has the session.')
    let opened: Session | null = null
    opened = await Session.open(
      {
        log,
        clock,
        runner,
        notifyParent: (notice) => this.#ports.notifyParent?.(notice) ?? this.notifyParent(notice),
        onCommit: (events) => {
          this.#events += events.length
          if (opened) this.#resized(opened)
          this.#ports.onCommit?.(key, events)
        },
        onDrop: (session, cause) => this.#dropped(session, cause),
        ...(this.#turns && { readScheduler: this.#turns }),
        ...(tokenPaceMs !== undefined && { tokenPaceMs }),
        ...(snapshotEvery !== undefined && { snapshotEvery }),
      },
      lease,
      messages,
    )
    return opened
  }

  #dropped(session: Session, cause: unknown): void {
    const { key } = session
    this.#live.delete(keyText(key))
    this.#memory.set(session, key.tenant, 0)
    if (cause === EVICTED || hasCode(cause, 'fenced') || this.#stopped) return
    this.#ports.onFault?.(key, cause)
    if (hasCode(cause, 'corrupt')) this.#damaged.set(keyText(key), cause)
    // Where all data is gone, there is nothing to reopen.
    else if (!hasCode(cause, 'gone')) this.#reopenLater(key)
  }

  /** It may have had an effect in hand, which no supervisor looks for: somebody has to. */
  #reopenLater(key: Key): void {
    const name = keyText(key)
    // One at a time: each failure would otherwise start a chain of its own.
    if (this.#reopening.has(name)) return
    this.#reopening.add(name)
    this.#ports.clock.after(REOPEN_MS, () => {
      this.#reopening.delete(name)
      if (!this.#stopped) this.find(key).catch(() => {})
    })
  }

  #discard(session: Session): void {
    session.drop(EVICTED)
  }

  #evict(): void {
    if (this.#live.size < IDLE_SESSIONS_MAX) return
    // Oldest first; one that has something to do goes to the back, so each round looks at few.
    for (const [name, session] of [...this.#live].slice(0, EVICT_LOOKS)) {
      if (session.idle) this.#discard(session)
      else {
        this.#live.delete(name)
        this.#live.set(name, session)
      }
    }
  }

  #resized(session: Session): void {
    const { key, bytes } = session
    if (session.dropped) return
    this.#memory.set(session, key.tenant, bytes)
    if (this.#memory.needsRoom(key.tenant)) this.#makeRoom(session)
  }

  /** Idle sessions leave, the largest first; not the one that is being opened or has just been written. */
  #makeRoom(needed: Session | null): void {
    const loaded = [...this.#live.values()].map((session) => ({
      ...{ session, tenant: session.key.tenant, bytes: session.bytes },
      idle: session !== needed && session.idle,
    }))
    for (const { session } of sessionsToEvict(loaded, this.#memory.limits)) this.#discard(session)
    this.#memory.recordSearch()
  }

  #isExhausted({ tenant }: Key): boolean {
    if (!this.#memory.isExhausted(tenant)) return false
    this.#makeRoom(null)
    return this.#memory.isExhausted(tenant)
  }

  #isAsleep(key: Key): boolean {
    const name = keyText(key)
    return !this.#live.has(name) && !this.#broken.has(name) && this.#ports.runner(key.agent) !== null
  }
}

/** A session that is to go on from an event of another, and that other one. */
interface PendingBranch {
  readonly from: BranchParent
  readonly source: Session
}

const nothingSettled: Session['settledMessages'] = { seq: 0, messages: [] }

/** The parent keeps the id before the child is made: what was asked of one session has one effect, wherever it lies. */
const reserveBranchId = async (parent: Session, childId: string, id: IdempotencyKey): Promise<Refusal | null> => {
  const answer = await parent.send({ type: 'promise_branch', childId }, id)
  if (isRefusal(answer)) return answer
  return answer.childId === childId ? null : refuse('command_conflict')
}

const EXHAUSTED = 'Sessions at work take all the memory there is for them; try again when some have ended.'

const hasCode = (cause: unknown, code: StoreFaultCode): boolean => cause instanceof StoreFault && cause.code === code
const EVICTED = new Error('evicted')
