import { connect, type Socket } from 'node:net'
import type { RunnerFetch } from '../sandboxes/provider.ts'
import { socketAddress } from '../socket-path.ts'
import { nodeFetch } from './node-fetch.ts'

/** Requests with any URL go to this socket. */
export const unixSocketFetch = (socketPath: string): RunnerFetch =>
  nodeFetch({ createConnection: () => connectSocket(socketPath) })

const connectSocket = (socketPath: string): Socket => {
  const { path, release } = socketAddress(socketPath)
  const socket = connect({ path })
  socket.once('connect', release)
  socket.once('close', release)
  return socket
}
