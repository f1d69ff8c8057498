// Addresses that an answer names, as the caller reaches them.

/**
 * A path of ours behind the prefix that a proxy took away (`X-Forwarded-Prefix`). Whoever sends the header: the address goes
 * back to that caller alone, and a prefix is a plain path, so it leads to no other host.
 */
export const publicPath = ({ headers }: Pick<Request, 'headers'>, path: string): string => {
  const prefix = headers.get('x-forwarded-prefix')?.replace(/\/$/, '') ?? ''
  return isPlainPath(prefix) ? `${prefix}${path}` : path
}

const isPlainPath = (prefix: string): boolean =>
  /^(?:\/[\w.~-]+)+$/.test(prefix) && !prefix.split('/').some((part) => part === '.' || part === '..')
