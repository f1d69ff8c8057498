// Requests to addresses that are checked: over real connections, with names that exist in the test alone.
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { connectAddress } from '@bridle/runners/network/checked-connection'
import { type CheckedRequestOptions, checkedRequest } from '@bridle/runners/network/checked-request'
import { isPrivateAddress } from '@bridle/runners/network/private-addresses'
import { testCertificate } from '@bridle/runners/network/test-certificate.suite'
import { parseFetchOrigins } from '@bridle/surfaces/http/uploads/fetch-origins'
import { createFileFetcher } from '@bridle/surfaces/http/uploads/file-fetcher'
import { afterEach, describe, expect, test } from 'vitest'

/** A public address, in whose place the test connects to this machine. */
const PUBLIC = '93.184.216.34'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})
const listen = async (handle: RequestListener, tls = false): Promise<number> => {
  const server = tls ? createTlsServer(testCertificate, handle) : createServer(handle)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Every name has the public address, unless `names` say otherwise; each look-up and each connection is listed. */
const fetcherFor = (
  port: number,
  origins: readonly string[],
  { names = {}, ...options }: CheckedRequestOptions & { names?: Record<string, string[][]> } = {},
) => {
  const seen: string[] = []
  const open = checkedRequest({
    lookup: async (host) => {
      seen.push(`lookup ${host}`)
      return names[host]?.shift() ?? [PUBLIC]
    },
    connect: (address): Socket => {
      seen.push(`connect ${address}`)
      return connectAddress('127.0.0.1', port)
    },
    ca: testCertificate.cert,
    ...options,
  })
  return { seen, ...createFileFetcher({ isAllowed: parseFetchOrigins(origins), open }) }
}
const textOf = (file: object) => ('bytes' in file ? new TextDecoder().decode(file.bytes as Uint8Array) : file)

describe('[OH101] the address that a name has', () => {
  test('is looked up once, and is the one that is connected to', async () => {
    const port = await listen((_, response) => response.end('file'), true)
    const rebinding = { 'files.test': [[PUBLIC], ['127.0.0.1']] }
    const { fetch, seen } = fetcherFor(port, ['files.test'], { names: rebinding })
    expect(textOf(await fetch('https://files.test/a'))).toBe('file')
    expect(seen).toEqual(['lookup files.test', `connect ${PUBLIC}`])
    expect(await fetch('https://files.test/a')).toMatchObject({ outcome: 'refused' })
    expect(seen).toEqual(['lookup files.test', `connect ${PUBLIC}`, 'lookup files.test'])
  })
  test.each([
    ['loopback', '127.0.0.1'],
    ['a private network', '10.0.0.7'],
    ['the metadata service', '169.254.169.254'],
    ['IPv6 loopback', '::1'],
    ['link-local IPv6', 'fe80::1'],
    ['a local IPv6 network', 'fd00::1'],
    ['IPv4 inside IPv6', '::ffff:127.0.0.1'],
    ['NAT64', '64:ff9b::a9fe:a9fe'],
  ])('is refused where it is %s, also beside a public one', async (_, address) => {
    const { fetch, seen } = fetcherFor(1, ['files.test'], { names: { 'files.test': [[address], [PUBLIC, address]] } })
    for (let turn = 0; turn < 2; turn++)
      expect(await fetch('https://files.test/a')).toMatchObject({ outcome: 'refused' })
    expect(seen).toEqual(['lookup files.test', 'lookup files.test'])
  })
  test.each(['http://127.0.0.1:9/a', 'http://[::1]:9/a', 'http://2130706433:9/', 'http://[::ffff:7f00:1]:9/'])(
    'is refused in %s, even where the operator lists it',
    async (uri) => {
      const { fetch, seen } = fetcherFor(1, ['http://127.0.0.1:9', 'http://[::1]:9', 'http://[::ffff:127.0.0.1]:9'])
      expect(await fetch(uri)).toMatchObject({ outcome: 'refused' })
      expect(seen).toEqual([])
    },
  )
  test('is checked again after a redirect', async () => {
    const port = await listen(
      (_, response) => response.writeHead(302, { location: 'https://other.test/b' }).end(),
      true,
    )
    const { fetch, seen } = fetcherFor(port, ['files.test', 'other.test'], { names: { 'other.test': [['10.0.0.1']] } })
    expect(await fetch('https://files.test/a')).toMatchObject({ outcome: 'refused' })
    expect(seen).toEqual(['lookup files.test', `connect ${PUBLIC}`, 'lookup other.test'])
  })
})

test('[OH101] a certificate must be of the name, and trusted', async () => {
  const port = await listen((_, response) => response.end('file'), true)
  expect(textOf(await fetcherFor(port, ['other.test']).fetch('https://other.test/a'))).toBe('file')
  expect(await fetcherFor(port, ['foreign.test']).fetch('https://foreign.test/')).toMatchObject({ outcome: 'failed' })
  const untrusting = fetcherFor(port, ['files.test'], { ca: [] })
  expect(await untrusting.fetch('https://files.test/')).toMatchObject({ outcome: 'failed' })
})

test('[OH102] a request has no credentials, and asks for the file as it is', async () => {
  const headers: object[] = []
  const port = await listen((request, response) => {
    headers.push({ ...request.headers, url: request.url })
    response.writeHead(200, { 'set-cookie': 'a=b', 'content-type': 'Text/CSV' }).end('x')
  })
  const { fetch } = fetcherFor(port, ['http://files.test'])
  for (let turn = 0; turn < 2; turn++)
    expect(await fetch('http://files.test/a%20b?c=d#e')).toMatchObject({ mimeType: 'text/csv' })
  const expected = { host: 'files.test', accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'bridle' }
  const request = { ...expected, connection: 'close', url: '/a%20b?c=d' }
  expect(headers).toEqual([request, request])
})

test('[OH102] a connection that breaks in the middle, or that nobody accepts, may be tried again', async () => {
  const port = await listen((_, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy())
  })
  expect(await fetcherFor(port, ['http://files.test']).fetch('http://files.test/')).toMatchObject({ outcome: 'failed' })
  const nobody = fetcherFor(port, ['http://files.test'], { names: { 'files.test': [[]] } })
  expect(await nobody.fetch('http://files.test/')).toMatchObject({ outcome: 'failed' })
})

test('the addresses of the test are what it takes them for', () => {
  expect(isPrivateAddress(PUBLIC)).toBe(false)
})
