import { tryOr } from '@bridle/kernel/try-or'
import type { WebSocketClass } from '../socket/reconnecting-socket.ts'

/** A view of the same bytes, without a copy. */
export const bytesOf = (audio: ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer> =>
  audio instanceof ArrayBuffer
    ? new Uint8Array(audio)
    : new Uint8Array(audio.buffer as ArrayBuffer, audio.byteOffset, audio.byteLength)

export const toBase64 = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | null =>
  tryOr(null, () => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)))

/** Voice line sockets, with binary frames as bytes and the amount of unsent data. */
export class BinarySockets {
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

  /** False while the newest socket is closing, when browsers log an error for each send. */
  get isOpen(): boolean {
    return this.#newest?.readyState === OPEN
  }

  get unsentBytes(): number {
    return this.#newest?.bufferedAmount ?? 0
  }
}

const OPEN = 1
