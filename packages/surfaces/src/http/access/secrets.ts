import { toBase64Url } from './sealing.ts'

/** 192 bits cannot be guessed. */
const TOKEN_BYTES = 24

/** Digests have equal length, so that comparison time does not depend on the caller's input. */
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

export const randomToken = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)))

/** For logs. Decodes parameter names first, so that `%74oken` is redacted as `token`. */
export const redactUrl = (url: string): string => {
  const [path = '', query] = url.split('?', 2)
  if (query === undefined) return url
  const shown = query.split('&').map((pair) => {
    const [name] = new URLSearchParams(pair).keys()
    return name !== undefined && /^(token|ticket)$/i.test(name) ? `${pair.split('=', 1)[0]}=…` : pair
  })
  return `${path}?${shown.join('&')}`
}
