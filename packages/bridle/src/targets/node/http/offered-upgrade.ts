// A request that offers to go on in another protocol. Only a WebSocket is taken up; with any other offer (a client that would also
// speak HTTP/2, say) the request is served as it is. Node before 24.9 has no setting for this and gives every offer to whoever
// listens for one, so the request itself says whether it is one.
import { IncomingMessage } from 'node:http'

const offers = new WeakMap<IncomingMessage, unknown>()

export class OfferingRequest extends IncomingMessage {
  // Node writes the offer before it knows the headers, and reads it when it has them.
  set upgrade(offer: unknown) {
    offers.set(this, offer)
  }

  get upgrade(): unknown {
    return offers.get(this) && (this.method === 'CONNECT' || isWebSocket(this))
  }
}

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket'
