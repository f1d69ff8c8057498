// The socket of the conversation with a place where the debug page listens. While nobody does, a message costs nothing more, and a command one
// comparison.

export interface SocketFrame {
  readonly isOut: boolean
  readonly data: unknown
}

type Tap = (frame: SocketFrame) => void

let tap: Tap | null = null
const sockets = new Set<WebSocket>()
const onMessage = ({ data }: MessageEvent): void => tap?.({ isOut: false, data })

export class TappedWebSocket extends WebSocket {
  constructor(url: string, protocols?: string[]) {
    super(url, protocols)
    sockets.add(this)
    this.addEventListener('close', () => sockets.delete(this))
    if (tap) this.addEventListener('message', onMessage)
  }

  override send(data: Parameters<WebSocket['send']>[0]): void {
    tap?.({ isOut: true, data })
    super.send(data)
  }
}

/** Listens to the sockets that are open now and to later ones. Returns the function that ends it. */
export const tapSockets = (listener: Tap): (() => void) => {
  tap = listener
  for (const socket of sockets) socket.addEventListener('message', onMessage)
  return () => {
    tap = null
    for (const socket of sockets) socket.removeEventListener('message', onMessage)
  }
}
