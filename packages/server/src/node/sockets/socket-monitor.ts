// Limits on the incoming side of a server's sockets: messages that never end, clients that are gone, and floods. Silence and age
// are free: a client that answers pings may be silent for hours. Time is counted in ticks of one timer for all sockets, so that a
// server that was blocked cuts no client for its own delay.

import { assert } from '@bridle/kernel/assert'
import { SOCKET_RATE } from '../../limits.ts'

/** Time for a message to arrive whole: the largest message on a slow line takes a few seconds. */
const UNFINISHED_MS = 30_000
/** Bytes of unfinished messages: 64 sockets may each be in the middle of the largest message. */
const UNFINISHED_BYTES_MAX = 64 * 1024 * 1024
/** Sockets are pinged this often: below the 60 s after which proxies drop a silent connection. */
const PING_MS = 30_000
/** Unanswered pings before a socket is closed: a single one may be lost in a pause of the client. */
const UNANSWERED_PINGS_MAX = 2
/** The timer of the monitor ticks at least this often. */
const MONITOR_TICK_MS = 1_000

export interface SocketLimits {
  /** A message has this long to arrive whole; default 30 s. */
  readonly unfinishedMs?: number | undefined
  /** Bytes of unfinished messages of all sockets together; default 64 MiB. */
  readonly maxUnfinishedBytes?: number | undefined
  /** Interval of pings; a socket is closed after two unanswered ones. Default 30 s. */
  readonly pingMs?: number | undefined
  /** Messages of one socket, pings included; default 20,000 in 10 s. */
  readonly socketRate?: { readonly windowMs: number; readonly maxMessages: number } | undefined
}

/** A socket as the monitor sees it. Its `activity` belongs to the monitor: thousands of sockets need no second map. */
export interface MonitoredSocket {
  readonly activity: SocketActivity
  /** The server does not read from the socket at the moment, so its silence does not count. */
  readonly isPaused: boolean
  /** Bytes of a message that has begun and not ended; 0 = there is none. */
  unfinishedBytes(): number
  /** False when earlier messages to the socket are still unsent. */
  sendPing(): boolean
  /** Sends the client the reason, and gives it a moment to read it. */
  closeWithReason(code: number, reason: string): void
  terminate(): void
}

export class SocketActivity {
  /** The tick in which the socket opened. Pings count from it, so that not all are due at once. */
  openedTick = 0
  /** The tick in which the unfinished message began; null = there is none. */
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

  /** Counts the bytes of an unfinished message after data arrived. */
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

  /** A message has ended; the next one gets the full time. */
  messageFinished({ activity }: MonitoredSocket): void {
    activity.messageBeganTick = null
  }

  /** Counts a message or a ping. False = one too many, and the socket is closed. */
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

  /** Terminates the socket with the largest unfinished message, at once, so that its bytes are free. */
  #dropLargest(): void {
    let largest: MonitoredSocket | null = null
    for (const socket of this.#unfinished)
      if (!largest || socket.activity.countedBytes > largest.activity.countedBytes) largest = socket
    // Returning instead would try again for ever: the caller drops sockets until the bytes fit.
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
