import { describe, expect, test } from 'vitest'
import { assistantParts, type ModelMessage, type StepCall, type Thought } from '../model/model.ts'
import { think } from '../model/think.ts'
import { type ModelScript, type ScriptedModelOptions, type ScriptRequest, scriptedModel } from './index.ts'

const clock = {
  now: () => 0,
  after: (ms: number, call: () => void) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] })

const ask = async (script: ModelScript, messages: ModelMessage[], options?: ScriptedModelOptions, stallMs = 60_000) => {
  const heard: string[] = []
  const listener = {
    text: async (delta: string) => void heard.push(delta),
    thinking: async (delta: string) => void heard.push(`(${delta})`),
  }
  const request = { messages, tools: [], settings: {}, signal: new AbortController().signal }
  const model = scriptedModel(script, options)
  const thought = await think(model, request, listener, { callId: (n) => `id-${n}`, clock, stallMs })
  return { thought, heard }
}

/** The prompt after the step, with a result for each of its calls. */
const after = (messages: ModelMessage[], { content }: Thought): ModelMessage[] => {
  const calls = content.filter((entry): entry is StepCall => entry.type === 'call')
  const results = calls.map(({ provider_id, tool }) => ({
    type: 'tool-result' as const,
    toolCallId: provider_id,
    toolName: tool,
    output: { type: 'text' as const, value: `result of ${tool}` },
  }))
  return [
    ...messages,
    { role: 'assistant', content: assistantParts(content) },
    ...(calls.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
  ]
}

const script = [
  { thinking: 'Two at once.', text: 'Let me look.', calls: [{ tool: 'read', input: { path: 'a' } }, { tool: 'list' }] },
  { calls: [{ tool: 'read', input: { path: 'b' } }], usage: { inputTokens: 7, outputTokens: 3 } },
  'Done.',
]

test.each(['v3', 'v4'] as const)(
  '[N63] a script of interface version %s is played step by step, in every turn anew',
  async (version) => {
    let messages = [user('One')]
    const ids: string[] = []
    for (const turn of [1, 2]) {
      const first = await ask(script, messages, { version })
      expect(first.heard).toEqual(['(Two)', '( at)', '( once.)', 'Let', ' me', ' look.'])
      expect(first.thought).toEqual({
        content: [
          { type: 'reasoning', text: 'Two at once.', metadata: { scripted: { signature: expect.any(String) } } },
          { type: 'text', text: 'Let me look.' },
          { type: 'call', id: 'id-1', tool: 'read', input: { path: 'a' }, provider_id: expect.any(String) },
          { type: 'call', id: 'id-2', tool: 'list', input: {}, provider_id: expect.any(String) },
        ],
        finish: 'tool-calls',
        usage: {},
      })
      // A process that has never seen the session says the same, byte for byte.
      expect(await ask(script, messages, { version })).toEqual(first)
      ids.push(...first.thought.content.flatMap((entry) => (entry.type === 'call' ? [entry.provider_id] : [])))

      messages = after(messages, first.thought)
      const second = await ask(script, messages, { version })
      expect(second.thought).toMatchObject({ usage: { inputTokens: 7, outputTokens: 3 }, contextTokens: 10 })
      messages = after(messages, second.thought)
      const third = await ask(script, messages, { version })
      expect(third.thought).toEqual({ content: [{ type: 'text', text: 'Done.' }], finish: 'stop', usage: {} })
      messages = [...after(messages, third.thought), user(`After turn ${turn}`)]
    }
    expect(new Set(ids).size).toBe(4)
  },
)

test('[N63] a script may have a list for each turn, and says where it ends', async () => {
  const byTurn = [['First.'], [{ text: 'Second.' }]]
  const one = [user('a')]
  const two = [...after(one, (await ask(byTurn, one)).thought), user('b')]
  expect((await ask(byTurn, two)).thought.content).toEqual([{ type: 'text', text: 'Second.' }])
  const three = [...after(two, (await ask(byTurn, two)).thought), user('c')]
  await expect(ask(byTurn, three)).rejects.toMatchObject({
    reason: 'refused',
    message: expect.stringContaining('The script has no answer 1 in turn 3. Add one.'),
  })
})

test('[N63] a function sees the request', async () => {
  const seen: ScriptRequest[] = []
  const byRequest: ModelScript = async (request) => {
    seen.push(request)
    return request.step === 1 ? { calls: [{ tool: 'read' }] } : `It says: ${request.results.length}`
  }
  const one = [{ role: 'system' as const, content: 'Be brief.' }, user('a')]
  const two = after(one, (await ask(byRequest, one)).thought)
  const { thought } = await ask(byRequest, two)
  expect(thought.content).toEqual([{ type: 'text', text: 'It says: 1' }])
  expect(seen.map(({ turn, step, prompt }) => ({ turn, step, prompt }))).toEqual([
    { turn: 1, step: 1, prompt: 'a' },
    { turn: 1, step: 2, prompt: 'a' },
  ])
  expect(seen[1]!.messages).toEqual(two)
})

describe('[N64] failures', () => {
  const failure = (script: ModelScript, stallMs?: number) => {
    const heard: string[] = []
    return ask(script, [user('a')], {}, stallMs).then(
      () => heard,
      (error: unknown) => error,
    )
  }

  test.each<[string, ModelScript, object]>([
    [
      'before the stream',
      [{ error: { status: 429, retryAfterMs: 1500 } }],
      { reason: 'rate_limited', retryAfterMs: 1500 },
    ],
    ['within the stream', [{ text: 'Hel', error: { status: 529, message: 'Too busy' } }], { reason: 'overloaded' }],
    ['a key', [{ error: { status: 401 } }], { reason: 'auth', retryable: false }],
    ['a cut', [{ text: 'Hel', error: 'cut' }], { reason: 'cut' }],
    ['arguments', [{ calls: [{ tool: 'read', input: '{"a"' }], error: 'cut' }], { reason: 'cut' }],
  ])('%s', async (_name, script, expected) => {
    expect(await failure(script)).toMatchObject(expected)
  })

  test('a stall', async () => {
    expect(await failure([{ text: 'Hel', error: 'stalled' }], 8)).toMatchObject({ reason: 'stalled' })
  })

  test('arguments that are no JSON are sent as they are', async () => {
    const { thought } = await ask([{ calls: [{ tool: 'read', input: '{"a"', id: 'x' }] }], [user('a')])
    expect(thought.content).toMatchObject([{ tool: 'read', raw: '{"a"', provider_id: 'x' }])
  })
})

test('[N64] pieces and pauses', async () => {
  expect((await ask([{ text: 'abcdefg', chunks: 3, delayMs: 1 }], [user('a')])).heard).toEqual(['abc', 'def', 'g'])
  expect((await ask([{ text: ' a  b \n' }], [user('a')])).heard.join('')).toBe(' a  b \n')
  expect((await ask([{ text: '  ' }], [user('a')])).heard).toEqual(['  '])

  const controller = new AbortController()
  const listener = { text: async () => controller.abort(new Error('cancelled')), thinking: async () => {} }
  const request = { messages: [user('a')], tools: [], settings: {}, signal: controller.signal }
  const model = scriptedModel([{ text: 'abcdefg', chunks: 7, delayMs: 1 }])
  await expect(think(model, request, listener, { callId: String, clock, stallMs: 60_000 })).rejects.toThrow('cancelled')
})
