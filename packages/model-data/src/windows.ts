// The tokens that a model reads at once, answer included. A family's row is a careful guess: the least of its members that are in
// use, so that no model is overfilled. `limits.windowTokens` of an agent says it exactly, and an overflow error corrects a wrong row.
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

/** Null: no row has the model. A name may begin with that of a maker or a gateway, as in `anthropic/claude-sonnet-5`. */
export const windowTokensOf = (model: string): number | null => {
  const name = model.slice(model.lastIndexOf('/') + 1)
  return windows.find(([pattern]) => matchesModel(pattern, name))?.[1] ?? null
}
