import type { ShownPrompt } from '../imported/imported-prompts.tsx'
import { textPieces } from '../ui/blank-runs.ts'
import { hiddenCount } from '../ui/exact-text.ts'
import { SEARCHED_CHARS } from './limits.ts'

/** How many prompts have characters that nobody sees, or gaps that hide what follows. Of a very large file the first prompts are searched. */
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
