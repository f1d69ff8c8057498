import { type RepositoryPromptOptions, repositoryPrompt } from '../repository/repository-prompt.ts'
import type { RepositoryTexts } from '../repository/repository-texts.ts'

/** The text behind an engine's own system prompt: the operator's instructions first, then the repository's. Null: there is none. */
export const appendedInstructions = (
  given: { readonly instructions?: string; readonly repository?: RepositoryTexts },
  options: RepositoryPromptOptions = {},
): string | null => {
  const texts = [given.instructions, given.repository && repositoryPrompt(given.repository, options)]
  return texts.filter((text) => text).join('\n\n') || null
}
