// A connection shared by the runs of a process, one lease per run. It opens with the first lease, is replaced when it
// breaks, and closes some time after the last lease.
import { orAbort } from '@bridle/agents/session/or-abort'
import { McpConnection } from './connection.ts'
import { McpError } from './errors.ts'
import type { McpRun, McpServer } from './server.ts'

/** `npx` may have to download the program first. */
const CONNECT_MS_MAX = 30_000

export interface ConnectionLease {
  /** Connects on demand. */
  connection(signal: AbortSignal): Promise<McpConnection>
  /** An abandoned call may have left the server stuck, so no run reuses this connection. */
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

/** A connection, possibly still opening, and its lease count. */
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

  leave(): boolean {
    this.#leases -= 1
    return this.#leases === 0
  }

  closeAfter(ms: number): void {
    this.#timer = setTimeout(() => this.close(), ms)
    // An idle connection must not keep the process alive. In Workers, timers are plain numbers.
    if (typeof this.#timer === 'object') this.#timer.unref?.()
  }

  close(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#abort.abort(new Error('No run needs the connection any more.'))
    void this.#connection?.close()
  }
}
