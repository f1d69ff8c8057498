import type { ShownPrompt } from '../imported/imported-prompts.tsx'
import { textPieces } from '../ui/blank-runs.ts'
import { hiddenCount } from '../ui/exact-text.ts'
import { SEARCHED_CHARS } from './limits.ts'

/** The number of prompts with invisible characters or with gaps that hide the text behind them. Only the first part of a very large file is searched. */
export const hiddenPrompts = (prompts: readonly ShownPrompt[]): number => {
  let left = SEARCHED_CHARS
  let found = 0
  for (const { text } of prompts) {
    left -= text.length
    if (left < 0) break
    if (hiddenCount(text) > 0 || textPieces(text).some(({ type }) => type === 'blank')) found += 1
  }
  return found
}
