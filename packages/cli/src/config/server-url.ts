export const DEFAULT_HOST = '127.0.0.1'
export const DEFAULT_PORT = '4317'
export const DEFAULT_URL = `http://${DEFAULT_HOST}:${DEFAULT_PORT}`

export const isLocalUrl = (url: string): boolean =>
  /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(new URL(url).hostname)

/** Flags for `bridle start` at this address, each with a leading space. Null if it cannot be started from here. */
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

/** Completes a URL typed without its scheme. */
export const meantUrl = (text: string): string =>
  /^(localhost|[^/\s]+[.:][^/\s]+)(\/\S*)?$/.test(text) && URL.canParse(`http://${text}`)
    ? `http://${text}`
    : DEFAULT_URL

export class UnreachableError extends Error {
  readonly url: string

  constructor(url: string, options: ErrorOptions) {
    super(`Nobody answers at ${url}.`, options)
    this.name = 'UnreachableError'
    this.url = url
  }
}
