/** A part of a new id. `crypto.randomUUID` is for pages of a secure origin alone, and a server in a local network has none. */
export const randomText = (): string =>
  [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
