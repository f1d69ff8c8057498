// The connection of a source, shared by the runs of a process. Each run has a lease. The connection opens with the first lease, is
// replaced when it breaks, and closes some time after the last lease.
import { orAbort } from '@bridle/agents/session/or-abort'
import { McpConnection } from './connection.ts'
import { McpError } from './errors.ts'
import type { McpRun, McpServer } from './server.ts'

/** Time to connect: a program that npx has to fetch first takes some seconds. */
const CONNECT_MS_MAX = 30_000

export interface ConnectionLease {
  /** The connection, which is made where there is none. */
  connection(signal: AbortSignal): Promise<McpConnection>
  /** A call was given up, and the server may be stuck in it: no other run gets this connection, and the next call of this run a new one. */
  retire(): void
  release(): void
}

export class SharedConnection {
  readonly #server: McpServer
  readonly #run: McpRun | null
  readonly #idleMs: number
  #current: Slot | null = null

  constructor(server: McpServer, run: McpRun | null, idleMs: number) {
    this.#server = server
    this.#run = run
    this.#idleMs = idleMs
  }

  lease(): ConnectionLease {
    let slot: Slot | null = this.#take()
    let isReleased = false
    const leave = () => {
      if (slot) this.#leave(slot)
      slot = null
    }
    return {
      connection: async (signal) => {
        signal.throwIfAborted()
        if (isReleased) throw new McpError('mcp_connection_lost', this.#server.name, 'The run has ended.')
        if (slot && !slot.isUsable) leave()
        slot ??= this.#take()
        return orAbort(slot.opening, signal)
      },
      retire: () => {
        if (!slot || this.#run !== null) return
        this.#retire(slot)
        leave()
      },
      release: () => {
        isReleased = true
        leave()
      },
    }
  }

  #take(): Slot {
    if (this.#current?.isUsable !== true) this.#current = new Slot(this.#server, this.#run)
    this.#current.take()
    return this.#current
  }

  #retire(slot: Slot): void {
    if (this.#current === slot) this.#current = null
  }

  #leave(slot: Slot): void {
    const isLast = slot.leave()
    if (!isLast) return
    const isKept = this.#current === slot && slot.isOpen && this.#idleMs > 0
    if (isKept) slot.closeAfter(this.#idleMs)
    else slot.close()
    if (!isKept) this.#retire(slot)
  }
}

/** A connection, or the attempt to make one, and the number of leases on it. */
class Slot {
  readonly opening: Promise<McpConnection>
  readonly #abort = new AbortController()
  #connection: McpConnection | null = null
  #hasEnded = false
  #leases = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(server: McpServer, run: McpRun | null) {
    const late = new McpError('mcp_unavailable', server.name, `MCP server "${server.name}": it does not answer.`)
    const timer = setTimeout(() => this.#abort.abort(late), CONNECT_MS_MAX)
    this.opening = McpConnection.open(server, run, this.#abort.signal).finally(() => clearTimeout(timer))
    this.opening.then(
      (connection) => {
        this.#connection = connection
        if (this.#hasEnded) void connection.close()
      },
      () => {
        this.#hasEnded = true
      },
    )
  }

  /** Whether a run may still get a connection here. */
  get isUsable(): boolean {
    return !this.#hasEnded && (this.#connection?.isOpen ?? true)
  }

  get isOpen(): boolean {
    return this.isUsable && this.#connection !== null
  }

  take(): void {
    clearTimeout(this.#timer)
    this.#leases += 1
  }

  /** Whether that was the last lease. */
  leave(): boolean {
    this.#leases -= 1
    return this.#leases === 0
  }

  closeAfter(ms: number): void {
    this.#timer = setTimeout(() => this.close(), ms)
    // An idle connection does not keep a process alive. Workers have plain numbers for timers.
    if (typeof this.#timer === 'object') this.#timer.unref?.()
  }

  close(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#abort.abort(new Error('No run needs the connection any more.'))
    void this.#connection?.close()
  }
}
