import type { Duplex } from 'node:stream'
import type { Socket, SocketOpener, SocketReceiver } from '@bridle/surfaces/http/streams/socket-route'
import { type RawData, WebSocket } from 'ws'
import type { Backlog, SlowReader } from '../backlog.ts'
import { waitForDrain } from '../http/drain.ts'
import { encodeBinaryFrame, encodeTextFrames } from './frames.ts'
import { type MonitoredSocket, SocketActivity, type SocketMonitor } from './socket-monitor.ts'

/** Beyond it, the server stops reading from the socket. */
const UNANSWERED_MAX = 32
/** Long messages count several times: 32 of the longest would take as much memory as thousands of sockets. */
const CHARS_PER_UNANSWERED = 256 * 1024
/** A client that lets more pongs pile up is flooding. */
const CONTROL_BYTES_MAX = 4_000_000
/** Time for a slow client to read why it is disconnected. The server keeps its unread bytes until then. */
const CUT_MS = 2_000

/** Shares its listeners, which find the socket through `this`, because thousands of sockets are idle. */
export class ServerSocket extends WebSocket implements MonitoredSocket {
  readonly activity = new SocketActivity()
  #receiver: SocketReceiver | null = null
  #context: SocketServerContext | null = null
  #duplex: Duplex | null = null
  #unanswered = 0

  attach(open: SocketOpener, duplex: Duplex, context: SocketServerContext): void {
    this.#context = context
    this.#duplex = duplex
    context.sockets.add(this)
    context.monitor.add(this)
    socketOfConnection.set(duplex, this)
    // The library closes the socket on a broken frame, and the close code says why.
    this.on('error', nothing)
    this.on('close', onClose)
    this.#receiver = open(new NodeSocket(this, duplex, context.backlog))
    this.on('message', onMessage)
    this.on('ping', onControl)
    this.on('pong', onPong)
    // After the library's listener, which has then parsed the bytes.
    duplex.on('data', onData)
  }

  handleMessage(message: string | Uint8Array): void {
    this.#context?.monitor.messageFinished(this)
    this.activity.unansweredPings = 0
    if (this.readyState !== WebSocket.OPEN || this.#context?.monitor.countMessage(this) === false) return
    const answered = this.#receive(message)
    if (!answered) return
    const weight = 1 + Math.floor(message.length / CHARS_PER_UNANSWERED)
    this.#unanswered += weight
    if (this.#unanswered >= UNANSWERED_MAX) this.pause()
    answered.finally(() => {
      this.#unanswered -= weight
      if (this.#unanswered < UNANSWERED_MAX && this.isPaused) this.resume()
    })
  }

  #receive(message: string | Uint8Array): Promise<void> | void {
    const receiver = this.#receiver
    if (typeof message === 'string') return receiver?.onMessage(message)
    return receiver?.onBinary ? receiver.onBinary(message) : receiver?.onMessage(null)
  }

  /** A pong for the server's own ping shows that the client is alive, but does not count towards its rate limit. */
  handlePong(data: Buffer): void {
    this.activity.unansweredPings = 0
    if (!data.equals(PING)) this.handleControlFrame()
  }

  handleControlFrame(): void {
    if (this.#context?.monitor.countMessage(this) === false) return
    this.#receiver?.onAlive()
    if (this.bufferedAmount > CONTROL_BYTES_MAX) this.terminate()
  }

  closeAsSlow(): void {
    this.#receiver?.onSlow()
  }

  handleBytes(): void {
    this.#context?.monitor.countBytes(this)
  }

  unfinishedBytes(): number {
    // The library only reports whole messages; bytes of the next one are in private fields.
    const { _receiver: state } = this as unknown as { readonly _receiver: ReceiverState | null }
    if (!state) return 0
    const bytes = state._bufferedBytes + state._messageLength
    return state._fragmented === 0 ? bytes : Math.max(1, bytes)
  }

  sendPing(): boolean {
    if (this.readyState !== WebSocket.OPEN || this.#duplex?.writableLength !== 0) return false
    this.ping(PING)
    return true
  }

  /** Adds a reason, because on a broken frame the library closes with a code only. */
  override close(code?: number, reason?: string | Buffer): void {
    if (code === 1009 && reason === undefined) this.#receiver?.onTooLarge?.()
    super.close(code, reason ?? CLOSE_REASONS[code ?? 0])
  }

  closeWithReason(code: number, reason: string): void {
    this.close(code, reason)
    this.pause()
    setTimeout(() => this.terminate(), CUT_MS).unref()
  }

  handleClose(): void {
    this.#context?.sockets.delete(this)
    this.#context?.monitor.remove(this)
    this.#receiver?.onClosed()
  }
}

export interface SocketServerContext {
  readonly sockets: Set<ServerSocket>
  readonly backlog: Backlog
  readonly monitor: SocketMonitor
}

interface ReceiverState {
  readonly _bufferedBytes: number
  readonly _messageLength: number
  /** Opcode of a fragmented message; 0: none. */
  readonly _fragmented: number
}

/** Shared by all sockets, to save memory. */
const nothing = () => {}

/** The same as on Cloudflare. */
const CLOSE_REASONS: { readonly [code: number]: string } = {
  1007: 'The text is not UTF-8.',
  1009: 'The message is too large.',
}

/** Payload of the server's pings, which tells their pongs from unsolicited ones. */
const PING = Buffer.from('bridle')
const socketOfConnection = new WeakMap<Duplex, ServerSocket>()

/** A class, because closures for thousands of clients would cost memory. */
class NodeSocket implements Socket, SlowReader {
  readonly #socket: ServerSocket
  readonly #duplex: Duplex
  readonly #backlog: Backlog

  constructor(socket: ServerSocket, duplex: Duplex, backlog: Backlog) {
    this.#socket = socket
    this.#duplex = duplex
    this.#backlog = backlog
  }

  /** Writes frames directly to the connection. Without compression, the library queues no bytes that could come in between. */
  send(messages: readonly string[]): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#write(encodeTextFrames(messages))
  }

  sendBinary(bytes: Uint8Array): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#write(encodeBinaryFrame(bytes))
  }

  #write(frames: Buffer): void {
    this.#duplex.write(frames)
    if (this.#duplex.writableLength > 0) this.#backlog.addUnsent(this, frames.length)
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  buffered(): number {
    return this.#duplex.writableLength
  }

  unsentBytes(): number {
    return this.#socket.readyState === WebSocket.OPEN ? this.#duplex.writableLength : 0
  }

  /** Gives a slow client a moment to read the reason. */
  disconnect(): void {
    this.#socket.closeAsSlow()
    setTimeout(() => this.#socket.terminate(), CUT_MS).unref()
  }

  drained(): Promise<void> {
    return waitForDrain(this.#duplex)
  }
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  ;(this as ServerSocket).handleMessage(isBinary ? (data as Buffer) : data.toString())
}
function onPong(this: WebSocket, data: Buffer): void {
  ;(this as ServerSocket).handlePong(data)
}
function onData(this: Duplex): void {
  socketOfConnection.get(this)?.handleBytes()
}
function onControl(this: WebSocket): void {
  ;(this as ServerSocket).handleControlFrame()
}
function onClose(this: WebSocket): void {
  ;(this as ServerSocket).handleClose()
}
