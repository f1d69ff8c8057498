import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { IncomingRequest } from '@bridle/surfaces/http/access/authenticate'

interface UpgradeHead extends Pick<IncomingMessage, 'headers'> {
  readonly url: string | undefined
  readonly httpVersion?: string
}

export const upgradeRequestOf = ({ url, headers, httpVersion }: UpgradeHead): IncomingRequest | null => {
  const { host = 'localhost' } = headers
  const address = `http://${host}${url}`
  // A host with a slash or an @ would change the path or the name.
  if (!/^[\w.:[\]-]+$/.test(host) || !url?.startsWith('/') || !URL.canParse(address)) return null
  return {
    url: address,
    ...(httpVersion !== undefined && { httpVersion }),
    headers: { get: (name) => textOf(headers[name.toLowerCase()]), keys: () => Object.keys(headers) },
    toRequest: () =>
      new Request(address, {
        headers: Object.entries(headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)]],
        ),
      }),
  }
}

const textOf = (value: string | string[] | undefined): string | null => (value === undefined ? null : String(value))

/** Sends the same response as over HTTP, and closes the connection. */
export const sendUpgradeRefusal = async (duplex: Duplex, response: Response): Promise<void> => {
  // Node has detached its listeners, and an unhandled error would end the process.
  duplex.on('error', () => duplex.destroy())
  const body = Buffer.from(await response.arrayBuffer())
  const headers = new Headers(response.headers)
  headers.set('content-length', String(body.byteLength))
  headers.set('connection', 'close')
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`)
  const { status } = response
  duplex.end(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`), body]))
  duplex.once('finish', () => duplex.destroy())
}
