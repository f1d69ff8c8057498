// Approximate cost of tokens, for enforcing limits, not for billing. Rows are list prices of November 2026 in USD per
// million tokens. Models not listed cost as much as the most expensive of their family. Operator rows take precedence.

export interface Price {
  readonly input: number
  readonly output: number
  /** Cached input. Default: a tenth of `input`. */
  readonly cacheRead?: number
  /** Input written to the cache. Default: 1.25 times `input`, or twice `input` if kept for an hour. */
  readonly cacheWrite?: number
  /** Default: the prices of text. */
  readonly audio?: { readonly input: number; readonly output: number; readonly cacheRead: number }
}

/** The first matching row wins. `*` matches any characters. */
export type PriceTable = readonly (readonly [pattern: string, price: Price])[]

export interface TokenUsage {
  /** Excludes cache reads and writes. */
  readonly inputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  /** The part of `cacheWriteTokens` cached for an hour, which costs more. */
  readonly cacheWriteHourTokens: number
  readonly outputTokens: number
}

export interface AudioTokens {
  readonly inputTokens: number
  readonly cacheReadTokens: number
  readonly outputTokens: number
}

/** Never zero: an unknown model must not bypass the cost limit. */
export const UNKNOWN_MODEL_PRICE: Price = { input: 15, output: 75 }

const familyPrices: PriceTable = [
  ['claude-fable*', { input: 10, output: 50 }],
  ['claude-mythos*', { input: 10, output: 50 }],
  ['claude-opus-4-0*', { input: 15, output: 75 }],
  ['claude-opus-4-1*', { input: 15, output: 75 }],
  ['claude-opus-4-2025*', { input: 15, output: 75 }],
  ['claude-opus-5-5*', { input: 4, output: 20 }],
  ['claude-opus-*', { input: 5, output: 25 }],
  ['claude-sonnet-*', { input: 3, output: 15 }],
  ['claude-haiku-*', { input: 1, output: 5 }],
  ['gpt-realtime*-mini*', { input: 0.6, output: 2.4, audio: { input: 10, output: 20, cacheRead: 0.3 } }],
  ['gpt-*realtime*', { input: 4, output: 16, audio: { input: 32, output: 64, cacheRead: 0.4 } }],
  ['gpt-*-pro*', { input: 30, output: 180 }],
  ['gpt-5*-nano*', { input: 0.2, output: 1.25 }],
  ['gpt-5*-mini*', { input: 0.75, output: 4.6 }],
  ['gpt-5', { input: 1.25, output: 10 }],
  ['gpt-5-*', { input: 1.25, output: 10 }],
  ['gpt-5.1*', { input: 1.25, output: 10 }],
  ['gpt-5.2*', { input: 1.75, output: 14 }],
  ['gpt-5.3*', { input: 1.75, output: 14 }],
  ['gpt-5.4*', { input: 2.5, output: 15 }],
  ['gpt-5*', { input: 5, output: 30 }],
  ['gpt-4.1*', { input: 2, output: 8, cacheRead: 0.5 }],
  ['gpt-4o*', { input: 2.5, output: 10, cacheRead: 1.25 }],
]

export const priceOf = (model: string, own: PriceTable = []): Price =>
  [...own, ...familyPrices].find(([pattern]) => matchesModel(pattern, model))?.[1] ?? UNKNOWN_MODEL_PRICE

/** Null for an unknown model. Ignores a vendor or gateway prefix, as in `anthropic/claude-sonnet-5`. */
export const listPriceOf = (model: string): Price | null => {
  const name = model.slice(model.lastIndexOf('/') + 1)
  return familyPrices.find(([pattern]) => matchesModel(pattern, name))?.[1] ?? null
}

export const costUsd = (usage: TokenUsage, price: Price, audio?: AudioTokens): number => {
  const { input, output, cacheRead = input / 10, cacheWrite = input * 1.25 } = price
  const briefly = Math.max(0, usage.cacheWriteTokens - usage.cacheWriteHourTokens)
  const perMillion =
    usage.inputTokens * input +
    usage.cacheReadTokens * cacheRead +
    briefly * cacheWrite +
    usage.cacheWriteHourTokens * Math.max(cacheWrite, input * 2) +
    usage.outputTokens * output +
    (audio && price.audio ? audioSurcharge(audio, { input, output, cacheRead }, price.audio) : 0)
  return perMillion / 1_000_000
}

type AudioPrice = NonNullable<Price['audio']>

const audioSurcharge = (tokens: AudioTokens, text: AudioPrice, audio: AudioPrice): number =>
  tokens.inputTokens * (audio.input - text.input) +
  tokens.cacheReadTokens * (audio.cacheRead - text.cacheRead) +
  tokens.outputTokens * (audio.output - text.output)

export const matchesModel = (pattern: string, model: string): boolean => {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === model
  if (model.length < first.length + last.length || !model.startsWith(first) || !model.endsWith(last)) return false
  let from = first.length
  for (const part of rest) {
    const at = model.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return from <= model.length - last.length
}
