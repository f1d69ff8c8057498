import type { IncomingMessage, ServerResponse } from 'node:http'
import { LINGER_MS } from '../limits.ts'

/**
 * A connection that still has the rest of a body on it carries no further request: the answer says so. It lingers, since a client that still
 * sends would get a reset, and lose the answer.
 */
export const closeAfterUnreadBody = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  if (incoming.complete || outgoing.headersSent) return
  const { socket } = incoming
  outgoing.shouldKeepAlive = false
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}
