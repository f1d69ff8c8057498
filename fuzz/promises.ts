// The promises that every answer of every surface keeps, for any input.
import { expect } from 'vitest'

const namesOf = (value: object): string[] => Reflect.ownKeys(value).map(String).toSorted()
const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype]
const before = prototypes.map(namesOf)

/** No answer can have added a name to what all objects share. */
export const expectPrototypesUnchanged = (): void => expect(prototypes.map(namesOf)).toEqual(before)

/** A stack, or a place in our own code or on this disk. */
const INSIDE =
  /\n\s+at |node:internal|node_modules|file:\/\/|\.(?:ts|js):\d+|SQLITE_|\/(?:tmp|home|usr|root|var|work)\//

export const expectNoInternals = (text: string): void => expect(text).not.toMatch(INSIDE)

/** The two shapes of the Fabric document, text or an object with a type and a message; and the envelope of OpenHarness. */
export const expectErrorBody = (body: unknown): void => {
  const { error, response } = body as { error?: unknown; response?: unknown }
  if (response !== undefined)
    return expect(response).toMatchObject({
      status: 'error',
      error: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) },
    })
  if (typeof error === 'string') expect(error).not.toBe('')
  else expect(error).toMatchObject({ type: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) })
}

/**
 * `fetch`, once more where the connection was reset: a server closes one that was idle for some seconds, and a request may cross
 * with that. A server that resets the next connection too has failed.
 */
export const fetchWithRetry = async (url: string, init: RequestInit): Promise<Response> => {
  try {
    return await fetch(url, init)
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string }
    if (code !== 'ECONNRESET' && code !== 'UND_ERR_SOCKET') throw error
    return fetch(url, init)
  }
}
