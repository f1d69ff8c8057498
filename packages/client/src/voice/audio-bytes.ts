// Audio as bytes and as base64, in browsers and in Node.
import { tryOr } from '@bridle/kernel/try-or'
import type { WebSocketClass } from '../socket/reconnecting-socket.ts'

/** The bytes of any view of them. No copy is made. */
export const bytesOf = (audio: ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer> =>
  audio instanceof ArrayBuffer
    ? new Uint8Array(audio)
    : new Uint8Array(audio.buffer as ArrayBuffer, audio.byteOffset, audio.byteLength)

export const toBase64 = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** Null = no base64. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | null =>
  tryOr(null, () => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)))

/** The WebSockets of a voice line: binary frames arrive as bytes, and the line knows how much the network has not taken yet. */
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

  get unsentBytes(): number {
    return this.#newest?.bufferedAmount ?? 0
  }
}

/** The state of a WebSocket that takes messages. */
const OPEN = 1
