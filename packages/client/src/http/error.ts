import type { SettledApprovalDetails } from '@bridle/wire/http/wire'

/** A failed request. Match `type`, never the message. `status` is 0 without a response. */
export class FabricError extends Error {
  /** Always `FabricError`. */
  override readonly name = 'FabricError'
  /** The HTTP status. 0 without a response. */
  readonly status: number
  /** The code to match. */
  readonly type: string
  /** The server's `Retry-After`. */
  readonly retryAfterMs: number | null
  /** The existing decision, if the approval was already settled. */
  declare readonly settledApproval?: SettledApprovalDetails

  /** Path of the invalid field, such as `policy.health.max_cost_usd`. */
  declare readonly field?: string

  constructor(
    status: number,
    type: string,
    message: string,
    more: { retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.status = status
    this.type = type
    this.retryAfterMs = more.retryAfterMs ?? null
  }

  /** True if a retry may succeed: no response, rate limited, or the server is stopping. */
  get isRetryable(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 502 || this.status === 503 || this.status === 504
  }
}

/** Parses both error bodies: a string, which a 404 explains in `message`, or `{ type, message }`. */
export const errorFromResponse = async (response: Response): Promise<FabricError> => {
  const { status } = response
  const body: unknown = await response.json().catch(() => null)
  const error = isRecord(body) ? body.error : null
  const explained = isRecord(body) && typeof body.message === 'string' ? body.message : error
  const { type, message } = isRecord(error) ? error : { type: null, message: explained }
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new FabricError(
    status,
    typeof type === 'string' ? type : (types[status] ?? 'unknown'),
    typeof message === 'string' ? message : `The server answered ${status}.`,
    { retryAfterMs: Number.isFinite(wait) ? wait * 1000 : null },
  )
}

const types: { readonly [status: number]: string } = { 400: 'bad_request', 404: 'not_found', 501: 'not_implemented' }

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
