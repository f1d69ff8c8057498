// Origins from which an operator allows fetching. A matching URL is checked again after name resolution.

/** Throws with advice on an invalid entry. `wildcards` allows `*.example.com` for all subdomains. */
export const parseFetchOrigins = (
  entries: readonly string[],
  { wildcards = true }: { readonly wildcards?: boolean } = {},
): ((url: URL) => boolean) => {
  const origins = entries.map((entry) => parseOrigin(entry, wildcards))
  return (url) => origins.some((origin) => matches(origin, url))
}

interface FetchOrigin {
  readonly protocol: string
  readonly hostname: string
  readonly port: string
  /** Matches subdomains of `hostname`, but not `hostname` itself. */
  readonly isWildcard: boolean
}

const parseOrigin = (entry: string, wildcards: boolean): FetchOrigin => {
  const wrong = (advice: string) =>
    new Error(`openharness.fetch has ${JSON.stringify(entry)?.slice(0, 300)}. ${advice}`)
  const advice = 'Write a host such as "files.example.com", or an origin such as "https://files.example.com:8443".'
  const [, scheme = 'https', star, host] = /^(?:(https?):\/\/)?(\*\.)?([^/?#@*\s\\]+)$/i.exec(String(entry)) ?? []
  const address = `${scheme}://${host}`
  if (host === undefined || !URL.canParse(address)) throw wrong(advice)
  const { protocol, hostname, port } = new URL(address)
  if (star && !wildcards) throw wrong('Name each host: here the server cannot check where a name leads.')
  if (star && !hostname.includes('.')) throw wrong('A wildcard needs a domain of its own, such as "*.example.com".')
  return { protocol, hostname, port, isWildcard: star !== undefined }
}

const matches = ({ protocol, hostname, port, isWildcard }: FetchOrigin, url: URL): boolean =>
  url.protocol === protocol &&
  url.port === port &&
  (isWildcard ? url.hostname.endsWith(`.${hostname}`) : url.hostname === hostname)
