import { expect, test } from 'vitest'
import { networkOf } from './caller-network.ts'

test.each([
  ['9.9.9.9', '9.9.9.9'],
  ['::ffff:9.9.9.9', '9.9.9.9'],
  ['::ffff:909:909', '9.9.9.9'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0::5', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
  ['no:address', 'no:address'],
])('[H54] %j is counted as %j', (address, expected) => expect(networkOf(address)).toBe(expected))
