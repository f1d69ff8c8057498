import { connect, type Socket } from 'node:net'
import { socketAddress } from '../process/socket-path.ts'
import { nodeFetch } from './node-fetch.ts'
import type { RunnerFetch } from './provider.ts'

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
