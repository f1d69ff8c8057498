// Each purpose has its own key, derived from the one secret.

export type KeyPurpose = 'run' | 'sandbox' | 'ticket' | 'credential' | 'continuation' | 'privacy'

/** Deterministic, so that the token can be derived again. */
export const deriveToken = async (secret: string, purpose: KeyPurpose, ...names: readonly (string | number)[]) =>
  toBase64Url(await hmac(await keyFor(secret, purpose), JSON.stringify(names)))

const IV_BYTES = 12
const AES = 'AES-GCM'

/** The IV is derived from the value, so that sealing the same value again returns the same text. */
export const seal = async (secret: string, purpose: KeyPurpose, value: unknown): Promise<string> => {
  const plain = new TextEncoder().encode(JSON.stringify(value))
  const iv = await ivOf(secret, purpose, plain)
  const key = await aesKey(secret, purpose, 'encrypt')
  const cipher = new Uint8Array(await crypto.subtle.encrypt({ name: AES, iv }, key, plain))
  const sealed = new Uint8Array(IV_BYTES + cipher.length)
  sealed.set(iv)
  sealed.set(cipher, IV_BYTES)
  return toBase64Url(sealed)
}

/** Null if not sealed with this secret for this purpose. */
export const unseal = async <T>(secret: string, purpose: KeyPurpose, text: string): Promise<T | null> => {
  try {
    const sealed = fromBase64Url(text)
    // The decoder ignores spaces and spare bits, so accept only the canonical text.
    if (toBase64Url(sealed) !== text) return null
    const iv = sealed.slice(0, IV_BYTES)
    const key = await aesKey(secret, purpose, 'decrypt')
    const plain = await crypto.subtle.decrypt({ name: AES, iv }, key, sealed.slice(IV_BYTES))
    return JSON.parse(new TextDecoder().decode(plain)) as T
  } catch {
    return null
  }
}

const ivOf = async (
  secret: string,
  purpose: KeyPurpose,
  plain: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> => (await hmac(await keyFor(secret, `${purpose} iv`), plain)).slice(0, IV_BYTES)

const aesKey = async (secret: string, purpose: KeyPurpose, usage: 'encrypt' | 'decrypt'): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', await keyFor(secret, `${purpose} seal`), AES, false, [usage])

const keyFor = (secret: string, purpose: string): Promise<Uint8Array<ArrayBuffer>> =>
  hmac(new TextEncoder().encode(secret), `bridle ${purpose}`)

const hmac = async (
  secret: Uint8Array<ArrayBuffer>,
  text: string | Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> => {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes))
}

export const toBase64Url = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
