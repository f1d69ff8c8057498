/** Restores the prefix that a proxy removed. Forging the header is harmless: a plain path cannot lead to another host. */
export const publicPath = ({ headers }: { readonly headers: Pick<Headers, 'get'> }, path: string): string => {
  const prefix = headers.get('x-forwarded-prefix')?.replace(/\/$/, '') ?? ''
  return isPlainPath(prefix) ? `${prefix}${path}` : path
}

const isPlainPath = (prefix: string): boolean =>
  /^(?:\/[\w.~-]+)+$/.test(prefix) && !prefix.split('/').some((part) => part === '.' || part === '..')
