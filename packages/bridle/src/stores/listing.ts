// What the lists of all stores share. A page's cursor is where its last entry stood in the order: rows may change
// between pages, a position stays valid.
import { StoreFault } from '../kernel/ports/store.ts'
import { PAGE_MAX } from './limits.ts'

export const encodeCursor = (position: readonly number[]): string => position.join('.')

export const decodeCursor = (cursor: string, length: number): number[] => {
  const position = cursor.split('.').map(Number)
  if (position.length !== length || !position.every(Number.isSafeInteger) || encodeCursor(position) !== cursor)
    throw new StoreFault('refused', 'not a cursor of this list')
  return position
}

/** How many entries a page holds: what was asked, within reason. */
export const pageSize = (asked: number | undefined): number => Math.max(1, Math.min(asked ?? 50, PAGE_MAX))

/** An entry, and where it stands in the order of its list. */
export interface PositionedEntry<T> {
  readonly at: readonly number[]
  readonly entry: T
}

/** Cuts one entry too many off a page and turns the last kept one's position into the cursor. */
export const cutPage = <T>(found: readonly PositionedEntry<T>[], size: number): { entries: T[]; next?: string } => {
  const kept = found.slice(0, size)
  const entries = kept.map(({ entry }) => entry)
  return found.length <= size ? { entries } : { entries, next: encodeCursor(kept.at(-1)!.at) }
}

/** What a search looks through. Lower case made here, since databases fold ASCII only. */
export const searchText = (id: string, title: string): string => `${id}\n${title}`.toLowerCase()
