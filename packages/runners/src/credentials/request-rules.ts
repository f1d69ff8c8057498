// The requests that a run may send to a provider with the server's key. The Node server and the Worker share these rules.

import { matchesModel } from '@bridle/model-data/prices'
import { OPEN_REQUEST_BYTES_MAX, OPEN_REQUESTS_MAX } from './limits.ts'
import type { Provider, ProviderRoute, ProxyRefusalCode } from './providers/provider.ts'
import { PROVIDER_NAMES, type ProviderName, providers } from './providers.ts'

export type ProxyRefusal = readonly [ProxyRefusalCode, string]

export const tooManyRequests: ProxyRefusal = [
  'too_many_requests',
  `A run may have ${OPEN_REQUESTS_MAX} requests and ${OPEN_REQUEST_BYTES_MAX} bytes under way. Try again when one has ended.`,
]

export interface ProviderTarget {
  readonly name: ProviderName
  readonly provider: Provider
  /** Null: the provider is known, and nothing of it is passed on from here. */
  readonly route: ProviderRoute | null
  /** Behind the provider's mount. */
  readonly path: string
}

/** Null: not an address of a server. Parsing normalises the path. */
export const requestAddress = (url = ''): URL | null =>
  url.startsWith('/') && URL.canParse(url, 'http://proxy') ? new URL(url, 'http://proxy') : null

/** Expects a normalised path: in any other, `..` could lead from an allowed route to a forbidden one. */
export const findProviderRoute = (method: string, pathname: string): ProviderTarget | null => {
  for (const name of PROVIDER_NAMES) {
    const provider = providers[name]
    if (pathname !== provider.mount && !pathname.startsWith(`${provider.mount}/`)) continue
    const path = pathname.slice(provider.mount.length)
    const route = provider.routes.find((each) => each.method === method && each.path.test(path)) ?? null
    return { name, provider, route, path }
  }
  return null
}

export const spendRefusal = (usd: number, maxUsd: number | null): ProxyRefusal | null => {
  if (maxUsd === null || usd < maxUsd) return null
  const [spent, limit] = [usd, maxUsd].map((each) => `$${each.toFixed(2)}`)
  return ['spend_limit', `This run has spent about ${spent} of its limit of ${limit}. Raise the limit to go on.`]
}

export interface CheckedRequest {
  readonly model: string
  readonly body: string
  /** The body, parsed. */
  readonly content: object
}

/** Returns the body written again from its parsed form: a repeated name could mean one model here and another to the provider. */
export const checkProviderRequest = (
  text: string,
  encoding: string | null | undefined,
  models: readonly string[] | null,
): CheckedRequest | { readonly refused: ProxyRefusal } => {
  const invalid = (message: string): { refused: ProxyRefusal } => ({ refused: ['request_invalid', message] })
  if ((encoding ?? 'identity') !== 'identity') return invalid('The body is to be sent as it is.')
  let said: unknown
  try {
    said = JSON.parse(text)
  } catch {
    return invalid('The body is not JSON.')
  }
  const { model, background } = (said ?? {}) as { model?: unknown; background?: unknown }
  if (typeof model !== 'string') return invalid('The body names no model.')
  // The provider reports the usage of a background response later, to a request that passes no meter.
  if (background) return invalid('Background responses are not passed on.')
  if (models && !models.some((pattern) => matchesModel(pattern, model))) {
    return {
      refused: ['model_not_allowed', `This run may not use the model ${model}. It may use: ${models.join(', ')}.`],
    }
  }
  return { model, body: JSON.stringify(said), content: said as object }
}
