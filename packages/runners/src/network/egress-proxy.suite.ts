// An egress proxy for tests: a port, hosts on loopback that stand for public ones, and a client that sends exactly the
// given bytes.
import { once } from 'node:events'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { createEgressProxy, type EgressLogEntry, type EgressProxy, type EgressProxyOptions } from './egress-proxy.ts'

/** A public address, for which a host on loopback stands. */
export const PUBLIC = '93.184.216.34'

export interface ProxyUnderTest {
  readonly proxyPort: number
  readonly entries: EgressLogEntry[]
  /** Addresses that were connected to. */
  readonly dialled: string[]
  readonly proxy: EgressProxy
}

const ends: (() => unknown)[] = []

export const endAll = async (): Promise<void> => {
  for (const end of ends.splice(0).reverse()) await end()
}

/** Every connection goes to `port` on loopback, for any address that was asked for. */
export const proxyUnderTest = async (
  port: number,
  options: Partial<EgressProxyOptions> & Pick<EgressProxyOptions, 'policy'>,
): Promise<ProxyUnderTest> => {
  const entries: EgressLogEntry[] = []
  const dialled: string[] = []
  const proxy = createEgressProxy({
    lookup: async () => [PUBLIC],
    connect: (address, wanted) => {
      dialled.push(`${address} ${wanted}`)
      return createConnection({ host: '127.0.0.1', port, allowHalfOpen: true })
    },
    report: (entry) => entries.push(entry),
    ...options,
  })
  const listener = createServer()
  const proxyPort = await listening(listener)
  proxy.serve(listener)
  ends.push(() => proxy.close())
  return { proxyPort, entries, dialled, proxy }
}

/** A host that gets raw bytes. */
export const rawHost = async (serve: (socket: Socket) => void): Promise<number> => {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    serve(socket)
  })
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return listening(server)
}

export const listening = async (server: Server): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as { port: number }).port
}

/** All that comes back until the proxy closes. */
export const send = (proxyPort: number, text: string | Buffer): Promise<string> =>
  new Promise((resolve) => {
    const parts: Buffer[] = []
    const socket = createConnection({ port: proxyPort, allowHalfOpen: true })
    socket.on('data', (part: Buffer) => parts.push(part)).on('error', () => {})
    socket.once('end', () => socket.destroy())
    socket.once('close', () => resolve(Buffer.concat(parts).toString('latin1')))
    socket.write(text)
  })

/** A tunnel that is open. */
export const openTunnel = async (proxyPort: number, target: string): Promise<Socket> => {
  const socket = createConnection({ port: proxyPort, allowHalfOpen: true })
  socket.on('error', () => {})
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
  let text = ''
  while (!text.includes('\r\n\r\n')) text += ((await once(socket, 'data')) as [Buffer])[0].toString('latin1')
  if (!text.startsWith('HTTP/1.1 200 ')) throw new Error(text)
  return socket
}

export const readAll = async (socket: Socket): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of socket as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString('latin1')
}

export const get = (url: string, host = new URL(url).host, headers = ''): string =>
  `GET ${url} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`

export const statusOf = (answer: string): string => answer.slice(9, 12)
