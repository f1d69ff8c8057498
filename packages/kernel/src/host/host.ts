// The host: the face of the sessions that this process runs, over live sessions, supervision, branching and removal.
import { present } from '@bridle/events/json'
import {
  type AnswerTo,
  type ApproveCommand,
  type BranchCommand,
  type Command,
  type ImportCommand,
  isRefusal,
  PROMPT_COMMANDS,
  type Refusal,
  refuse,
} from '../commands.ts'
import type { AnyEvent, Key } from '../event.ts'
import { ownerOf } from '../owner.ts'
import type { Digest } from '../ports/digest.ts'
import type { Directory } from '../ports/directory.ts'
import type { Runner } from '../ports/runner.ts'
import { hasFaultCode } from '../ports/store-fault.ts'
import { childOfApproval } from '../projections/child-approvals.ts'
import type { SessionState } from '../projections/state.ts'
import { type ChildNotice, findParentKey, removalNotice } from '../rules/children/child-notice.ts'
import { wantedEffects } from '../rules/wanted-effects.ts'
import type { IdempotencyKey } from '../session/inbox.ts'
import type { EventLoop } from '../session/reading/read-scheduler.ts'
import type { Session, SessionPorts } from '../session/session.ts'
import { bindApproval } from './approval-binding.ts'
import { branchSession } from './branching.ts'
import { answerChild, type ChildAnswer, cancelChild } from './child-sessions.ts'
import { type ImportedPrompts, importedPrompts } from './import-confirmation.ts'
import { importSession } from './importing.ts'
import { LiveSessions } from './live-sessions.ts'
import type { MemoryLimits } from './memory-budget.ts'
import { retryUnknownOutcome } from './outcome-retry.ts'
import { bindProposal } from './proposal-binding.ts'
import { Removal } from './removal.ts'
import { Supervision } from './supervision.ts'

/** `notifyParent`, `cancelChild` and `answerChild` are for sessions that may live elsewhere; absent = all of them are in this store. */
export interface HostPorts
  extends Pick<
    SessionPorts,
    'log' | 'clock' | 'notifyParent' | 'cancelChild' | 'tokenPaceMs' | 'snapshotEvery' | 'rows'
  > {
  readonly directory: Directory
  readonly digest: Digest
  readonly answerChild?: (answer: ChildAnswer) => Promise<AnswerTo<ApproveCommand> | Refusal>
  /** Lets the long reads of all sessions take turns; absent = they do not. */
  readonly eventLoop?: EventLoop
  /** The runner behind an agent; null = there is no such agent. */
  readonly runner: (agent: string) => Runner | null
  /** The memory that loaded sessions may take; above it idle ones are evicted. Default 256 MiB, half of it for one tenant. */
  readonly memory?: Partial<MemoryLimits>
  /** For traces: these events were committed. */
  readonly onCommit?: (key: Key, events: readonly AnyEvent[]) => void
  /** For logs: a session stopped or could not be opened. A null key = the sessions that are due could not be looked for. */
  readonly onFault?: (key: Key | null, cause: unknown) => void
}

/** The part of a host that the surfaces use. */
export type SessionService = Pick<
  Host,
  'open' | 'find' | 'send' | 'stopTask' | 'branch' | 'importLog' | 'importedPrompts' | 'usedSeq' | 'remove' | 'counts'
>

export class Host {
  readonly #ports: HostPorts
  readonly #live: LiveSessions
  readonly #supervision: Supervision
  readonly #removal: Removal

  constructor(ports: HostPorts) {
    this.#ports = ports
    this.#live = new LiveSessions({
      ...ports,
      notifyParent: (notice) => ports.notifyParent?.(notice) ?? this.notifyParent(notice),
      cancelChild: (child, parent) => this.#cancelChild(child, parent),
      removalOf: (key) => this.#removal.settled(key),
    })
    this.#removal = new Removal({ ...ports, live: this.#live })
    this.#supervision = new Supervision({
      ...ports,
      live: this.#live,
      onFault: (cause) => ports.onFault?.(null, cause),
    })
  }

  /** Takes up the work that the last owner left, then looks for sessions that are due. */
  start(): Promise<void> {
    return this.#supervision.start()
  }

  /** Opens the sessions whose last owner left an effect unfinished, and those that are due. */
  resumeWork(): Promise<void> {
    return this.#supervision.resumeWork()
  }

  openDue(): Promise<void> {
    return this.#supervision.openDue()
  }

  /** The live session of a key, whether or not anything was ever appended to it. */
  open(key: Key): Promise<Session> {
    return this.#live.open(key)
  }

  /** The session if it exists. A session that does not exist leaves nothing behind. */
  find(key: Key): Promise<Session | null> {
    return this.#live.find(key)
  }

  /** Sends a command to a session. With a command id an unknown outcome is looked up and, where needed, tried again. */
  send<C extends Command>(key: Key, command: C, id: IdempotencyKey | null = null): Promise<AnswerTo<C> | Refusal> {
    return retryUnknownOutcome(id, async () => {
      if (PROMPT_COMMANDS.has(command.type) && this.#live.memory.isExhausted(key)) return refuse('busy', EXHAUSTED)
      const session = await this.open(key)
      const answered = command.type === 'approve' ? await this.#answerBelow(session, command, id) : null
      if (answered) return answered as AnswerTo<C> | Refusal
      const outcome = await this.#removal.unlessErased(session, async () =>
        session.send(await bindProposal(session, await bindApproval(session, command, this.#ports.digest)), id),
      )
      if (isRefusal(outcome)) this.#live.discardUnused(session)
      return outcome
    })
  }

  /**
   * Stops one task of the run in progress; the engine reports how it ended. False = there is no such task, or its engine cannot
   * stop a single one. The log does not mention the request: a caller that gets no answer may repeat it.
   */
  async stopTask(key: Key, taskId: string): Promise<boolean> {
    const session = await this.find(key)
    const effects = session ? wantedEffects(key, session.state, session.epoch) : []
    const run = effects.find((effect) => effect.kind === 'run')
    if (!run?.started) return false
    return (await this.#ports.runner(key.agent)?.stopTask?.(run.job, taskId)) ?? false
  }

  /** A new session that continues from an event of `parent`, which is not touched. */
  branch(
    parent: Key,
    seq: number,
    childId: string,
    options: Omit<BranchCommand, 'type' | 'parent' | 'imported'> & { id?: IdempotencyKey; promptsDigest?: string } = {},
  ): Promise<AnswerTo<BranchCommand> | Refusal> {
    const { id = null, promptsDigest, ...command } = options
    const parts = { live: this.#live, removal: this.#removal, digest: this.#ports.digest }
    const request = { parent, seq, childId, command, id, ...(promptsDigest !== undefined && { promptsDigest }) }
    return retryUnknownOutcome(id, () => branchSession(parts, request))
  }

  /** A new session with the log of a file. Nothing of it starts. `before` is the state at the point where a branch leaves, if the caller has it. */
  importLog(
    key: Key,
    log: Omit<ImportCommand, 'type'>,
    before: SessionState | null = null,
  ): Promise<AnswerTo<ImportCommand> | Refusal> {
    const parts = { live: this.#live, removal: this.#removal, log: this.#ports.log }
    return importSession(parts, key, { type: 'import', ...log }, before)
  }

  /** The prompts that a branch of the session confirms; null = the session was not imported. */
  importedPrompts({ state }: Session): Promise<ImportedPrompts | null> {
    return importedPrompts(state, this.#ports.digest)
  }

  /** The last number that a session of this key has, or had before it was removed; 0 = there was none. */
  async usedSeq(key: Key): Promise<number> {
    const session = await this.#live.open(key)
    const { head } = session.state
    this.#live.discardUnused(session)
    return head
  }

  /** Sends the status of a session to its parent. Where the parent is not in this store, nothing is sent. */
  async notifyParent(notice: ChildNotice): Promise<void> {
    const { parentId, parentAgent, child } = notice
    const found = parentAgent === undefined ? await this.#ports.directory.find(child.tenant, parentId) : []
    const parent = findParentKey(found, notice)
    if (!parent) return
    try {
      await this.takeChildNotice(parent, notice)
    } catch (cause) {
      // A parent that cannot be opened gets no notice; waiting for it would keep the child at work for ever.
      if (!hasFaultCode(cause, 'corrupt') && !hasFaultCode(cause, 'refused')) throw cause
    }
  }

  /** Records the status of a child in its parent. Rejects if the parent refuses it, such as when it is busy, so that it is sent again. */
  async takeChildNotice(parent: Key, notice: ChildNotice): Promise<void> {
    const { parentId: _id, parentAgent: _agent, ...status } = notice
    const outcome = await this.send(parent, { type: 'child_status', ...status })
    // A removed parent needs no notice.
    if (isRefusal(outcome) && outcome.refused !== 'session_not_found') throw new Error(outcome.message)
  }

  /** Erases a session; false = there is none. Its readers are closed, and a run in progress is stopped. */
  async remove(key: Key): Promise<boolean> {
    const session = await this.#live.find(key).catch(() => null)
    const notice = session && removalNotice(key, session.state)
    const children = Object.entries(session?.state.delegations ?? {})
    const isRemoved = await this.#removal.remove(key)
    // Nobody waits for them any more, and no log names them.
    for (const [id, { agent }] of isRemoved ? children : [])
      await this.#cancelChild({ tenant: key.tenant, agent, id }, key).catch(() => {})
    // A parent that waits for the session would wait for ever.
    if (isRemoved && notice) await (this.#ports.notifyParent?.(notice) ?? this.notifyParent(notice)).catch(() => {})
    return isRemoved
  }

  /** Null: no session below this one asks under that id. For the caller the answer is one of this session. */
  async #answerBelow(
    { key, state }: Session,
    command: ApproveCommand,
    commandId: IdempotencyKey | null,
  ): Promise<object | null> {
    const below = childOfApproval(state.childApprovals, command.approvalId)
    if (!below) return null
    const { agent, id, approval_id: approvalId } = below
    const answer: ChildAnswer = {
      child: { tenant: key.tenant, agent, id },
      ...{ owner: ownerOf(key, state), command: { ...command, approvalId }, commandId },
    }
    const outcome = await (this.#ports.answerChild?.(answer) ?? answerChild(this, answer))
    if (isRefusal(outcome)) return outcome
    const { decision, reason, actor, isActorClaimed, answers, values } = command
    const by = {
      approvalId: command.approvalId,
      decision,
      ...present({ reason, actor, isActorClaimed, answers, values }),
    }
    const recorded = await this.send(key, { type: 'child_answered', ...by })
    return isRefusal(recorded) ? recorded : { approvalId: command.approvalId, decision, seq: recorded.seq }
  }

  #cancelChild(child: Key, parent: Key): Promise<boolean> {
    return this.#ports.cancelChild?.(child, parent) ?? cancelChild(this, child, parent)
  }

  /** For metrics. */
  counts(): { sessions: number; listeners: number; running: number; waiting: number; events: number } {
    const { sessions, eventCount: events } = this.#live
    let listeners = 0
    let running = 0
    let waiting = 0
    for (const session of sessions) {
      listeners += session.subscribers.size
      if (session.isWorking) running += 1
      else if (session.state.lifecycle.run) waiting += 1
    }
    return { sessions: sessions.length, listeners, running, waiting, events }
  }

  /** The memory that loaded sessions take, as it is counted. */
  get memoryBytes(): number {
    return this.#live.memory.bytes
  }

  /** Sessions whose run is at work; a run that waits for an approval loses nothing by a restart. */
  get runningCount(): number {
    return this.#live.sessions.filter((session) => session.isWorking).length
  }

  /**
   * When an announced stop begins: durable runs end what they have begun, and the next process continues them. Other runs go on.
   * Resolves when all durable runs have come to rest, or are late.
   */
  rest(): Promise<void> {
    return this.#live.rest()
  }

  /** Before an announced stop: keeps runs that would end with this process for the next one. They lose no retry. */
  async handOver(): Promise<void> {
    await Promise.allSettled(this.#live.sessions.map((session) => session.handOver()))
  }

  /** Drops all sessions. The next owner of the store takes them up from the log. */
  async stop(): Promise<void> {
    this.#supervision.stop()
    await this.#live.stop()
  }
}

const EXHAUSTED = 'Sessions at work take all the memory there is for them; try again when some have ended.'
