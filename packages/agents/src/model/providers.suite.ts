// Two providers' own packages, each in both versions of the interface, and the words of each on the wire.
import type { LanguageModel } from './model.ts'
import { anthropicEnd, anthropicEvents, openaiEnd, openaiEvents, type StubStep } from './provider-stub.suite.ts'

// The packages read these when they are imported, and an empty one is an error.
const saved = ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL'].map((name) => [name, process.env[name]] as const)
for (const [name] of saved) delete process.env[name]
const { createAnthropic } = await import('@ai-sdk/anthropic')
const { createOpenAI } = await import('@ai-sdk/openai')
const { createAnthropic: createAnthropicV3 } = await import('ai-sdk-anthropic-v3')
const { createOpenAI: createOpenAIV3 } = await import('ai-sdk-openai-v3')
for (const [name, value] of saved) if (value !== undefined) process.env[name] = value

export const apiKey = 'key-of-the-test'

const anthropic = {
  events: anthropicEvents,
  whole: (step: StubStep) => ({ body: anthropicEvents(step) + anthropicEnd(step.calls ? 'tool_use' : 'end_turn') }),
  failure: (type: string, message: string) => JSON.stringify({ type: 'error', error: { type, message } }),
  streamFailure: `event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n`,
  overflow:
    '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}',
  settings: { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } } },
}
const openai: typeof anthropic = {
  events: openaiEvents,
  whole: (step) => ({ body: openaiEvents(step) + openaiEnd() }),
  failure: (type, message) => JSON.stringify({ error: { type, message, code: null, param: null } }),
  streamFailure: `event: error\ndata: {"type":"error","sequence_number":9,"error":{"type":"server_error","code":"server_error","message":"Failed","param":null}}\n\n`,
  overflow:
    '{"error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Too long.","param":"input"}}',
  settings: { providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } } } as never,
}

export const providers = [
  {
    name: 'anthropic v4',
    model: (baseURL: string): LanguageModel => createAnthropic({ baseURL, apiKey })('claude-sonnet-4-5'),
    version: 'v4',
    provider: anthropic,
  },
  {
    name: 'anthropic v3',
    model: (baseURL: string): LanguageModel => createAnthropicV3({ baseURL, apiKey })('claude-sonnet-4-5'),
    version: 'v3',
    provider: anthropic,
  },
  {
    name: 'openai v4',
    model: (baseURL: string): LanguageModel => createOpenAI({ baseURL, apiKey })('gpt-5'),
    version: 'v4',
    provider: openai,
  },
  {
    name: 'openai v3',
    model: (baseURL: string): LanguageModel => createOpenAIV3({ baseURL, apiKey })('gpt-5'),
    version: 'v3',
    provider: openai,
  },
]

/** Characters that JSON escapes, or that look as if they were. */
export const signature = 'EqQB+/=é"\\u0041\\ \u2028 ü'

/** A thought, a text and two calls at once. */
export const parallelStep: StubStep = {
  thinking: 'Two files, two calls.',
  signature,
  text: 'Let me look.',
  calls: [
    { id: 'call_a', tool: 'read', input: '{"path":"a"}' },
    { id: 'call_b', tool: 'read', input: '{"path":"b"}' },
  ],
}
