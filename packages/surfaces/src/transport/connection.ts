// Clients of the bare document never ping, so sockets are not closed for silence.
import { present } from '@bridle/events/json'
import type { AgentInfo } from '@bridle/kernel/agent-info'
import { type Answer, type Answers, isRefusal, type Refusal } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import type { SessionService } from '@bridle/kernel/host/host'
import type { Uploads } from '@bridle/kernel/ports/uploads'
import { type Approval, type Approvals, takesAnswers } from '@bridle/kernel/projections/approvals'
import type { SessionState } from '@bridle/kernel/projections/state'
import type { Session } from '@bridle/kernel/session/session'
import type { Audience, Listener } from '@bridle/kernel/session/subscribers'
import { truncate } from '@bridle/kernel/text/truncate'
import type { ServerMessage } from '@bridle/wire/transport/wire'
import type { ParsedCommand } from '@bridle/wire/transport/wire/commands'
import type { Scope } from '../http/access/authenticate.ts'
import { scopeRefusal } from '../http/access/command-scope.ts'
import {
  CLOSE,
  SessionSocket,
  type SessionSocketPorts,
  type SocketClient,
  type SocketWire,
} from '../http/streams/session-socket.ts'
import type { Socket } from '../http/streams/socket-route.ts'
import { type ParsedCommands, parseTransportMessage } from './codec.ts'
import { type BranchWorkspace, performTransportCommand } from './commands.ts'
import { type DeltaFeed, deltaFeedOf } from './delta-feed.ts'

/** An agent chose the name of the tool. */
const HINT_NAME_CHARS_MAX = 200
/** A hibernated socket can only store 2 KB. */
const HIBERNATED_HINTS_MAX = 32

export interface TransportConnection extends SocketClient {
  readonly scopes: readonly Scope[]
  /** In the format of a session's owner. */
  readonly viewer: string | null
  /** Position of the client's state; null: none. */
  readonly after: number | null
  /** Waits already explained in an `error` message. Absent or null if the client shows approvals. */
  readonly hinted?: readonly string[] | null
}

export interface HibernationState {
  readonly connection: TransportConnection
  /** Head at hibernation. `after` is only valid while this is still the head. */
  readonly at: number
}

const WIRE: SocketWire<ParsedCommands> = {
  parse: parseTransportMessage,
  close: { ...CLOSE, removed: [4004, 'The session was removed.'] },
}

export interface TransportSocketPorts extends SessionSocketPorts {
  readonly host: SessionService
  readonly uploads?: Uploads
  /** The agents by name; absent: what a prompt chooses is checked when its run begins. */
  readonly agents?: ReadonlyMap<string, Pick<AgentInfo, 'accept'>>
}

export class TransportSocket
  extends SessionSocket<TransportConnection, TransportSocketPorts, ParsedCommands, ServerMessage>
  implements Listener
{
  readonly #session: Session
  readonly #branchWorkspace: BranchWorkspace | null
  readonly #hints: WaitHints
  #feed: DeltaFeed | null = null
  /** The first state may exceed a slow reader's allowance, so only later characters count. */
  #allowedChars = 0

  /** A hibernated socket already has the state at `after`. */
  constructor(
    connection: TransportConnection,
    session: Session,
    socket: Socket,
    ports: TransportSocketPorts,
    from: 'new' | 'awake' = 'new',
    branchWorkspace: BranchWorkspace | null = null,
  ) {
    super(connection, socket, ports, WIRE)
    this.#session = session
    this.#branchWorkspace = branchWorkspace
    const { after } = connection
    this.#hints = new WaitHints(connection.key, connection.hinted ?? null)
    if (!this.guard(session)) return
    const feed = deltaFeedOf(session, ports.clock, from === 'awake' ? after : null)
    this.#feed = feed
    if (from === 'new' || after !== feed.lastSeq) this.#sendSince(feed, after)
    feed.subscribe(this)
    // The session may have been evicted, which closed this listener.
    if (!this.isOpen) feed.unsubscribe(this)
    this.#hint()
  }

  get audience(): Audience {
    return (this.#feed as DeltaFeed).audience
  }

  override hibernate(): HibernationState {
    const after = this.#feed?.lastSeq ?? null
    return { connection: { ...this.connection, after, hinted: this.#hints.hibernate() }, at: this.#session.state.head }
  }

  override send(text: string, seq: number): void {
    this.socket.send(this.#feed?.messagesOf(text) ?? [text], seq)
    this.#hint()
  }

  override unsent(): number {
    return Math.max(0, this.socket.buffered() - this.#allowedChars)
  }

  protected receive({ commands }: ParsedCommands): Promise<void> {
    return this.enqueue(commands, (command, refusal) =>
      refusal === null ? this.#perform(command) : this.#answer(command, { code: 'rate_limited', message: refusal }),
    )
  }

  protected leave(): void {
    this.#feed?.unsubscribe(this)
  }

  #sendSince(feed: DeltaFeed, after: number | null): void {
    for (const { messages, seq } of feed.messagesSince(after)) {
      this.#allowedChars += messages[0].length
      this.socket.send(messages, seq)
    }
  }

  #hint(): void {
    for (const message of this.#hints.due(this.#session.state)) this.sendMessage({ type: 'error', message })
  }

  async #perform(command: ParsedCommand): Promise<void> {
    if (command.type === 'approve') this.#hints.stop()
    const forbidden = scopeRefusal(command, this.connection.scopes)
    if (forbidden !== null) return this.#answer(command, { code: 'forbidden', message: forbidden })
    try {
      const outcome = await performTransportCommand(command, this.#session, this.ports.host, {
        ...this.connection,
        uploads: this.ports.uploads,
        ...present({ agent: this.ports.agents?.get(this.#session.key.agent) }),
        branchWorkspace: this.#branchWorkspace,
      })
      this.#answer(command, isRefusal(outcome) ? { code: outcome.refused, message: outcome.message } : outcome)
    } catch {
      // The command may or may not be written. With its id, a retry is safe.
      this.#answer(command, { code: 'unavailable', message: 'The session is not available; try again.' })
    }
  }

  #answer(
    { commandId }: ParsedCommand,
    outcome: Answer | Answers['cancel'] | { readonly code: Refusal['refused'] | string; readonly message: string },
  ): void {
    const failed = 'code' in outcome && 'message' in outcome
    if (commandId === undefined) {
      if (failed) this.sendMessage({ type: 'error', message: outcome.message })
    } else if (failed) {
      const { code, message } = outcome
      this.sendMessage({ type: 'ack', commandId, ok: false, code, message })
    } else {
      this.sendMessage({ type: 'ack', commandId, ok: true, answer: outcome })
    }
  }
}

type WaitingState = Pick<SessionState, 'approvals' | 'lifecycle'>

/** Clients of the bare document do not show approvals or queues, so they get one `error` message per wait. */
class WaitHints {
  readonly #key: Key
  #hinted: readonly string[] | null
  #lastOpen: Approvals['open'] | null = null
  #lastWait: string | null = null

  constructor(key: Key, hinted: readonly string[] | null) {
    this.#key = key
    this.#hinted = hinted
  }

  /** Called with every delta. Without a new wait it costs two comparisons. */
  due({ approvals: { open }, lifecycle: { run } }: WaitingState): readonly string[] {
    const wait = run?.awaitsSandbox ? `${SANDBOX}${run.runId}` : null
    if (this.#hinted === null || (open === this.#lastOpen && wait === this.#lastWait)) return nothing
    this.#lastOpen = open
    this.#lastWait = wait
    const before = this.#hinted
    const waits: [id: string, hint: () => string][] = Object.entries(open).map(([id, approval]) => [
      id,
      () => this.#approvalHint(approval),
    ])
    if (wait !== null) waits.push([wait, () => SANDBOX_HINT])
    this.#hinted = waits.map(([id]) => id)
    return waits.filter(([id]) => !before.includes(id)).map(([, hint]) => hint())
  }

  /** The client answered an approval, so it shows them. */
  stop(): void {
    this.#hinted = null
  }

  /** Keeps only the latest, because an attachment is small. */
  hibernate(): readonly string[] | null {
    return this.#hinted?.slice(-HIBERNATED_HINTS_MAX) ?? null
  }

  #approvalHint(approval: Approval): string {
    const { id, tool } = approval
    const path = `/sessions/${encodeURIComponent(this.#key.id)}/approvals/${encodeURIComponent(id)}`
    const [awaited, verb] = takesAnswers(approval) ? ['answer', 'answer'] : ['approval', 'approve']
    return `${truncate(tool, HINT_NAME_CHARS_MAX)} waits for an ${awaited}. Answer it in a client that shows approvals, or with POST ${path}/${verb} or ${path}/reject.`
  }
}

/** Cannot collide: approval ids contain no colon. */
const SANDBOX = 'sandbox:'
const SANDBOX_HINT =
  'The prompt is waiting: its runner is starting, or is busy with another session. It starts automatically as soon as the runner is free.'
const nothing: readonly string[] = []
