// The points `before` and `after` of middleware: their decisions are in the log with what follows from them.

import type { JsonObject } from '@bridle/events/json'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { agent } from '../agent.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { LanguageModel } from '../model/model.ts'
import { type ToolCallContext, tool } from '../tools/tool.ts'
import { type Answering, keyOf, LoopWorld, lastResults, stubModel } from './loop.suite.ts'

const hung = () => new Promise<never>(() => {})

/** An agent that makes the calls, says what came of them, and notes what really happened. */
const worker = (
  use: readonly Middleware[],
  calls: readonly (readonly [string, object])[] = [['pay', { euros: 5 }]],
  more: object = {},
) => {
  const made: unknown[] = []
  const answer: Answering = (prompt) => {
    const results = lastResults(prompt)
    return results ? { text: results.map((each) => JSON.stringify(each)).join('; ') } : { text: 'Wait. ', calls }
  }
  const touching = (name: string, effect: 'pure' | 'unsafe') =>
    tool({
      name,
      description: `Does ${name}.`,
      effect,
      input: v.object({ euros: v.pipe(v.number(), v.maxValue(100)) }),
      run: ({ euros }) => {
        made.push(`${name} ${euros}`)
        return { [name]: euros }
      },
      ...more,
    })
  const tools = [touching('pay', 'unsafe'), touching('look', 'pure')]
  return { made, definition: agent({ name: 'tested', model: stubModel(answer), tools, use, limits: { toolMs: 50 } }) }
}

const hookEvents = async (it: LoopWorld, key = keyOf()) =>
  (await it.payloads('hook_event', key)).map(({ hook, phase, status }) => `${hook} ${phase} ${status}`)

/** The types of events between the last answer of the model and the outcomes, as they stand in the log. */
const typesAfterAnswer = async (it: LoopWorld): Promise<string[]> => {
  const types = (await it.events()).map(({ type }) => type)
  return types.slice(types.indexOf('model_step') + 1, types.lastIndexOf('model_step'))
}

const half: Middleware = { name: 'half', before: ({ input }) => ({ input: { euros: Number(input.euros) / 2 } }) }
const careful: Middleware = {
  name: 'careful',
  before: ({ input }) => (Number(input.euros) > 10 ? { deny: 'That is too much.' } : undefined),
}

test('[N90] each middleware sees the arguments of the one before, and the call begins with the last ones', async () => {
  const { definition, made } = worker([half, { ...half, name: 'quarter' }, careful])
  const it = new LoopWorld(definition)
  for (const key of [keyOf('a'), keyOf('b'), keyOf('c')]) {
    await it.ask('go', key)
    await it.ask('again', key)
    expect(await hookEvents(it, key)).toEqual([
      'half before changed',
      'quarter before changed',
      'half before changed',
      'quarter before changed',
    ])
    expect(await it.payloads('tool_call', key)).toMatchObject([
      { name: 'pay', arguments: { euros: 1.25 } },
      { name: 'pay', arguments: { euros: 1.25 } },
    ])
    expect(await it.result(key)).toBe('{"pay":1.25}')
  }
  expect(made).toHaveLength(6)
})

test('[N90] a refusal is told to the model, and nothing behind it is asked', async () => {
  const asked: JsonObject[] = []
  const late: Middleware = { name: 'late', before: ({ input }) => void asked.push(input) }
  const { definition, made } = worker([careful, late], [['pay', { euros: 50 }]])
  const it = new LoopWorld(definition)
  await it.ask('go')
  expect([made, asked]).toEqual([[], []])
  expect(await it.outcomes()).toEqual(['pay denied middleware_denied'])
  expect(await it.result()).toBe('"The call was not made: That is too much."')
  expect(await it.payloads('hook_event')).toEqual([
    { hook: 'careful', phase: 'before', status: 'denied', tool_call_id: 'r-2.1.1', reason: 'That is too much.' },
  ])
})

test('[N90] middleware comes ahead of the schema: it may mend arguments, or break them', async () => {
  const mend: Middleware = { name: 'mend', before: () => ({ input: { euros: 1 } }) }
  const spoil: Middleware = { name: 'spoil', before: () => ({ input: { euros: 1000 } }) }
  const mended = worker([mend], [['pay', { sum: 'one' }]])
  await new LoopWorld(mended.definition).ask('go')
  expect(mended.made).toEqual(['pay 1'])
  const spoilt = worker([spoil])
  const it = new LoopWorld(spoilt.definition)
  await it.ask('go')
  expect([spoilt.made, await it.outcomes()]).toEqual([[], ['pay error arguments_invalid']])
})

test('[N90] a middleware is asked about a call right before its wave, once', async () => {
  const order: string[] = []
  const watch: Middleware = { name: 'watch', before: ({ tool: name }) => void order.push(`before ${name}`) }
  const { definition, made } = worker(
    [watch],
    [
      ['look', { euros: 1 }],
      ['look', { euros: 2 }],
      ['pay', { euros: 3 }],
      ['missing', {}],
    ],
  )
  const note: Middleware = { name: 'note', after: ({ tool: name }) => void order.push(`after ${name}`) }
  const it = new LoopWorld(agent({ ...optionsOf(definition), use: [watch, note] }))
  await it.ask('go')
  expect(order).toEqual(['before look', 'before look', 'after look', 'after look', 'before pay', 'after pay'])
  expect(made).toEqual(['look 1', 'look 2', 'pay 3'])
  expect(await hookEvents(it)).toEqual([])
})

test('[N91] a result is replaced before anybody sees it', async () => {
  const hide: Middleware = { name: 'hide', after: (_call, result) => ({ ...(result as JsonObject), secret: '***' }) }
  const count: Middleware = { name: 'count', after: (_call, result) => Object.keys(result as JsonObject) }
  const { definition } = worker([hide, count])
  const it = new LoopWorld(definition)
  await it.ask('go')
  expect(await it.result()).toBe('["pay","secret"]')
  expect(await it.payloads('tool_result')).toMatchObject([{ result: ['pay', 'secret'] }])
  expect(await typesAfterAnswer(it)).toEqual(
    expect.arrayContaining(['tool_call', 'hook_event', 'hook_event', 'tool_result', 'tool_outcome']),
  )
  expect(await hookEvents(it)).toEqual(['hide after replaced', 'count after replaced'])
})

test('[N91] a function adds events and usage to the write of its decision', async () => {
  const busy: Middleware = {
    name: 'busy',
    before: ({ emit, usage }) => {
      emit('reflection', { text: 'Hm.' })
      usage({ totalTokens: 7 })
      return undefined
    },
    after: ({ emit }) =>
      void emit('session_checkpoint', { checkpoint_type: 'tested', status: 'ok', summary_text: 'seen' }),
  }
  const { definition } = worker([busy])
  const it = new LoopWorld(definition)
  await it.ask('go')
  const writes = it.log.appends.map(({ events }) => events.map(({ type }) => type))
  expect(writes).toContainEqual(expect.arrayContaining(['reflection', 'usage', 'tool_call']))
  expect(writes).toContainEqual(expect.arrayContaining(['session_checkpoint', 'tool_result', 'tool_outcome']))
  expect(await hookEvents(it)).toEqual([])
})

test.each<[string, string, JsonObject]>([
  ['a cut of the conversation', 'context_compacted', { summary: 'All is well.', kept_from: 99 }],
  ['other tools', 'turn_start_tools', { tools: ['nothing'], of: 1 }],
  ['a model that fails', 'transport_diagnostic', { kind: 'model', status: 'retrying', retry_at: 9e15 }],
  ['a decision of another', 'hook_event', { hook: 'other', phase: 'start', status: 'passed' }],
  ['a warning of its own', 'context_warning', { kind: 'loop', message: 'Enough.' }],
  ['an event of 2 MB', 'step_progress', { step_id: 'tested', summary: 'x'.repeat(2_000_000) }],
])('[N91] [N29] neither middleware nor a tool can tell of %s', async (_name, type, payload) => {
  const told: Middleware = {
    name: 'liar',
    start: ({ emit }) => {
      emit(type as 'step_progress', payload)
      return undefined
    },
  }
  const { definition } = worker([told], [['pay', { euros: 1 }]], {
    run: async (_input: unknown, { session }: ToolCallContext) =>
      session.emit<'step_progress'>(type as 'step_progress', payload),
  })
  const it = new LoopWorld(definition)
  await it.ask('go')
  expect(await hookEvents(it)).toMatchObject([expect.stringContaining('liar start error')])
  expect(await it.outcomes()).toEqual(['pay error'])
  expect((await it.payloads('turn_end')).at(-1)).toMatchObject({ status: 'completed' })
})

test('[N29] a tool that changes the messages changes its own copy', async () => {
  const { definition } = worker([], [['pay', { euros: 1 }]], {
    run: async (_input: unknown, { session }: ToolCallContext) => {
      for (const message of await session.messages()) Object.assign(message, { role: 'system', parts: [] })
    },
  })
  const it = new LoopWorld(definition)
  for (const key of [keyOf('s1'), keyOf('s2'), keyOf('s3')]) {
    await it.ask('go', key)
    const { messages } = (await it.host.open(key)).state.conversation
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  }
})

const bad = (how: () => unknown): Middleware['before'] => how as never
test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
  ['returns something else', () => 42],
  ['returns input that is no object', () => ({ input: [1] })],
  ['returns input that is not JSON', () => ({ input: { n: 1n } })],
  ['never returns', hung],
])('[N92] a middleware that %s: the call is denied, and the turn goes on', async (_name, how) => {
  const { definition, made } = worker([{ name: 'bad', before: bad(how) as never }])
  const it = new LoopWorld(definition)
  const keys = [keyOf('a'), keyOf('b'), keyOf('c')]
  for (const key of keys) await it.submit('go', key)
  await it.quiet()
  await it.clock.pass(50)
  await it.quiet()
  for (const key of keys) {
    expect(await it.outcomes(key)).toEqual(['pay denied middleware_failed'])
    expect(await hookEvents(it, key)).toEqual(['bad before error'])
    expect(await it.payloads('turn_end', key)).toMatchObject([{ status: 'completed' }])
  }
  expect(made).toEqual([])
})

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
  ['returns what is not JSON', () => ({ n: 1n })],
  ['never returns', hung],
])('[N92] a middleware behind a call that %s withholds the result', async (_name, how) => {
  const { definition, made } = worker([{ name: 'bad', after: how as never }])
  const it = new LoopWorld(definition)
  await it.submit('go')
  await it.quiet()
  await it.clock.pass(50)
  await it.quiet()
  expect(made).toEqual(['pay 5'])
  expect(await it.outcomes()).toEqual(['pay error middleware_failed'])
  expect(await it.payloads('tool_result')).toEqual([])
  expect(await hookEvents(it)).toEqual(['bad after error'])
  expect(await it.result()).toContain('The call was made, but its result is withheld')
})

test('[N92] usage of a function that failed counts, its events do not; what it does afterwards changes nothing', async () => {
  let late = () => {}
  const bad: Middleware = {
    name: 'bad',
    before: ({ emit, usage }) => {
      emit('reflection', { text: 'Hm.' })
      usage({ totalTokens: 7 })
      late = () => usage({ totalTokens: 1 })
      throw new Error('broken')
    },
  }
  const { definition } = worker([bad])
  const it = new LoopWorld(definition)
  await it.ask('go')
  expect(await it.payloads('reflection')).toEqual([])
  expect((await it.payloads('usage')).filter(({ total_tokens }) => total_tokens === 7)).toHaveLength(1)
  expect(late).toThrow('over')
})

test('[N93] after a crash, a call is repeated, asked about and approved with the arguments of the log', async () => {
  for (const [effect, approve] of [
    ['idempotent', false],
    ['unsafe', false],
    ['unsafe', true],
  ] as const) {
    let asked = 0
    let isFirst = true
    const made: unknown[] = []
    const counting: Middleware = { name: 'counting', before: () => ({ input: { n: ++asked } }) }
    const make = tool({
      ...{ name: 'make', description: 'Makes.', effect, approve, input: v.object({ n: v.number() }) },
      run: ({ n }) => {
        made.push(n)
        return isFirst ? hung() : `made ${n}`
      },
    })
    const answer: Answering = (prompt) =>
      lastResults(prompt) ? { text: String(lastResults(prompt)) } : { calls: [['make', { n: 99 }]] }
    let it = new LoopWorld(agent({ name: 'tested', model: stubModel(answer), tools: [make], use: [counting] }))
    await it.submit('go')
    await it.quiet()
    if (approve) {
      it = await it.again()
      expect(await it.payloads('approval_required')).toMatchObject([{ arguments: { n: 1 } }])
      await it.approve()
    }
    expect(made).toEqual([1])
    isFirst = false
    it = await it.again()
    if (effect === 'unsafe') {
      expect((await it.payloads('approval_required')).at(-1)).toMatchObject({ arguments: { n: 1 } })
      await it.approve()
    }
    expect([asked, made, await it.result()]).toEqual([1, [1, 1], 'made 1'])
  }
})

test('[N93] an output is taken with the arguments of the log', async () => {
  const answer: Answering = () => ({ calls: [['answer', { n: 1 }]] })
  const double: Middleware = { name: 'double', before: ({ input }) => ({ input: { n: Number(input.n) * 2 } }) }
  const it = new LoopWorld(
    agent({ name: 'tested', model: stubModel(answer), output: v.object({ n: v.number() }), use: [double] }),
  )
  await it.ask('go')
  expect(await it.result()).toEqual({ n: 2 })
})

const optionsOf = ({ name, model, tools, limits }: ReturnType<typeof agent>) => ({
  name,
  model: model?.[0] as LanguageModel,
  tools,
  limits,
})
