import type { Clock } from '@bridle/kernel/ports/clock'
import { describe, expect, test } from 'vitest'
import { CALL_INPUT_CHARS_MAX, RAW_CHARS_MAX, STEP_CHARS_MAX } from './limits.ts'
import { assistantParts, type LanguageModel, type ModelCallOptions, type StepCall, type Thought } from './model.ts'
import { ModelError } from './model-error.ts'
import { createStepBuilder } from './step-builder.ts'
import { PARTS_MAX } from './step-size.ts'
import { STALL_LOOKS, think } from './think.ts'

const stallMs = 120_000

type Part = { readonly type: string; readonly [name: string]: unknown }

const usage = {
  inputTokens: { total: 10, noCache: 7, cacheRead: 2, cacheWrite: 1 },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
}
const finish = (unified = 'stop', raw: string | null = 'end_turn'): Part => ({
  type: 'finish',
  finishReason: { unified, raw: raw ?? undefined },
  usage,
})
const text = (...deltas: string[]): Part[] => [
  { type: 'text-start', id: '0' },
  ...deltas.map((delta) => ({ type: 'text-delta', id: '0', delta })),
  { type: 'text-end', id: '0' },
]
const call = (toolCallId: string, toolName: string, input: unknown, more = {}): Part => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input,
  ...more,
})

const streaming = (parts: readonly unknown[], isOpen = false): ReadableStream =>
  new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part)
      if (!isOpen) controller.close()
    },
  })
const modelOf = (doStream: (options: ModelCallOptions) => unknown, version: 'v3' | 'v4' = 'v4'): LanguageModel => ({
  specificationVersion: version,
  provider: 'stub',
  modelId: 'one',
  doStream: doStream as LanguageModel['doStream'],
})
/** A stream whose next part is always there, so that no timer ever fires. */
const endless = (part: Part) =>
  modelOf(async () => ({ stream: new ReadableStream({ pull: (controller) => controller.enqueue(part) }) }))
const answering = (parts: readonly unknown[]) => modelOf(async () => ({ stream: streaming(parts) }))

/** A clock whose timers fire when the test says so. */
const manualClock = () => {
  const timers = new Set<() => void>()
  const clock: Clock = {
    now: () => Date.UTC(2030, 0, 1),
    after: (_ms, call) => {
      timers.add(call)
      return () => void timers.delete(call)
    },
  }
  const fire = () => {
    for (const timer of [...timers]) {
      timers.delete(timer)
      timer()
    }
  }
  return { clock, fire, timers }
}

const ask = async (
  model: LanguageModel,
  { signal = new AbortController().signal, clock = manualClock().clock } = {},
) => {
  const heard: string[] = []
  const listener = {
    text: async (delta: string) => void heard.push(`text ${delta}`),
    thinking: async (delta: string) => void heard.push(`thinking ${delta}`),
  }
  const request = { messages: [], tools: [], settings: {}, signal }
  const thought = await think(model, request, listener, { callId: (n) => `run.1.${n}`, clock, stallMs })
  return { thought, heard }
}
const contentOf = async (parts: readonly unknown[]) => (await ask(answering(parts))).thought.content
const errorOf = async (model: LanguageModel, options?: Parameters<typeof ask>[1]): Promise<ModelError> => {
  const error: unknown = await ask(model, options).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ModelError)) throw error ?? new Error('The call did not fail.')
  return error
}

test('[N60] an answer is heard while it arrives, and comes back whole', async () => {
  const signature = { anthropic: { signature: 'c2ln' } }
  const { thought, heard } = await ask(
    answering([
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'r1' },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'Hm' },
      { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: signature },
      { type: 'reasoning-end', id: '0' },
      { type: 'ping' },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Let me ' },
      { type: 'text-delta', id: '1', delta: 'look.' },
      { type: 'text-end', id: '1' },
      { type: 'tool-input-start', id: 'a', toolName: 'read' },
      { type: 'tool-input-delta', id: 'a', delta: '{"path":' },
      { type: 'tool-input-start', id: 'b', toolName: 'list' },
      { type: 'tool-input-delta', id: 'a', delta: '"x"}' },
      { type: 'tool-input-end', id: 'a' },
      call('b', 'list', ''),
      call('a', 'read', '{"path":"x"}', { providerMetadata: { openai: { itemId: 'i1' } } }),
      finish('tool-calls', 'tool_use'),
    ]),
  )
  expect(heard).toEqual(['thinking Hm', 'text Let me ', 'text look.'])
  expect(thought).toEqual<Thought>({
    content: [
      { type: 'reasoning', text: 'Hm', metadata: signature },
      { type: 'text', text: 'Let me look.' },
      {
        type: 'call',
        id: 'run.1.1',
        tool: 'read',
        input: { path: 'x' },
        provider_id: 'a',
        metadata: { openai: { itemId: 'i1' } },
      },
      { type: 'call', id: 'run.1.2', tool: 'list', input: {}, provider_id: 'b' },
    ],
    finish: 'tool-calls',
    usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 2, cacheWriteTokens: 1, reasoningTokens: 2 },
    contextTokens: 15,
  })
  expect(assistantParts(thought.content)).toEqual([
    { type: 'reasoning', text: 'Hm', providerOptions: signature },
    { type: 'text', text: 'Let me look.' },
    {
      type: 'tool-call',
      toolCallId: 'a',
      toolName: 'read',
      input: { path: 'x' },
      providerOptions: { openai: { itemId: 'i1' } },
    },
    { type: 'tool-call', toolCallId: 'b', toolName: 'list', input: {} },
  ])
})

test('parts that ran at the provider go back to it and are nobody else’s to run', async () => {
  const providerMetadata = { p: { x: 1 } }
  const content = await contentOf([
    { type: 'tool-input-start', id: 's', toolName: 'web_search', providerExecuted: true },
    call('s', 'web_search', '{"q":1}', { providerExecuted: true, providerMetadata }),
    { type: 'tool-result', toolCallId: 's', toolName: 'web_search', result: [], preliminary: true },
    { type: 'tool-result', toolCallId: 's', toolName: 'web_search', result: [1] },
    { type: 'custom', kind: 'p.compaction', providerMetadata },
    { type: 'source', id: 'ignored' },
    finish(),
  ])
  expect(content.map(({ type }) => type)).toEqual(['provider', 'provider', 'provider'])
  expect(assistantParts(content)).toEqual([
    {
      type: 'tool-call',
      toolCallId: 's',
      toolName: 'web_search',
      input: { q: 1 },
      providerExecuted: true,
      providerOptions: providerMetadata,
    },
    { type: 'tool-result', toolCallId: 's', toolName: 'web_search', output: { type: 'json', value: [1] } },
    { type: 'custom', kind: 'p.compaction', providerOptions: providerMetadata },
  ])
})

test('the request is passed on with its settings, and with no empty list of tools', async () => {
  const seen: ModelCallOptions[] = []
  const model = modelOf(async (options) => {
    seen.push(options)
    return { stream: streaming([...text('ok'), finish()]) }
  })
  const silent = { text: async () => {}, thinking: async () => {} }
  const request = {
    messages: [{ role: 'system' as const, content: 'Be brief.' }],
    tools: [],
    settings: { temperature: 0.5, providerOptions: { stub: { x: 1 } } },
    signal: new AbortController().signal,
  }
  await think(model, request, silent, { callId: String, clock: manualClock().clock, stallMs })
  const { abortSignal, ...rest } = seen[0]!
  expect(abortSignal).toBeInstanceOf(AbortSignal)
  expect(rest).toEqual({ prompt: request.messages, temperature: 0.5, providerOptions: { stub: { x: 1 } } })
})

describe('[N62] bad calls are entries with a problem', () => {
  const calls = async (...parts: Part[]) => (await contentOf([...parts, finish('tool-calls', 'x')])) as StepCall[]

  test.each([
    ['not JSON', '{"a":', 'The arguments are not valid JSON.'],
    ['HTML', '<html>', 'The arguments are not valid JSON.'],
    ['a list', '[1]', 'The arguments are JSON, but not an object.'],
    ['null', 'null', 'The arguments are JSON, but not an object.'],
    ['very deep', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`, 'The arguments are nested deeper than 85 levels.'],
  ])('%s', async (_name, input, problem) => {
    expect(await calls(call('a', 'read', input))).toEqual([
      { type: 'call', id: 'run.1.1', tool: 'read', input: {}, provider_id: 'a', problem, raw: input },
    ])
  })

  test('arguments of two million characters are left out but for their beginning', async () => {
    const input = `{"a":"${'x'.repeat(2_000_000)}"}`
    const [first, second] = await calls(
      { type: 'tool-input-start', id: 'a', toolName: 'write' },
      ...Array.from({ length: 200 }, () => ({ type: 'tool-input-delta', id: 'a', delta: 'x'.repeat(10_000) })),
      call('a', 'write', input),
      call('b', 'read', '{}'),
    )
    expect(first).toMatchObject({ input: {}, raw: input.slice(0, RAW_CHARS_MAX) })
    expect(first!.problem).toContain(String(CALL_INPUT_CHARS_MAX))
    expect(second).toEqual({ type: 'call', id: 'run.1.2', tool: 'read', input: {}, provider_id: 'b' })
  })

  test('calls that are too long together fit into one event', async () => {
    const input = `{"a":"${'x'.repeat(400_000)}"}`
    const entries = await calls(...['a', 'b', 'c', 'd', 'e'].map((id) => call(id, 'write', input)))
    expect(entries.map(({ problem }) => problem !== undefined)).toEqual([false, false, false, true, true])
    expect(JSON.stringify(entries).length).toBeLessThan(STEP_CHARS_MAX)
  })

  test('the same id twice, no id and an endless id', async () => {
    const entries = await calls(
      { type: 'tool-input-start', id: 'a', toolName: 'one' },
      { type: 'tool-input-start', id: 'a', toolName: 'two' },
      call('a', 'one', '{"n":1}'),
      call('a', 'two', '{"n":2}'),
      call('a', 'three', '{"n":3}'),
      { type: 'tool-call', toolName: 'four', input: '{}' },
      call('x'.repeat(100_000), 'five', '{}'),
    )
    expect(entries.map(({ id, provider_id, tool }) => [id, provider_id, tool])).toEqual([
      ['run.1.1', 'a', 'one'],
      ['run.1.2', 'a_2', 'two'],
      ['run.1.3', 'a_3', 'three'],
      ['run.1.4', 'call_4', 'four'],
      ['run.1.5', 'call_5', 'five'],
    ])
  })

  test('500 calls at once, to tools that nobody has', async () => {
    const entries = await calls(...Array.from({ length: 500 }, (_, n) => call(`c${n}`, 'nothing', `{"n":${n}}`)))
    expect(entries.map(({ input }) => input)).toEqual(Array.from({ length: 500 }, (_, n) => ({ n })))
  })

  test('a call without a name, and one with an endless name', async () => {
    const [first, second] = await calls(call('a', '', '{}'), call('b', 'x'.repeat(10_000), '{}'))
    expect(first).toMatchObject({ tool: '', problem: 'The call names no tool.' })
    expect(second).toMatchObject({ tool: 'x'.repeat(128), problem: 'The name of the tool is too long.' })
  })

  test('a call that is never told whole is made of its pieces, if these end', async () => {
    const [first, second] = await calls(
      { type: 'tool-input-start', id: 'a', toolName: 'read' },
      { type: 'tool-input-delta', id: 'a', delta: '{"a":1}' },
      { type: 'tool-input-end', id: 'a' },
      { type: 'tool-input-start', id: 'b', toolName: 'read' },
      { type: 'tool-input-delta', id: 'b', delta: '{"a":1' },
    )
    expect(first).toEqual({ type: 'call', id: 'run.1.1', tool: 'read', input: { a: 1 }, provider_id: 'a' })
    expect(second).toMatchObject({ input: {}, problem: 'The arguments do not end.', raw: '{"a":1' })
  })

  test('an object where the interface wants its text', async () => {
    expect(await calls(call('a', 'read', { a: 1 }))).toMatchObject([{ input: { a: 1 } }])
    expect(await calls(call('a', 'read', 10n))).toMatchObject([{ problem: 'The arguments are not valid JSON.' }])
  })
})

test('metadata is kept as plain JSON, and left out where it is none', async () => {
  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  const content = await contentOf([
    { type: 'text-delta', id: 'no start', delta: 'a', providerMetadata: { p: { x: undefined, y: 1 } } },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'b', providerMetadata: cyclic },
    { type: 'text-start', id: '2' },
    { type: 'reasoning-start', id: '2', providerMetadata: { p: { redacted: 'x' } } },
    { type: 'reasoning-end', id: '2' },
    null,
    'text',
    { type: 'constructor' },
    finish(),
  ])
  expect(content).toStrictEqual([
    { type: 'text', text: 'a', metadata: { p: { y: 1 } } },
    { type: 'text', text: 'b' },
    { type: 'reasoning', text: '', metadata: { p: { redacted: 'x' } } },
  ])
})

describe('[N61] bad streams are errors of one type', () => {
  const failing = (error: unknown) => modelOf(() => Promise.reject(error))
  const broken = (error: unknown) =>
    modelOf(async () => ({
      stream: new ReadableStream({
        pull: (controller) => {
          controller.error(error)
        },
      }),
    }))

  test.each<[string, LanguageModel, Partial<ModelError>]>([
    ['no finish', answering(text('a')), { reason: 'cut', retryable: true }],
    ['nothing at all', answering([]), { reason: 'invalid', retryable: true }],
    ['a finish without its reason', answering([...text('a'), finish('other', null)]), { reason: 'cut' }],
    ['an interrupted finish', answering([...text('a'), finish('interrupted', null)]), { reason: 'cut' }],
    ['a page instead of an answer', answering([finish('other', null)]), { reason: 'invalid', retryable: true }],
    ['a finish with an error', answering([...text('a'), finish('error', 'x')]), { reason: 'unavailable' }],
    ['another finish', answering([...text('a'), finish('bored', 'x')]), { reason: 'invalid', retryable: false }],
    [
      'a finish of an older version',
      answering([...text('a'), { type: 'finish', finishReason: 'stop' }]),
      { reason: 'invalid' },
    ],
    ['a stream that breaks', broken(new TypeError('terminated')), { reason: 'cut', retryable: true }],
    ['an error part', answering([{ type: 'error', error: { type: 'overloaded_error' } }]), { reason: 'overloaded' }],
    ['an error before the stream', failing(new Error('no')), { reason: 'unavailable', retryable: true }],
    ['an error that is none', failing(undefined), { reason: 'unavailable' }],
    ['no stream', modelOf(async () => ({})), { reason: 'unavailable' }],
    [
      'a throw',
      modelOf(() => {
        throw new Error('at once')
      }),
      { reason: 'unavailable' },
    ],
    [
      'an endless text',
      answering([...text(...Array(20).fill('x'.repeat(100_000))), finish()]),
      { reason: 'invalid', retryable: false },
    ],
    [
      'a text that is too long in JSON',
      answering([...text('\u0000'.repeat(300_000)), finish()]),
      { reason: 'invalid' },
    ],
    [
      '2,000 calls',
      answering(Array.from({ length: 2000 }, (_, n) => call(`${n}`, 't', ''))),
      { reason: 'invalid', retryable: false },
    ],
    [
      'arguments without end',
      endless({ type: 'tool-input-delta', id: 'a', delta: 'x'.repeat(100_000) }),
      { reason: 'invalid', retryable: false },
    ],
  ])('%s', async (_name, model, expected) => {
    expect(await errorOf(model)).toMatchObject({ code: 'model_error', ...expected })
  })

  test('parts without content, without end', () => {
    const step = createStepBuilder((n) => `${n}`)
    const add = (count: number) => {
      for (let n = 0; n < count; n++) step.add({ type: 'raw' })
    }
    add(PARTS_MAX)
    expect(() => add(1)).toThrow(ModelError)
  })

  test.each(['v2', 'v5', undefined])('the interface version %s', async (specificationVersion) => {
    const model = { ...answering([]), specificationVersion } as unknown as LanguageModel
    const error = await errorOf(model)
    expect(error).toMatchObject({ reason: 'unsupported', retryable: false })
    expect(error.message).toContain(
      specificationVersion === undefined ? 'names no interface version' : `"${specificationVersion}"`,
    )
    expect(error.message).toContain('stub/one')
  })

  test('a finish ends the call even if the stream stays open', async () => {
    const model = modelOf(async () => ({ stream: streaming([...text('a'), finish()], true) }))
    expect((await ask(model)).thought.finish).toBe('stop')
  })
})

describe('[N61] a provider that says nothing', () => {
  const silent: [string, (options: ModelCallOptions) => unknown][] = [
    ['before the stream', () => new Promise(() => {})],
    ['in the stream', async () => ({ stream: streaming(text('a'), true) })],
  ]

  test.each(silent)('%s has stalled', async (_name, doStream) => {
    const { clock, fire, timers } = manualClock()
    let aborted: AbortSignal | undefined
    const model = modelOf((options) => {
      aborted = options.abortSignal
      return doStream(options)
    })
    const failure = errorOf(model, { clock })
    for (let look = 0; look <= STALL_LOOKS; look++) {
      await new Promise(setImmediate)
      fire()
    }
    expect(await failure).toMatchObject({ reason: 'stalled', retryable: true })
    expect(aborted?.aborted).toBe(true)
    expect(timers.size).toBe(0)
  })

  test.each(silent)('%s is left when the run is aborted, for the reason of the abort', async (_name, doStream) => {
    const { clock, timers } = manualClock()
    const controller = new AbortController()
    const reason = new Error('cancelled')
    const failure = ask(modelOf(doStream), { clock, signal: controller.signal }).catch((error: unknown) => error)
    await new Promise(setImmediate)
    controller.abort(reason)
    expect(await failure).toBe(reason)
    expect(timers.size).toBe(0)
  })

  test('a slow but steady stream has not', async () => {
    const { clock, fire } = manualClock()
    const stream = new TransformStream()
    const writer = stream.writable.getWriter()
    const answer = ask(
      modelOf(async () => ({ stream: stream.readable })),
      { clock },
    )
    for (let n = 0; n < 5 * STALL_LOOKS; n++) {
      fire()
      await writer.write({ type: 'text-delta', id: '0', delta: '.' })
      await new Promise(setImmediate)
    }
    void writer.write(finish())
    expect((await answer).thought.content).toEqual([{ type: 'text', text: '.'.repeat(5 * STALL_LOOKS) }])
  })

  test('a listener that takes long is no stall, and one that fails ends the call with its own error', async () => {
    const { clock, fire } = manualClock()
    const wait = Promise.withResolvers<void>()
    const listener = { text: () => wait.promise, thinking: async () => {} }
    const request = { messages: [], tools: [], settings: {}, signal: new AbortController().signal }
    const answer = think(answering([...text('a'), finish()]), request, listener, { callId: String, clock, stallMs })
    for (let look = 0; look < 3 * STALL_LOOKS; look++) {
      await new Promise(setImmediate)
      fire()
    }
    wait.resolve()
    expect((await answer).finish).toBe('stop')

    const closed = new Error('closed')
    const deaf = { text: () => Promise.reject(closed), thinking: async () => {} }
    await expect(think(answering(text('a')), request, deaf, { callId: String, clock, stallMs })).rejects.toBe(closed)
  })
})
