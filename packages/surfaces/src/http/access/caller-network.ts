// The network that a caller is counted by. A household or a rented server has 2^64 addresses of IPv6: if each address were
// counted apart, it could guess tokens without end.

/** Removes the prefix of an IPv4 address that a socket for both families adds. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** An IPv4 address unchanged, or the first half of an IPv6 address in one spelling. */
export const networkOf = (address: string): string => {
  const plain = plainAddress(address)
  if (!plain.includes(':') || !URL.canParse(`http://[${plain}]`)) return plain
  const groups = groupsOf(new URL(`http://[${plain}]`).hostname.slice(1, -1))
  const isMapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff'
  return isMapped ? dotted(groups.slice(6)) : `${groups.slice(0, 4).join(':')}::/64`
}

/** The eight groups of an IPv6 address, from the short form that a URL has. */
const groupsOf = (text: string): string[] => {
  const [left = [], right = []] = text.split('::').map((half) => (half === '' ? [] : half.split(':')))
  return [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
}

const dotted = (groups: readonly string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((number) => [number >> 8, number & 255])
    .join('.')
