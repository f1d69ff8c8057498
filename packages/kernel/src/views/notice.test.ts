import type { EventType } from '@bridle/events/catalogue'
import { expect, test } from 'vitest'
import type { AnyEvent } from '../event.ts'
import { NOTICE_CHARS_MAX, noticeOf } from './notice.ts'

const at = 10_000
const event = (type: EventType, payload: object): AnyEvent =>
  ({ seq: 7, at, run: 'r-1', type, payload }) as unknown as AnyEvent

test.each<[EventType, object, object | null]>([
  ['prompt_queued', { run_id: 'r-1', ahead: 1 }, { kind: 'queued', message: 'queued behind 1 run' }],
  ['prompt_queued', { run_id: 'r-1', ahead: 3 }, { kind: 'queued', message: 'queued behind 3 runs' }],
  ['prompt_queued', { run_id: 'r-1' }, null],
  [
    'sandbox_notice',
    { requested_backend: 'chat_turn', resolved_backend: 'bubblewrap', isolation: 'process' },
    { kind: 'sandbox', message: 'starting in the sandbox bubblewrap' },
  ],
  ['sandbox_notice', { requested_backend: 'chat_turn', resolved_backend: 'in_process', isolation: 'none' }, null],
  [
    'transport_diagnostic',
    {
      ...{ status: 'retrying', kind: 'provider_retry', provider_requested: 'Anthropic', reason: 'server_error' },
      ...{ failure_count: 5, max_retries: 6, retry_delay_ms: 9_100, http_status: 502 },
    },
    { kind: 'retry', message: 'Anthropic: not reached, 502, trying again in 9.1 s, 5 of 6', retryAt: at + 9_100 },
  ],
  [
    'transport_diagnostic',
    {
      ...{ status: 'retrying', kind: 'model', provider_requested: 'openai/gpt', reason: 'overloaded: Too busy.' },
      ...{ failure_count: 1, retry_at: at + 500 },
    },
    { kind: 'retry', message: 'openai/gpt: overloaded: Too busy, trying again at once, try 2', retryAt: at + 500 },
  ],
  [
    'transport_diagnostic',
    {
      ...{ status: 'retrying', kind: 'model', provider_requested: 'a/b', failure_count: 1, retry_at: at + 1_000 },
      reason: 'unavailable: "a.chat/b" failed: Nothing answers. Is it running?',
    },
    {
      kind: 'retry',
      message: 'a/b: Nothing answers. Is it running? Trying again in 1 s, try 2',
      retryAt: at + 1_000,
    },
  ],
  [
    'transport_diagnostic',
    {
      ...{ status: 'fallback', kind: 'model', provider_requested: 'a/b', provider_actual: 'c/d' },
      reason: 'unavailable: "a/b" failed: Is it running?',
    },
    { kind: 'fallback', message: 'asking c/d instead of a/b: Is it running?' },
  ],
  ...[{ retry_delay_ms: 1e20 }, { retry_at: -1e300 }, { retry_at: Number.MAX_SAFE_INTEGER }].map(
    (delay): [EventType, object, object] => [
      'transport_diagnostic',
      { status: 'retrying', kind: 'model', reason: 'busy', ...delay },
      { kind: 'retry', message: 'busy, trying again' },
    ],
  ),
  [
    'transport_diagnostic',
    { status: 'fallback', kind: 'model', provider_requested: 'a/b', provider_actual: 'c/d', reason: 'refused' },
    { kind: 'fallback', message: 'asking c/d instead of a/b: refused' },
  ],
  [
    'transport_diagnostic',
    {
      ...{ status: 'degraded', kind: 'provider_fallback', provider_requested: 'a', provider_actual: 'c' },
      ...{ model_requested: 'a/b', model_actual: 'c/d', model_index: 1, reason: 'unavailable: "a/b" failed: Down.' },
    },
    { kind: 'fallback', message: 'asking c/d instead of a/b: Down' },
  ],
  [
    'transport_diagnostic',
    {
      ...{ status: 'degraded', kind: 'provider_fallback', provider_requested: 'openai' },
      ...{ provider_actual: 'anthropic', reason: 'Primary provider failed health checks.' },
    },
    { kind: 'fallback', message: 'asking anthropic instead of openai: Primary provider failed health checks' },
  ],
  [
    'transport_diagnostic',
    // The command stands last, with nothing behind it: people copy it.
    { status: 'fallback', kind: 'model', provider_requested: 'a/b', reason: 'No package. Run: npm install @ai-sdk/a' },
    { kind: 'fallback', message: 'asking another model instead of a/b: No package. Run: npm install @ai-sdk/a' },
  ],
  [
    'transport_diagnostic',
    { status: 'degraded', kind: 'credentials', reason: 'No key.' },
    { kind: 'warning', message: 'No key' },
  ],
  ['transport_diagnostic', { status: 'waiting', kind: 'sandbox', reason: 'busy' }, null],
  ['transport_diagnostic', { status: 'failed', kind: 'model', reason: 'over' }, null],
  ['token', { text: 'Hi' }, null],
])('[H100] %s %j', (type, payload, expected) => {
  expect(noticeOf(event(type, payload))).toEqual(expected && { runId: 'r-1', ...expected })
})

test('[H100] a notice is one line of bounded length', () => {
  const reason = `first\nsecond ${'x'.repeat(1_000)}`
  const notice = noticeOf(event('transport_diagnostic', { status: 'degraded', kind: 'k', reason }))
  expect(notice?.message).toMatch(/^first second x+/)
  expect(notice?.message.length).toBeLessThanOrEqual(NOTICE_CHARS_MAX + 1)
})
