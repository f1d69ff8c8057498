// Limits unfinished messages, dead clients and floods. Counts ticks of one shared timer, so that a blocked server never cuts a
// client off for its own delay.

import { assert } from '@bridle/kernel/assert'
import { SOCKET_RATE } from '../../limits.ts'

/** The largest message takes a few seconds on a slow line. */
const UNFINISHED_MS = 30_000
/** Eight sockets may each be in the middle of the largest message. */
const UNFINISHED_BYTES_MAX = 64 * 1024 * 1024
/** Below the 60 s after which proxies drop a silent connection. */
const PING_MS = 30_000
/** A single ping may be lost while a client pauses. */
const UNANSWERED_PINGS_MAX = 2
/** Minimum resolution of the monitor's timer. */
const MONITOR_TICK_MS = 1_000

export interface SocketLimits {
  /** Time for a message to arrive completely. Default: 30 s. */
  readonly unfinishedMs?: number | undefined
  /** Maximum bytes of unfinished messages of all sockets together. Default: 64 MiB. */
  readonly maxUnfinishedBytes?: number | undefined
  /** Ping interval; a socket is closed after two unanswered pings. Default: 30 s. */
  readonly pingMs?: number | undefined
  /** Messages per socket, pings included. Default: 20,000 in 10 s. */
  readonly socketRate?: { readonly windowMs: number; readonly maxMessages: number } | undefined
}

/** `activity` belongs to the monitor. It is stored here, because a map would cost memory for thousands of sockets. */
export interface MonitoredSocket {
  readonly activity: SocketActivity
  /** The server is not reading from the socket, so silence does not count. */
  readonly isPaused: boolean
  /** Bytes of an unfinished message; 0: none. */
  unfinishedBytes(): number
  /** False if earlier messages are still unsent. */
  sendPing(): boolean
  closeWithReason(code: number, reason: string): void
  terminate(): void
}

export class SocketActivity {
  /** Pings are counted from here, which spreads them over time. */
  openedTick = 0
  /** Tick in which the unfinished message began; null: none. */
  messageBeganTick: number | null = null
  countedBytes = 0
  unansweredPings = 0
  window = 0
  messages = 0
}

export class SocketMonitor {
  readonly #sockets = new Set<MonitoredSocket>()
  readonly #unfinished = new Set<MonitoredSocket>()
  readonly #unfinishedTicks: number
  readonly #pingTicks: number
  readonly #maxBytes: number
  readonly #rate: { readonly windowMs: number; readonly maxMessages: number }
  readonly #timer: NodeJS.Timeout
  #bytes = 0
  #tick = 0

  constructor(limits: SocketLimits = {}) {
    const { unfinishedMs = UNFINISHED_MS, pingMs = PING_MS } = limits
    const tickMs = Math.max(10, Math.min(MONITOR_TICK_MS, Math.floor(Math.min(unfinishedMs, pingMs) / 10)))
    this.#unfinishedTicks = Math.ceil(unfinishedMs / tickMs)
    this.#pingTicks = Math.max(1, Math.ceil(pingMs / tickMs))
    this.#maxBytes = limits.maxUnfinishedBytes ?? UNFINISHED_BYTES_MAX
    this.#rate = limits.socketRate ?? SOCKET_RATE
    this.#timer = setInterval(() => this.#checkSockets(), tickMs).unref()
  }

  add(socket: MonitoredSocket): void {
    socket.activity.openedTick = this.#tick
    this.#sockets.add(socket)
  }

  remove(socket: MonitoredSocket): void {
    this.#sockets.delete(socket)
    this.#forgetUnfinished(socket)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  countBytes(socket: MonitoredSocket): void {
    const bytes = socket.unfinishedBytes()
    if (bytes === 0 || !this.#sockets.has(socket)) return this.#forgetUnfinished(socket)
    const { activity } = socket
    this.#bytes += bytes - activity.countedBytes
    activity.countedBytes = bytes
    activity.messageBeganTick ??= this.#tick
    this.#unfinished.add(socket)
    while (this.#bytes > this.#maxBytes) this.#dropLargest()
  }

  messageFinished({ activity }: MonitoredSocket): void {
    activity.messageBeganTick = null
  }

  countMessage(socket: MonitoredSocket): boolean {
    const { activity } = socket
    const window = Math.floor(performance.now() / this.#rate.windowMs)
    if (window !== activity.window) activity.messages = 0
    activity.window = window
    activity.messages += 1
    if (activity.messages <= this.#rate.maxMessages) return true
    if (this.#sockets.has(socket)) {
      this.remove(socket)
      socket.closeWithReason(1008, 'Too many messages.')
    }
    return false
  }

  #forgetUnfinished(socket: MonitoredSocket): void {
    const { activity } = socket
    this.#bytes -= activity.countedBytes
    activity.countedBytes = 0
    activity.messageBeganTick = null
    this.#unfinished.delete(socket)
  }

  /** Terminates immediately, so that the bytes are freed. */
  #dropLargest(): void {
    let largest: MonitoredSocket | null = null
    for (const socket of this.#unfinished)
      if (!largest || socket.activity.countedBytes > largest.activity.countedBytes) largest = socket
    // Returning would loop forever, because the caller drops sockets until the bytes fit.
    assert(largest, 'unfinished bytes are counted for sockets that have an unfinished message')
    this.remove(largest)
    largest.terminate()
  }

  #checkSockets(): void {
    this.#tick += 1
    for (const socket of [...this.#unfinished]) {
      const { activity } = socket
      if (socket.isPaused) activity.messageBeganTick = this.#tick
      else if (this.#tick - (activity.messageBeganTick ?? this.#tick) > this.#unfinishedTicks) {
        this.remove(socket)
        socket.closeWithReason(1008, 'The message was not finished in time.')
      }
    }
    for (const socket of this.#sockets) {
      const { activity } = socket
      if ((this.#tick - activity.openedTick) % this.#pingTicks !== 0 || socket.isPaused) continue
      if (activity.unansweredPings >= UNANSWERED_PINGS_MAX) {
        this.remove(socket)
        socket.terminate()
      } else if (socket.sendPing()) activity.unansweredPings += 1
    }
  }
}
