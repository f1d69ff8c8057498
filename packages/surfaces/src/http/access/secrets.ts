// Secrets: how they are compared, made, and kept out of logs.

/** Random bytes of a token or ticket: 192 bits, beyond any guess. */
const TOKEN_BYTES = 24

/** All digests have the same length, so that the time of a comparison does not depend on what the caller sent. */
export const digest = (text: string): Promise<ArrayBuffer> =>
  crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))

export const sameBytes = (a: ArrayBuffer, b: ArrayBuffer): boolean => {
  const left = new Uint8Array(a)
  const right = new Uint8Array(b)
  let different = left.length ^ right.length
  for (const [index, byte] of left.entries()) different |= byte ^ (right[index] ?? 0)
  return different === 0
}

export const hex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Random bits in characters that a URL and a subprotocol may have. */
export const randomToken = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')

/** A URL without its secrets, for logs. Parameter names are decoded first: `%74oken` is read as `token`, too. */
export const redactUrl = (url: string): string => {
  const [path = '', query] = url.split('?', 2)
  if (query === undefined) return url
  const shown = query.split('&').map((pair) => {
    const [name] = new URLSearchParams(pair).keys()
    return name !== undefined && /^(token|ticket)$/i.test(name) ? `${pair.split('=', 1)[0]}=…` : pair
  })
  return `${path}?${shown.join('&')}`
}
