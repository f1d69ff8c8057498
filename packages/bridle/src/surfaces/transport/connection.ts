// One open transport socket: a snapshot, then deltas; commands come back the other way. A bare client that never pings
// is as welcome as ours, so nothing here closes a socket for being silent.
import { type Answer, type Answers, isRefusal, type Refusal } from '../../kernel/commands.ts'
import type { Key } from '../../kernel/event.ts'
import type { SessionService } from '../../kernel/host/host.ts'
import { LISTENER_BYTES_MAX } from '../../kernel/limits.ts'
import type { Clock } from '../../kernel/ports/store.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { Scope } from '../http/access/authenticate.ts'
import type { RateLimiter } from '../http/access/rate-limit.ts'
import { guardOwnership } from '../http/access/users.ts'
import type { Socket, SocketReceiver } from '../http/streams/socket-route.ts'
import { ApprovalHints } from './approval-hints.ts'
import { type ParsedCommand, parseTransportMessage, performTransportCommand } from './codec.ts'
import { deltaFeedOf, type FeedListener, type FeedSink } from './delta-feed.ts'
import type { ServerMessage } from './wire.ts'

/** A plain value: enough for a socket to sleep and wake. */
export interface TransportConnection {
  readonly key: Key
  readonly scopes: readonly Scope[]
  /** Who it is, where the credential says so: the actor of what it asks. */
  readonly user: string | null
  /** The same user, written like the owner of a session. */
  readonly viewer: string | null
  /** Whom the rate limiter counts. */
  readonly who: string
  /** What the client has; null = nothing. */
  readonly after: number | null
  /** Open approvals that the client was told of by an `error`; absent or null = it knows approvals. */
  readonly hinted?: readonly string[] | null
}

/** What a socket leaves behind when it goes to sleep. */
export interface HibernationState {
  readonly connection: TransportConnection
  /** The session's last number then; `after` counts only as long as it still is. */
  readonly at: number
}

const CLOSE = {
  removed: [4004, 'The session was removed.'],
  slow: [4008, 'Too far behind: reconnect.'],
  moved: [1012, 'The session moved: reconnect.'],
} as const

export class TransportSocket implements SocketReceiver, FeedSink {
  readonly #connection: TransportConnection
  readonly #session: Session
  readonly #socket: Socket
  readonly #host: SessionService
  readonly #clock: Clock
  readonly #limiter: RateLimiter | null
  readonly #hints: ApprovalHints
  #listener: FeedListener | null = null
  #open = true
  #stopGuard = () => {}
  /** Commands are obeyed one after the other, so acks come in the order of their commands. */
  #tail = noTransportCommands

  /** One that is awake again has what it is said to have, and is told nothing about it. */
  constructor(
    connection: TransportConnection,
    session: Session,
    socket: Socket,
    ports: { host: SessionService; clock: Clock; limiter: RateLimiter | null },
    from: 'new' | 'awake' = 'new',
  ) {
    this.#connection = connection
    this.#session = session
    this.#socket = socket
    this.#host = ports.host
    this.#clock = ports.clock
    this.#limiter = ports.limiter
    const { after } = connection
    this.#hints = new ApprovalHints(connection.key, connection.hinted ?? null)
    this.#stopGuard = guardOwnership(connection.viewer, session, () => this.#end('removed'))
    if (!this.#open) return
    const story = deltaFeedOf(session, ports.clock, from === 'awake' ? after : null)
    this.#listener = story.subscribe(after, this, from === 'awake')
    // A session that was let go in the meantime has closed it already.
    if (!this.#open) this.#listener.unsubscribe()
    this.#hint()
  }

  onMessage(given: string | null): Promise<void> | void {
    if (!this.#open) return
    const message = parseTransportMessage(given)
    if ('problem' in message) {
      const { problem, ...which } = message
      return this.#sendMessage({ type: 'error', message: problem, ...which })
    }
    if (message.type === 'ping') return this.#sendMessage({ type: 'pong', ts: message.ts ?? this.#clock.now() })
    if (message.type === 'seen') return this.#socket.acknowledge?.(message.seq)
    for (const command of message.commands) {
      // Counted when it is said, like a request: what waits behind others has been taken in already.
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
    this.#listener?.unsubscribe()
  }

  hibernate(): HibernationState {
    const after = deltaFeedOf(this.#session, this.#clock).last
    return { connection: { ...this.#connection, after, hinted: this.#hints.hibernate() }, at: this.#session.state.head }
  }

  /** As a watcher of the session's story. */
  send(messages: readonly string[], seq: number): void {
    this.#socket.send(messages, seq)
    // The first messages come while the seat is being taken: the hint follows them.
    if (this.#listener) this.#hint()
  }

  unsent(): number {
    return this.#socket.buffered()
  }

  close(why: 'slow' | 'moved' | 'removed'): void {
    this.#end(why)
  }

  #hint(): void {
    for (const message of this.#hints.due(this.#session.state.approvals)) this.#sendMessage({ type: 'error', message })
  }

  async #perform(command: ParsedCommand): Promise<void> {
    if (command.type === 'approve') this.#hints.stop()
    const needed: Scope = command.type === 'approve' ? 'approve' : 'operate'
    if (!this.#connection.scopes.includes(needed)) {
      return this.#answer(command, { code: 'forbidden', message: `This needs the scope "${needed}".` })
    }
    try {
      const outcome = await performTransportCommand(command, this.#session, this.#host, this.#connection)
      this.#answer(command, isRefusal(outcome) ? { code: outcome.refused, message: outcome.message } : outcome)
    } catch {
      // Whether it was written is not known. With its id the client may ask again and gets the one answer.
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

  /** Whoever asks while a large state is still on its way to it is not behind. */
  #sendMessage(message: ServerMessage): void {
    if (!this.#open) return
    if ((this.#listener?.unsent() ?? 0) > LISTENER_BYTES_MAX) this.#end('slow')
    else this.#socket.send([JSON.stringify(message)])
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
