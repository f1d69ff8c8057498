// A call of a model ends in a step that the log can keep, or in a ModelError, whatever parts the provider sends.

import { isDeeperThan } from '@bridle/events/json'
import { DEPTH_MAX } from '@bridle/events/limits'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { STEP_CHARS_MAX } from './limits.ts'
import { assistantParts, type LanguageModel } from './model.ts'
import { ModelError } from './model-error.ts'
import { think } from './think.ts'

const TYPES = [
  ...['text', 'reasoning', 'tool-input'].flatMap((kind) => [`${kind}-start`, `${kind}-delta`, `${kind}-end`]),
  ...['tool-call', 'tool-result', 'custom', 'finish', 'error', 'ping', 'source', 'constructor'],
]
const odd = fc.oneof(
  fc.anything(),
  fc.constantFrom(undefined, null, 1n, Symbol.iterator, () => {}, Number.NaN),
)
const part = fc.record(
  {
    type: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...TYPES) }, { weight: 1, arbitrary: odd }),
    id: fc.oneof(fc.constantFrom('a', 'b', '__proto__'), odd),
    toolCallId: fc.oneof(fc.constantFrom('a', 'b', '__proto__'), odd),
    toolName: fc.oneof(fc.constantFrom('read', 'toString'), odd),
    delta: fc.oneof(fc.string({ unit: 'binary' }), fc.json(), odd),
    input: fc.oneof(fc.json(), fc.string(), odd),
    result: odd,
    error: odd,
    providerMetadata: fc.oneof(fc.jsonValue(), odd),
    finishReason: fc.oneof(
      fc.record({ unified: fc.constantFrom('stop', 'tool-calls', 'length', 'other', 'error'), raw: fc.constant('x') }),
      odd,
    ),
    usage: fc.oneof(fc.record({ inputTokens: fc.record({ total: fc.nat() }), outputTokens: odd }), odd),
    providerExecuted: fc.boolean(),
    preliminary: fc.boolean(),
  },
  { requiredKeys: ['type'] },
)
const stop = { type: 'finish', finishReason: { unified: 'stop', raw: 'x' } }

const modelOf = (parts: readonly object[]): LanguageModel => ({
  specificationVersion: 'v4',
  provider: 'any',
  modelId: 'one',
  doStream: async () => ({
    stream: new ReadableStream({
      start: (controller) => {
        for (const each of parts) controller.enqueue(each as { readonly type: string })
        controller.close()
      },
    }),
  }),
})
const request = { messages: [], tools: [], settings: {}, signal: new AbortController().signal }
const options = { callId: (n: number) => `run.1.${n}`, clock: { now: () => 0, after: () => () => {} }, stallMs: 1000 }

test('[N61] [N62] any parts, in any order', async () => {
  let steps = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 19, arbitrary: part }, { weight: 1, arbitrary: odd })),
      async (parts) => {
        const heard: Record<'text' | 'reasoning', string[]> = { text: [], reasoning: [] }
        const listener = {
          text: async (delta: string) => void heard.text.push(delta),
          thinking: async (delta: string) => void heard.reasoning.push(delta),
        }
        try {
          const { content } = await think(modelOf([...(parts as object[]), stop]), request, listener, options)
          const json = JSON.stringify(content)
          expect(JSON.parse(json)).toEqual(content)
          expect(JSON.stringify(assistantParts(JSON.parse(json)))).toBe(JSON.stringify(assistantParts(content)))
          expect(json.length).toBeLessThanOrEqual(STEP_CHARS_MAX)
          expect(isDeeperThan(content, DEPTH_MAX - 10)).toBe(false)
          const calls = content.filter((entry) => entry.type === 'call')
          expect(new Set(calls.map(({ provider_id }) => provider_id)).size).toBe(calls.length)
          expect(calls.map(({ id }) => id)).toEqual(calls.map((_call, index) => `run.1.${index + 1}`))
          for (const type of ['text', 'reasoning'] as const) {
            const texts = content.flatMap((entry) => (entry.type === type ? [entry.text] : []))
            expect([...texts.join('')].toSorted()).toEqual([...heard[type].join('')].toSorted())
          }
          steps += 1
        } catch (error) {
          if (!(error instanceof ModelError)) throw error
        }
      },
    ),
    { numRuns: 300, seed: 14 },
  )
  expect(steps).toBeGreaterThan(30)
})
