// Lifecycle shared by all sockets. Each wire adds its parser, commands and output. Depends on no platform socket or timer, so
// tests only need a fake clock.

import { LISTENER_BYTES_MAX } from '@bridle/events/limits'
import type { Key } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Session } from '@bridle/kernel/session/session'
import type { RateLimiter } from '../access/rate-limit.ts'
import { guardOwnership } from '../access/users.ts'
import type { Socket, SocketReceiver } from './socket-route.ts'

export interface SocketClient {
  readonly key: Key
  readonly user: string | null
  readonly who: string
}

/** Shared by all sockets of a server. */
export interface SessionSocketPorts {
  readonly clock: Clock
  readonly limiter?: RateLimiter | null
}

export type CloseReason = readonly [code: number, reason: string]
type CloseCause = 'slow' | 'moved' | 'removed'

/** Codes below 4000 are standard. */
export const CLOSE: { readonly [W in CloseCause]: CloseReason } = {
  removed: [4004, 'There is no such session.'],
  slow: [4008, 'Too far behind: reconnect.'],
  moved: [1012, 'The session moved: reconnect.'],
}

export interface SocketWire<Input> {
  /** `text` is null for binary messages. A problem is sent as an error, with its other fields. */
  readonly parse: (text: string | null) => Input | SocketSignal | MessageProblem
  readonly close: typeof CLOSE
}

export type SocketSignal =
  | { readonly type: 'ping'; readonly ts?: number | undefined }
  | { readonly type: 'seen'; readonly seq: number }

interface MessageProblem {
  readonly problem: string
}

type SignalAnswer =
  | { readonly type: 'pong'; readonly ts: number }
  | { readonly type: 'error'; readonly message: string }

/** A class rather than closures, because a server may have thousands of sockets. `Connection` is plain data, for hibernation. */
export abstract class SessionSocket<
  Connection extends { readonly who?: string; readonly viewer?: string | null },
  Ports extends SessionSocketPorts,
  Input extends { readonly type: string },
  Outgoing,
> implements SocketReceiver
{
  protected readonly connection: Connection
  protected readonly socket: Socket
  protected readonly ports: Ports
  readonly #wire: SocketWire<Input>
  #isOpen = true
  #stopGuard = nothing
  #tail = settled

  constructor(connection: Connection, socket: Socket, ports: Ports, wire: SocketWire<Input>) {
    this.connection = connection
    this.socket = socket
    this.ports = ports
    this.#wire = wire
  }

  protected abstract receive(message: Input): Promise<void> | void
  /** Unsubscribes. Called once, after the socket has closed. */
  protected abstract leave(): void

  get isOpen(): boolean {
    return this.#isOpen
  }

  onMessage(text: string | null): Promise<void> | void {
    if (!this.#isOpen) return
    this.onAlive()
    const message = this.#wire.parse(text)
    if (isProblem(message)) {
      const { problem, ...rest } = message
      return this.sendMessage({ type: 'error', message: problem, ...rest })
    }
    return isSignal(message) ? this.#answerSignal(message) : this.receive(message)
  }

  onAlive(): void {}

  onSlow(): void {
    this.close('slow')
  }

  onClosed(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#stopGuard()
    this.leave()
  }

  hibernate(): unknown {
    return this.connection
  }

  send(text: string, seq: number): void {
    this.socket.send(messagesOf(text), seq)
  }

  unsent(): number {
    return this.socket.buffered()
  }

  ready(): Promise<void> {
    return this.socket.drained()
  }

  close(why: CloseCause): void {
    this.end(this.#wire.close[why])
  }

  /** Closes the socket if the session belongs, or comes to belong, to another user. Returns whether it is still open. */
  protected guard(session: Session): boolean {
    this.#stopGuard = guardOwnership(this.connection.viewer ?? null, session, () => this.close('removed'))
    return this.#isOpen
  }

  /** Counts a command on arrival, like a request: queued commands are already accepted. Returns the refusal, if any. */
  protected countCommand(): string | null {
    const waitS = this.ports.limiter?.consume(this.connection.who ?? '') ?? null
    return waitS === null ? null : `Too many commands; try again in ${waitS} s.`
  }

  /** Sequential, so that answers are in command order. */
  protected enqueue<Command>(
    commands: readonly Command[],
    run: (command: Command, refusal: string | null) => Promise<void> | void,
  ): Promise<void> {
    for (const command of commands) {
      const refusal = this.countCommand()
      this.#tail = this.#tail.then(() => run(command, refusal))
    }
    return this.#tail
  }

  /** A client that sends without reading is cut off like any slow reader. */
  protected sendMessage(message: Outgoing | SignalAnswer): void {
    if (!this.#isOpen) return
    if (this.unsent() > LISTENER_BYTES_MAX) this.close('slow')
    else this.socket.send([JSON.stringify(message)])
  }

  protected end([code, reason]: CloseReason): void {
    if (!this.#isOpen) return
    this.onClosed()
    this.socket.close(code, reason)
  }

  #answerSignal(signal: SocketSignal): void {
    if (signal.type === 'seen') this.socket.acknowledge?.(signal.seq)
    else this.sendMessage({ type: 'pong', ts: signal.ts ?? this.ports.clock.now() })
  }
}

const isProblem = (message: object): message is MessageProblem => 'problem' in message
const isSignal = (message: { readonly type: string }): message is SocketSignal =>
  message.type === 'ping' || message.type === 'seen'

const settled = Promise.resolve()
const nothing = () => {}

let lastText = ''
let lastMessages: readonly string[] = []
/** Each line is a message. Listeners receive the same text in turn, so cache the array, which targets frame once. */
const messagesOf = (text: string): readonly string[] => {
  if (text !== lastText) {
    lastText = text
    lastMessages = text.split('\n')
  }
  return lastMessages
}
