// Requests that a client sends on one connection without waiting for answers. Browsers and proxies send none. Node begins all that arrive in one
// packet at once, so that a hundred connections keep everybody waiting for seconds. Here each begins when the one before it is answered, which is
// the order of the answers in any case.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PIPELINED_REQUESTS_MAX } from '../limits.ts'

/** The requests of each connection that wait for the one in progress. */
const waiting = new WeakMap<Socket, (() => void)[]>()

/** Calls `begin` in the connection's turn. A connection with too many requests is closed, and none of them begins. */
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
