import type { AnyEvent } from '@bridle/kernel/event'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { agent } from '../agent.ts'
import type { ModelMessage } from '../model/model.ts'
import { tool } from '../tools/tool.ts'
import { type Answering, keyOf, LoopWorld, lastResults, lastText, stubModel } from './loop.suite.ts'

const read = tool({
  name: 'read',
  description: 'Reads.',
  input: v.object({ path: v.string() }),
  effect: 'pure',
  run: ({ path }) => `text of ${path}`,
})

const tested = (answer: Answering, more: object = {}) =>
  agent({ name: 'tested', model: stubModel(answer), instructions: 'Be brief.', tools: [read], ...more })

const reader: Answering = (prompt) => {
  const results = lastResults(prompt)
  if (!results) return { text: 'Let me see. ', calls: [['read', { path: lastText(prompt) }]] }
  return { text: `I have read: ${results.join(', ')}` }
}

/** A model that keeps the requests that it gets. */
const recorded = (answer: Answering): { requests: ModelMessage[][]; answer: Answering } => {
  const requests: ModelMessage[][] = []
  return {
    requests,
    answer: (prompt, options) => {
      requests.push([...prompt])
      return answer(prompt, options)
    },
  }
}
const user = (...texts: string[]) => ({ role: 'user', content: texts.map((text) => ({ type: 'text', text })) })
const said = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] })
const system = { role: 'system', content: 'Be brief.' }
const hung = () => new Promise<never>(() => {})

/** The types of the run's events in each write. */
const written = (it: LoopWorld) =>
  it.log.appends
    .map(({ events }) => (events as AnyEvent[]).filter(({ frame }) => frame !== undefined).map(({ type }) => type))
    .filter((types) => types.length > 0)

describe('a turn', () => {
  test('[N43] is asked for, its calls are made, and its last answer is the result', async () => {
    const { requests, answer } = recorded(reader)
    const it = new LoopWorld(tested(answer))
    expect(await it.ask('a.txt')).toMatchObject({ status: 'completed' })
    expect(await it.result()).toBe('I have read: text of a.txt')
    const first = [system, user('a.txt')]
    const call = { toolCallId: 'call_2_0', toolName: 'read' }
    expect(requests).toEqual([
      first,
      [
        ...first,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me see. ' },
            { type: 'tool-call', ...call, input: { path: 'a.txt' } },
          ],
        },
        {
          role: 'tool',
          content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'text of a.txt' } }],
        },
      ],
    ])
    expect(await it.payloads('turn_start_tools')).toEqual([{ turn_id: 'r-2', tools: ['read'], of: 1 }])
    expect(await it.payloads('model_step')).toMatchObject([
      { step: 1, model: 'stub', finish: 'tool-calls', context_tokens: 15, content: [{}, { id: 'r-2.1.1' }] },
      { step: 2, model: 'stub', finish: 'stop' },
    ])
  })

  test('[N44] a step is two writes: the answer with the intents of its calls, and the outcomes', async () => {
    const it = new LoopWorld(
      tested((prompt) =>
        prompt.length < 6
          ? { calls: [0, 1, 2].map((n) => ['read', { path: `${prompt.length}.${n}` }]) }
          : { text: 'Done.' },
      ),
    )
    await it.ask('go')
    const calls = ['tool_call', 'tool_call', 'tool_call']
    const outcomes = calls.flatMap(() => ['tool_result', 'tool_outcome'])
    const step = [['model_step', 'usage', 'tool_batch', ...calls], outcomes]
    expect(written(it).slice(1)).toEqual([
      ...step,
      ...step,
      ['token'],
      ['model_step', 'usage'],
      ['response', 'completed', 'turn_end'],
    ])
  })

  test('[N41] a second turn, and a branch, remember', async () => {
    const { requests, answer } = recorded((prompt) => ({ text: `${prompt.length}` }))
    const it = new LoopWorld(tested(answer))
    await it.ask('one')
    const { seq } = await it.submit('two')
    await it.quiet()
    const branch = keyOf('branch')
    await it.host.branch(keyOf(), seq - 3, 'branch', { prompt: 'three' })
    await it.quiet()
    expect(requests.slice(1)).toEqual([
      [system, user('one'), said('2'), user('two')],
      [system, user('one'), said('2'), user('three')],
    ])
    expect(await it.result(branch)).toBe('4')
  })

  test('[N41] an edit takes its turn back', async () => {
    const { requests, answer } = recorded((prompt) => ({ text: `${prompt.length}` }))
    const it = new LoopWorld(tested(answer))
    await it.ask('one')
    const { messageId } = await it.submit('two')
    await it.quiet()
    await it.send({ type: 'edit', messageId, prompt: 'other' })
    await it.quiet()
    await it.send({ type: 'reload' })
    await it.quiet()
    const expected = [system, user('one'), said('2'), user('other')]
    expect(requests.slice(2)).toEqual([expected, expected])
  })

  test('[N43] a large result is an artifact, of which the model sees both ends', async () => {
    const { requests, answer } = recorded((prompt) =>
      lastResults(prompt) ? { text: 'Long.' } : { calls: [['long', {}]] },
    )
    const text = `a${'b'.repeat(20_000)}c`
    const long = tool({ name: 'long', description: 'Is long.', run: () => text })
    const it = new LoopWorld(tested(answer, { tools: [long] }))
    await it.ask('go')
    const seen = lastResults(requests[1] ?? [])?.[0]
    const [artifact] = await it.payloads('artifact_published')
    const note = `[The whole result is the artifact ${artifact?.artifact_id}. Read more of it with read_artifact.]`
    expect(seen).toBe(
      `a${'b'.repeat(1_999)}\n[16002 of 20002 characters are left out here.]\n${'b'.repeat(1_999)}c\n${note}`,
    )
    expect(await it.outcomes()).toEqual(['long artifact'])
    // A process that knows only the log sends the same.
    const after = await it.again()
    await after.ask('again')
    expect(requests[2]?.slice(0, requests[1]?.length)).toEqual(requests[1])
  })

  test('[N43] a thought stays ahead of the text that follows from it', async () => {
    const it = new LoopWorld(tested(() => ({ thinking: 'Hm.', text: 'So it is.' })))
    await it.ask('go')
    const types = (await it.events()).map(({ type }) => type)
    expect(types.filter((type) => ['thinking', 'token', 'model_step'].includes(type))).toEqual([
      'thinking',
      ...['token', 'token', 'token', 'model_step'],
    ])
  })

  test('[N43] instructions are written for the turn', async () => {
    const { requests, answer } = recorded(() => ({ text: 'ok' }))
    const instructions = async ({ input, prompt, sessionId, messages }: never) =>
      JSON.stringify([input, prompt, sessionId, (await (messages as () => Promise<unknown[]>)()).length])
    const it = new LoopWorld(tested(answer, { instructions }))
    await it.ask('hello')
    expect(requests[0]?.[0]).toEqual({ role: 'system', content: '[{"prompt":"hello"},"hello","s1",1]' })
  })

  test('[N3] input that does not fit fails the run', async () => {
    const it = new LoopWorld(tested(() => ({ text: 'never' }), { input: v.object({ n: v.number() }) }))
    await it.ask('hello')
    expect(await it.payloads('error')).toMatchObject([{ reason: 'input_invalid' }])
    expect(await it.payloads('model_step')).toEqual([])
  })
})

describe('a steering prompt', () => {
  test('[N41] reaches the model with its next request, and stands there ever after', async () => {
    const { requests, answer } = recorded(async (prompt, options) => {
      if (prompt.length === 2) await it.send({ type: 'steer', prompt: 'and b.txt' })
      return prompt.length === 2 ? reader(prompt, options) : { text: `${prompt.length}` }
    })
    const it: LoopWorld = new LoopWorld(tested(answer))
    await it.ask('a.txt')
    await it.ask('next')
    expect(requests[1]?.at(-1)).toEqual(user('and b.txt'))
    expect(requests[2]).toEqual([...(requests[1] ?? []), said('5'), user('next')])
  })

  test('[N41] that comes with the last answer is answered in the same turn', async () => {
    const { requests, answer } = recorded(async (prompt) => {
      if (prompt.length === 2) await it.send({ type: 'steer', prompt: 'more' })
      return { text: `${prompt.length}` }
    })
    const it: LoopWorld = new LoopWorld(tested(answer))
    await it.ask('go')
    expect(requests[1]).toEqual([system, user('go'), said('2'), user('more')])
    expect(await it.payloads('turn_end')).toHaveLength(1)
    expect(await it.result()).toBe('4')
  })
})

describe('a cancelled turn', () => {
  test('[N45] aborts the model, and the next turn is told', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const { requests, answer } = recorded((prompt, { abortSignal }) => {
      signals.push(abortSignal)
      return prompt.length === 2 ? hung() : { text: 'ok' }
    })
    const it = new LoopWorld(tested(answer))
    await it.submit('go')
    await it.quiet()
    await it.send({ type: 'cancel' })
    await it.quiet()
    expect(signals[0]?.aborted).toBe(true)
    expect(await it.payloads('run_stopped')).toMatchObject([{ how: 'confirmed' }])
    await it.ask('again')
    expect(requests[1]).toEqual([system, user('go'), user('[The turn before was cancelled before its end.]', 'again')])
  })

  test('[N45] aborts the tool: its call is settled, the calls after it were not made', async () => {
    let signal: AbortSignal | undefined
    const slow = tool({
      name: 'slow',
      description: 'Is slow.',
      run: (_input, context) => {
        signal = context.signal
        return hung()
      },
    })
    const { requests, answer } = recorded((prompt) =>
      prompt.length === 2
        ? {
            calls: [
              ['slow', {}],
              ['slow', { n: 2 }],
            ],
          }
        : { text: 'ok' },
    )
    const it = new LoopWorld(tested(answer, { tools: [slow] }))
    await it.submit('go')
    await it.quiet()
    await it.send({ type: 'cancel' })
    await it.quiet()
    expect(signal?.aborted).toBe(true)
    expect(await it.outcomes()).toEqual(['slow error interrupted'])
    await it.ask('again')
    expect(lastResults(requests[1]?.slice(0, -1) ?? [])).toEqual([
      'The call was interrupted.',
      'The call was not made.',
    ])
  })

  test('[N45] while it waits for an answer', async () => {
    const ask = tool({ name: 'ask', description: 'Asks.', approve: true, run: () => 'done' })
    const it = new LoopWorld(tested(() => ({ calls: [['ask', {}]] }), { tools: [ask] }))
    await it.submit('go')
    await it.quiet()
    await it.send({ type: 'cancel' })
    await it.quiet()
    expect(await it.payloads('turn_end')).toMatchObject([{ status: 'cancelled' }])
    expect(await it.outcomes()).toEqual(['ask error interrupted'])
  })
})
