// The state of one open socket for the changes of a tenant. The socket sends, and takes only pings and acknowledgements.
import * as v from 'valibot'
import type { Clock } from '../../kernel/ports/clock.ts'
import type { ChangeReaders } from '../http/streams/change-readers.ts'
import { seenMessageSchema } from '../http/streams/marks.ts'
import type { Socket, SocketReceiver } from '../http/streams/socket-route.ts'
import { BoundedReader } from './bounded-reader.ts'
import { READY_MESSAGES } from './change-messages.ts'
import type { ChangesSignal } from './wire.ts'

/** A plain value: all that a socket needs to hibernate and wake. */
export interface ChangesConnection {
  readonly tenant: string
  /** The user whose sessions the socket shows, written as an owner; null = every session of the tenant. */
  readonly viewer: string | null
}

export interface ChangesSocketPorts {
  readonly clock: Clock
  readonly changes: ChangeReaders
}

const SLOW = [4008, 'Too far behind: reconnect.'] as const

export class ChangesSocket implements SocketReceiver {
  readonly #connection: ChangesConnection
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #reader: BoundedReader
  readonly #leave: () => void
  /** Counts what was sent: a mark names it, and the client acknowledges it. */
  #seq = 0

  /** A socket that hibernated has missed nothing: a change wakes its object first. */
  constructor(
    connection: ChangesConnection,
    socket: Socket,
    { clock, changes }: ChangesSocketPorts,
    from: 'new' | 'awake' = 'new',
  ) {
    this.#connection = connection
    this.#socket = socket
    this.#clock = clock
    this.#reader = new BoundedReader(connection.viewer, {
      send: (messages) => socket.send(messages, ++this.#seq),
      buffered: () => socket.buffered(),
      drained: () => socket.drained(),
      // The target closes its sockets itself when it stops.
      close: () => {},
    })
    this.#leave = changes.add(connection.tenant, this.#reader)
    if (from === 'new') this.#reader.send(READY_MESSAGES)
  }

  onMessage(text: string | null): void {
    const message = parseClientMessage(text)
    if (message?.type === 'seen') return this.#socket.acknowledge?.(message.seq)
    if (this.#reader.isBehind) return
    if (message) this.#signal({ type: 'pong', ts: this.#clock.now() })
    else this.#signal({ type: 'error', message: 'This socket takes {"type":"ping"} only.' })
  }

  onAlive(): void {}

  onSlow(): void {
    this.onClosed()
    this.#socket.close(...SLOW)
  }

  onClosed(): void {
    this.#reader.stop()
    this.#leave()
  }

  hibernate(): ChangesConnection {
    return this.#connection
  }

  #signal(signal: ChangesSignal): void {
    this.#socket.send([JSON.stringify(signal)])
  }
}

const clientMessageSchema = v.variant('type', [v.object({ type: v.literal('ping') }), seenMessageSchema])

/** Null = not a message that the socket takes. */
const parseClientMessage = (text: string | null): v.InferOutput<typeof clientMessageSchema> | null => {
  try {
    const { success, output } = v.safeParse(clientMessageSchema, JSON.parse(text ?? ''))
    return success ? output : null
  } catch {
    return null
  }
}
