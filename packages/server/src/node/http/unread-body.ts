import type { IncomingMessage, ServerResponse } from 'node:http'

/** Enough for the response to cross the network. */
const LINGER_MS = 500

/** Closes a connection with an unread body, but lingers: a client that is still sending would otherwise lose the response. */
export const closeAfterUnreadBody = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  if (incoming.complete || outgoing.headersSent) return
  const { socket } = incoming
  outgoing.shouldKeepAlive = false
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}
