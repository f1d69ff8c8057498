import type { TokenUsage } from '@bridle/model-data/prices'
import type { Provider, ProxyRefusalCode } from './provider.ts'
import { objectIn, readWholeUsage, validCounts } from './usage-fields.ts'

const errorTypes: { readonly [code in ProxyRefusalCode]: string } = {
  token_invalid: 'authentication_error',
  path_not_allowed: 'not_found_error',
  request_invalid: 'invalid_request_error',
  model_not_allowed: 'permission_error',
  spend_limit: 'billing_error',
  key_missing: 'permission_error',
  key_refused: 'permission_error',
  body_too_large: 'request_too_large',
  too_many_requests: 'rate_limit_error',
  upstream_failed: 'api_error',
}

export const anthropic: Provider = {
  title: 'Anthropic',
  variablePrefix: 'ANTHROPIC_',
  keyName: 'ANTHROPIC_API_KEY',
  urlName: 'ANTHROPIC_BASE_URL',
  bearerName: 'ANTHROPIC_AUTH_TOKEN',
  healthField: 'hasAnthropicKey',
  vendorUrl: 'https://api.anthropic.com',
  mount: '/anthropic',
  basePath: '',
  routes: [
    { method: 'HEAD', path: /^\/?$|^\/api\/hello$/, kind: 'probe' },
    { method: 'GET', path: /^\/?$|^\/api\/hello$/, kind: 'probe' },
    { method: 'POST', path: /^\/v1\/messages$/, kind: 'answer' },
    { method: 'POST', path: /^\/v1\/messages\/count_tokens$/, kind: 'count' },
    { method: 'GET', path: /^\/v1\/models(\/[A-Za-z0-9._:@-]+)?$/, kind: 'read' },
  ],
  authorise: (key) => ({ 'x-api-key': key }),
  encodeRefusal: (code, message) => ({ type: 'error', error: { type: errorTypes[code], message } }),
  readUsage: (event, counter) => {
    const { type } = event
    if (type === 'message_start') counter.addCounts(usageOf(objectIn(event.message).usage), false)
    if (type === 'message_delta') counter.addCounts(usageOf(event.usage), true)
    if (type === 'whole') readWholeUsage(event.whole, counter, usageOf)
    if (type !== 'content_block_delta') return
    const delta = objectIn(event.delta)
    for (const name of ['text', 'thinking', 'partial_json']) counter.addText(delta[name])
  },
}

const usageOf = (reported: unknown): Partial<TokenUsage> => {
  const usage = objectIn(reported)
  return validCounts({
    inputTokens: usage.input_tokens,
    cacheReadTokens: usage.cache_read_input_tokens,
    cacheWriteTokens: usage.cache_creation_input_tokens,
    cacheWriteHourTokens: objectIn(usage.cache_creation).ephemeral_1h_input_tokens,
    outputTokens: usage.output_tokens,
  })
}
