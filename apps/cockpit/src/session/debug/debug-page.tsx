// The debug page of a session: its raw log with filters, the selected entry, the wire, and the state.
import { useCallback, useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import { useAction } from '../../actions/use-action.ts'
import { visibleText } from '../../ui/plain-text.ts'
import { useSelection } from '../inspector/use-selection.ts'
import { useSession } from '../session-context.tsx'
import { ViewBar } from '../views/view-bar.tsx'
import { DebugFilters } from './debug-filters.tsx'
import { DebugTail } from './debug-tail.tsx'
import { EntryPane } from './entry/entry-pane.tsx'
import { type EntryFilter, type FilterName, readFilter, withFilter } from './log/entry-filter.ts'
import { useEntryLog, useLogRows, useTiers } from './log/use-log-rows.ts'
import { StatePane } from './state-pane.tsx'
import { EntryTable } from './table/entry-table.tsx'
import { WirePane } from './wire/wire-pane.tsx'
import './debug.css'

const DebugPage = () => {
  const [query, setQuery] = useSearchParams()
  const filter = useFilter(query)
  const { event, select } = useSelection()
  const { past } = useSession()
  const [isFollowing, setFollowing] = useState(true)
  const tiers = useTiers()
  const loaded = useEntryLog(isFollowing)
  const { log, error } = loaded
  const { rows, version, isSearching } = useLogRows(loaded, filter, tiers, past?.seq ?? null)
  const change = useCallback(
    (name: FilterName, value: string) => setQuery((before) => withFilter(before, name, value), { replace: true }),
    [setQuery],
  )
  const onSelect = useCallback((seq: number) => select({ event: String(seq) }), [select])
  const move = (by: number): void => {
    const at = event === null ? -1 : rows.placeOf(event)
    const row = rows.at(Math.max(0, Math.min(rows.count - 1, at + by)))
    if (row) onSelect(row.seq)
  }
  useAction('list.next', () => move(1))
  useAction('list.previous', () => move(-1))
  return (
    <>
      <ViewBar>
        <DebugFilters filter={filter} facets={log.facets} onChange={change} />
        <DebugTail
          loaded={loaded}
          shown={rows.count}
          isSearching={isSearching}
          isFollowing={isFollowing}
          onFollow={setFollowing}
        />
      </ViewBar>
      {error && (
        <p className="banner bad" role="alert">
          The log could not be read: {visibleText(error.message)}
        </p>
      )}
      <div className="debug">
        <EntryTable log={log} rows={rows} version={version} tiers={tiers} selected={event} onSelect={onSelect} />
        <EntryPane entry={event === null ? undefined : log.entry(event)} />
        <WirePane />
        <StatePane />
      </div>
    </>
  )
}

/** The same object while the filters are the same: another one begins the rows anew. */
const useFilter = (query: URLSearchParams): EntryFilter => {
  const text = JSON.stringify(readFilter(query))
  return useMemo(() => JSON.parse(text) as EntryFilter, [text])
}

export default DebugPage
