import { expect, test } from 'vitest'
import type { ProviderName } from '../providers.ts'
import { usageMeter } from './usage-meter.ts'

const sse = (...events: readonly object[]) =>
  events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('')
const total = (provider: ProviderName, text: string, { isStream = true, requestBytes = 400, size = 7 } = {}) => {
  const meter = usageMeter(provider, { isStream, requestBytes })
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) meter.read(bytes.subarray(at, at + size))
  return meter.total()
}
const none = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWriteHourTokens: 0, outputTokens: 0 }
const start = { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } }
const text = (said: string) => ({ type: 'content_block_delta', delta: { type: 'text_delta', text: said } })

test.each<[string, ProviderName, string, object]>([
  [
    'anthropic: what the start and the end say',
    'anthropic',
    sse(start, text('héllo'), { type: 'message_delta', usage: { output_tokens: 20 } }),
    { inputTokens: 10, outputTokens: 20 },
  ],
  [
    'anthropic: the cache, and what is kept for an hour',
    'anthropic',
    sse(
      {
        type: 'message_start',
        message: {
          usage: {
            input_tokens: 1,
            cache_read_input_tokens: 2,
            cache_creation_input_tokens: 7,
            cache_creation: { ephemeral_1h_input_tokens: 3 },
          },
        },
      },
      { type: 'message_delta', usage: { output_tokens: 4 } },
    ),
    { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 7, cacheWriteHourTokens: 3, outputTokens: 4 },
  ],
  [
    'anthropic: cut before the end, what passed is estimated',
    'anthropic',
    sse(start, text('x'.repeat(400))),
    { inputTokens: 10, outputTokens: 100 },
  ],
  [
    'openai: the completed response',
    'openai',
    sse(
      { type: 'response.output_text.delta', delta: 'Hi' },
      {
        type: 'response.completed',
        response: { usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 4 }, output_tokens: 3 } },
      },
    ),
    { inputTokens: 5, cacheReadTokens: 4, outputTokens: 3 },
  ],
  [
    'openai: cut before the end, the request counts as input',
    'openai',
    sse({ type: 'response.output_text.delta', delta: 'x'.repeat(40) }),
    { inputTokens: 100, outputTokens: 10 },
  ],
  ['a stream that is not one', 'anthropic', 'data: {"type":\ndata: 3\n\n:ping\n', { inputTokens: 100 }],
])('%s', (_name, provider, said, expected) => {
  expect(total(provider, said)).toEqual({ ...none, ...expected })
  expect(total(provider, said.replaceAll('\n', '\r\n'), { size: 1 })).toEqual({ ...none, ...expected })
})

test.each<[string, ProviderName, string, object]>([
  ['anthropic', 'anthropic', '{"usage":{"input_tokens":3,"output_tokens":4}}', { inputTokens: 3, outputTokens: 4 }],
  ['openai', 'openai', '{"usage":{"input_tokens":3,"output_tokens":4}}', { inputTokens: 3, outputTokens: 4 }],
  ['one that does not say', 'openai', 'x'.repeat(80), { inputTokens: 100, outputTokens: 20 }],
  [
    'counts that are none',
    'openai',
    '{"usage":{"input_tokens":-3,"output_tokens":"4"}}',
    { inputTokens: 100, outputTokens: 13 },
  ],
])('a whole answer: %s', (_name, provider, said, expected) =>
  expect(total(provider, said, { isStream: false })).toEqual({ ...none, ...expected }),
)
