// The filters of the page. They are in the address, so that a link shows the same rows.
import type { LogEntry } from 'bridle/history'
import { factsOf } from './entry-facts.ts'
import type { LogFacets } from './log-facets.ts'

export const FILTER_NAMES = ['type', 'tier', 'tool', 'call', 'status', 'q'] as const
export type FilterName = (typeof FILTER_NAMES)[number]
/** The empty text filters nothing. */
export type EntryFilter = { readonly [name in FilterName]: string }

export type EntryTier = 'default' | 'debug' | 'internal'
/** The tier of each event type that streams carry; every other one is internal. */
export type EntryTiers = ReadonlyMap<string, EntryTier>

export const tierOf = (tiers: EntryTiers, type: string): EntryTier => tiers.get(type) ?? 'internal'

export const readFilter = (query: URLSearchParams): EntryFilter =>
  Object.fromEntries(FILTER_NAMES.map((name) => [name, query.get(name) ?? ''])) as EntryFilter

export const withFilter = (query: URLSearchParams, name: FilterName, value: string): URLSearchParams => {
  const next = new URLSearchParams(query)
  if (value === '') next.delete(name)
  else next.set(name, value)
  return next
}

/** The stream of the debug tier has both tiers. */
const tierSets: { readonly [tier: string]: readonly EntryTier[] } = {
  default: ['default'],
  debug: ['default', 'debug'],
  internal: ['internal'],
}

/** Whether an entry is shown. The cheap questions come first: the text is looked at last. */
export const entryTest = (
  filter: EntryFilter,
  tiers: EntryTiers,
  facets: LogFacets,
): ((entry: LogEntry) => boolean) => {
  const { type, tier, tool, call, status } = filter
  const shown = tier === '' ? null : (tierSets[tier] ?? [])
  const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean)
  const hasFacts = tool !== '' || call !== '' || status !== ''
  return (entry) => {
    if (type !== '' && entry.type !== type) return false
    if (shown && !shown.includes(tierOf(tiers, entry.type))) return false
    if (hasFacts) {
      const facts = factsOf(entry)
      if (status !== '' && facts.status !== status) return false
      if (call !== '' && !facts.calls.includes(call)) return false
      if (tool !== '' && facets.toolOf(facts) !== tool) return false
    }
    if (words.length === 0) return true
    const text = `${entry.seq} ${entry.type} ${JSON.stringify(entry.payload)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
}
