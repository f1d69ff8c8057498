// All sessions: what needs a person stands first.
import { useCallback, useMemo } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useServer } from '../server/server-context.tsx'
import { CANNOT_OPERATE, useCan } from '../server/use-can.ts'
import { useLoaded } from '../server/use-loaded.ts'
import { IMPORT_PATH, REPLAY_PATH } from '../shell/pages.ts'
import { TopBar } from '../shell/top-bar.tsx'
import { FirstRun } from '../tour/first-run.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { Screen } from '../ui/screen.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useIsPhone } from '../ui/use-is-phone.ts'
import { BulkBar } from './acts/bulk-bar.tsx'
import { undoNewest, usePendingActs } from './acts/pending-acts.ts'
import { FilterBar } from './list/filter-bar.tsx'
import { PhoneList } from './list/phone-list.tsx'
import { rowKey } from './list/row-order.ts'
import {
  type FilterName,
  isFiltered,
  readQuery,
  serverFilter,
  withFilter,
  withoutFilters,
} from './list/session-query.ts'
import { SessionTable } from './list/session-table.tsx'
import { SummaryLine } from './list/summary-line.tsx'
import { useListKeys } from './list/use-list-keys.ts'
import { useSelection } from './list/use-selection.ts'
import { useSessionList } from './list/use-session-list.ts'
import { NewSessionDialog } from './new-session/new-session-dialog.tsx'
import './sessions.css'

const SessionsPage = () => {
  const { client } = useServer()
  const [params, setParams] = useSearchParams()
  const query = useMemo(() => readQuery(params), [params])
  const filter = useMemo(() => (isFiltered(query) ? () => serverFilter(query, Date.now()) : null), [query])
  const list = useSessionList(JSON.stringify(query), filter)
  const acts = usePendingActs()
  const rows = useMemo(
    () => list.rows.filter((row) => !['archive', 'unarchive'].includes(acts.get(rowKey(row)) ?? '')),
    [list.rows, acts],
  )
  // A server on which nothing has run has nothing to count or to filter. Archived sessions are found with a filter.
  const isEmpty = list.isLoaded && filter === null && list.rows.length === 0 && !list.error
  const archived = useLoaded(isEmpty ? 'any archived' : null, () => client.sessions({ archived: true, limit: 1 }))
  const hasArchived = (archived.data?.sessions.length ?? 0) > 0 || archived.data?.next !== undefined
  const isUnused = isEmpty && !archived.isLoading && !hasArchived
  const selection = useSelection(rows)
  const isPhone = useIsPhone()
  const canOperate = useCan('operate')
  const change = (name: FilterName, value: string): void =>
    setParams((before) => withFilter(before, name, value), { replace: name === 'search' })
  const setNew = useCallback(
    (isOpen: boolean) =>
      setParams((before) => {
        const next = new URLSearchParams(before)
        if (isOpen) next.set('new', '1')
        else next.delete('new')
        return next
      }),
    [setParams],
  )
  useListKeys({
    onNew: canOperate ? () => setNew(true) : null,
    onSelect: selection.toggle,
    onClear: selection.clear,
    onUndo: undoNewest,
  })
  return (
    <>
      <TopBar
        actions={
          <>
            <Link
              className="btn ghost no-phone"
              href={IMPORT_PATH}
              title="Store the sessions of an export file on this server"
            >
              <Icon name="upload" size={14} />
              Import a session
            </Link>
            <Link
              className="btn ghost no-phone"
              href={REPLAY_PATH}
              title="A session of an export file, without the server"
            >
              <Icon name="history" size={14} />
              Replay a file
            </Link>
            <Button
              look="primary"
              icon="plus"
              keyHint="N"
              isDisabled={!canOperate}
              {...(!canOperate && { title: CANNOT_OPERATE })}
              onClick={() => setNew(true)}
            >
              <span>
                New<span className="no-phone"> session</span>
              </span>
            </Button>
          </>
        }
      >
        <h1>Sessions</h1>
      </TopBar>
      <div className="page sessions-page">
        {!isUnused && <SummaryLine />}
        {!isUnused && (
          <FilterBar query={query} onChange={change}>
            <span className="right small t3 no-phone nowrap">
              {rows.length}
              {list.hasMore && '+'} {filter ? 'found' : 'in all'} · waiting first, then newest change
            </span>
          </FilterBar>
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reachable by key */}
        <section className="list scroll" aria-label="Sessions" tabIndex={0}>
          {!list.isLoaded && <Skeleton rows={10} />}
          {rows.length > 0 && (isPhone ? <PhoneList rows={rows} /> : <Table {...{ rows, selection, acts }} />)}
          {list.isLoaded && rows.length === 0 && (
            <Nothing
              isFiltered={filter !== null}
              error={list.error}
              onClear={() => setParams((before) => withoutFilters(before))}
              onNew={() => setNew(true)}
            />
          )}
          {list.hasMore && (
            <div className="list-more">
              <Button onClick={list.loadMore}>Load more</Button>
            </div>
          )}
        </section>
        {!isPhone && <BulkBar rows={selection.rows} onClear={selection.clear} />}
      </div>
      {params.get('new') !== null && <NewSessionDialog onClose={() => setNew(false)} />}
    </>
  )
}

const Table = ({
  rows,
  selection,
  acts,
}: Pick<Parameters<typeof SessionTable>[0], 'rows' | 'acts'> & {
  readonly selection: ReturnType<typeof useSelection>
}) => <SessionTable rows={rows} selected={selection.keys} acts={acts} onSelect={selection.toggle} />

interface NothingProps {
  readonly isFiltered: boolean
  readonly error: Error | null
  readonly onClear: () => void
  readonly onNew: () => void
}

const Nothing = ({ isFiltered: hasFilter, error, onClear, onNew }: NothingProps) => {
  if (error)
    return (
      <Screen icon="triangle-alert" title="The list could not be loaded">
        <p>{visibleText(error.message)}</p>
      </Screen>
    )
  if (hasFilter)
    return (
      <Screen icon="search-x" title="No session fits these filters">
        <div>
          <Button onClick={onClear}>Show all sessions</Button>
        </div>
      </Screen>
    )
  return <FirstRun onNew={onNew} />
}

export default SessionsPage
