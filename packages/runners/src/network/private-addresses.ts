// Addresses that no sandbox reaches: private and metadata addresses, and ranges that embed another address to get around the check.
import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** True also for text that is no address: the caller connects only to an address that was understood. */
export const isPrivateAddress = (address: string): boolean => {
  if (isIPv4(address)) return reserved.check(address, 'ipv4')
  // A zone (`fe80::1%eth0`) exists for local addresses only.
  if (!isIPv6(address) || address.includes('%')) return true
  const embedded = nat64.check(address, 'ipv6') ? lastFourBytes(address) : null
  if (embedded !== null) return reserved.check(embedded, 'ipv4')
  return !globalUnicast.check(address, 'ipv6') || reserved.check(address, 'ipv6')
}

/** The one spelling of an IPv6 address: lower case, shortened. Null: the text is no such address. */
export const canonicalIPv6 = (address: string): string | null =>
  isIPv6(address) && !address.includes('%') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : null

const blockList = (ranges: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return list
}

const reserved = blockList([
  '0.0.0.0/8', // this host
  '10.0.0.0/8',
  '100.64.0.0/10', // shared by a carrier's customers
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local, with the metadata service of most clouds
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '2001::/23', // protocols, with Teredo, which carries an IPv4 address
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which carries an IPv4 address
  '3fff::/20', // documentation
])

/** All public IPv6 addresses begin here; `::1`, IPv4-mapped, local and multicast addresses lie outside. */
const globalUnicast = blockList(['2000::/3'])

/** NAT64: on a network without IPv4 every public IPv4 address is seen under this prefix, and so is every private one. */
const nat64 = blockList(['64:ff9b::/96'])

const lastFourBytes = (address: string): string | null => {
  const groups = canonicalIPv6(address)?.split('::').at(-1)?.split(':') ?? []
  const [high, low] = ['0', '0', ...groups].slice(-2).map((group) => Number.parseInt(group || '0', 16))
  if (high === undefined || low === undefined) return null
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
