// Context windows in tokens, answer included. A family has the smallest window of its current models, so that none
// overflows. `limits.windowTokens` of an agent overrides the table, and an overflow error corrects it at run time.
import { matchesModel } from './prices.ts'

const windows: readonly (readonly [pattern: string, tokens: number])[] = [
  ['claude-*', 200_000],
  ['gpt-5*', 272_000],
  ['gpt-4.1*', 1_000_000],
  ['gpt-4o*', 128_000],
  ['o3*', 200_000],
  ['o4-*', 200_000],
  ['gemini-*', 1_000_000],
  ['mistral-large*', 128_000],
  ['deepseek-*', 128_000],
  ['llama-4*', 1_000_000],
  ['llama-3*', 128_000],
  ['llama3*', 128_000],
  ['qwen3*', 32_000],
  ['gpt-oss*', 128_000],
]

export const windowTokensOf = (model: string): number | null => {
  const name = model.slice(model.lastIndexOf('/') + 1)
  return windows.find(([pattern]) => matchesModel(pattern, name))?.[1] ?? null
}
