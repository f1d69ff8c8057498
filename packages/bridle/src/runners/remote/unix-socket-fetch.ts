// Requests to a runner over its unix socket.
import { connect, type Socket } from 'node:net'
import type { Reach } from '../sandboxes/provider.ts'
import { socketAddress } from '../socket-path.ts'
import { nodeReach } from './node-fetch.ts'

/** Requests with any URL go to this socket. */
export const unixReach = (socketPath: string): Reach => nodeReach({ createConnection: () => connected(socketPath) })

const connected = (socketPath: string): Socket => {
  const { path, release } = socketAddress(socketPath)
  const socket = connect({ path })
  socket.once('connect', release)
  socket.once('close', release)
  return socket
}
