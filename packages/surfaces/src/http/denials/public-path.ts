// Paths in answers, as the caller reaches them through a proxy.

/**
 * Adds the prefix that a proxy removed (`X-Forwarded-Prefix`). Any caller may send the header: the path goes back to that caller
 * alone, and a prefix is a plain path, so it leads to no other host.
 */
export const publicPath = ({ headers }: { readonly headers: Pick<Headers, 'get'> }, path: string): string => {
  const prefix = headers.get('x-forwarded-prefix')?.replace(/\/$/, '') ?? ''
  return isPlainPath(prefix) ? `${prefix}${path}` : path
}

const isPlainPath = (prefix: string): boolean =>
  /^(?:\/[\w.~-]+)+$/.test(prefix) && !prefix.split('/').some((part) => part === '.' || part === '..')
