// Who may come in. The agent runs commands by design, so an open route is remote code execution: without a token only
// this machine may ask, and no web page of another origin, not even by a name that resolves to this machine.
import type { MiddlewareHandler } from 'hono'
import { failure } from './errors.ts'

export interface GuardOptions {
  /** Undefined = open, on loopback only. */
  readonly token?: string
  readonly allowedOrigins?: readonly string[]
}

export const guard = ({ token, allowedOrigins = [] }: GuardOptions): MiddlewareHandler => {
  const expected = token === undefined ? null : digest(token)
  return async (c, next) => {
    const origin = c.req.header('origin')
    if (origin !== undefined && !allowedOrigins.includes(origin) && !isLoopback(hostOf(origin))) {
      return failure(c, 'forbidden', 'This origin is not allowed.')
    }
    if (expected === null && !isLoopback(hostOf(`http://${c.req.header('host') ?? ''}`))) {
      return failure(c, 'forbidden', 'Without a token only this machine may ask.')
    }
    if (expected !== null && c.req.path !== '/health') {
      const given = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
      if (given === undefined || !sameBytes(await digest(given), await expected)) {
        return failure(c, 'unauthorized', 'A valid bearer token is required.')
      }
    }
    return next()
  }
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  host === '::1' ||
  /^127(\.\d{1,3}){3}$/.test(host)

const hostOf = (url: string): string => {
  try {
    return new URL(url).hostname
  } catch {
    return ''
  }
}

// Digests have one length, so comparing them takes the same time whatever was sent.
const digest = (text: string): Promise<ArrayBuffer> => crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))

const sameBytes = (a: ArrayBuffer, b: ArrayBuffer): boolean => {
  const left = new Uint8Array(a)
  const right = new Uint8Array(b)
  let different = left.length ^ right.length
  for (const [index, byte] of left.entries()) different |= byte ^ (right[index] ?? 0)
  return different === 0
}
