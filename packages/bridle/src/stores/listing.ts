// What the lists of all stores share. A page's cursor is where its last entry stood in the order: rows may change
// between pages, a position stays valid.
import { StoreFault } from '../kernel/ports.ts'

const encodeCursor = (position: readonly number[]): string => position.join('.')

export function decodeCursor(cursor: string, length: number): number[] {
  const position = cursor.split('.').map(Number)
  if (position.length !== length || !position.every(Number.isSafeInteger) || encodeCursor(position) !== cursor)
    throw new StoreFault('refused', 'not a cursor of this list')
  return position
}

const pageMax = 500
/** How many entries a page holds: what was asked, within reason. */
export const pageSize = (asked: number | undefined): number => Math.max(1, Math.min(asked ?? 50, pageMax))

/** Cuts one entry too many off a page and turns the last kept one's position into the cursor. */
export function page<T>(
  entries: T[],
  size: number,
  position: (entry: T) => readonly number[],
): { entries: T[]; next?: string } {
  if (entries.length <= size) return { entries }
  const kept = entries.slice(0, size)
  return { entries: kept, next: encodeCursor(position(kept[size - 1]!)) }
}

/** What a search looks through. Lower case made here, since databases fold ASCII only. */
export const searchText = (id: string, title: string): string => `${id}\n${title}`.toLowerCase()
