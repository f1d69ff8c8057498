// Requests that may be cut at any moment.
import type { SessionAddress } from './wire-client.ts'

export interface HttpAnswer {
  readonly status: number
  readonly body: { readonly [name: string]: unknown }
}

interface RequestContent {
  readonly body?: unknown
  /** A text that is uploaded as a file. */
  readonly file?: string
  readonly key?: string
  readonly signal?: AbortSignal
  readonly method?: string
}

/** Long enough for any answer of a server that is alive; a stopped one must not hold a round for ever. */
const PATIENCE_MS = 20_000

/** Null when no whole answer came. */
export const request = async (
  { url, tenant }: SessionAddress,
  path: string,
  { body, file, key, signal, method }: RequestContent = {},
): Promise<HttpAnswer | null> => {
  try {
    const response = await fetch(`${url()}${path}`, {
      method: method ?? (body === undefined && file === undefined ? 'GET' : 'POST'),
      headers: {
        'x-fabric-tenant': tenant,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(file !== undefined && { 'content-type': 'text/plain' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(file !== undefined && { body: file }),
      signal: AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), ...(signal ? [signal] : [])]),
    })
    return { status: response.status, body: (await response.json()) as HttpAnswer['body'] }
  } catch {
    return null
  }
}
