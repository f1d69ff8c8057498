// Search and filters of the debug page, the switch that follows, and the file of the whole log.
import { useEffect, useState } from 'react'
import { keyHintOf } from '../../actions/action-table.ts'
import { useAction } from '../../actions/use-action.ts'
import { FilterChip } from '../../sessions/list/filter-chip.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import type { EntryFilter, FilterName } from './log/entry-filter.ts'
import type { LogFacets } from './log/log-facets.ts'

/** The pause in typing after which the rows are searched. */
const SEARCH_PAUSE_MS = 120

interface DebugFiltersProps {
  readonly filter: EntryFilter
  readonly facets: LogFacets
  readonly onChange: (name: FilterName, value: string) => void
}

const TIERS = [
  { value: 'default', word: 'default' },
  { value: 'debug', word: 'default and debug' },
  { value: 'internal', word: 'internal' },
]

const optionsOf = (values: Iterable<string>) => [...values].sort().map((value) => ({ value, word: value }))

export const DebugFilters = ({ filter, facets, onChange }: DebugFiltersProps) => {
  const chip = (name: FilterName, label: string, options: readonly { value: string; word: string }[]) => (
    <FilterChip label={label} value={filter[name]} options={options} onChange={(value) => onChange(name, value)} />
  )
  return (
    <search className="row debug-filters">
      <SearchField value={filter.q} onChange={(value) => onChange('q', value)} />
      {chip('type', 'Type', optionsOf(facets.types))}
      {chip('tier', 'Tier', TIERS)}
      {chip('tool', 'Tool', optionsOf(facets.tools))}
      {chip('call', 'Call id', optionsOf(facets.calls))}
      {chip('status', 'Status', optionsOf(facets.statuses))}
    </search>
  )
}

/** The address follows a pause in typing: each letter would search the whole log. */
const SearchField = ({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) => {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), SEARCH_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  useAction('search.focus', () => document.getElementById('log-search')?.focus())
  return (
    <label className="field debug-search">
      <Icon name="search" size={14} />
      <span className="vh">Search events</span>
      <input
        id="log-search"
        type="search"
        placeholder="Search type, call id, text"
        aria-keyshortcuts={keyHintOf('search.focus')}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Kbd>{keyHintOf('search.focus')}</Kbd>
    </label>
  )
}
