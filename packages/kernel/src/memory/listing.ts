// A cursor is the sort position of a page's last entry, which stays valid when rows change between pages.
import { StoreFault } from '../ports/store-fault.ts'

/** A larger page would block the event loop while its rows are parsed. */
const PAGE_MAX = 500

export const encodeCursor = (position: readonly number[]): string => position.join('.')

export const decodeCursor = (cursor: string, length: number): number[] => {
  const position = cursor.split('.').map(Number)
  if (position.length !== length || !position.every(Number.isSafeInteger) || encodeCursor(position) !== cursor)
    throw new StoreFault('refused', 'not a cursor of this list')
  return position
}

export const pageSize = (requested: number | undefined): number => Math.max(1, Math.min(requested ?? 50, PAGE_MAX))

export interface PositionedEntry<T> {
  readonly at: readonly number[]
  readonly entry: T
}

export const comparePositions = (a: readonly number[], b: readonly number[]): number => {
  for (const [index, value] of a.entries()) if (value !== b[index]) return value - (b[index] ?? 0)
  return 0
}

/** `found` has an extra entry if there is a next page. `end`: where reading stopped early, so that a short page continues there. */
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

/** Lowercased here because databases fold ASCII only. */
export const searchText = (id: string, title: string): string => `${id}\n${title}`.toLowerCase()
