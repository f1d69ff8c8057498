export const DEFAULT_HOST = '127.0.0.1'
export const DEFAULT_PORT = '4317'
/** The server where nobody names one: the address of `bridle start` without flags. */
export const DEFAULT_URL = `http://${DEFAULT_HOST}:${DEFAULT_PORT}`

export const isLocalUrl = (url: string): boolean =>
  /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(new URL(url).hostname)

/** The flags of `bridle start` for this address, each with a space before it; null = no server can be started there from here. */
export const startFlags = (url: string): string | null => {
  const { protocol, hostname, port } = new URL(url)
  if (protocol !== 'http:' || !isLocalUrl(url)) return null
  const host = hostname.replaceAll(/[[\]]/g, '')
  const at = port || '80'
  return [
    host === 'localhost' || host === DEFAULT_HOST ? '' : ` --host ${host}`,
    at === DEFAULT_PORT ? '' : ` --port ${at}`,
  ].join('')
}

/** A URL that a person may have meant: many leave its beginning out. */
export const meantUrl = (text: string): string =>
  /^(localhost|[^/\s]+[.:][^/\s]+)(\/\S*)?$/.test(text) && URL.canParse(`http://${text}`)
    ? `http://${text}`
    : DEFAULT_URL

/** No answer came from this address; the cause says why. */
export class UnreachableError extends Error {
  readonly url: string

  constructor(url: string, options: ErrorOptions) {
    super(`Nobody answers at ${url}.`, options)
    this.name = 'UnreachableError'
    this.url = url
  }
}
