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

/** Set `notifyParent`, `cancelChild` and `answerChild` if sessions can live in another store. */
export interface HostPorts
  extends Pick<
    SessionPorts,
    'log' | 'clock' | 'notifyParent' | 'cancelChild' | 'tokenPaceMs' | 'snapshotEvery' | 'rows'
  > {
  readonly directory: Directory
  readonly digest: Digest
  readonly answerChild?: (answer: ChildAnswer) => Promise<AnswerTo<ApproveCommand> | Refusal>
  /** Schedules the long reads of all sessions fairly. Absent: unscheduled. */
  readonly eventLoop?: EventLoop
  readonly runner: (agent: string) => Runner | null
  /** Above this, idle sessions are evicted. Default 256 MiB, half of it per tenant. */
  readonly memory?: Partial<MemoryLimits>
  /** For traces. */
  readonly onCommit?: (key: Key, events: readonly AnyEvent[]) => void
  /** For logs: a session stopped or failed to open. A null key: the search for due sessions failed. */
  readonly onFault?: (key: Key | null, cause: unknown) => void
}

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

  /** Resumes the work of the last owner, then polls for due sessions. */
  start(): Promise<void> {
    return this.#supervision.start()
  }

  resumeWork(): Promise<void> {
    return this.#supervision.resumeWork()
  }

  openDue(): Promise<void> {
    return this.#supervision.openDue()
  }

  /** Returns the live session, even if nothing was ever appended to it. */
  open(key: Key): Promise<Session> {
    return this.#live.open(key)
  }

  /** Null if the session does not exist; nothing is created. */
  find(key: Key): Promise<Session | null> {
    return this.#live.find(key)
  }

  /** With a command id, a command with an unknown outcome is looked up and retried. */
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

  /** False if there is no such task or the engine cannot stop it. Nothing is logged, so callers may repeat the request. */
  async stopTask(key: Key, taskId: string): Promise<boolean> {
    const session = await this.find(key)
    const effects = session ? wantedEffects(key, session.state, session.epoch) : []
    const run = effects.find((effect) => effect.kind === 'run')
    if (!run?.started) return false
    return (await this.#ports.runner(key.agent)?.stopTask?.(run.job, taskId)) ?? false
  }

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

  /** Imports a log as a new session without starting anything. `before`: the state at the branch point, if already folded. */
  importLog(
    key: Key,
    log: Omit<ImportCommand, 'type'>,
    before: SessionState | null = null,
  ): Promise<AnswerTo<ImportCommand> | Refusal> {
    const parts = { live: this.#live, removal: this.#removal, log: this.#ports.log }
    return importSession(parts, key, { type: 'import', ...log }, before)
  }

  /** The prompts to confirm before branching. Null if the session was not imported. */
  importedPrompts({ state }: Session): Promise<ImportedPrompts | null> {
    return importedPrompts(state, this.#ports.digest)
  }

  /** The last sequence number of the session, also if it was removed; 0 if it never existed. */
  async usedSeq(key: Key): Promise<number> {
    const session = await this.#live.open(key)
    const { head } = session.state
    this.#live.discardUnused(session)
    return head
  }

  /** Does nothing if the parent is not in this store. */
  async notifyParent(notice: ChildNotice): Promise<void> {
    const { parentId, parentAgent, child } = notice
    const found = parentAgent === undefined ? await this.#ports.directory.find(child.tenant, parentId) : []
    const parent = findParentKey(found, notice)
    if (!parent) return
    try {
      await this.takeChildNotice(parent, notice)
    } catch (cause) {
      // Give up on a parent that cannot be opened: retrying would keep the child busy forever.
      if (!hasFaultCode(cause, 'corrupt') && !hasFaultCode(cause, 'refused')) throw cause
    }
  }

  /** Rejects if the parent refuses, for example because it is busy, so that the notice is retried. */
  async takeChildNotice(parent: Key, notice: ChildNotice): Promise<void> {
    const { parentId: _id, parentAgent: _agent, ...status } = notice
    const outcome = await this.send(parent, { type: 'child_status', ...status })
    if (isRefusal(outcome) && outcome.refused !== 'session_not_found') throw new Error(outcome.message)
  }

  /** Closes the readers and stops the run in progress. False if there is no such session. */
  async remove(key: Key): Promise<boolean> {
    const session = await this.#live.find(key).catch(() => null)
    const notice = session && removalNotice(key, session.state)
    const children = Object.entries(session?.state.delegations ?? {})
    const isRemoved = await this.#removal.remove(key)
    // Children of a removed session have no one left to report to, and no log names them.
    for (const [id, { agent }] of isRemoved ? children : [])
      await this.#cancelChild({ tenant: key.tenant, agent, id }, key).catch(() => {})
    // Otherwise the parent would wait forever.
    if (isRemoved && notice) await (this.#ports.notifyParent?.(notice) ?? this.notifyParent(notice)).catch(() => {})
    return isRemoved
  }

  /** Forwards the answer if a descendant asked. Null if none did. */
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

  /** Estimated memory of the loaded sessions. */
  get memoryBytes(): number {
    return this.#live.memory.bytes
  }

  /** Runs that wait for an approval do not count: a restart costs them nothing. */
  get runningCount(): number {
    return this.#live.sessions.filter((session) => session.isWorking).length
  }

  /** First step of an announced stop: resolves when durable runs have finished their current step or timed out. */
  rest(): Promise<void> {
    return this.#live.rest()
  }

  /** Called last in an announced stop: parks in-process runs for the next process, at no cost in retries. */
  async handOver(): Promise<void> {
    await Promise.allSettled(this.#live.sessions.map((session) => session.handOver()))
  }

  /** Drops all sessions. The next owner of the store resumes them from the log. */
  async stop(): Promise<void> {
    this.#supervision.stop()
    await this.#live.stop()
  }
}

const EXHAUSTED = 'Sessions at work take all the memory there is for them; try again when some have ended.'
