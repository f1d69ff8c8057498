import type { JsonObject } from '@bridle/events/json'
import { expect, test } from 'vitest'
import { turnFailureOf } from './failures.ts'

const error = (message: string, codexErrorInfo: JsonObject | string | null = 'other') => ({ message, codexErrorInfo })
const http = (kind: string, httpStatusCode: number | null) => ({ [kind]: { httpStatusCode } })
const key = 'The provider refused the key: check the one the runner was given.'

test.each<[string, JsonObject | null, JsonObject | null, object]>([
  ['nothing is said', null, null, { message: 'The turn failed, and Codex did not say why.', reason: 'engine_error' }],
  [
    'the provider is overloaded',
    error('At capacity.', 'serverOverloaded'),
    null,
    { message: 'At capacity.', reason: 'overloaded', transient: true },
  ],
  [
    'a status that passes; the address stays here',
    error('unexpected status 503: busy, url: http://127.0.0.1:1/v1/responses', http('httpConnectionFailed', 503)),
    null,
    { message: 'unexpected status 503: busy', reason: 'provider_error', transient: true },
  ],
  [
    'no answer at all',
    error('error sending request', http('httpConnectionFailed', null)),
    null,
    { message: 'error sending request', reason: 'provider_error', transient: true },
  ],
  [
    'too many requests',
    error('exceeded retry limit', http('responseTooManyFailedAttempts', 429)),
    null,
    { message: 'exceeded retry limit', reason: 'provider_error', transient: true },
  ],
  [
    'the key',
    error('401', http('httpConnectionFailed', 401)),
    error('Reconnecting', http('responseStreamDisconnected', 401)),
    { message: `${key} (401)`, reason: 'provider_error' },
  ],
  ['the key, by name', error('no', 'unauthorized'), null, { message: `${key} (no)`, reason: 'unauthorized' }],
  [
    'a stream that was cut again and again',
    error('stream disconnected'),
    error('Reconnecting', http('responseStreamDisconnected', null)),
    { message: 'stream disconnected', reason: 'provider_error', transient: true },
  ],
  [
    "the provider's body in place of a message",
    error('{"error":{"message":"bad thing","type":"invalid"}}'),
    null,
    { message: 'bad thing', reason: 'engine_error' },
  ],
  ['the context is full', error('Full.', 'contextWindowExceeded'), null, { message: 'Full.', reason: 'context_full' }],
  ['a code of tomorrow', error('New.', 'somethingNew'), null, { message: 'New.', reason: 'engine_error' }],
  [
    'a code like a property of all objects',
    error('Odd.', 'toString'),
    null,
    { message: 'Odd.', reason: 'engine_error' },
  ],
])('%s', (_name, last, retried, expected) =>
  expect(turnFailureOf(last, retried)).toEqual({ kind: 'failed', ...expected }),
)
