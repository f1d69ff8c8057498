// Where a server listens: an address of this machine, or a unix socket.
import { chmodSync, lstatSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo, ListenOptions } from 'node:net'
import { socketAddress } from './socket-path.ts'

export const listen = (server: Server, options: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      resolve()
    })
  })

export const listenOnSocket = async (server: Server, socketPath: string): Promise<void> => {
  // A pipe of Windows is no file.
  if (process.platform === 'win32') return listen(server, { path: socketPath })
  // A socket that a killed process left behind refuses to be bound again.
  if (lstatSync(socketPath, { throwIfNoEntry: false })?.isSocket()) rmSync(socketPath)
  const { path, release } = socketAddress(socketPath)
  try {
    await listen(server, { path })
  } catch (error) {
    release()
    throw error
  }
  // Closing the server removes the socket by the path that it was bound to.
  server.once('close', release)
  chmodSync(socketPath, 0o600)
}

/** A unix socket has no address in a URL: the host is a name that means nothing. */
export const listenerUrl = (server: Server): string => {
  const bound = server.address() as AddressInfo | string
  if (typeof bound === 'string') return 'http://runner'
  const { address, family, port } = bound
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
