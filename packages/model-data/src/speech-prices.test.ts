import { expect, test } from 'vitest'
import { speechCostUsd } from './speech-prices.ts'

test.each([
  ['whisper-1', 0.006],
  ['gpt-4o-transcribe', 0.006],
  ['gpt-4o-mini-transcribe-2025-12-15', 0.003],
  ['openai/gpt-4o-mini-tts', 0.015],
  ['tts-1', 0.015],
  ['tts-1-hd', 0.03],
  ['kokoro', null],
])('a minute and a thousand characters of %s cost %s', (model, cost) => {
  const amount = speechCostUsd(model, { audioMs: 60_000, chars: 1_000 })
  expect(amount === null ? null : Number(amount.toFixed(6))).toBe(cost)
})
