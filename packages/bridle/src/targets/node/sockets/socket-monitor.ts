// Limits on what the sockets of one server cost beside what they are sent: messages that are never finished, peers that are gone, and
// talk without end. Silence and age cost nothing: a client that answers pings may say nothing for hours. Time is counted in
// ticks of one timer for all sockets, so that a server that was held up cuts nobody for its own delay.

import { SOCKET_RATE } from '../../limits.ts'

export interface SocketLimits {
  /** A message has this long to arrive whole; default 30 s. */
  readonly unfinishedMs?: number | undefined
  /** Bytes of unfinished messages of all sockets together; default 64 MiB. */
  readonly maxUnfinishedBytes?: number | undefined
  /** Each socket is pinged this often, and closed when two pings are unanswered; default 30 s. */
  readonly pingMs?: number | undefined
  /** The messages of one socket, pings included; default 20,000 messages in 10 s. */
  readonly socketRate?: { readonly windowMs: number; readonly maxMessages: number } | undefined
}

/** A socket as the watch sees it. The watch keeps its notes in it: there may be thousands. */
export interface WatchedSocket {
  readonly notes: SocketNotes
  /** We do not read from it just now, so what it does not say is not its fault. */
  readonly isPaused: boolean
  /** The bytes of a message that has begun and not ended; 0 = there is none. */
  unfinishedBytes(): number
  /** False when it is busy with what was sent to it before. */
  sendPing(): boolean
  /** Tells the client why, and leaves it a moment to read that. */
  dismiss(code: number, reason: string): void
  terminate(): void
}

export class SocketNotes {
  /** The tick in which it came: pings are counted from it, so not all are due at once. */
  born = 0
  /** The tick in which its unfinished message began; null = it has none. */
  begun: number | null = null
  counted = 0
  unansweredPings = 0
  window = 0
  messages = 0
}

const UNFINISHED_MS = 30_000
/** 64 sockets may each be in the middle of the largest message there is. */
const UNFINISHED_BYTES_MAX = 64 * 1024 * 1024
const PING_MS = 30_000
const UNANSWERED_PINGS_MAX = 2
const TICK_MS_MAX = 1_000

export class SocketWatch {
  readonly #sockets = new Set<WatchedSocket>()
  readonly #unfinished = new Set<WatchedSocket>()
  readonly #unfinishedTicks: number
  readonly #pingTicks: number
  readonly #maxBytes: number
  readonly #rate: { readonly windowMs: number; readonly maxMessages: number }
  readonly #timer: NodeJS.Timeout
  #bytes = 0
  #tick = 0

  constructor(limits: SocketLimits = {}) {
    const { unfinishedMs = UNFINISHED_MS, pingMs = PING_MS } = limits
    const tickMs = Math.max(10, Math.min(TICK_MS_MAX, Math.floor(Math.min(unfinishedMs, pingMs) / 10)))
    this.#unfinishedTicks = Math.ceil(unfinishedMs / tickMs)
    this.#pingTicks = Math.max(1, Math.ceil(pingMs / tickMs))
    this.#maxBytes = limits.maxUnfinishedBytes ?? UNFINISHED_BYTES_MAX
    this.#rate = limits.socketRate ?? SOCKET_RATE
    this.#timer = setInterval(() => this.#look(), tickMs).unref()
  }

  add(socket: WatchedSocket): void {
    socket.notes.born = this.#tick
    this.#sockets.add(socket)
  }

  remove(socket: WatchedSocket): void {
    this.#sockets.delete(socket)
    this.#settle(socket)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Something arrived, and was looked at. */
  arrived(socket: WatchedSocket): void {
    const bytes = socket.unfinishedBytes()
    if (bytes === 0 || !this.#sockets.has(socket)) return this.#settle(socket)
    const { notes } = socket
    this.#bytes += bytes - notes.counted
    notes.counted = bytes
    notes.begun ??= this.#tick
    this.#unfinished.add(socket)
    while (this.#bytes > this.#maxBytes) this.#drop()
  }

  /** A message is whole; whatever comes behind it begins anew. */
  finished({ notes }: WatchedSocket): void {
    notes.begun = null
  }

  /** Counts a message or a ping. False = it was one too many, and the socket is sent away. */
  spoke(socket: WatchedSocket): boolean {
    const { notes } = socket
    const window = Math.floor(performance.now() / this.#rate.windowMs)
    if (window !== notes.window) notes.messages = 0
    notes.window = window
    notes.messages += 1
    if (notes.messages <= this.#rate.maxMessages) return true
    if (this.#sockets.has(socket)) {
      this.remove(socket)
      socket.dismiss(1008, 'Too many messages.')
    }
    return false
  }

  #settle(socket: WatchedSocket): void {
    const { notes } = socket
    this.#bytes -= notes.counted
    notes.counted = 0
    notes.begun = null
    this.#unfinished.delete(socket)
  }

  /** The largest goes, and at once: until it is gone its bytes are kept. */
  #drop(): void {
    let largest: WatchedSocket | null = null
    for (const socket of this.#unfinished)
      if (!largest || socket.notes.counted > largest.notes.counted) largest = socket
    if (!largest) return
    this.remove(largest)
    largest.terminate()
  }

  #look(): void {
    this.#tick += 1
    for (const socket of [...this.#unfinished]) {
      const { notes } = socket
      if (socket.isPaused) notes.begun = this.#tick
      else if (this.#tick - (notes.begun ?? this.#tick) > this.#unfinishedTicks) {
        this.remove(socket)
        socket.dismiss(1008, 'The message was not finished in time.')
      }
    }
    for (const socket of this.#sockets) {
      const { notes } = socket
      if ((this.#tick - notes.born) % this.#pingTicks !== 0 || socket.isPaused) continue
      if (notes.unansweredPings >= UNANSWERED_PINGS_MAX) {
        this.remove(socket)
        socket.terminate()
      } else if (socket.sendPing()) notes.unansweredPings += 1
    }
  }
}
