// The numbers of a session that rows of lists show under these names. A new one is a line here and a field of `sessionRowSchema`.
import { emptyState, type SessionState } from '../projections/state.ts'

export const listedCounts = ({ conversation, childApprovals }: SessionState) => ({
  messages: conversation.messages.length,
  childApprovals: Object.keys(childApprovals.open).length,
})

export type ListedCounts = Readonly<ReturnType<typeof listedCounts>>

/** The counts of a row. A row that an older version wrote lacks the newer ones: it has those of an empty session. */
export const countsOf = (row: Partial<ListedCounts>): ListedCounts =>
  Object.fromEntries(
    Object.entries(listedCounts(emptyState)).map(([name, none]) => [name, row[name as keyof ListedCounts] ?? none]),
  ) as unknown as ListedCounts
