import { describe, expect, test } from 'vitest'
import { canonicalIPv6, isPrivateAddress } from './private-addresses.ts'

describe('[O17] private and reserved addresses', () => {
  test.each([
    ['this host', ['0.0.0.0', '0.255.255.255', '127.0.0.1', '127.255.255.254']],
    [
      'private networks',
      ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
    ],
    ['carrier networks', ['100.64.0.1', '100.127.255.255']],
    ['link-local and metadata', ['169.254.0.1', '169.254.169.254', '169.254.255.255']],
    ['protocols', ['192.0.0.1', '192.0.0.170', '192.88.99.1']],
    ['documentation', ['192.0.2.1', '198.51.100.7', '203.0.113.200', '2001:db8::1', '2001:DB8:ffff::', '3fff::1']],
    ['benchmarks', ['198.18.0.1', '198.19.255.255']],
    ['multicast and reserved', ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', 'ff02::1', 'ff0e::1']],
    ['IPv6 of this host', ['::', '::1', '0:0:0:0:0:0:0:1', '0000::0001']],
    ['IPv6 local', ['fc00::1', 'fd12:3456::1', 'fe80::1', 'febf::1', 'fec0::1', 'fe80::1%eth0', '2600::1%eth0']],
    ['IPv4 inside IPv6', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::127.0.0.1', '::ffff:0:8.8.8.8']],
    ['NAT64 of private addresses', ['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::10.0.0.1', '64:ff9b::']],
    ['NAT64 of a local prefix', ['64:ff9b:1::8.8.8.8', '64:ff9b:0:1::1']],
    ['6to4', ['2002::1', '2002:7f00:1::', '2002:808:808::1']],
    ['Teredo', ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:1ff::1']],
    ['outside of what is allocated', ['100::1', '4000::1', '5f00::1', '8000::1']],
    [
      'no addresses',
      ['', 'example.com', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '1.2.3.4.5', '[::1]', ' 8.8.8.8'],
    ],
  ])('%s', (_name, addresses) => {
    expect(addresses.filter((address) => !isPrivateAddress(address))).toEqual([])
  })

  test('public ones pass, also at the edges of private ranges', () => {
    const addresses = [
      ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
      ...[
        '128.0.0.1',
        '169.253.255.255',
        '169.255.0.0',
        '172.15.255.255',
        '172.32.0.0',
        '192.0.1.0',
        '192.167.255.255',
      ],
      ...['192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', '2606:4700::1111', '2001:4860:4860::8888'],
      ...['2001:200::1', '2003::1', '3ffe::1', '64:ff9b::8.8.8.8', '64:ff9b::101:101'],
    ]
    expect(addresses.filter(isPrivateAddress)).toEqual([])
  })
})

test('an IPv6 address has one spelling', () => {
  expect(['2606:4700:0:0:0:0:0:1111', '2606:4700::1111', '2606:4700::0.0.17.17'].map(canonicalIPv6)).toEqual(
    Array(3).fill('2606:4700::1111'),
  )
  expect(['1.2.3.4', 'fe80::1%eth0', '[::1]', 'x'].map(canonicalIPv6)).toEqual([null, null, null, null])
})
