/** Null unless it is a message. Newer servers may send unknown types. */
export const parseTyped = <T>(data: unknown): T | null => {
  try {
    const value: unknown = JSON.parse(String(data))
    return typeof value === 'object' && value !== null && 'type' in value ? (value as T) : null
  } catch {
    return null
  }
}

/** `randomUUID` requires https. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
