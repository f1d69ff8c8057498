// Loads the log of a session: the newest page first, then the older ones.

import type { SessionLogPage } from 'bridle/client'
import type { History } from 'bridle/history'
import type { EntryLog } from './entry-log.ts'
import { ENTRIES_MAX } from './log-facets.ts'

/** Entries of one request: small enough that reading them is no pause, and fifty thousand take a hundred requests. */
const PAGE_ENTRIES = 500

/** A page of the log after a number. */
export type LogPager = (after: number, limit: number) => Promise<Pick<SessionLogPage, 'entries' | 'head' | 'next'>>

export type LogProgress = 'loading' | 'whole' | 'cut'

/** Calls `onPage` after each page. Ends when all is there, when the page may hold no more, or when `isOver` says so. */
export const loadLog = async (
  pager: LogPager,
  log: EntryLog,
  onPage: (progress: LogProgress) => void,
  isOver: () => boolean,
): Promise<void> => {
  // Numbers need not begin with 1: the first entry says where the log begins, and the answer where it ends.
  const { entries, head } = await pager(0, 1)
  const [first] = entries
  if (!first || isOver()) return onPage('whole')
  const begin = first.seq - 1
  log.addNewer(await loadRange(pager, Math.max(begin, head - PAGE_ENTRIES), head))
  while (!isOver()) {
    const isWhole = log.low <= begin + 1
    const isFull = log.count >= ENTRIES_MAX
    onPage(isWhole ? 'whole' : isFull ? 'cut' : 'loading')
    if (isWhole || isFull) return
    const upTo = log.low - 1
    log.addOlder(await loadRange(pager, Math.max(begin, upTo - PAGE_ENTRIES), upTo))
  }
}

/** A page may be shorter than asked for: large entries fill it. */
const loadRange = async (pager: LogPager, after: number, upTo: number): Promise<SessionLogPage['entries']> => {
  const found: SessionLogPage['entries'][number][] = []
  for (let last = after; last < upTo; ) {
    const { entries } = await pager(last, Math.min(PAGE_ENTRIES, upTo - last))
    const end = entries.at(-1)
    if (!end) break
    found.push(...entries)
    last = end.seq
  }
  return found
}

/** Reads what came since. */
export const loadNews = async (pager: LogPager, log: EntryLog): Promise<void> => {
  for (let hasMore = true; hasMore; ) {
    const { entries, next } = await pager(log.head, PAGE_ENTRIES)
    log.addNewer(entries)
    hasMore = next !== null && entries.length > 0
  }
}

/** Pages of a log that is here already. */
export const historyPager =
  (history: History): LogPager =>
  async (after, limit) => {
    const from = Math.max(after + 1, history.first)
    const entries = Array.from({ length: limit }, (_, at) => history.entry(from + at)).filter(
      (each) => each !== undefined,
    )
    const last = entries.at(-1)?.seq ?? history.head
    return { entries, head: history.head, next: last < history.head ? last : null }
  }
