import type { IncomingMessage, ServerResponse } from 'node:http'

/** A client that still sends has its answer after that: it only has to cross the network. */
const LINGER_MS = 500

/** A connection with an unread body takes no further request. It lingers: a client that still sends would lose the answer. */
export const closeAfterUnreadBody = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  if (incoming.complete || outgoing.headersSent) return
  const { socket } = incoming
  outgoing.shouldKeepAlive = false
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}
