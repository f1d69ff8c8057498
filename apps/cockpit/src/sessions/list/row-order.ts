// The order of the list: what waits for a person first, oldest first; then what is at work; then the newest change.

import type { SessionRow } from 'bridle/client'
import { statusWords } from 'bridle/words'

/**
 * Sessions at work change all the time: among each other they stand in the order in which they were made, or the rows would
 * change places under the pointer.
 */
export const orderedRows = (rows: readonly SessionRow[]): readonly SessionRow[] =>
  [...rows].sort((one, other) => rank(one) - rank(other) || compareWithin(one, other))

const rank = ({ status }: SessionRow): number => {
  if (status === 'awaiting_approval') return 0
  return statusWords(status).isWorking ? 1 : 2
}

const compareWithin = (one: SessionRow, other: SessionRow): number => {
  if (one.status === 'awaiting_approval') return compareTexts(one.updatedAt, other.updatedAt)
  return rank(one) === 1
    ? compareTexts(other.createdAt, one.createdAt)
    : compareTexts(other.updatedAt, one.updatedAt) || compareTexts(one.id, other.id)
}

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** A session's key among rows: an id belongs to its agent. */
export const rowKey = ({ agent, id }: { readonly agent: string; readonly id: string }): string => `${agent}/${id}`

/** Rows of several lists, each session once: the first one counts. */
export const mergedRows = (...lists: readonly (readonly SessionRow[])[]): readonly SessionRow[] => {
  const rows = new Map<string, SessionRow>()
  for (const row of lists.flat()) if (!rows.has(rowKey(row))) rows.set(rowKey(row), row)
  return [...rows.values()]
}
