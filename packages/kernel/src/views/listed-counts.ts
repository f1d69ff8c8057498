// Numbers that rows show under these names. A new one also needs a field in `sessionRowSchema`.
import { emptyState, type SessionState } from '../projections/state.ts'

export const listedCounts = ({ conversation, childApprovals }: SessionState) => ({
  messages: conversation.messages.length,
  childApprovals: Object.keys(childApprovals.open).length,
})

export type ListedCounts = Readonly<ReturnType<typeof listedCounts>>

/** Rows of older versions lack newer counts; the defaults come from an empty session. */
export const countsOf = (row: Partial<ListedCounts>): ListedCounts =>
  Object.fromEntries(
    Object.entries(listedCounts(emptyState)).map(([name, none]) => [name, row[name as keyof ListedCounts] ?? none]),
  ) as unknown as ListedCounts
