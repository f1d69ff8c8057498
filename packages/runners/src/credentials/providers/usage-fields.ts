// Reading the usage that a provider reports, field by field: a count that is no count is left out.
import type { TokenUsage } from '@bridle/model-data/prices'
import type { ProviderEvent, UsageCounter } from './provider.ts'

export const readWholeUsage = (
  answer: unknown,
  counter: UsageCounter,
  usageOf: (usage: unknown) => Partial<TokenUsage>,
): void => {
  const usage = usageOf(objectIn(answer).usage)
  counter.addCounts(usage, usage.outputTokens !== undefined)
}

export const validCounts = (counts: { readonly [K in keyof TokenUsage]?: unknown }): Partial<TokenUsage> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => Number.isFinite(count) && (count as number) >= 0))

export const objectIn = (value: unknown): ProviderEvent =>
  typeof value === 'object' && value !== null ? (value as ProviderEvent) : {}
