// Pipelined requests, which browsers and proxies do not send. Node starts all requests of a packet at once, so a hundred connections
// could delay every other client by seconds. Here they run one at a time.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PIPELINED_REQUESTS_MAX } from '../limits.ts'

/** The requests of each connection that wait for the one in progress. */
const waiting = new WeakMap<Socket, (() => void)[]>()

/** Calls `begin` once the earlier requests of the connection are answered. Closes a connection with too many waiting requests. */
export const inTurn = ({ socket }: IncomingMessage, outgoing: ServerResponse, begin: () => void): void => {
  if (socket.destroyed) return
  const queue = waiting.get(socket)
  if (queue && queue.length >= PIPELINED_REQUESTS_MAX) {
    waiting.delete(socket)
    socket.destroy()
    return
  }
  outgoing.once('close', () => {
    const next = waiting.get(socket)?.shift()
    if (next && !socket.destroyed) next()
    else waiting.delete(socket)
  })
  if (queue) queue.push(begin)
  else {
    waiting.set(socket, [])
    begin()
  }
}
