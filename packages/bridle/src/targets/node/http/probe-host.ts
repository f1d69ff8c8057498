// Probes of load balancers that speak HTTP/1.0 and name no host, as that version allows.
import type { IncomingMessage } from 'node:http'

/** Gives such a probe a host. Any other request must name one: the host tells a local caller from a web page. */
export const addProbeHost = ({ httpVersion, headers, url = '' }: IncomingMessage): void => {
  if (httpVersion === '1.0' && headers.host === undefined && /^\/(?:health|ready)(?:\?|$)/.test(url))
    headers.host = 'localhost'
}
