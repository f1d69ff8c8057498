// Shared by the lists of all stores. A cursor is the position of the page's last entry in the order: rows may change
// between pages, and a position stays valid.
import { StoreFault } from '../ports/store-fault.ts'

/** Entries of a page: a larger page would block the event loop while its rows are parsed. */
const PAGE_MAX = 500

export const encodeCursor = (position: readonly number[]): string => position.join('.')

export const decodeCursor = (cursor: string, length: number): number[] => {
  const position = cursor.split('.').map(Number)
  if (position.length !== length || !position.every(Number.isSafeInteger) || encodeCursor(position) !== cursor)
    throw new StoreFault('refused', 'not a cursor of this list')
  return position
}

/** Entries of a page: the requested number, within limits. */
export const pageSize = (requested: number | undefined): number => Math.max(1, Math.min(requested ?? 50, PAGE_MAX))

/** An entry, and where it stands in the order of its list. */
export interface PositionedEntry<T> {
  readonly at: readonly number[]
  readonly entry: T
}

/**
 * Cuts one entry too many off a page and turns the last kept one's position into the cursor. `end` is the position at which
 * reading stopped before the end of the list: a page that is not full goes on there.
 */
export const cutPage = <T>(
  found: readonly PositionedEntry<T>[],
  size: number,
  end: readonly number[] | null = null,
): { entries: T[]; next?: string } => {
  const kept = found.slice(0, size)
  const entries = kept.map(({ entry }) => entry)
  const next = found.length > size ? kept.at(-1)!.at : end
  return next === null ? { entries } : { entries, next: encodeCursor(next) }
}

/** The text that a search looks through. Lower case is made here, since databases fold ASCII only. */
export const searchText = (id: string, title: string): string => `${id}\n${title}`.toLowerCase()
