import type { TokenUsage } from '@bridle/model-data/prices'
import type { Provider, ProxyRefusalCode } from './provider.ts'
import { objectIn, readWholeUsage, validCounts } from './usage-fields.ts'

const errorCodes: { readonly [code in ProxyRefusalCode]: string } = {
  token_invalid: 'invalid_api_key',
  path_not_allowed: 'not_found',
  request_invalid: 'invalid_request',
  model_not_allowed: 'model_not_allowed',
  spend_limit: 'spend_limit',
  key_missing: 'key_missing',
  key_refused: 'key_refused',
  body_too_large: 'request_too_large',
  too_many_requests: 'rate_limit_exceeded',
  upstream_failed: 'upstream_failed',
}

export const openai: Provider = {
  title: 'OpenAI',
  variablePrefix: 'OPENAI_',
  keyName: 'OPENAI_API_KEY',
  urlName: 'OPENAI_BASE_URL',
  healthField: 'hasOpenAIKey',
  vendorUrl: 'https://api.openai.com/v1',
  mount: '/openai/v1',
  basePath: '/v1',
  routes: [
    { method: 'HEAD', path: /^\/?$/, kind: 'probe' },
    { method: 'POST', path: /^\/responses$/, kind: 'answer' },
    { method: 'GET', path: /^\/models(\/[A-Za-z0-9._:@-]+)?$/, kind: 'read' },
  ],
  authorise: (key) => ({ authorization: `Bearer ${key}` }),
  encodeRefusal: (code, message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: errorCodes[code] },
  }),
  readUsage: (event, counter) => {
    const { type } = event
    if (typeof type === 'string' && /^response\.(completed|incomplete|failed)$/.test(type))
      readWholeUsage(event.response, counter, usageOf)
    if (type === 'whole') readWholeUsage(event.whole, counter, usageOf)
    counter.addText(event.delta)
  },
}

/** OpenAI counts cached tokens as part of the input. */
const usageOf = (reported: unknown): Partial<TokenUsage> => {
  const usage = objectIn(reported)
  const counts = validCounts({
    inputTokens: usage.input_tokens,
    cacheReadTokens: objectIn(usage.input_tokens_details).cached_tokens,
    outputTokens: usage.output_tokens,
  })
  const { inputTokens, cacheReadTokens = 0, ...rest } = counts
  return {
    ...rest,
    ...(inputTokens !== undefined && { inputTokens: Math.max(0, inputTokens - cacheReadTokens), cacheReadTokens }),
  }
}
