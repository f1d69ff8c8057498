// The state of one open transport socket: it sends a snapshot, then deltas, and takes commands. A client of the bare document
// never pings, so no socket is closed for being silent.
import { type Answer, type Answers, isRefusal, type Refusal } from '../../kernel/commands.ts'
import type { Key } from '../../kernel/event.ts'
import type { SessionService } from '../../kernel/host/host.ts'
import { LISTENER_BYTES_MAX } from '../../kernel/limits.ts'
import type { Clock } from '../../kernel/ports/clock.ts'
import type { Uploads } from '../../kernel/ports/uploads.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { Audience, Listener } from '../../kernel/session/subscribers.ts'
import type { Scope } from '../http/access/authenticate.ts'
import type { RateLimiter } from '../http/access/rate-limit.ts'
import { guardOwnership } from '../http/access/users.ts'
import type { Socket, SocketReceiver } from '../http/streams/socket-route.ts'
import { encodeMessage, type ParsedCommand, parseTransportMessage } from './codec.ts'
import { type BranchWorkspace, performTransportCommand } from './commands.ts'
import { type DeltaFeed, deltaFeedOf } from './delta-feed.ts'
import { WaitHints } from './wait-hints.ts'
import type { ServerMessage } from './wire.ts'

/** A plain value: all that a socket needs to hibernate and wake. */
export interface TransportConnection {
  readonly key: Key
  readonly scopes: readonly Scope[]
  /** The user that the credential names, if it names one: the actor of the client's commands. */
  readonly user: string | null
  /** The same user, in the form in which a session stores its owner. */
  readonly viewer: string | null
  /** The name under which the rate limiter counts this client. */
  readonly who: string
  /** The seq of the state that the client has; null = none. */
  readonly after: number | null
  /** Waits that an `error` message named to the client; absent or null = the client shows approvals. */
  readonly hinted?: readonly string[] | null
}

/** The part of a connection that stays while its socket hibernates. */
export interface HibernationState {
  readonly connection: TransportConnection
  /** The session's last seq at that moment: `after` is valid only while the session still has it. */
  readonly at: number
}

const CLOSE = {
  removed: [4004, 'The session was removed.'],
  slow: [4008, 'Too far behind: reconnect.'],
  moved: [1012, 'The session moved: reconnect.'],
} as const

export class TransportSocket implements SocketReceiver, Listener {
  readonly #connection: TransportConnection
  readonly #session: Session
  readonly #socket: Socket
  readonly #host: SessionService
  readonly #clock: Clock
  readonly #limiter: RateLimiter | null
  readonly #uploads: Uploads | undefined
  readonly #branchWorkspace: BranchWorkspace | null
  readonly #hints: WaitHints
  #feed: DeltaFeed | null = null
  /** A first state may be larger than a slow reader's whole allowance: only characters on top of it count. */
  #allowedChars = 0
  #open = true
  #stopGuard = () => {}
  /** Commands run one after the other, so that acks come in the order of their commands. */
  #tail = noTransportCommands

  /** A hibernated socket already has the state at `after`: it is sent nothing that it has. */
  constructor(
    connection: TransportConnection,
    session: Session,
    socket: Socket,
    ports: { host: SessionService; clock: Clock; limiter: RateLimiter | null; uploads?: Uploads },
    from: 'new' | 'awake' = 'new',
    branchWorkspace: BranchWorkspace | null = null,
  ) {
    this.#connection = connection
    this.#session = session
    this.#socket = socket
    this.#host = ports.host
    this.#clock = ports.clock
    this.#uploads = ports.uploads
    this.#branchWorkspace = branchWorkspace
    this.#limiter = ports.limiter
    const { after } = connection
    this.#hints = new WaitHints(connection.key, connection.hinted ?? null)
    this.#stopGuard = guardOwnership(connection.viewer, session, () => this.#end('removed'))
    if (!this.#open) return
    const feed = deltaFeedOf(session, ports.clock, from === 'awake' ? after : null)
    this.#feed = feed
    if (from === 'new' || after !== feed.lastSeq) this.#sendSince(feed, after)
    feed.subscribe(this)
    // A session that left memory in the meantime has closed this listener already.
    if (!this.#open) feed.unsubscribe(this)
    this.#hint()
  }

  get audience(): Audience {
    return (this.#feed as DeltaFeed).audience
  }

  onMessage(text: string | null): Promise<void> | void {
    if (!this.#open) return
    const message = parseTransportMessage(text)
    if ('problem' in message) {
      const { problem, ...command } = message
      return this.#sendMessage({ type: 'error', message: problem, ...command })
    }
    if (message.type === 'ping') return this.#sendMessage({ type: 'pong', ts: message.ts ?? this.#clock.now() })
    if (message.type === 'seen') return this.#socket.acknowledge?.(message.seq)
    for (const command of message.commands) {
      // The limiter counts a command when it arrives, like a request: one that waits here has been accepted.
      const waitS = this.#limiter?.consume(this.#connection.who ?? '') ?? null
      this.#tail = this.#tail.then(() =>
        waitS === null ? this.#perform(command) : this.#answer(command, tooMany(waitS)),
      )
    }
    return this.#tail
  }

  onAlive(): void {}

  onSlow(): void {
    this.#end('slow')
  }

  onClosed(): void {
    this.#open = false
    this.#stopGuard()
    this.#feed?.unsubscribe(this)
  }

  hibernate(): HibernationState {
    const after = this.#feed?.lastSeq ?? null
    return { connection: { ...this.#connection, after, hinted: this.#hints.hibernate() }, at: this.#session.state.head }
  }

  send(text: string, seq: number): void {
    this.#socket.send(this.#feed?.messagesOf(text) ?? [text], seq)
    this.#hint()
  }

  unsent(): number {
    return Math.max(0, this.#socket.buffered() - this.#allowedChars)
  }

  close(why: 'slow' | 'moved' | 'removed'): void {
    this.#end(why)
  }

  #sendSince(feed: DeltaFeed, after: number | null): void {
    for (const { messages, seq } of feed.messagesSince(after)) {
      this.#allowedChars += messages[0].length
      this.#socket.send(messages, seq)
    }
  }

  #hint(): void {
    for (const message of this.#hints.due(this.#session.state)) this.#sendMessage({ type: 'error', message })
  }

  async #perform(command: ParsedCommand): Promise<void> {
    if (command.type === 'approve') this.#hints.stop()
    // An answer that also pauses is an answer and an act.
    const all: readonly Scope[] =
      command.type !== 'approve' ? ['operate'] : command.pause ? ['approve', 'operate'] : ['approve']
    const needed = all.find((scope) => !this.#connection.scopes.includes(scope))
    if (needed !== undefined) {
      return this.#answer(command, { code: 'forbidden', message: `This needs the scope "${needed}".` })
    }
    try {
      const outcome = await performTransportCommand(command, this.#session, this.#host, {
        ...this.#connection,
        uploads: this.#uploads,
        branchWorkspace: this.#branchWorkspace,
      })
      this.#answer(command, isRefusal(outcome) ? { code: outcome.refused, message: outcome.message } : outcome)
    } catch {
      // The command may have been written or not. With its id the client may send it again, and gets the one answer.
      this.#answer(command, { code: 'unavailable', message: 'The session is not available; try again.' })
    }
  }

  #answer(
    { commandId }: ParsedCommand,
    outcome: Answer | Answers['cancel'] | { readonly code: Refusal['refused'] | string; readonly message: string },
  ): void {
    const failed = 'code' in outcome && 'message' in outcome
    if (commandId === undefined) {
      if (failed) this.#sendMessage({ type: 'error', message: outcome.message })
    } else if (failed) {
      this.#sendMessage({
        type: 'ack',
        commandId,
        ok: false,
        code: outcome.code,
        message: outcome.message,
      })
    } else {
      this.#sendMessage({ type: 'ack', commandId, ok: true, answer: outcome })
    }
  }

  /** A client that sends commands without reading the answers is cut like any slow reader. */
  #sendMessage(message: ServerMessage): void {
    if (!this.#open) return
    if (this.unsent() > LISTENER_BYTES_MAX) this.#end('slow')
    else this.#socket.send([encodeMessage(message)])
  }

  #end(why: keyof typeof CLOSE): void {
    if (!this.#open) return
    this.onClosed()
    const [code, reason] = CLOSE[why]
    this.#socket.close(code, reason)
  }
}

const tooMany = (waitS: number) => ({
  code: 'rate_limited',
  message: `Too many commands; try again in ${waitS} s.`,
})

const noTransportCommands = Promise.resolve()
