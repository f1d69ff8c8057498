// Sends the replay, `replay-end`, then live events, and accepts commands.
import { eventId } from '@bridle/kernel/event'
import type { Directory } from '@bridle/kernel/ports/directory'
import type { Session } from '@bridle/kernel/session/session'
import type { Audience, Listener } from '@bridle/kernel/session/subscribers'
import type { FabricClientMessage, FabricServerMessage } from '@bridle/wire/fabric/wire'
import type { Scope } from '../http/access/authenticate.ts'
import {
  CLOSE,
  type CloseReason,
  SessionSocket,
  type SessionSocketPorts,
  type SocketClient,
  type SocketSignal,
  type SocketWire,
} from '../http/streams/session-socket.ts'
import type { Socket } from '../http/streams/socket-route.ts'
import { parseFabricMessage, resetEvent, socketAudience } from './codec.ts'
import { performFabricCommand, refusalAck, type TaskHost } from './commands.ts'
import { type HeartbeatMember, type HeartbeatTimes, type HeartbeatWheel, heartbeatWheelOf } from './heartbeat-wheel.ts'

export interface FabricConnection extends SocketClient {
  readonly scopes: readonly Scope[]
  /** Position to replay from. Null if the cursor is not from this log: `reset` is sent first, then all events. */
  readonly since: number | null
}

export interface FabricSocketPorts extends SessionSocketPorts, HeartbeatTimes {
  readonly host: TaskHost
  readonly directory?: Pick<Directory, 'find'>
}

type FabricInput = Exclude<FabricClientMessage, SocketSignal>

const SILENT: CloseReason = [4009, 'No ping for too long: resume by cursor.']

const WIRE: SocketWire<FabricInput> = {
  parse: parseFabricMessage,
  close: {
    ...CLOSE,
    slow: [4008, 'Too far behind: resume by cursor.'],
    moved: [1012, 'The session moved: resume by cursor.'],
  },
}

export class FabricSocket
  extends SessionSocket<FabricConnection, FabricSocketPorts, FabricInput, FabricServerMessage>
  implements Listener, HeartbeatMember
{
  readonly audience: Audience
  readonly joinedTick: number
  lastHeardTick: number
  readonly #session: Session
  readonly #heartbeats: HeartbeatWheel

  /** A hibernated socket has already received everything up to `since`, including `replay-end`. */
  constructor(
    connection: FabricConnection,
    session: Session,
    socket: Socket,
    ports: FabricSocketPorts,
    from: 'new' | 'awake' = 'new',
  ) {
    super(connection, socket, ports, WIRE)
    this.audience = audienceOf(session)
    this.#session = session
    this.#heartbeats = heartbeatWheelOf(ports)
    this.joinedTick = this.#heartbeats.tick
    this.lastHeardTick = this.joinedTick
    this.#heartbeats.add(this)
    if (from === 'awake') session.subscribers.add(this, connection.since ?? session.state.head)
    else this.#replayThenListen().catch(() => this.close('moved'))
  }

  override onAlive(): void {
    this.lastHeardTick = this.#heartbeats.tick
  }

  sendHeartbeat(): void {
    this.sendMessage({ type: 'pong', ts: this.ports.clock.now() })
  }

  onSilence(): void {
    this.end(SILENT)
  }

  protected receive(message: FabricInput): Promise<void> | void {
    if (message.type === 'pong') return
    const { scopes, user } = this.connection
    const { host, directory } = this.ports
    return this.enqueue([message], async (command, refusal) =>
      this.sendMessage(
        refusal === null
          ? await performFabricCommand(command, { session: this.#session, scopes, user, host, directory })
          : refusalAck(command, refusal),
      ),
    )
  }

  protected leave(): void {
    this.#session.subscribers.remove(this)
    this.#heartbeats.remove(this)
  }

  /** Replays up to the current head; the session's catch-up sends the rest. */
  async #replayThenListen(): Promise<void> {
    const { key, state, subscribers, incarnations } = this.#session
    const { since } = this.connection
    if (since === null) this.sendMessage({ type: 'event', event: resetEvent(key, state.head, state.at, incarnations) })
    await subscribers.replay(this, since ?? 0, state.head)
    if (!this.isOpen) return
    this.sendMessage({ type: 'replay-end', cursor: eventId(state.head, incarnations.own) })
    subscribers.add(this, state.head)
  }
}

const audiences = new WeakMap<Session, Audience>()
/** Cached, because clients of one audience share each encoded text. */
const audienceOf = (session: Session): Audience => {
  const audience = audiences.get(session) ?? socketAudience(session.key, session.incarnations)
  audiences.set(session, audience)
  return audience
}
