import type { ChangesSignal } from '@bridle/wire/changes/wire'
import { seenMessageSchema } from '@bridle/wire/http/wire/request-values'
import * as v from 'valibot'
import type { ChangeReaders } from '../http/streams/change-readers.ts'
import { CLOSE, SessionSocket, type SessionSocketPorts, type SocketWire } from '../http/streams/session-socket.ts'
import type { Socket } from '../http/streams/socket-route.ts'
import { BoundedReader } from './bounded-reader.ts'
import { READY_MESSAGES } from './change-messages.ts'

export interface ChangesConnection {
  readonly tenant: string
  /** Show only sessions of this owner; null: all sessions of the tenant. */
  readonly viewer: string | null
}

export interface ChangesSocketPorts extends SessionSocketPorts {
  readonly changes: ChangeReaders
}

const clientMessageSchema = v.variant('type', [v.object({ type: v.literal('ping') }), seenMessageSchema])

const problem = { problem: 'This socket takes {"type":"ping"} only.' }

const WIRE: SocketWire<never> = {
  close: CLOSE,
  parse: (text) => {
    try {
      const { success, output } = v.safeParse(clientMessageSchema, JSON.parse(text ?? ''))
      return success ? output : problem
    } catch {
      return problem
    }
  },
}

export class ChangesSocket extends SessionSocket<ChangesConnection, ChangesSocketPorts, never, ChangesSignal> {
  readonly #reader: BoundedReader
  readonly #leave: () => void
  /** Position for marks, which clients acknowledge. */
  #seq = 0

  /** A hibernated socket missed nothing, because any change wakes its object first. */
  constructor(connection: ChangesConnection, socket: Socket, ports: ChangesSocketPorts, from: 'new' | 'awake' = 'new') {
    super(connection, socket, ports, WIRE)
    this.#reader = new BoundedReader(connection.viewer, {
      send: (messages) => socket.send(messages, ++this.#seq),
      buffered: () => socket.buffered(),
      drained: () => socket.drained(),
      // The target closes its sockets itself at shutdown.
      close: () => {},
    })
    this.#leave = ports.changes.add(connection.tenant, this.#reader)
    if (from === 'new') this.#reader.send(READY_MESSAGES)
  }

  protected receive(): void {}

  protected leave(): void {
    this.#reader.stop()
    this.#leave()
  }

  /** A reader that is behind must receive `ready` first. */
  protected override sendMessage(signal: ChangesSignal): void {
    if (!this.#reader.isBehind) super.sendMessage(signal)
  }
}
