import type { ShownPrompt } from '../imported/imported-prompts.tsx'
import { textPieces } from '../ui/blank-runs.ts'
import { hiddenCount } from '../ui/exact-text.ts'

/** Characters of prompts that are searched for hidden ones before anybody sees them: more of them would hold up the page. */
const SEARCHED_CHARS = 5_000_000

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
