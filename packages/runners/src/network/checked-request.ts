// A GET to an address that was looked at first. The connection goes to the very address that was checked.
import { type RequestOptions, request } from 'node:http'
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { connect as connectTls, type ConnectionOptions as TlsOptions } from 'node:tls'
import {
  type AddressConnector,
  type AddressLookup,
  type ConnectionFailure,
  connectAddress,
  connectChecked,
  lookupPublicName,
} from './checked-connection.ts'
import { EGRESS_LIMITS } from './egress-limits.ts'
import { isPrivateAddress } from './private-addresses.ts'

export interface CheckedRequestOptions {
  /** Absent = the DNS servers of this machine. */
  readonly lookup?: AddressLookup
  readonly connect?: AddressConnector
  /** For tests, in which a loopback server stands for a public one. */
  readonly isPrivate?: (address: string) => boolean
  /** Further authorities to trust. */
  readonly ca?: TlsOptions['ca']
}

/** Follows no redirect, and sends no cookie and no credential. */
export const checkedRequest =
  ({
    lookup = lookupPublicName,
    connect = connectAddress,
    isPrivate = isPrivateAddress,
    ca,
  }: CheckedRequestOptions = {}) =>
  async (url: URL, signal: AbortSignal): Promise<Response | ConnectionFailure> => {
    const isTls = url.protocol === 'https:'
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const port = Number(url.port || (isTls ? 443 : 80))
    const { lookupMs, connectMs } = EGRESS_LIMITS
    const socket = await connectChecked({ host, port }, { lookup, connect, isPrivate, lookupMs, connectMs, signal })
    if (typeof socket === 'string') return socket
    const name = isIP(host) ? {} : { servername: host }
    const stream = isTls ? connectTls({ socket, ...name, ALPNProtocols: ['http/1.1'], ...(ca && { ca }) }) : socket
    // The request answers an error of its stream. One that comes after the request would end the process without a listener.
    stream.on('error', () => {})
    return exchange(
      {
        createConnection: () => stream,
        path: `${url.pathname}${url.search}`,
        headers: { host: url.host, accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'bridle' },
        maxHeaderSize: EGRESS_LIMITS.headerBytesMax,
        signal,
      },
      () => stream.destroy(),
    )
  }

const exchange = (options: RequestOptions, destroy: () => void): Promise<Response | ConnectionFailure> =>
  new Promise((resolve) => {
    const fail = () => {
      destroy()
      resolve('unreachable')
    }
    request(options, (incoming) => {
      const { statusCode = 0, headers } = incoming
      if (statusCode < 200 || statusCode > 599) return fail()
      const isEmpty = statusCode === 204 || statusCode === 205 || statusCode === 304
      if (isEmpty) incoming.resume()
      const kept = ['content-type', 'content-length', 'content-encoding', 'location'].flatMap((name) =>
        typeof headers[name] === 'string' ? [[name, headers[name]] as [string, string]] : [],
      )
      const body = isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>)
      resolve(new Response(body, { status: statusCode, headers: kept }))
    })
      .on('error', fail)
      .end()
  })
