// One open transport socket: a snapshot, then deltas; commands come back the other way. A bare client that never pings
// is as welcome as ours, so nothing here closes a socket for being silent.
import { type Answer, isRefusal, type Refusal } from '../../kernel/commands.ts'
import type { Key } from '../../kernel/event.ts'
import type { Sessions } from '../../kernel/host/host.ts'
import { LISTENER_BYTES_MAX } from '../../kernel/limits.ts'
import type { Clock } from '../../kernel/ports/store.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { Scope } from '../http/access/authenticate.ts'
import type { RateLimiter } from '../http/access/rate-limit.ts'
import { untilAnothers } from '../http/access/users.ts'
import type { Receiver, Socket } from '../http/streams/socket-route.ts'
import { ApprovalHints } from './approval-hints.ts'
import { obey, type ParsedCommand, parseMessage } from './codec.ts'
import { type Seat, storyOf, type Watcher } from './delta-feed.ts'
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
export interface Rested {
  readonly connection: TransportConnection
  /** The session's last number then; `after` counts only as long as it still is. */
  readonly at: number
}

const CLOSE = {
  removed: [4004, 'The session was removed.'],
  slow: [4008, 'Too far behind: reconnect.'],
  moved: [1012, 'The session moved: reconnect.'],
} as const

export class TransportSocket implements Receiver, Watcher {
  readonly #connection: TransportConnection
  readonly #session: Session
  readonly #socket: Socket
  readonly #host: Sessions
  readonly #clock: Clock
  readonly #limiter: RateLimiter | null
  readonly #hints: ApprovalHints
  #seat: Seat | null = null
  #open = true
  #unguard = () => {}
  /** Commands are obeyed one after the other, so acks come in the order of their commands. */
  #tail = nothingAsked

  /** One that is awake again has what it is said to have, and is told nothing about it. */
  constructor(
    connection: TransportConnection,
    session: Session,
    socket: Socket,
    ports: { host: Sessions; clock: Clock; limiter: RateLimiter | null },
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
    this.#unguard = untilAnothers(connection.viewer, session, () => this.#end('removed'))
    if (!this.#open) return
    const story = storyOf(session, ports.clock, from === 'awake' ? after : null)
    this.#seat = story.join(after, this, from === 'awake')
    // A session that was let go in the meantime has closed it already.
    if (!this.#open) this.#seat.leave()
    this.#hint()
  }

  message(given: string | null): Promise<void> | void {
    if (!this.#open) return
    const message = parseMessage(given)
    if ('problem' in message) {
      const { problem, ...which } = message
      return this.#say({ type: 'error', message: problem, ...which })
    }
    if (message.type === 'ping') return this.#say({ type: 'pong', ts: message.ts ?? this.#clock.now() })
    if (message.type === 'seen') return this.#socket.seen?.(message.seq)
    for (const command of message.commands) {
      // Counted when it is said, like a request: what waits behind others has been taken in already.
      const waitS = this.#limiter?.take(this.#connection.who ?? '') ?? null
      this.#tail = this.#tail.then(() => (waitS === null ? this.#obey(command) : this.#answer(command, tooMany(waitS))))
    }
    return this.#tail
  }

  alive(): void {}

  slow(): void {
    this.#end('slow')
  }

  closed(): void {
    this.#open = false
    this.#unguard()
    this.#seat?.leave()
  }

  rest(): Rested {
    const after = storyOf(this.#session, this.#clock).last
    return { connection: { ...this.#connection, after, hinted: this.#hints.rest() }, at: this.#session.state.head }
  }

  /** As a watcher of the session's story. */
  send(messages: readonly string[], seq: number): void {
    this.#socket.send(messages, seq)
    // The first messages come while the seat is being taken: the hint follows them.
    if (this.#seat) this.#hint()
  }

  unsent(): number {
    return this.#socket.buffered()
  }

  close(why: 'slow' | 'moved' | 'removed'): void {
    this.#end(why)
  }

  #hint(): void {
    for (const message of this.#hints.due(this.#session.state.approvals)) this.#say({ type: 'error', message })
  }

  async #obey(command: ParsedCommand): Promise<void> {
    if (command.type === 'approve') this.#hints.stop()
    const needed: Scope = command.type === 'approve' ? 'approve' : 'operate'
    if (!this.#connection.scopes.includes(needed)) {
      return this.#answer(command, { code: 'forbidden', message: `This needs the scope "${needed}".` })
    }
    try {
      const outcome = await obey(command, this.#session, this.#host, this.#connection)
      this.#answer(command, isRefusal(outcome) ? { code: outcome.refused, message: outcome.message } : outcome)
    } catch {
      // Whether it was written is not known. With its id the client may ask again and gets the one answer.
      this.#answer(command, { code: 'unavailable', message: 'The session is not available; try again.' })
    }
  }

  #answer(
    { commandId }: ParsedCommand,
    outcome: Answer | { readonly code: Refusal['refused'] | string; readonly message: string },
  ): void {
    const failed = 'code' in outcome && 'message' in outcome
    if (commandId === undefined) {
      if (failed) this.#say({ type: 'error', message: String(outcome.message) })
    } else if (failed) {
      this.#say({ type: 'ack', commandId, ok: false, code: String(outcome.code), message: String(outcome.message) })
    } else {
      this.#say({ type: 'ack', commandId, ok: true, answer: outcome })
    }
  }

  /** Whoever asks while a large state is still on its way to it is not behind. */
  #say(message: ServerMessage): void {
    if (!this.#open) return
    if ((this.#seat?.unsent() ?? 0) > LISTENER_BYTES_MAX) this.#end('slow')
    else this.#socket.send([JSON.stringify(message)])
  }

  #end(why: keyof typeof CLOSE): void {
    if (!this.#open) return
    this.closed()
    const [code, reason] = CLOSE[why]
    this.#socket.close(code, reason)
  }
}

const tooMany = (waitS: number) => ({
  code: 'rate_limited',
  message: `Too many commands; try again in ${waitS} s.`,
})

const nothingAsked = Promise.resolve()
