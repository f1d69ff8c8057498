// A model behind a server that speaks Chat Completions, against a stub on loopback.

import type { ModelMessage, ModelSettings, ModelTool, ModelToolChoice } from '@bridle/agents/model/model'
import { ModelError } from '@bridle/agents/model/model-error'
import { type StubReply, startProviderStub } from '@bridle/agents/model/provider-stub.suite'
import { think } from '@bridle/agents/model/think'
import type { Clock } from '@bridle/kernel/ports/clock'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { dataLines } from './chat-lines.ts'
import { chatModel } from './chat-model.ts'
import { chunk, DONE, finishChunk, spoken, streamed, usageChunk } from './chat-stub.suite.ts'

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
const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const read: ModelTool = {
  type: 'function',
  name: 'read',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}

interface Question {
  readonly messages?: readonly ModelMessage[]
  readonly tools?: readonly ModelTool[]
  readonly settings?: ModelSettings
  readonly toolChoice?: ModelToolChoice
  readonly stallMs?: number
  readonly signal?: AbortSignal
  readonly onText?: () => void
  readonly url?: string
  readonly key?: string
}

const ask = async (question: Question = {}) => {
  const { messages = [user('Hi')], tools = [], settings = {}, signal = new AbortController().signal } = question
  const { url = `${stub.url}/v1/`, key, stallMs = 60_000, toolChoice, onText } = question
  const heard: string[] = []
  const listener = {
    text: async (delta: string) => {
      heard.push(delta)
      onText?.()
    },
    thinking: async (delta: string) => void heard.push(`(${delta})`),
  }
  const request = { messages, tools, settings, signal, ...(toolChoice && { toolChoice }) }
  const thought = await think(chatModel('llama3.2:3b', { url, key }), request, listener, {
    ...{ callId: (n: number) => `run.1.${n}`, clock, stallMs },
  })
  return { thought, heard }
}
const failure = async (reply: StubReply | null, question?: Question): Promise<ModelError> => {
  if (reply) stub.reply(reply)
  const error: unknown = await ask(question).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ModelError)) throw error ?? new Error('The call did not fail.')
  return error
}
const lastRequest = () => JSON.parse(stub.requests.at(-1) ?? '{}') as Record<string, unknown>

test('[N109] thoughts and text arrive in pieces, with the tokens that they took', async () => {
  stub.reply(
    streamed(
      ': a comment\n\n' +
        chunk({ role: 'assistant', reasoning_content: 'Let me ' }) +
        chunk({ reasoning: 'think.' }) +
        chunk({ content: 'Good ' }).replaceAll('\n', '\r\n') +
        chunk({ content: 'mörning 🐴' }) +
        finishChunk('stop') +
        usageChunk +
        DONE,
    ),
  )
  const { thought, heard } = await ask()
  expect(heard).toEqual(['(Let me )', '(think.)', 'Good ', 'mörning 🐴'])
  expect(thought).toEqual({
    content: [
      { type: 'reasoning', text: 'Let me think.' },
      { type: 'text', text: 'Good mörning 🐴' },
    ],
    finish: 'stop',
    usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 40, reasoningTokens: 5 },
    contextTokens: 120,
  })
})

const piece = (fields: object) => chunk({ tool_calls: [fields] })
const calls = (...pieces: string[]) => streamed(`${pieces.join('')}${finishChunk('tool_calls')}${DONE}`)

test.each<[string, StubReply, readonly object[]]>([
  [
    'in pieces, two at once',
    calls(
      piece({ index: 0, id: 'a', type: 'function', function: { name: 'read', arguments: '' } }),
      piece({ index: 1, id: 'b', type: 'function', function: { name: 'read', arguments: '{"pa' } }),
      piece({ index: 0, function: { arguments: '{"path":"x"}' } }),
      piece({ index: 1, function: { arguments: 'th":"y"}' } }),
    ),
    [
      { id: 'run.1.1', tool: 'read', input: { path: 'x' }, provider_id: 'a' },
      { id: 'run.1.2', tool: 'read', input: { path: 'y' }, provider_id: 'b' },
    ],
  ],
  [
    'whole, all with the index 0, and an end as if there were none',
    streamed(
      piece({ index: 0, id: 'a', function: { name: 'read', arguments: '{"path":"x"}' } }) +
        piece({ index: 0, id: 'b', function: { name: 'read', arguments: { path: 'y' } } }) +
        finishChunk('stop') +
        DONE,
    ),
    [
      { input: { path: 'x' }, provider_id: 'a' },
      { input: { path: 'y' }, provider_id: 'b' },
    ],
  ],
  [
    'without index and id, and without arguments',
    calls(
      piece({ function: { name: 'read', arguments: '{"path":' } }),
      piece({ function: { arguments: '"x"}' } }),
      piece({ function: { name: 'look' } }),
    ),
    [
      { tool: 'read', input: { path: 'x' }, provider_id: 'call_1' },
      { tool: 'look', input: {}, provider_id: 'call_2' },
    ],
  ],
])('[N109] calls that come %s', async (_name, reply, expected) => {
  stub.reply(reply)
  const { thought } = await ask({ tools: [read] })
  expect(thought.content).toMatchObject(expected)
  expect(thought.content).toHaveLength(expected.length)
  expect(thought.finish).toBe('tool-calls')
})

test('[N109] the request has the conversation, the tools and the settings in the words of Chat Completions', async () => {
  stub.reply(spoken('Done.'), spoken('Done.'))
  await ask({
    messages: [
      { role: 'system', content: 'Be brief.' },
      user('What is in x?'),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'A call.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: { path: 'x' } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'json', value: { n: 1 } } },
          { type: 'tool-result', toolCallId: 'b', toolName: 'read', output: { type: 'error-text', value: 'No.' } },
          { type: 'tool-result', toolCallId: 'c', toolName: 'read', output: { type: 'execution-denied' } },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'One.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And this?' },
          { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 255]) },
          { type: 'file', mediaType: 'application/pdf', data: new Uint8Array([3]), filename: 'a.pdf' },
        ],
      },
    ],
    tools: [read],
    toolChoice: { type: 'tool', toolName: 'read' },
    settings: {
      temperature: 0.5,
      maxOutputTokens: 99,
      reasoning: 'low',
      providerOptions: { 'openai-compatible': { top_k: 7 }, other: { x: 1 } },
    },
  })
  expect(lastRequest()).toEqual({
    model: 'llama3.2:3b',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is in x?' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'A call.',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '{"n":1}' },
      { role: 'tool', tool_call_id: 'b', content: 'No.' },
      { role: 'tool', tool_call_id: 'c', content: 'The call was denied.' },
      { role: 'assistant', content: 'One.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AQL/' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,Aw==' } },
        ],
      },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'read', description: 'Reads a file.', parameters: read.inputSchema },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'read' } },
    temperature: 0.5,
    max_tokens: 99,
    reasoning_effort: 'low',
    top_k: 7,
    stream: true,
    stream_options: { include_usage: true },
  })
  await ask({ toolChoice: { type: 'auto' }, settings: { reasoning: 'provider-default' } })
  expect(lastRequest()).toMatchObject({ tool_choice: 'auto' })
  expect(Object.keys(lastRequest())).not.toContain('reasoning_effort')
})

test('[N109] a key is sent where there is one', async () => {
  stub.reply(spoken('Yes.'), spoken('Yes.'))
  await ask()
  await ask({ key: 'key-of-mine' })
  expect(stub.addresses.slice(-2)).toEqual([
    { path: '/v1/chat/completions', key: undefined },
    { path: '/v1/chat/completions', key: 'Bearer key-of-mine' },
  ])
})

test.each<[string, StubReply, object]>([
  ['401', { status: 401, body: '{"error":{"message":"no key-of-mine"}}' }, { reason: 'auth', status: 401 }],
  ['404 of Ollama', { status: 404, body: '{"error":"model not found"}' }, { reason: 'refused', retryable: false }],
  [
    '429',
    { status: 429, body: '{"error":{"message":"Slow down."}}', headers: { 'retry-after': '7' } },
    { reason: 'rate_limited', retryAfterMs: 7_000 },
  ],
  ['503 while a model loads', { status: 503, body: '{"error":{"message":"Loading"}}' }, { reason: 'overloaded' }],
  [
    'too long a conversation',
    { status: 400, body: '{"error":{"message":"Too long.","type":"exceed_context_size_error","code":400}}' },
    { reason: 'overflow' },
  ],
  ['a page', { body: '<html>Welcome</html>' }, { reason: 'invalid', retryable: true }],
  ['a line that is not JSON', streamed('data: <html>\n\n'), { reason: 'invalid' }],
  [
    'an error in the stream',
    streamed(`${chunk({ content: 'Hal' })}data: {"error":{"code":500,"message":"boom","type":"server_error"}}\n\n`),
    { reason: 'unavailable', retryable: true },
  ],
  [
    'an error in the stream with the key',
    streamed('data: {"error":{"message":"no Bearer key-of-mine"}}\n\n'),
    { reason: 'cut' },
  ],
  ['an error with the key', { status: 500, body: '{"error":"no key-of-mine"}' }, { reason: 'unavailable' }],
  ['an error as text', streamed('data: {"error":"out of memory"}\n\n'), { reason: 'cut', retryable: true }],
  ['a stream that is cut', streamed(chunk({ content: 'Half' }), { end: 'cut' }), { reason: 'cut', retryable: true }],
  ['a stream that ends too early', streamed(chunk({ content: 'Half' })), { reason: 'cut', retryable: true }],
  ['a stream without anything', streamed(DONE), { reason: 'invalid' }],
])('[N109] [N61] %s is a typed error', async (_name, reply, expected) => {
  const error = await failure(reply, { key: 'key-of-mine' })
  expect(error).toMatchObject(expected)
  expect(error.message).not.toContain('key-of-mine')
})

test("[N109] the sentence has the server's words", async () => {
  const { message } = await failure({ status: 404, body: '{"error":"model \\"x\\" not found, try pulling it"}' })
  expect(message).toContain('try pulling it')
  expect(message).not.toContain('/v1')
})

test('[N109] an address without /v1, and one that is written out', async () => {
  const page = { status: 404, body: '404 page not found', headers: { 'content-type': 'text/plain' } }
  expect(await failure(page, { url: stub.url })).toMatchObject({
    reason: 'refused',
    message: expect.stringContaining('Most servers have them below /v1.'),
  })
  for (const body of [
    '{"detail":"Nothing here."}',
    '{"error":{"message":"Nothing here."}}',
    '{"error":"Nothing here."}',
  ])
    expect(await failure({ status: 404, body }, { url: stub.url })).toMatchObject({
      reason: 'refused',
      message: expect.stringMatching(/Nothing here\. .*Most servers have them below \/v1\./),
    })
  stub.reply(spoken('Found.'))
  await ask({ url: `${stub.url}/v1/chat/completions` })
  expect(stub.addresses.at(-1)?.path).toBe('/v1/chat/completions')
})

test('[N109] a stream that stalls, and a run that is cancelled: the connection is closed', async () => {
  const open = streamed(chunk({ content: 'Half' }), { end: 'open' })
  expect(await failure(open, { stallMs: 40 })).toMatchObject({ reason: 'stalled' })
  const controller = new AbortController()
  const reason = new Error('cancelled')
  stub.reply(open)
  await expect(ask({ signal: controller.signal, onText: () => controller.abort(reason) })).rejects.toBe(reason)
  await vi.waitFor(() => expect(stub.underWay()).toBe(0), 5_000)
})

test('[N109] lines that arrive character by character, with every kind of end', async () => {
  const text = `${chunk({ content: 'One ' })}${chunk({ content: 'two ' }).replaceAll('\n', '\r')}${chunk({ content: 'three' }).replaceAll('\n', '\r\n')}`
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const char of `${text}data: [DONE]`) controller.enqueue(new TextEncoder().encode(char))
      controller.close()
    },
  })
  const lines: string[] = []
  for await (const line of dataLines(body)) lines.push(line)
  expect(lines.slice(0, -1).map((line) => JSON.parse(line).choices[0].delta.content)).toEqual(['One ', 'two ', 'three'])
  expect(lines.at(-1)).toBe('[DONE]')
})

test('[N109] a server that is not there', async () => {
  const gone = await startProviderStub()
  await gone.close()
  expect(await failure(null, { url: gone.url })).toMatchObject({
    reason: 'unavailable',
    retryable: true,
    message: expect.stringContaining(
      `Nothing answers at ${gone.url}/ (BRIDLE_MODEL_URL). Is the server of the model running?`,
    ),
  })
  // A message for people has no secrets: neither a password nor a key in the query.
  const { host } = new URL(gone.url)
  const { message } = (await failure(null, { url: `http://me:secret@${host}/v1?key=secret` })) as Error
  expect(message).toContain(`Nothing answers at http://${host}/v1 (BRIDLE_MODEL_URL).`)
  expect(message).not.toContain('secret')
})
