import type { TokenUsage } from '../spending/prices.ts'
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
  prices: [
    ['gpt-*-pro*', { input: 30, output: 180 }],
    ['gpt-5*-nano*', { input: 0.2, output: 1.25 }],
    ['gpt-5*-mini*', { input: 0.75, output: 4.6 }],
    ['gpt-5', { input: 1.25, output: 10 }],
    ['gpt-5-*', { input: 1.25, output: 10 }],
    ['gpt-5.1*', { input: 1.25, output: 10 }],
    ['gpt-5.2*', { input: 1.75, output: 14 }],
    ['gpt-5.3*', { input: 1.75, output: 14 }],
    ['gpt-5.4*', { input: 2.5, output: 15 }],
    ['gpt-5*', { input: 5, output: 30 }],
    ['gpt-4.1*', { input: 2, output: 8, cacheRead: 0.5 }],
    ['gpt-4o*', { input: 2.5, output: 10, cacheRead: 1.25 }],
  ],
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
  const {
    inputTokens,
    cacheReadTokens = 0,
    ...rest
  } = validCounts({
    inputTokens: usage.input_tokens,
    cacheReadTokens: objectIn(usage.input_tokens_details).cached_tokens,
    outputTokens: usage.output_tokens,
  })
  return {
    ...rest,
    ...(inputTokens !== undefined && { inputTokens: Math.max(0, inputTokens - cacheReadTokens), cacheReadTokens }),
  }
}
