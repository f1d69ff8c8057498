// The end of a model's stream: a package that ignores its signal must not keep a connection open, and no answer goes on for ever.
import { expect, test } from 'vitest'
import { STEP_CHARS_MAX } from './limits.ts'
import type { LanguageModel, ModelStream } from './model.ts'
import { think } from './think.ts'

const clock = { now: () => 0, after: () => () => {} }
const listener = { text: async () => {}, thinking: async () => {} }
const modelOf = (doStream: () => Promise<{ stream: ReadableStream }>): LanguageModel => ({
  specificationVersion: 'v4',
  provider: 'stub',
  modelId: 'one',
  doStream: doStream as unknown as () => Promise<ModelStream>,
})
const ask = (model: LanguageModel, signal = new AbortController().signal) =>
  think(model, { messages: [], tools: [], settings: {}, signal }, listener, { callId: String, clock, stallMs: 1_000 })

/** A stream that notes its cancel, and sends this text as often as it is asked. */
const endless = (delta: string) => {
  const seen = { pulls: 0, isCancelled: false }
  const stream = new ReadableStream({
    pull: (controller) => {
      seen.pulls += 1
      controller.enqueue({ type: 'text-delta', id: '0', delta })
    },
    cancel: () => {
      seen.isCancelled = true
    },
  })
  return { stream, seen }
}

test('[N61] an answer without an end is left at the size of a step, and its stream is closed', async () => {
  const { stream, seen } = endless('x'.repeat(100_000))
  await expect(ask(modelOf(async () => ({ stream })))).rejects.toMatchObject({ reason: 'invalid', retryable: false })
  expect(seen.pulls).toBeLessThan(STEP_CHARS_MAX / 100_000 + 3)
  expect(seen.isCancelled).toBe(true)
})

test('[N61] a stream that comes after its run was cancelled is closed', async () => {
  const { stream, seen } = endless('x')
  const late = Promise.withResolvers<{ stream: ReadableStream }>()
  const controller = new AbortController()
  const answer = ask(
    modelOf(() => late.promise),
    controller.signal,
  )
  await new Promise(setImmediate)
  controller.abort(new Error('cancelled'))
  await expect(answer).rejects.toThrow('cancelled')
  late.resolve({ stream })
  await expect.poll(() => seen.isCancelled).toBe(true)
})
