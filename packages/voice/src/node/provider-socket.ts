import { WebSocket } from 'ws'
import { type ConnectProvider, ProviderRefusal } from '../realtime/provider-socket.ts'
import { PROVIDER_EVENT_CHARS_MAX } from '../spoken/limits.ts'

export const connectProvider: ConnectProvider = ({ url, headers, signal }, events) =>
  new Promise((resolve, reject) => {
    // Audio does not compress, and other messages are small.
    const socket = new WebSocket(url, { headers, perMessageDeflate: false, maxPayload: PROVIDER_EVENT_CHARS_MAX })
    const abort = () => socket.terminate()
    signal.addEventListener('abort', abort, { once: true })
    socket.on('open', () => {
      signal.removeEventListener('abort', abort)
      resolve({
        send: (text) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(text)
        },
        unsent: () => socket.bufferedAmount,
        close: () => socket.close(1000),
      })
    })
    socket.on('message', (data, isBinary) => {
      if (!isBinary) events.message(String(data))
    })
    socket.on('unexpected-response', (request, response) => {
      reject(new ProviderRefusal(response.statusCode ?? null))
      request.destroy()
    })
    // The request error has no headers, so it cannot leak the key.
    socket.on('error', (error) => reject(new ProviderRefusal(null, error)))
    socket.on('close', () => {
      reject(new ProviderRefusal(null))
      events.closed()
    })
  })
