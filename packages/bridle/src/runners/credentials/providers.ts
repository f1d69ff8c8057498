// The two providers as the credential proxy knows them: what may be asked of each, and how each says no.

export type ProviderName = 'anthropic' | 'openai'

export interface ProviderRoute {
  readonly method: string
  /** Behind the mount, whole. */
  readonly path: RegExp
  /** probe: answered here, for anybody. read: passed on. count: names a model, costs nothing. answer: costs tokens. */
  readonly kind: 'probe' | 'read' | 'count' | 'answer'
}

export interface Provider {
  readonly title: string
  /** Where the host's own key and base URL are looked for. */
  readonly keyName: string
  readonly urlName: string
  readonly vendorUrl: string
  /** The path of ours that stands for the vendor's base URL. */
  readonly mount: string
  readonly routes: readonly ProviderRoute[]
  readonly authorise: (key: string) => { readonly [header: string]: string }
  readonly encodeRefusal: (code: ProxyRefusalCode, message: string) => object
}

/** Statuses that the engines do not try again, except where trying again may help. */
export const proxyRefusals = {
  token_invalid: { status: 401, anthropic: 'authentication_error', openai: 'invalid_api_key' },
  path_not_allowed: { status: 404, anthropic: 'not_found_error', openai: 'not_found' },
  request_invalid: { status: 400, anthropic: 'invalid_request_error', openai: 'invalid_request' },
  model_not_allowed: { status: 403, anthropic: 'permission_error', openai: 'model_not_allowed' },
  spend_limit: { status: 402, anthropic: 'billing_error', openai: 'spend_limit' },
  key_missing: { status: 403, anthropic: 'permission_error', openai: 'key_missing' },
  key_refused: { status: 403, anthropic: 'permission_error', openai: 'key_refused' },
  body_too_large: { status: 413, anthropic: 'request_too_large', openai: 'request_too_large' },
  too_many_requests: { status: 429, anthropic: 'rate_limit_error', openai: 'rate_limit_exceeded' },
  upstream_failed: { status: 502, anthropic: 'api_error', openai: 'upstream_failed' },
} as const
export type ProxyRefusalCode = keyof typeof proxyRefusals

export const providers: { readonly [P in ProviderName]: Provider } = {
  anthropic: {
    title: 'Anthropic',
    keyName: 'ANTHROPIC_API_KEY',
    urlName: 'ANTHROPIC_BASE_URL',
    vendorUrl: 'https://api.anthropic.com',
    mount: '/anthropic',
    routes: [
      { method: 'HEAD', path: /^\/?$|^\/api\/hello$/, kind: 'probe' },
      { method: 'GET', path: /^\/?$|^\/api\/hello$/, kind: 'probe' },
      { method: 'POST', path: /^\/v1\/messages$/, kind: 'answer' },
      { method: 'POST', path: /^\/v1\/messages\/count_tokens$/, kind: 'count' },
      { method: 'GET', path: /^\/v1\/models(\/[A-Za-z0-9._:@-]+)?$/, kind: 'read' },
    ],
    authorise: (key) => ({ 'x-api-key': key }),
    encodeRefusal: (code, message) => ({ type: 'error', error: { type: proxyRefusals[code].anthropic, message } }),
  },
  openai: {
    title: 'OpenAI',
    keyName: 'OPENAI_API_KEY',
    urlName: 'OPENAI_BASE_URL',
    vendorUrl: 'https://api.openai.com/v1',
    mount: '/openai/v1',
    routes: [
      { method: 'HEAD', path: /^\/?$/, kind: 'probe' },
      { method: 'POST', path: /^\/responses$/, kind: 'answer' },
      { method: 'GET', path: /^\/models(\/[A-Za-z0-9._:@-]+)?$/, kind: 'read' },
    ],
    authorise: (key) => ({ authorization: `Bearer ${key}` }),
    encodeRefusal: (code, message) => ({
      error: { message, type: 'invalid_request_error', param: null, code: proxyRefusals[code].openai },
    }),
  },
}
