// The state of an open Fabric WebSocket: it sends the replay, `replay-end`, then live events, and takes commands. It has no
// platform socket and no timer, so a test needs only a table and a fake clock.
import { eventId, type Key } from '../../kernel/event.ts'
import { LISTENER_BYTES_MAX } from '../../kernel/limits.ts'
import type { Directory } from '../../kernel/ports/directory.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { Audience, Listener } from '../../kernel/session/subscribers.ts'
import type { Scope } from '../http/access/authenticate.ts'
import type { RateLimiter } from '../http/access/rate-limit.ts'
import type { Socket, SocketReceiver } from '../http/streams/socket-route.ts'
import { parseFabricMessage, resetEvent, socketAudience } from './codec.ts'
import { performFabricCommand, refusalAck, type TaskHost } from './commands.ts'
import { type HeartbeatMember, type HeartbeatTimes, type HeartbeatWheel, heartbeatWheelOf } from './heartbeat-wheel.ts'
import type { FabricServerMessage } from './wire.ts'

/** A plain value: all that a socket needs to hibernate and wake. */
export interface FabricConnection {
  readonly key: Key
  readonly scopes: readonly Scope[]
  /** The user that the credential names, if it names one: the actor of the client's commands. */
  readonly user: string | null
  /** The name under which the rate limiter counts this client. */
  readonly who: string
  /** Events after this are sent. Null = the cursor was not of this log: a `reset` comes first, then all events. */
  readonly since: number | null
}

/** The same object for all sockets of a server. */
export interface FabricSocketPorts extends HeartbeatTimes {
  readonly host: TaskHost
  readonly directory?: Pick<Directory, 'find'>
  readonly limiter?: RateLimiter | null
}

/** Close codes and reasons. Codes below 4000 are the standard's. */
const CLOSE = {
  removed: [4004, 'There is no such session.'],
  slow: [4008, 'Too far behind: resume by cursor.'],
  silent: [4009, 'No ping for too long: resume by cursor.'],
  moved: [1012, 'The session moved: resume by cursor.'],
} as const

/** A server may have thousands of these, mostly idle: each keeps little more than its connection value. */
export class FabricSocket implements SocketReceiver, Listener, HeartbeatMember {
  readonly audience: Audience
  readonly joinedTick: number
  lastHeardTick: number
  readonly #connection: FabricConnection
  readonly #session: Session
  readonly #socket: Socket
  readonly #ports: FabricSocketPorts
  readonly #heartbeats: HeartbeatWheel
  #open = true
  /** Commands run one after the other, so that acks come in the order of their commands. */
  #tail = noFabricCommands

  /** A hibernated socket already has all events up to `since`, and the `replay-end`. */
  constructor(
    connection: FabricConnection,
    session: Session,
    socket: Socket,
    ports: FabricSocketPorts,
    from: 'new' | 'awake' = 'new',
  ) {
    this.audience = audienceOf(session)
    this.#connection = connection
    this.#session = session
    this.#socket = socket
    this.#ports = ports
    this.#heartbeats = heartbeatWheelOf(ports)
    this.joinedTick = this.#heartbeats.tick
    this.lastHeardTick = this.joinedTick
    this.#heartbeats.add(this)
    if (from === 'awake') session.subscribers.add(this, connection.since ?? session.state.head)
    else this.#replayThenListen().catch(() => this.#end('moved'))
  }

  onMessage(text: string | null): Promise<void> | void {
    if (!this.#open) return
    this.onAlive()
    const message = parseFabricMessage(text)
    if ('problem' in message) return this.#sendMessage({ type: 'error', message: message.problem })
    switch (message.type) {
      case 'ping':
        return this.#sendMessage({ type: 'pong', ts: message.ts ?? this.#ports.clock.now() })
      case 'pong':
        return
      case 'seen':
        return this.#socket.acknowledge?.(message.seq)
      default: {
        const { scopes, user, who } = this.#connection
        const { host, limiter, directory } = this.#ports
        // The limiter counts a command when it arrives, like a request.
        const waitS = limiter?.consume(who ?? '') ?? null
        this.#tail = this.#tail.then(async () => {
          const answer =
            waitS === null
              ? await performFabricCommand(message, { session: this.#session, scopes, user, host, directory })
              : refusalAck(message, `Too many commands; try again in ${waitS} s.`)
          this.#sendMessage(answer)
        })
        return this.#tail
      }
    }
  }

  onAlive(): void {
    this.lastHeardTick = this.#heartbeats.tick
  }

  onSlow(): void {
    this.#end('slow')
  }

  onClosed(): void {
    this.#open = false
    this.#session.subscribers.remove(this)
    this.#heartbeats.remove(this)
  }

  hibernate(): FabricConnection {
    return this.#connection
  }

  sendHeartbeat(): void {
    this.#sendMessage({ type: 'pong', ts: this.#ports.clock.now() })
  }

  onSilence(): void {
    this.#end('silent')
  }

  send(text: string, seq: number): void {
    this.#socket.send(messagesOf(text), seq)
  }

  unsent(): number {
    return this.#socket.buffered()
  }

  ready(): Promise<void> {
    return this.#socket.drained()
  }

  close(why: 'slow' | 'moved' | 'removed'): void {
    this.#end(why)
  }

  #end(why: keyof typeof CLOSE): void {
    if (!this.#open) return
    this.onClosed()
    const [code, reason] = CLOSE[why]
    this.#socket.close(code, reason)
  }

  /** A client that sends commands without reading the answers is cut like any slow reader. */
  #sendMessage(message: FabricServerMessage): void {
    if (!this.#open) return
    if (this.#socket.buffered() > LISTENER_BYTES_MAX) this.#end('slow')
    else this.#socket.send([JSON.stringify(message)])
  }

  /** The replay ends at the head of the log at the opening; the session's catch-up sends the rest. */
  async #replayThenListen(): Promise<void> {
    const { key, state, subscribers, incarnations } = this.#session
    const { since } = this.#connection
    if (since === null) this.#sendMessage({ type: 'event', event: resetEvent(key, state.head, state.at, incarnations) })
    await subscribers.replay(this, since ?? 0, state.head)
    if (!this.#open) return
    this.#sendMessage({ type: 'replay-end', cursor: eventId(state.head, incarnations.own) })
    subscribers.add(this, state.head)
  }
}

const noFabricCommands = Promise.resolve()

const audiences = new WeakMap<Session, Audience>()
/** The audience of a session, made once: clients of the same audience share each encoded text. */
const audienceOf = (session: Session): Audience => {
  const audience = audiences.get(session) ?? socketAudience(session.key, session.incarnations)
  audiences.set(session, audience)
  return audience
}

let lastText = ''
let lastMessages: readonly string[] = []
/** All listeners get the same text one after the other, and so the same array, which a target frames once. */
const messagesOf = (text: string): readonly string[] => {
  if (text !== lastText) {
    lastText = text
    lastMessages = text.split('\n')
  }
  return lastMessages
}
