import { callerOf } from '@bridle/surfaces/http/access/proxy-headers'
import { expect, test } from 'vitest'
import { proxyFilter } from './trusted-proxies.ts'

test.each<[string, string, boolean]>([
  ['10.0.0.0/8', '10.9.8.7', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['192.0.2.7', '192.0.2.7', true],
  ['loopback', '127.0.0.9', true],
  ['loopback', '::1', true],
  [' 2001:db8::/32 , loopback', '2001:db8::5', true],
  ['2001:db8::/32', 'unknown', false],
])('[O35] BRIDLE_TRUST_PROXY=%s and %s: %s', (BRIDLE_TRUST_PROXY, address, isTrusted) =>
  expect(proxyFilter([], { BRIDLE_TRUST_PROXY })?.(address)).toBe(isTrusted),
)

test.each(['proxy', '10.0.0.0/33', '10.0.0.0/8/8', '::/129', 'true'])('[O35] %s is refused at the start', (entry) =>
  expect(() => proxyFilter([entry])).toThrow(
    expect.objectContaining({
      code: 'proxy_invalid',
      message: expect.stringContaining(`"${entry}" in trustedProxies or BRIDLE_TRUST_PROXY is no address`),
    }),
  ),
)

test('[O35] without an entry nobody is trusted', () => expect(proxyFilter([], { BRIDLE_TRUST_PROXY: '' })).toBeNull())

const isTrustedProxy = proxyFilter(['10.0.0.0/8', '::1']) ?? (() => false)
test.each<[string, string, string | null, string]>([
  ['a peer that is not trusted', '192.0.2.1', '1.1.1.1', '192.0.2.1'],
  ['one proxy', '10.0.0.1', '1.1.1.1', '1.1.1.1'],
  ['a peer as a socket of both kinds writes it', '::ffff:10.0.0.1', '1.1.1.1', '1.1.1.1'],
  ['two proxies, both trusted', '10.0.0.1', '1.1.1.1, 10.0.0.2', '1.1.1.1'],
  ['a caller that writes the header itself', '10.0.0.1', '6.6.6.6, 1.1.1.1', '1.1.1.1'],
  ['a caller that pretends to be a proxy', '10.0.0.1', '6.6.6.6, 10.0.0.9, 1.1.1.1, 10.0.0.2', '1.1.1.1'],
  ['all of them trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['ports', '10.0.0.1', '[2001:db8::1]:4711', '2001:db8:0:0::/64'],
  ['another port', '10.0.0.1', '1.1.1.1:4711', '1.1.1.1'],
  ['nonsense', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['nothing', '10.0.0.1', null, '10.0.0.1'],
])('[H54] the caller behind %s', (_name, peer, header, expected) => {
  const headers = new Headers(header === null ? {} : { 'x-forwarded-for': header })
  expect(callerOf({ isTrustedProxy }, { url: 'http://x/', headers }, peer).address).toBe(expected)
})
