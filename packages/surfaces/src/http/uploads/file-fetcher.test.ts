import { describe, expect, test } from 'vitest'
import { UPLOAD_BYTES_MAX } from '../limits.ts'
import { parseFetchOrigins } from './fetch-origins.ts'
import { type AddressOpener, createFileFetcher, FETCHES_AT_ONCE_MAX } from './file-fetcher.ts'

describe('[OH100] the operator’s list', () => {
  const list = [
    'files.example.com',
    'https://a.example.com:8443',
    'http://plain.example.com',
    '*.bucket.example',
    'münchen.example',
  ]
  const isAllowed = parseFetchOrigins(list)
  test.each<[string, boolean]>([
    ['https://files.example.com/a', true],
    ['https://FILES.example.com:443/a', true],
    ['http://files.example.com/a', false],
    ['https://files.example.com:444/a', false],
    ['https://files.example.com.evil.example/', false],
    ['https://x.files.example.com/', false],
    ['https://files.example.com@evil.example/', false],
    ['https://a.example.com:8443/', true],
    ['https://a.example.com/', false],
    ['http://plain.example.com/', true],
    ['https://plain.example.com/', false],
    ['https://one.two.bucket.example/', true],
    ['https://bucket.example/', false],
    ['https://notbucket.example/', false],
    ['https://xn--mnchen-3ya.example/', true],
    ['ftp://files.example.com/a', false],
    ['file:///etc/passwd', false],
    ['gs://files.example.com/a', false],
  ])('%s: %s', (uri, expected) => expect(isAllowed(new URL(uri))).toBe(expected))
  test.each([
    '',
    '*',
    '*.',
    '*.com',
    'a/b',
    'https://a.example/b',
    'user@a.example',
    'ftp://a.example',
    'a b',
    'a:port',
  ])('%j is no entry', (entry) =>
    expect(() => parseFetchOrigins(['files.example.com', entry])).toThrow('openharness.fetch has'),
  )
  test('has no wildcards where names cannot be checked', () => {
    expect(() => parseFetchOrigins(['*.bucket.example'], { wildcards: false })).toThrow('Name each host')
    expect(parseFetchOrigins(['a.example'], { wildcards: false })(new URL('https://a.example/'))).toBe(true)
  })
})

const fetcherOf = (open: AddressOpener, timeoutMs?: number) =>
  createFileFetcher({
    isAllowed: ({ protocol, hostname }) => protocol === 'https:' && hostname.endsWith('.test'),
    open,
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
const redirect = (location: string, status = 302) => new Response(null, { status, headers: { location } })

describe('[OH102] a fetch', () => {
  test('follows three redirects, also relative ones', async () => {
    const seen: string[] = []
    const answers = ['/b', 'https://c.test/d', 'e']
    const { fetch } = fetcherOf(async ({ href }) => {
      seen.push(href)
      const location = answers.shift()
      return location === undefined ? new Response('file') : redirect(location)
    })
    expect(await fetch('https://a.test/a')).toMatchObject({ bytes: new TextEncoder().encode('file') })
    expect(seen).toEqual(['https://a.test/a', 'https://a.test/b', 'https://c.test/d', 'https://c.test/e'])
  })
  test.each<[string, string]>([
    ['to another host', 'https://evil.example/'],
    ['to another scheme', 'http://a.test/'],
    ['to no address', 'https://'],
    ['with a password', 'https://a:b@a.test/'],
    ['for ever', '/'],
  ])('refuses redirects %s', async (_, location) => {
    let calls = 0
    const { fetch } = fetcherOf(async () => {
      calls += 1
      return redirect(location)
    })
    expect(await fetch('https://a.test/')).toMatchObject({ outcome: 'refused' })
    expect(calls).toBe(location === '/' ? 4 : 1)
  })
  test.each<[number, string]>([
    [204, 'refused'],
    [206, 'refused'],
    [302, 'refused'],
    [403, 'refused'],
    [404, 'refused'],
    [408, 'failed'],
    [429, 'failed'],
    [500, 'failed'],
    [503, 'failed'],
  ])('%i is %s', async (status, outcome) => {
    const { fetch } = fetcherOf(async () => new Response(status === 204 ? null : 'x', { status }))
    expect(await fetch('https://a.test/')).toMatchObject({ outcome })
  })
  test.each<[string, Response]>([
    ['an empty file', new Response('')],
    ['no body', new Response(null)],
    ['a compressed file', new Response('x', { headers: { 'content-encoding': 'gzip' } })],
    ['a file that says that it is too large', new Response('x', { headers: { 'content-length': '25000001' } })],
  ])('refuses %s', async (_, response) => {
    expect(await fetcherOf(async () => response).fetch('https://a.test/')).toMatchObject({ outcome: 'refused' })
  })
  test('stops reading a file that is too large, and takes one of 25 MB', async () => {
    const chunk = new Uint8Array(1_000_000)
    let sent = 0
    const endless = () =>
      new ReadableStream({
        pull: (controller) => {
          sent += 1
          controller.enqueue(chunk)
        },
      })
    const { fetch } = fetcherOf(async () => new Response(endless()))
    expect(await fetch('https://a.test/')).toMatchObject({ outcome: 'refused' })
    expect(sent).toBeLessThan(30)
    const whole = await fetcherOf(async () => new Response(new Uint8Array(UPLOAD_BYTES_MAX))).fetch('https://a.test/')
    expect('bytes' in whole && whole.bytes.byteLength).toBe(UPLOAD_BYTES_MAX)
  })
  test('fails after its time, whether the server is silent or endless', async () => {
    const silent: AddressOpener = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const stalled = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) })
    for (const open of [silent, async () => new Response(stalled)])
      expect(await fetcherOf(open, 1).fetch('https://a.test/')).toMatchObject({ outcome: 'failed' })
  })
  test('waits for no place: beyond eight at once the caller sends it again', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const { fetch } = fetcherOf(async () => {
      await gate
      return new Response(new Uint8Array(1))
    })
    const first = Array.from({ length: FETCHES_AT_ONCE_MAX }, () => fetch('https://a.test/'))
    expect(await fetch('https://a.test/')).toMatchObject({ outcome: 'failed' })
    open()
    expect((await Promise.all(first)).every((file) => 'bytes' in file)).toBe(true)
    expect(await fetch('https://a.test/')).toHaveProperty('bytes')
  })
})
