// Requests that may be cut at any moment.
import type { SessionAddress } from './wire-client.ts'

export interface HttpAnswer {
  readonly status: number
  readonly body: { readonly [name: string]: unknown }
}

/** Long enough for any answer of a server that is alive; a stopped one must not hold a round for ever. */
const PATIENCE_MS = 20_000

/** Null when no whole answer came. */
export const request = async (
  { url, tenant }: SessionAddress,
  path: string,
  { body, key, signal, method }: { body?: unknown; key?: string; signal?: AbortSignal; method?: string } = {},
): Promise<HttpAnswer | null> => {
  try {
    const response = await fetch(`${url()}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        'x-fabric-tenant': tenant,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), ...(signal ? [signal] : [])]),
    })
    return { status: response.status, body: (await response.json()) as HttpAnswer['body'] }
  } catch {
    return null
  }
}
