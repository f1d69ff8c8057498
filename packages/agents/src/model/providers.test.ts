// Two providers' own packages, each in both versions of the interface, against a stub on loopback.

import type { Clock } from '@bridle/kernel/ports/clock'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { assistantParts, type ModelMessage, type ModelTool, type StepContent } from './model.ts'
import { ModelError } from './model-error.ts'
import { startProviderStub } from './provider-stub.suite.ts'
import { apiKey, parallelStep, providers, signature } from './providers.suite.ts'
import { think } from './think.ts'

const stub = await startProviderStub()
afterAll(() => stub.close())
afterEach(() => stub.reply())

const clock: Clock = {
  now: () => Date.UTC(2030, 0, 1),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

describe.each(providers)('$name', ({ model, version, provider }) => {
  const user: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'What is in a and b?' }] }
  const tools: ModelTool[] = [
    {
      type: 'function',
      name: 'read',
      description: 'Reads a file.',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  ]

  const ask = async (
    messages: readonly ModelMessage[],
    { stallMs = 60_000, signal = new AbortController().signal, onText = () => {}, url = stub.url } = {},
  ) => {
    const heard: string[] = []
    const listener = {
      text: async (delta: string) => {
        heard.push(delta)
        onText()
      },
      thinking: async (delta: string) => void heard.push(`(${delta})`),
    }
    const request = { messages, tools, settings: provider.settings, signal }
    const thought = await think(model(url), request, listener, { callId: (n) => `run.1.${n}`, clock, stallMs })
    return { thought, heard }
  }
  const failure = async (options?: Parameters<typeof ask>[1]): Promise<ModelError> => {
    const error: unknown = await ask([user], options).then(
      () => null,
      (reason: unknown) => reason,
    )
    if (!(error instanceof ModelError)) throw error ?? new Error('The call did not fail.')
    return error
  }
  test('has the version that it is tested for', () => {
    expect(model(stub.url).specificationVersion).toBe(version)
  })

  test('[N60] thinking, text and parallel calls; the signature goes back byte for byte', async () => {
    stub.reply(provider.whole(parallelStep))
    const { thought, heard } = await ask([user])
    expect(heard).toEqual(['(Two files,)', '( two calls.)', 'Let me', ' look.'])
    expect(thought).toMatchObject({
      content: [
        { type: 'reasoning', text: 'Two files, two calls.' },
        { type: 'text', text: 'Let me look.' },
        { type: 'call', id: 'run.1.1', tool: 'read', input: { path: 'a' }, provider_id: 'call_a' },
        { type: 'call', id: 'run.1.2', tool: 'read', input: { path: 'b' }, provider_id: 'call_b' },
      ],
      finish: 'tool-calls',
      usage: { inputTokens: 100, outputTokens: 20 },
      contextTokens: 120,
    })

    const next = (content: readonly StepContent[]): ModelMessage[] => [
      user,
      { role: 'assistant', content: assistantParts(content) },
      {
        role: 'tool',
        content: ['call_a', 'call_b'].map((toolCallId) => ({
          type: 'tool-result',
          toolCallId,
          toolName: 'read',
          output: { type: 'text', value: `of ${toolCallId}` },
        })),
      },
    ]
    const before = stub.requests.length
    stub.reply(provider.whole({ text: 'Done.' }), provider.whole({ text: 'Done.' }))
    await ask(next(thought.content))
    // The log gives the step back as JSON. The request after a crash has the same bytes as the one without.
    await ask(next(JSON.parse(JSON.stringify(thought.content))))
    const [warm, cold] = stub.requests.slice(before)
    expect(cold).toBe(warm)
    expect(warm).toContain(JSON.stringify(signature))
    expect(warm).toContain('Two files, two calls.')
    for (const id of ['call_a', 'call_b']) expect(warm!.split(`"${id}"`)).toHaveLength(3)
  })

  test.each([
    ['401', 401, 'authentication_error', {}, { reason: 'auth', retryable: false }],
    ['403', 403, 'permission_error', {}, { reason: 'auth', retryable: false }],
    [
      '429',
      429,
      'rate_limit_error',
      { 'retry-after': '7' },
      { reason: 'rate_limited', retryable: true, retryAfterMs: 7000 },
    ],
    ['500', 500, 'api_error', {}, { reason: 'unavailable', retryable: true }],
    ['529', 529, 'overloaded_error', { 'retry-after-ms': '1500' }, { reason: 'overloaded', retryAfterMs: 1500 }],
    ['400', 400, 'invalid_request_error', {}, { reason: 'refused', retryable: false }],
    ['404', 404, 'not_found_error', {}, { reason: 'refused', retryable: false }],
  ])('[N61] %s is one request and one typed error', async (_name, status, type, headers, expected) => {
    const before = stub.requests.length
    stub.reply({ status, headers, body: provider.failure(type, 'The words of the provider.') })
    const error = await failure()
    expect(error).toMatchObject({ status, ...expected })
    expect(error.message).not.toContain(apiKey)
    expect(stub.requests.length - before).toBe(1)
  })

  test('a conversation that is too long', async () => {
    stub.reply({ status: 400, body: provider.overflow })
    expect(await failure()).toMatchObject({ reason: 'overflow', retryable: false })
  })

  test('a page instead of an answer', async () => {
    const body = '<html><body>Bad gateway</body></html>'
    stub.reply({ body })
    expect(await failure()).toMatchObject({ reason: 'invalid', retryable: true })
    stub.reply({ status: 502, body })
    expect(await failure()).toMatchObject({ reason: 'unavailable', retryable: true })
  })

  test('an error at the beginning of the stream, and one within it', async () => {
    stub.reply({ body: provider.streamFailure })
    expect(await failure()).toMatchObject({
      retryable: true,
      reason: expect.stringMatching(/^(overloaded|unavailable)$/),
    })
    stub.reply({ body: provider.events({ text: 'Let me look.' }) + provider.streamFailure })
    expect(await failure()).toMatchObject({
      retryable: true,
      reason: expect.stringMatching(/^(overloaded|unavailable)$/),
    })
  })

  test('a stream that is cut, and one that ends too early', async () => {
    for (const end of ['cut', 'done'] as const) {
      stub.reply({ body: provider.events(parallelStep), end })
      expect(await failure()).toMatchObject({ reason: 'cut', retryable: true })
    }
  })

  test('a stream that stalls; its connection is closed', async () => {
    stub.reply({ body: provider.events({ text: 'Let me look.' }), end: 'open' })
    expect(await failure({ stallMs: 40 })).toMatchObject({ reason: 'stalled', retryable: true })
    await vi.waitFor(() => expect(stub.underWay()).toBe(0), 5_000)
  })

  test('no connection', async () => {
    const gone = await startProviderStub()
    await gone.close()
    expect(await failure({ url: gone.url })).toMatchObject({ reason: 'unavailable', retryable: true })
  })

  test('a run that is cancelled while the model speaks', async () => {
    stub.reply({ body: provider.events({ text: 'Let me look.' }), end: 'open' })
    const controller = new AbortController()
    const reason = new Error('cancelled')
    await expect(ask([user], { signal: controller.signal, onText: () => controller.abort(reason) })).rejects.toBe(
      reason,
    )
    await vi.waitFor(() => expect(stub.underWay()).toBe(0), 5_000)
  })

  test('arguments that are not JSON', async () => {
    stub.reply(provider.whole({ calls: [{ id: 'call_a', tool: 'read', input: '{"path":<html>' }] }))
    const { thought } = await ask([user])
    expect(thought.content).toMatchObject([
      { type: 'call', tool: 'read', input: {}, problem: 'The arguments are not valid JSON.', raw: '{"path":<html>' },
    ])
  })
})
