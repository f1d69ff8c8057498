import { BlockList, isIP } from 'node:net'
import { ServerFault } from '@bridle/system/server-fault'

/** Throws on an entry that is neither an address nor a range. Null if no proxy is trusted. */
export const proxyFilter = (
  named: readonly string[] = [],
  { BRIDLE_TRUST_PROXY = '' }: { readonly BRIDLE_TRUST_PROXY?: string | undefined } = {},
): ((address: string) => boolean) | null => {
  const entries = [...named, ...BRIDLE_TRUST_PROXY.split(',')].map((entry) => entry.trim()).filter(Boolean)
  if (entries.length === 0) return null
  const list = new BlockList()
  for (const entry of entries.flatMap((each) => (each === 'loopback' ? LOOPBACK : [each]))) add(list, entry)
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

const LOOPBACK = ['127.0.0.0/8', '::1']

const add = (list: BlockList, entry: string): void => {
  const [address = '', bits, ...rest] = entry.split('/')
  const family = familyOf(address)
  const most = family === 'ipv4' ? 32 : 128
  const isRange = bits !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= most
  if (isIP(address) === 0 || rest.length > 0 || (bits !== undefined && !isRange))
    throw new ServerFault(
      'proxy_invalid',
      `"${entry}" in trustedProxies or BRIDLE_TRUST_PROXY is no address, such as 10.0.0.7, and no range, such as 10.0.0.0/8.`,
    )
  if (isRange) list.addSubnet(address, Number(bits), family)
  else list.addAddress(address, family)
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
