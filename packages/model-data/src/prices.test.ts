import { expect, test } from 'vitest'
import { costUsd, matchesModel, priceOf, type TokenUsage, UNKNOWN_MODEL_PRICE } from './prices.ts'

const usage = (some: Partial<TokenUsage>): TokenUsage => ({
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  outputTokens: 0,
  ...some,
})

test.each([
  ['claude-opus-4-1-20250805', 15],
  ['claude-opus-4-20250514', 15],
  ['claude-opus-5', 5],
  ['claude-sonnet-4-5-20250929', 3],
  ['gpt-5.4-mini', 0.75],
  ['gpt-5.2-codex', 1.75],
  ['gpt-5.9', 5],
  ['gpt-realtime', 4],
  ['gpt-realtime-2026-10-01', 4],
  ['gpt-realtime-mini', 0.6],
  ['gpt-4o-realtime-preview', 4],
])('%s costs %d per million tokens of input', (model, input) => expect(priceOf(model).input).toBe(input))

test('a model nobody knows has the stated price, never none', () => {
  expect(priceOf('mystery-1')).toBe(UNKNOWN_MODEL_PRICE)
  expect(costUsd(usage({ outputTokens: 1 }), priceOf(''))).toBeGreaterThan(0)
})

test("an operator's own rows come first", () => {
  expect(priceOf('claude-opus-5', [['claude-*', { input: 1, output: 2 }]])).toEqual({ input: 1, output: 2 })
})

test.each<[string, Partial<TokenUsage>, number]>([
  ['input and output', { inputTokens: 1_000_000, outputTokens: 100_000 }, 3 + 1.5],
  ['read from the cache', { cacheReadTokens: 1_000_000 }, 0.3],
  ['written to the cache', { cacheWriteTokens: 1_000_000 }, 3.75],
  ['written for an hour', { cacheWriteTokens: 1_000_000, cacheWriteHourTokens: 1_000_000 }, 6],
])('%s', (_name, some, usd) => {
  expect(costUsd(usage(some), { input: 3, output: 15 })).toBeCloseTo(usd, 9)
})

test.each([
  ['claude-*', 'claude-opus-5', true],
  ['claude-*', 'xclaude-opus-5', false],
  ['gpt-5*-mini*', 'gpt-5.4-mini-2026', true],
  ['gpt-5*-mini*', 'gpt-5.4', false],
  ['a*a', 'a', false],
  ['*', '', true],
  ['gpt-5', 'gpt-5.1', false],
  ['a.c', 'abc', false],
  ['a*b*b', 'ab', false],
])('%s against %s: %s', (pattern, model, matches) => expect(matchesModel(pattern, model)).toBe(matches))

test('tokens of audio have a price of their own', () => {
  const audio = { inputTokens: 1_000_000, cacheReadTokens: 0, outputTokens: 500_000 }
  const spoken = usage({ inputTokens: 2_000_000, outputTokens: 1_000_000 })
  expect(costUsd(spoken, priceOf('gpt-realtime'), audio)).toBeCloseTo(4 + 32 + 8 + 32, 9)
  expect(costUsd(spoken, { input: 3, output: 15 }, audio)).toBeCloseTo(6 + 15, 9)
})
