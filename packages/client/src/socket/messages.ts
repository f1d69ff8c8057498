// The parts of a message that every socket reads and writes alike.

/** Null = not a message. A later version of a server may send types that this client does not know. */
export const parseTyped = <T>(data: unknown): T | null => {
  try {
    const value: unknown = JSON.parse(String(data))
    return typeof value === 'object' && value !== null && 'type' in value ? (value as T) : null
  } catch {
    return null
  }
}

/** Not `randomUUID`: pages without https have none. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
