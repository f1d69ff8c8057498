// Falls back to slower code on runtimes without native Base64.

interface NativeBase64 {
  readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer>
}

/** Null if the text is not Base64. Padding is optional, and white space is skipped. */
export const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> | null => {
  const { fromBase64 } = Uint8Array as NativeBase64
  if (!fromBase64) return decodeSlowly(text)
  try {
    return fromBase64.call(Uint8Array, text)
  } catch {
    return null
  }
}

export const encodeBase64 = (bytes: Uint8Array): string => {
  const native = bytes as { readonly toBase64?: () => string }
  return native.toBase64?.() ?? encodeSlowly(bytes)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES = new Uint8Array(128).fill(255)
for (const [value, letter] of [...ALPHABET].entries()) VALUES[letter.charCodeAt(0)] = value

/** Exported for tests: unused where Base64 is native. */
export const decodeSlowly = (text: string): Uint8Array<ArrayBuffer> | null => {
  const compact = text.replace(/[\t\n\f\r ]/g, '')
  const digits = compact.replace(/={1,2}$/, '')
  const padding = compact.length - digits.length
  if (digits.length % 4 === 1 || (padding > 0 && compact.length % 4 !== 0)) return null
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4))
  let bits = 0
  let held = 0
  let at = 0
  for (let index = 0; index < digits.length; index++) {
    const value = VALUES[digits.charCodeAt(index)] ?? 255
    if (value === 255) return null
    bits = (bits << 6) | value
    held += 6
    if (held < 8) continue
    held -= 8
    bytes[at++] = (bits >> held) & 255
    bits &= (1 << held) - 1
  }
  return bytes
}

/** Exported for tests. */
export const encodeSlowly = (bytes: Uint8Array): string => {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second, third] = [bytes[at], bytes[at + 1], bytes[at + 2]]
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0)
    text += ALPHABET.charAt(bits >> 18) + ALPHABET.charAt((bits >> 12) & 63)
    text += second === undefined ? '=' : ALPHABET.charAt((bits >> 6) & 63)
    text += third === undefined ? '=' : ALPHABET.charAt(bits & 63)
  }
  return text
}
