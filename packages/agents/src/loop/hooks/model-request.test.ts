// The point `model` of middleware: it surrounds each request to the model.

import { expect, test } from 'vitest'
import { agent } from '../../agent.ts'
import type { Middleware } from '../../middleware/middleware.ts'
import type { Thought } from '../../model/model.ts'
import { ModelError } from '../../model/model-error.ts'
import { tool } from '../../tools/tool.ts'
import { type Answering, keyOf, LoopWorld, lastResults, lastText, stubModel } from '../loop.suite.ts'
import { MODEL_REQUESTS_MAX } from './model-request.ts'

const keys = [keyOf('a'), keyOf('b'), keyOf('c')]
const hung = () => new Promise<never>(() => {})
const worldOf = (use: readonly Middleware[], answer: Answering, more: object = {}) =>
  new LoopWorld(agent({ name: 'tested', model: stubModel(answer), use, limits: { toolMs: 50 }, ...more }))
const hookEvents = async (it: LoopWorld, key = keyOf()) =>
  (await it.payloads('hook_event', key)).map(({ hook, phase, status }) => `${hook} ${phase} ${status}`)
const answerOf = async (it: LoopWorld, key = keyOf()) =>
  (await it.host.open(key)).state.conversation.messages.at(-1)?.content
const spoken = (text: string): Thought => ({ content: [{ type: 'text', text }], finish: 'stop', usage: {} })
const around = (name: string, more: Middleware['model']): Middleware => ({ name, ...(more && { model: more }) })
const counted = () => {
  let n = 0
  return (): { text: string } => ({ text: `Answer ${++n}.` })
}

test('[N119] the first middleware is outermost; each one may change the request and the answer', async () => {
  const order: string[] = []
  const seen: unknown[] = []
  const marked = (name: string): Middleware =>
    around(name, async (request, next) => {
      order.push(`${name} in`)
      const thought = await next({ ...request, settings: { ...request.settings, temperature: 0.5 } })
      order.push(`${name} out`)
      return thought
    })
  const quiet = around('quiet', (request, next) => next(request))
  const loud = around('loud', async (request, next) => {
    const { content, ...rest } = await next(request)
    return {
      ...rest,
      content: content.map((each) => (each.type === 'text' ? { ...each, text: each.text.toUpperCase() } : each)),
    }
  })
  const it = worldOf([marked('one'), quiet, loud, marked('two')], (prompt, { temperature }) => {
    seen.push([lastText(prompt), temperature])
    return { thinking: 'Hm.', text: `You said ${lastText(prompt)}.` }
  })
  for (const key of keys) {
    await it.ask('hello', key)
    await it.ask('bye', key)
    expect(await it.result(key)).toBe('YOU SAID BYE.')
    expect(await answerOf(it, key)).toBe('YOU SAID BYE.')
    expect(await hookEvents(it, key)).toEqual(
      ['hello', 'bye'].flatMap(() => ['two model changed', 'loud model changed', 'one model changed']),
    )
    expect((await it.payloads('usage', key)).map(({ total_tokens }) => total_tokens)).toEqual([15, 15])
  }
  expect(order.slice(0, 4)).toEqual(['one in', 'two in', 'two out', 'one out'])
  expect(seen.slice(0, 2)).toEqual([
    ['hello', 0.5],
    ['bye', 0.5],
  ])
})

test('[N119] a middleware that changes nothing leaves no trace, and the text is shown while it arrives', async () => {
  const bare = worldOf([], counted())
  const watched = worldOf([around('watch', (request, next) => next(request))], counted())
  const typesOf = async (it: LoopWorld) => {
    await it.ask('go')
    return (await it.events()).map(({ type }) => type)
  }
  expect(await typesOf(watched)).toEqual(await typesOf(bare))
})

test('[N119] a middleware asks more than once: only the last text is shown, and all tokens count', async () => {
  const twice = around('twice', async (request, next) => {
    await next(request)
    return next({
      ...request,
      messages: [...request.messages, { role: 'user', content: [{ type: 'text', text: 'x' }] }],
    })
  })
  const first = around('first', async (request, next) => {
    const thought = await next(request)
    await next(request)
    return thought
  })
  const race = around('race', (request, next) => Promise.race([next(request), next(request), next(request)]))
  for (const [middleware, said, requests] of [
    [twice, 'Answer 2.', 2],
    [first, 'Answer 1.', 2],
    [race, 'Answer 1.', 3],
  ] as const) {
    const it = worldOf([middleware], counted())
    await it.ask('go')
    expect([middleware.name, await it.result(), await answerOf(it)]).toEqual([middleware.name, said, said])
    expect(await hookEvents(it)).toEqual([`${middleware.name} model repeated`])
    expect((await it.payloads('usage')).length).toBeLessThanOrEqual(requests)
    if (middleware !== race) expect(await it.payloads('usage')).toHaveLength(2)
  }
})

test('[N119] a middleware answers itself, with text and with calls, and the model is not asked', async () => {
  let asked = 0
  const made: unknown[] = []
  const look = tool({ name: 'look', description: 'Looks.', effect: 'pure', run: (input) => made.push(input) })
  const cache = around('cache', async (request, next) => {
    if (lastResults(request.messages)) return next(request)
    const call = { type: 'call', tool: 'look', input: { n: 1 } } as const
    return {
      content: [{ type: 'text', text: 'From the cache. ' }, call, call],
      usage: {},
      finish: 'tool-calls',
    } as never
  })
  const it = worldOf([cache], () => ({ text: `Asked ${++asked} times.` }), { tools: [look] })
  for (const key of keys) await it.ask('go', key)
  expect([asked, made.length]).toEqual([3, 6])
  for (const key of keys) {
    expect(await answerOf(it, key)).toMatch(/^From the cache\. Asked \d times\.$/)
    expect(await it.payloads('tool_call', key)).toMatchObject([
      { tool_call_id: expect.stringMatching(/\.1\.1$/) },
      { tool_call_id: expect.stringMatching(/\.1\.2$/) },
    ])
    expect(await hookEvents(it, key)).toEqual(['cache model answered'])
  }
})

test('[N119] after a crash the function runs again with the step, and only with that one', async () => {
  const steps: number[] = []
  let isDown = false
  const look = tool({ name: 'look', description: 'Looks.', effect: 'pure', run: () => 'seen' })
  const watch = around('watch', async (request, next) => {
    steps.push(request.messages.filter(({ role }) => role === 'assistant').length)
    const thought = await next(request)
    return isDown ? hung() : { ...thought, content: thought.content }
  })
  const answer: Answering = (prompt) => {
    isDown = lastResults(prompt) !== null && steps.length === 2
    return lastResults(prompt) ? { text: 'Seen.' } : { text: 'Looking. ', calls: [['look', {}]] }
  }
  let it = worldOf([watch], answer, { tools: [look], limits: {} })
  await it.submit('go')
  await it.quiet()
  it = await it.again()
  expect([steps, await answerOf(it)]).toEqual([[0, 1, 1], 'Looking. Seen.'])
})

test.each<[string, () => unknown, string]>([
  [
    'throws',
    () => {
      throw new Error('broken')
    },
    'broken',
  ],
  ['never returns', hung, 'model took longer than 50 ms.'],
  ['returns nothing', async () => undefined, 'The answer of model is not JSON.'],
  ['returns something else', async () => ({ text: 'hi' }), 'model returns the answer of next'],
  ['returns an answer without content', async () => ({ content: [] }), 'model returns the answer of next'],
  ['returns an unknown part', async () => ({ content: [{ type: 'song' }] }), 'model returns the answer of next'],
  [
    'returns a call of a tool with a name of 1 MB',
    async () => ({ content: [{ type: 'call', tool: 'x'.repeat(1_000_000), input: {} }] }),
    'model returns the answer of next',
  ],
  ['returns a huge answer', async () => spoken('x'.repeat(2_000_000)), 'model returned more than'],
  ['returns usage that is none', async () => ({ ...spoken('x'), usage: { inputTokens: -1 } }), 'model returns'],
])('[N120] a model function that %s is a failed request, and is not tried again', async (_name, model, reason) => {
  let asked = 0
  const bad: Middleware = { name: 'bad', model: model as never }
  const it = worldOf([around('outer', (request, next) => next(request)), bad], () => ({ text: `${++asked}` }))
  for (const key of keys) await it.submit('go', key)
  await it.quiet()
  await it.clock.pass(50)
  await it.quiet()
  for (const key of keys) {
    expect(await it.payloads('hook_event', key)).toMatchObject([
      { hook: 'bad', phase: 'model', status: 'error', reason: expect.stringContaining(reason) },
    ])
    expect(await it.payloads('turn_end', key)).toMatchObject([{ status: 'failed', stop_reason: 'model_middleware' }])
  }
  expect(asked).toBe(0)
})

test('[N120] the time of a function stands still while the model works; a failure of the model stays one', async () => {
  const slowly: Answering = () => new Promise(() => {})
  const failing = around('patient', (request, next) => next(request))
  const it = worldOf([failing], slowly, { limits: { toolMs: 50, stallMs: 1_000 } })
  await it.submit('go')
  await it.quiet()
  await it.clock.pass(500)
  await it.quiet()
  expect(await it.payloads('hook_event')).toEqual([])
  const down = worldOf([failing], () => {
    throw new ModelError('auth', 'The key is wrong.')
  })
  expect(await down.ask('go')).toMatchObject({ status: 'failed', stop_reason: 'model_auth' })
  expect(await down.payloads('hook_event')).toEqual([])
})

test('[N120] a request that is none fails', async () => {
  const it = worldOf([around('bad', (_request, next) => next({ messages: 'hi' } as never))], counted())
  expect(await it.ask('go')).toMatchObject({ status: 'failed', stop_reason: 'model_middleware' })
})

test('[N120] a function that asks without end is stopped, and its tokens count', async () => {
  const endless = around('endless', async (request, next) => {
    for (;;) await next(request)
  })
  const it = worldOf([endless], counted())
  expect(await it.ask('go')).toMatchObject({ status: 'failed' })
  expect(await it.payloads('usage')).toHaveLength(MODEL_REQUESTS_MAX)
})

test('[N119] a function that changes its request changes no other request, of no session', async () => {
  const requests: string[] = []
  const echo = tool({ name: 'echo', description: 'Echoes.', effect: 'pure', run: () => 'ok' })
  const vandal = around('vandal', (request, next) => {
    if (requests.length === 0) {
      for (const message of request.messages) Object.assign(message, { role: 'user', content: [] })
      for (const each of request.tools) Object.assign(each, { description: 'Broken.' })
      Object.assign(request.settings, { temperature: 2 })
    }
    return next(request)
  })
  const it = worldOf(
    [vandal],
    (prompt, { tools, temperature }) => {
      requests.push(JSON.stringify([prompt, tools, temperature]))
      return lastResults(prompt) ? { text: 'Done.' } : { calls: [['echo', {}]] }
    },
    { tools: [echo], settings: { temperature: 0.5 } },
  )
  for (const key of keys) await it.ask('go', key)
  const [first, second, ...others] = requests
  expect(first).toContain('Broken.')
  expect(second).toContain('"go"')
  expect(others.filter((_, index) => index % 2 === 1)).toEqual([second, second])
  expect(requests.slice(1).filter((request) => request.includes('Broken.') || request.endsWith(',2]'))).toEqual([])
})

test('[N120] the answer of next cannot be changed, only replaced', async () => {
  const it = worldOf(
    [
      around('vandal', async (request, next) => {
        const thought = await next(request)
        Object.assign(thought.usage, { inputTokens: -1 })
        return thought
      }),
    ],
    counted(),
  )
  expect(await it.ask('go')).toMatchObject({ status: 'failed', stop_reason: 'model_middleware' })
})
