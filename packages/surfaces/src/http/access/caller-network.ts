// A household or rented server has 2^64 IPv6 addresses, so limits per address would allow unlimited token guesses.

/** Strips the IPv4-mapped prefix of dual-stack sockets. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** Returns IPv4 unchanged, and the normalized /64 prefix of IPv6. */
export const networkOf = (address: string): string => {
  const plain = plainAddress(address)
  if (!plain.includes(':') || !URL.canParse(`http://[${plain}]`)) return plain
  const groups = groupsOf(new URL(`http://[${plain}]`).hostname.slice(1, -1))
  const isMapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff'
  return isMapped ? dotted(groups.slice(6)) : `${groups.slice(0, 4).join(':')}::/64`
}

/** Expands the short form of an IPv6 address in a URL. */
const groupsOf = (text: string): string[] => {
  const [left = [], right = []] = text.split('::').map((half) => (half === '' ? [] : half.split(':')))
  return [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
}

const dotted = (groups: readonly string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((number) => [number >> 8, number & 255])
    .join('.')
