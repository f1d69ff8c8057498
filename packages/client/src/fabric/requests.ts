import type { SettledApprovalDetails } from '@bridle/wire/http/wire'
import { errorFromResponse, FabricError } from '../http/error.ts'
import type { ReasonOptions } from './calls.generated.ts'

/** Options of `fabricClient`. */
export interface FabricClientOptions {
  /** Base URL of the server: `http://127.0.0.1:4317`, with its base path if any. */
  readonly url: string
  /** The server's token. */
  readonly authToken?: string
  /** The tenant, on a server with several. */
  readonly tenantId?: string
  /** Replaces the platform's fetch. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

export interface Requests {
  call(path: string, init?: RequestInit): Promise<Response>
  get<T>(path: string, query?: object): Promise<T>
  post<T>(path: string, body: unknown, init?: RequestInit): Promise<T>
  /** Sends `fields` as JSON, with `idempotencyKey` as a header. */
  send<T>(method: string, path: string, fields: object): Promise<T>
  /** Same for a session action, with `agent` in the query. */
  act<T>(method: string, path: string, fields: object): Promise<T>
}

export const requestsTo = ({ url, authToken, tenantId, fetch: given }: FabricClientOptions): Requests => {
  const base = url.endsWith('/') ? url : `${url}/`
  const transmit = given ?? ((to, init) => fetch(to, init))

  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    if (!/^https?:\/\//i.test(url))
      throw new FabricError(
        400,
        'bad_request',
        `url must look like "http://127.0.0.1:4317"; it is ${JSON.stringify(url)}.`,
      )
    const headers = new Headers(init.headers)
    if (authToken !== undefined) headers.set('authorization', `Bearer ${authToken}`)
    if (tenantId !== undefined) headers.set('x-fabric-tenant', tenantId)
    const response = await transmit(new URL(path, base).href, { ...init, headers }).catch((cause: unknown) => {
      if (init.signal?.aborted) throw cause
      throw new FabricError(0, 'unreachable', `No Bridle answers at ${new URL(url).origin}.`, { cause })
    })
    if (!response.ok) throw Object.assign(await errorFromResponse(response.clone()), await detailsIn(response))
    return response
  }
  const get = async <T>(path: string, query: object = {}): Promise<T> =>
    readJson<T>(await call(path + queryText(query)))
  const post = async <T>(path: string, body: unknown, init: RequestInit = {}): Promise<T> => {
    const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) }
    return readJson<T>(await call(path, { method: 'POST', ...init, headers, body: JSON.stringify(body) }))
  }
  const send = <T>(method: string, path: string, fields: object): Promise<T> => {
    const { idempotencyKey, ...body } = fields as ReasonOptions
    return post(path, body, { method, headers: keyHeader(idempotencyKey) })
  }
  const act = <T>(method: string, path: string, fields: object): Promise<T> => {
    const { agent, ...others } = fields as ReasonOptions
    return send(method, path + queryText({ agent }), others)
  }
  return { call, get, post, send, act }
}

export const keyHeader = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'idempotency-key': key }

const detailsIn = async (response: Response): Promise<Pick<FabricError, 'settledApproval' | 'field'>> => {
  const body: (Partial<SettledApprovalDetails> & { readonly field?: unknown }) | null = await response
    .json()
    .catch(() => null)
  const { decision, decidedBy = null, decidedByClaimed, decidedAt, field } = body ?? {}
  return {
    ...(decision &&
      decidedAt && {
        settledApproval: { decision, decidedBy, ...(decidedByClaimed && { decidedByClaimed }), decidedAt },
      }),
    ...(typeof field === 'string' && { field }),
  }
}

/** `.` and `..` would be resolved as path segments and name another resource. */
export const pathSegment = (id: string): string => {
  if (/^\.{0,2}$/.test(id)) throw new FabricError(400, 'bad_request', `"${id}" cannot be asked for by its id.`)
  return encodeURIComponent(id)
}

export const queryText = (given: object): string => {
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) if (value !== undefined) asked.set(name, String(value))
  return asked.size === 0 ? '' : `?${asked}`
}

export const readJson = async <T>(response: Response): Promise<T> => {
  try {
    return (await response.json()) as T
  } catch (cause) {
    throw new FabricError(response.status, 'protocol', 'The answer is not JSON.', { cause })
  }
}

export const eventStreamOf = (response: Response): Response => {
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  throw new FabricError(response.status, 'protocol', 'The answer is not an event stream.')
}
