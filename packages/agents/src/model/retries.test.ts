import { describe, expect, test } from 'vitest'
import type { LanguageModel } from './model.ts'
import { ModelError } from './model-error.ts'
import { modelError } from './provider-errors.ts'
import { retryDelay } from './retries.ts'

const model = { provider: 'stub', modelId: 'one' } as LanguageModel
const now = Date.UTC(2030, 0, 1)

/** An error in the shape that the packages of the AI SDK throw. */
const apiError = (statusCode: number | undefined, body: unknown = {}, responseHeaders: Record<string, string> = {}) =>
  Object.assign(new Error('Bad'), {
    name: 'AI_APICallError',
    statusCode,
    responseHeaders,
    responseBody: typeof body === 'string' ? body : JSON.stringify(body),
    isRetryable: statusCode === undefined || statusCode === 429 || statusCode >= 500,
  })
const named = (name: string) => Object.assign(new Error('Bad'), { name })

describe('[N61] the reason of a failure', () => {
  test.each<[string, unknown, Partial<ModelError>]>([
    ['401', apiError(401), { reason: 'auth', retryable: false, status: 401 }],
    ['403', apiError(403), { reason: 'auth', retryable: false }],
    [
      'no key',
      named('AI_LoadAPIKeyError'),
      {
        reason: 'auth',
        retryable: false,
        message: expect.stringContaining('There is no key for "stub/one". Set the variable'),
      },
    ],
    ['429', apiError(429), { reason: 'rate_limited', retryable: true }],
    [
      '429 without credit',
      apiError(429, { error: { code: 'insufficient_quota' } }),
      { reason: 'refused', retryable: false },
    ],
    ['500', apiError(500), { reason: 'unavailable', retryable: true }],
    ['502 with a page', apiError(502, '<html>Bad gateway</html>'), { reason: 'unavailable', retryable: true }],
    ['503', apiError(503), { reason: 'overloaded', retryable: true }],
    ['529', apiError(529), { reason: 'overloaded', retryable: true }],
    [
      '500 that is final',
      Object.assign(apiError(500), { isRetryable: false }),
      { reason: 'unavailable', retryable: false },
    ],
    ['no connection', apiError(undefined), { reason: 'unavailable', retryable: true }],
    ['404', apiError(404), { reason: 'refused', retryable: false }],
    ['400', apiError(400, { error: { type: 'invalid_request_error', message: 'bad role' } }), { reason: 'refused' }],
    ['413', apiError(413), { reason: 'overflow', retryable: false }],
    [
      'too long, with a code',
      apiError(400, { error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'x' } }),
      { reason: 'overflow', retryable: false },
    ],
    [
      'too long, in words',
      apiError(400, {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
      }),
      { reason: 'overflow', retryable: false },
    ],
    ['200 with a page', apiError(200, '<html>'), { reason: 'invalid', retryable: true }],
    ['a bad chunk', named('AI_JSONParseError'), { reason: 'invalid', retryable: true }],
    ['an error part', { type: 'error', error: { type: 'rate_limit_error', message: 'x' } }, { reason: 'rate_limited' }],
    ['an error part with a code', { type: 'error', code: 'server_error', message: 'x' }, { reason: 'unavailable' }],
    ['an own error', new ModelError('stalled', 'x'), { reason: 'stalled', retryable: true }],
  ])('%s', (_name, error, expected) => {
    expect(modelError(error, model, now, 'request')).toMatchObject(expected)
  })

  test('the message names the model, and repeats the words of the provider but for a key', () => {
    const body = { error: { message: 'You sent the key sk-123.' } }
    expect(modelError(apiError(429, body), model, now, 'request').message).toBe(
      '"stub/one" accepts no more requests for now (429): You sent the key sk-123.',
    )
    expect(modelError(apiError(401, body), model, now, 'request').message).not.toContain('sk-123')
    expect(
      modelError(apiError(429, { error: { message: 'x'.repeat(9_000) } }), model, now, 'request').message.length,
    ).toBeLessThan(700)
  })

  test.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '7', 'retry-after-ms': '1500' }, 1_500],
    [{ 'retry-after': new Date(now + 30_000).toUTCString() }, 30_000],
    [{ 'retry-after': new Date(now - 30_000).toUTCString() }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5' }, 0],
  ])('the wait that the provider asks for: %o', (headers, ms) => {
    expect(modelError(apiError(429, {}, headers), model, now, 'request').retryAfterMs).toBe(ms)
  })
})

describe('[N61] the wait before the next try', () => {
  const limited = (retryAfterMs?: number) =>
    new ModelError('rate_limited', 'x', retryAfterMs === undefined ? {} : { retryAfterMs })

  test.each<[string, ModelError, number, number | null]>([
    ['after the first', limited(), 1, 1_000],
    ['after the second', limited(), 2, 2_000],
    ['after the third', limited(), 3, null],
    ['as the provider says', limited(7_000), 1, 7_000],
    ['no shorter than ours', limited(100), 2, 2_000],
    ['at most a minute', limited(3_600_000), 1, 60_000],
    ['never for what fails again', new ModelError('auth', 'x'), 1, null],
    ['never for a conversation that is too long', new ModelError('overflow', 'x'), 1, null],
  ])('%s', (_name, error, tries, ms) => {
    expect(retryDelay(error, tries)).toBe(ms)
  })

  test('a part is left to chance, and no more than a quarter', () => {
    expect(retryDelay(limited(), 1, () => 1)).toBe(1_250)
    expect(retryDelay(limited(), 2, () => 0.5)).toBe(2_250)
  })
})
