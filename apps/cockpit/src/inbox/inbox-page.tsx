// Every approval that waits, over all sessions: the list, and the card of one.
import type { PendingApproval } from 'bridle/client'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { useLive } from '../server/server-context.tsx'
import { Button } from '../ui/button.tsx'
import { Screen } from '../ui/screen.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useNow } from '../ui/use-now.ts'
import { DecidedRow } from './decided-row.tsx'
import { InboxCard } from './inbox-card.tsx'
import {
  encodeInboxQuery,
  filterApprovals,
  isSelected,
  neighbourOf,
  nextAfter,
  parseInboxQuery,
  selectionOf,
} from './inbox-filter.ts'
import { InboxHead } from './inbox-head.tsx'
import { InboxPager } from './inbox-pager.tsx'
import { InboxRow } from './inbox-row.tsx'
import { useDecided } from './use-decided.ts'
import { useInboxKeys } from './use-inbox-keys.ts'
import './inbox.css'

/** The history shows answers that are not older than this. */
const DECIDED_MS = 60 * 60_000
/** Rows of approvals at first, and with each "Show more": a screen shows ten. */
const ROWS_STEP = 100

const InboxPage = () => {
  const [search] = useSearchParams()
  const [, navigate] = useLocation()
  const query = parseInboxQuery(search)
  const approvals = useLive((state) => state.approvals)
  const isLoaded = useLive((state) => state.isLoaded)
  const now = useNow()
  const shown = filterApprovals(approvals, query, now)
  const decided = useDecided()
  const recent = decided.filter(
    ({ agent, decidedAt }) =>
      now - Date.parse(decidedAt) < DECIDED_MS && (query.agent === null || query.agent === agent),
  )
  const [rowCount, setRowCount] = useState(ROWS_STEP)
  const [isListOpen, setListOpen] = useState(false)
  const [focused, setFocused] = useState<PendingApproval | null>(null)

  const pathOf = (approval: Pick<PendingApproval, 'id' | 'sessionId' | 'agent'> | null): string =>
    encodeInboxQuery({ ...query, selected: approval && selectionOf(approval) })
  const select = (approval: PendingApproval | null): void => navigate(pathOf(approval), { replace: true })

  // The address names the approval on the page from the start: when it goes away, another one must not slip into its place.
  const first = query.selected === null ? shown[0] : undefined
  const firstPath = first && pathOf(first)
  useEffect(() => {
    if (firstPath !== undefined) navigate(firstPath, { replace: true })
  }, [firstPath, navigate])

  const open = (approval: PendingApproval): void => {
    setListOpen(false)
    setFocused(approval)
    document.getElementById(`approval-${approval.id}`)?.focus()
  }
  const move = (step: 1 | -1): void => {
    const next = neighbourOf(shown, query.selected, step)
    if (!next) return
    select(next)
    setFocused(null)
    // The row has the focus, not the card: the next key must not decide about something that was only passed by.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.ib.on')?.focus())
  }
  useInboxKeys(move, () => {
    const selected = shown.find((approval) => isSelected(approval, query.selected))
    if (selected) open(selected)
  })

  // An answer arrives later: somebody may have gone to another approval by then, and the list may have changed.
  const latest = useRef({ shown, selected: query.selected, place: 0 })
  const place = shown.findIndex((approval) => isSelected(approval, query.selected))
  latest.current = { shown, selected: query.selected, place: place === -1 ? latest.current.place : place }
  const goOnFrom = (settled: Parameters<typeof isSelected>[0]): void => {
    const current = latest.current
    if (!current.selected || !isSelected(settled, current.selected)) return
    const next = nextAfter(current.shown, current.selected, current.place)
    setFocused(next)
    select(next)
    if (!next) document.getElementById('main')?.focus()
  }

  // A phone shows the list or the card. With nothing to answer it has room for the sentence and the list of answers.
  const hasBoth = shown.length === 0 && query.selected === null && recent.length > 0

  if (!isLoaded)
    return (
      <>
        <InboxHead query={query} approvals={approvals} />
        <Skeleton />
      </>
    )
  return (
    <>
      <InboxHead query={query} approvals={approvals} />
      <div className="page">
        <InboxPager
          shown={shown}
          selection={query.selected}
          isListOpen={isListOpen}
          onToggleList={() => setListOpen((was) => !was)}
          onMove={(step) => select(neighbourOf(shown, query.selected, step))}
        />
        <div className={`inbox${hasBoth ? ' both' : isListOpen && shown.length > 0 ? ' list-open' : ''}`}>
          <nav className="iblist scroll" aria-label="Approvals, oldest first">
            <h2>{shown.length === 0 ? 'Nothing waits' : 'Waiting, oldest first'}</h2>
            {shown.slice(0, rowCount).map((approval) => (
              <InboxRow
                key={`${approval.agent} ${approval.sessionId} ${approval.id}`}
                approval={approval}
                href={pathOf(approval)}
                isSelected={isSelected(approval, query.selected)}
                onOpen={() => open(approval)}
              />
            ))}
            {shown.length > rowCount && (
              <Button look="ghost" icon="chevron-down" onClick={() => setRowCount(rowCount + ROWS_STEP)}>
                Show more, {shown.length - rowCount} left
              </Button>
            )}
            {recent.length > 0 && <h2>Decided in the last hour</h2>}
            {recent.map((approval) => (
              <DecidedRow
                key={`${approval.agent} ${approval.sessionId} ${approval.id}`}
                approval={approval}
                href={pathOf(approval)}
                isSelected={isSelected(approval, query.selected)}
                onOpen={() => setListOpen(false)}
              />
            ))}
          </nav>
          <div className="detail scroll">
            {query.selected ? (
              <InboxCard
                selection={query.selected}
                approvals={approvals}
                decided={decided}
                focused={focused}
                onGoOn={goOnFrom}
              />
            ) : (
              <EmptyInbox waiting={approvals.length} />
            )}
          </div>
        </div>
      </div>
    </>
  )
}

const EmptyInbox = ({ waiting }: { readonly waiting: number }) =>
  waiting === 0 ? (
    <Screen icon="inbox" title="Nothing waits for you">
      <p>
        Approvals and questions of all sessions show up here. Their number stands beside <i>Inbox</i> and in the title
        of this tab.
      </p>
    </Screen>
  ) : (
    <Screen icon="search-x" title="No approval matches">
      <p>
        {waiting} wait in all. <Link href="/inbox">Show all</Link>
      </p>
    </Screen>
  )

export default InboxPage
