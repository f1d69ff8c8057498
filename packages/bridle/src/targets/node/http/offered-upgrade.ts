// A request that offers an upgrade to another protocol. Only a WebSocket is accepted; a request with any other offer, such as HTTP/2,
// is served as a plain request. Node before 24.9 has no setting for this and passes every offer to the `upgrade` listener, so the
// request itself reports whether it is one.
import { IncomingMessage } from 'node:http'

const offers = new WeakMap<IncomingMessage, unknown>()

export class OfferingRequest extends IncomingMessage {
  // Node writes this property before it has parsed the headers, and reads it afterwards.
  set upgrade(offer: unknown) {
    offers.set(this, offer)
  }

  get upgrade(): unknown {
    return offers.get(this) && (this.method === 'CONNECT' || isWebSocket(this))
  }
}

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket'
