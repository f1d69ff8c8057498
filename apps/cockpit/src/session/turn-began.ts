import type { ChatSession, HarnessMessage } from 'bridle/client'

type BegunSession = Pick<ChatSession, 'kind' | 'createdAt' | 'branch_source_event_id'>
type PromptMessage = Pick<HarnessMessage, 'role' | 'createdAt'>

/** The start of the time that the page counts, in ms since 1970; undefined = nothing was asked yet. A branch has the prompts of its parent too. */
export const turnBegan = (session: BegunSession, messages: readonly PromptMessage[]): number | undefined => {
  const created = Date.parse(session.createdAt)
  const isBranch = session.branch_source_event_id !== null
  const asked = messages.findLast(({ role }) => role === 'user')?.createdAt
  if (isBranch && (asked === undefined || asked < created)) return undefined
  return session.kind === 'background' ? created : asked
}
