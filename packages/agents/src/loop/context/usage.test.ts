// The tokens, the cost and the share of the window of each request; warnings about loops; marks for the cache of a provider.

import { windowTokensOf } from '@bridle/model-data/windows'
import { expect, test } from 'vitest'
import { agent } from '../../agent.ts'
import type { LanguageModel, ModelMessage } from '../../model/model.ts'
import { markForCache } from '../asking/asking.ts'
import { LoopWorld, stubModel } from '../loop.suite.ts'
import { reader } from './context.suite.ts'
import { requestUsageItem } from './usage.ts'

const usageOf = (...given: Parameters<typeof requestUsageItem>) => {
  const item = requestUsageItem(...given)
  return item.type === 'event' ? item.event.payload : null
}

test('[N88] usage has the tokens of the cache, the cost by list price, and the share of the window', () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cacheReadTokens: 500_000, cacheWriteTokens: 100_000 }
  expect(usageOf('anthropic/claude-sonnet-4-5', usage, { tokens: 50_000, window: 200_000 })).toEqual({
    input_tokens: 1_000_000,
    output_tokens: 100_000,
    total_tokens: 1_100_000,
    cache_read_tokens: 500_000,
    cache_write_tokens: 100_000,
    cost_usd: expect.closeTo(0.4 * 3 + 0.5 * 0.3 + 0.1 * 3.75 + 0.1 * 15, 9),
    estimated: true,
    context_usage_pct: 25,
    model: 'anthropic/claude-sonnet-4-5',
  })
  expect(usageOf('mystery', { inputTokens: 5 }, null)).toEqual({ input_tokens: 5, total_tokens: 5, model: 'mystery' })
  expect(usageOf('gpt-5', {}, { tokens: 1, window: 8 })).toEqual({ context_usage_pct: 12.5, model: 'gpt-5' })
})

test('[N82] the window is the given one, else that of the model, else 128,000', async () => {
  const pctOf = async (modelId: string, limits = {}) => {
    const it = new LoopWorld(
      reader(undefined, { model: stubModel(() => ({ tokens: 9_995, text: 'ok' }), modelId), limits }),
    )
    await it.ask('go')
    return (await it.payloads('usage'))[0]?.context_usage_pct
  }
  expect(await pctOf('claude-sonnet-4-5')).toBe(5)
  expect(await pctOf('gateway/claude-sonnet-4-5')).toBe(5)
  expect(await pctOf('mystery')).toBe(7.8)
  expect(await pctOf('mystery', { windowTokens: 20_000 })).toBe(50)
  expect(windowTokensOf('mystery')).toBe(null)
})

test('[N82] where the provider does not count, the share is an estimate', async () => {
  const it = new LoopWorld(reader(() => ({ tokens: null, text: 'word '.repeat(400) })))
  await it.ask('word '.repeat(400))
  const [usage] = await it.payloads('usage')
  expect(usage).not.toHaveProperty('total_tokens')
  expect(usage?.context_usage_pct).toBeGreaterThan(25)
  expect(usage?.context_usage_pct).toBeLessThan(35)
})

test('[N89] each call that repeats those before it is a warning of kind loop', async () => {
  const it = new LoopWorld(reader(() => ({ calls: [['read', { n: 1 }]] }), { limits: {} }))
  await it.ask('go')
  const calls = (await it.payloads('tool_outcome')).filter(({ reason }) => reason === 'repeated')
  expect(await it.payloads('context_warning')).toEqual(
    calls.map(({ tool_call_id, error }) => ({ kind: 'loop', message: error, tool_call_id })),
  )
  expect(calls).toHaveLength(3)
  expect((await it.host.open({ tenant: 'acme', agent: 'tested', id: 's1' })).state.health.loopWarnings).toBe(1)
})

const anthropic = (provider: string): LanguageModel => ({ ...stubModel(() => ({})), provider })
const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } }

test('[N88] the end of the instructions and the last message are marked, where the provider wants it', () => {
  const shared: ModelMessage[] = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: [{ type: 'text', text: 'a' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'b' }], providerOptions: { anthropic: { x: 1 } } },
  ]
  const before = JSON.stringify(shared)
  for (const provider of ['anthropic.messages', 'vertex.anthropic.messages']) {
    const messages = [...shared]
    markForCache(messages, anthropic(provider))
    expect(messages.map(({ providerOptions }) => providerOptions)).toEqual([
      mark,
      undefined,
      { anthropic: { x: 1, ...mark.anthropic } },
    ])
  }
  const messages = [...shared]
  markForCache(messages, anthropic('openai.responses'))
  expect(messages).toEqual(shared)
  expect(JSON.stringify(shared)).toBe(before)
  const none: ModelMessage[] = []
  markForCache(none, anthropic('anthropic'))
  expect(none).toEqual([])
})

test('[N88] marks are in the requests only: the next request has one place for them, too', async () => {
  const requests: ModelMessage[][] = []
  const model: LanguageModel = {
    ...anthropic('anthropic.messages'),
    doStream: async (options) => {
      requests.push(options.prompt)
      return stubModel(() => ({ text: 'ok' })).doStream(options)
    },
  }
  const it = new LoopWorld(agent({ name: 'tested', model, instructions: 'Be kind.' }))
  for (const prompt of ['one', 'two', 'three']) await it.ask(prompt)
  for (const request of requests)
    expect(request.flatMap(({ providerOptions }, index) => (providerOptions ? [index] : []))).toEqual([
      0,
      request.length - 1,
    ])
  expect(JSON.stringify(await it.events())).not.toContain('cacheControl')
})
