// An object connects to a realtime provider through a fetch that upgrades to a WebSocket.
import { type ConnectProvider, ProviderRefusal } from '@bridle/voice/realtime/provider-socket'
import type { PlatformSocket } from '../platform/platform.ts'

interface ProviderPlatformSocket extends PlatformSocket {
  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void
}

const OPEN = 1

export const connectProvider: ConnectProvider = async ({ url, headers, signal }, events) => {
  const address = url.replace(/^ws/, 'http')
  const answer = await fetch(address, { headers: { ...headers, upgrade: 'websocket' }, signal }).catch((error) => {
    throw new ProviderRefusal(null, error)
  })
  const { webSocket: socket } = answer as unknown as { readonly webSocket?: ProviderPlatformSocket | null }
  if (!socket) {
    await answer.body?.cancel()
    throw new ProviderRefusal(answer.status)
  }
  let isOpen = true
  const closed = () => {
    if (!isOpen) return
    isOpen = false
    events.closed()
  }
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') events.message(data)
  })
  socket.addEventListener('close', closed)
  socket.addEventListener('error', closed)
  socket.accept()
  return {
    send: (text) => {
      if (socket.readyState === OPEN) socket.send(text)
    },
    // Unknown: the platform does not report it, but limits it.
    unsent: () => 0,
    close: () => {
      isOpen = false
      socket.close(1000)
    },
  }
}
