// The WebSockets of a voice line: binary frames arrive as bytes, and the line knows how much the network has not taken yet.
import type { WebSocketClass } from '../socket/reconnecting-socket.ts'

export class BinarySockets {
  /** Undefined = the platform has no WebSocket. */
  readonly WebSocket: WebSocketClass | undefined
  #newest: WebSocket | null = null

  constructor(Base: WebSocketClass | undefined = globalThis.WebSocket) {
    const setNewest = (socket: WebSocket) => {
      socket.binaryType = 'arraybuffer'
      this.#newest = socket
    }
    this.WebSocket =
      Base &&
      class extends Base {
        constructor(url: string, protocols?: string[]) {
          super(url, protocols)
          setNewest(this)
        }
      }
  }

  /** False while the newest socket closes: a browser complains about each message that it gets then. */
  get isOpen(): boolean {
    return this.#newest?.readyState === OPEN
  }

  /** The bytes that wait in the newest socket. */
  get unsentBytes(): number {
    return this.#newest?.bufferedAmount ?? 0
  }
}

/** The state of a WebSocket that takes messages. */
const OPEN = 1
