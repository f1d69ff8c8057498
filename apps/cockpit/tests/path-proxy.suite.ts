// A proxy that serves a server below a path, removes the path, and names it, as nginx does with `X-Forwarded-Prefix`.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The server below `/bridle/`; `close` ends the proxy. */
export const serveBelowPath = async (server: string): Promise<{ readonly url: string; readonly close: () => void }> => {
  const proxy = pathProxy('/bridle', Number(new URL(server).port))
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const close = (): void => {
    proxy.close()
    proxy.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/bridle/`, close }
}

const pathProxy = (path: string, port: number): Server => {
  const forwarded = ({ method = 'GET', url = '/', headers }: IncomingMessage) =>
    request({
      host: '127.0.0.1',
      port,
      method,
      path: url.slice(path.length),
      headers: { ...headers, 'x-forwarded-prefix': path },
    })
  const isBelow = ({ url }: IncomingMessage): boolean => url?.startsWith(`${path}/`) === true
  const proxy = createServer((incoming, answer) => {
    if (!isBelow(incoming)) {
      answer.writeHead(404).end()
      return
    }
    const outgoing = forwarded(incoming).on('error', () => answer.destroy())
    outgoing.on('response', (response) => response.pipe(answer.writeHead(response.statusCode ?? 502, response.headers)))
    incoming.pipe(outgoing)
  })
  return proxy.on('upgrade', (incoming, socket) => {
    socket.on('error', () => {})
    if (!isBelow(incoming)) {
      socket.destroy()
      return
    }
    const outgoing = forwarded(incoming).on('error', () => socket.destroy())
    outgoing.on('upgrade', (response, server, first) => {
      const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`)
      // The server's first message may come with its headers.
      socket.write(first)
      server.on('error', () => socket.destroy())
      server.pipe(socket).pipe(server)
    })
    outgoing.end()
  })
}
