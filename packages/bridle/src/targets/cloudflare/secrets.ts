// Signing with the Web's own means.

export const hmac = async (secret: string, text: string): Promise<string> => {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  return toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text))))
}

/** Whether it is the signature of the text. Both are hashed once more, so that comparing them tells nothing. */
export const isSigned = async (secret: string, text: string, signature: string): Promise<boolean> => {
  const [given, right] = await Promise.all([
    hmac(secret, `compare:${signature}`),
    hmac(secret, text).then((expected) => hmac(secret, `compare:${expected}`)),
  ])
  return given === right
}

/** The alphabet that fits URLs and subprotocols. */
export const toBase64 = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

export const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
