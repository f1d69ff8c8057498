// The row of a provider: everything that the proxy, the relay, the runner and the command line know about it.

import type { TokenUsage } from '@bridle/model-data/prices'
import type { RunnerHealth } from '../../protocol/protocol.ts'

export interface ProviderRoute {
  readonly method: string
  /** Matches the whole path behind the mount. */
  readonly path: RegExp
  /** probe: answered here, for anybody. read: passed on. count: names a model, costs nothing. answer: costs tokens. */
  readonly kind: 'probe' | 'read' | 'count' | 'answer'
}

export type ProviderVariable = `${string}_API_KEY` | `${string}_BASE_URL` | `${string}_AUTH_TOKEN`

export interface Provider {
  readonly title: string
  readonly variablePrefix: string
  /** The variables in which an operator sets the key and the base URL. */
  readonly keyName: ProviderVariable
  readonly urlName: ProviderVariable
  /** A bearer token that a runner accepts in place of a key. */
  readonly bearerName?: ProviderVariable
  /** The field of a runner's health that says whether the runner has a key. */
  readonly healthField: Extract<keyof RunnerHealth, `has${string}Key`>
  readonly vendorUrl: string
  /** The path at which the proxy and the relay stand for the vendor's base URL. */
  readonly mount: string
  /** The end of the vendor's base URL that is part of the mount. */
  readonly basePath: string
  readonly routes: readonly ProviderRoute[]
  readonly authorise: (key: string) => { readonly [header: string]: string }
  readonly encodeRefusal: (code: ProxyRefusalCode, message: string) => object
  /** Reads the usage out of an event of a stream, or out of a whole answer as `{ type: 'whole', whole }`. */
  readonly readUsage: (event: ProviderEvent, counter: UsageCounter) => void
}

export type ProviderEvent = { readonly [name: string]: unknown }

export interface UsageCounter {
  /** Counts in a stream include all earlier ones. `isFinal`: no estimate is needed any more. */
  addCounts(usage: Partial<TokenUsage>, isFinal: boolean): void
  addText(text: unknown): void
}

/** Statuses that engines do not retry, except where a retry may help. */
export const REFUSAL_STATUSES = {
  token_invalid: 401,
  path_not_allowed: 404,
  request_invalid: 400,
  model_not_allowed: 403,
  spend_limit: 402,
  key_missing: 403,
  key_refused: 403,
  body_too_large: 413,
  too_many_requests: 429,
  upstream_failed: 502,
} as const
export type ProxyRefusalCode = keyof typeof REFUSAL_STATUSES
