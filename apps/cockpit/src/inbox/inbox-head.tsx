// The head of the inbox: how many wait, for how long, and the filters.
import type { PendingApproval } from 'bridle/client'
import { Link, useLocation } from 'wouter'
import { waitingText } from '../server/live-store.ts'
import { useLive } from '../server/server-context.tsx'
import { TopBar } from '../shell/top-bar.tsx'
import { Age } from '../ui/age.tsx'
import { exactText } from '../ui/exact-text.ts'
import { Kbd } from '../ui/kbd.tsx'
import { encodeInboxQuery, type InboxQuery, SHOWS } from './inbox-filter.ts'
import { NotifySwitch } from './notify-switch.tsx'

interface InboxHeadProps {
  readonly query: InboxQuery
  readonly approvals: readonly PendingApproval[]
}

const words = { all: 'All', expiring: 'Expiring', questions: 'Questions', budgets: 'Budgets' } as const

export const InboxHead = ({ query, approvals }: InboxHeadProps) => {
  const [, navigate] = useLocation()
  const agents = [...new Set([...approvals.map(({ agent }) => agent), ...(query.agent === null ? [] : [query.agent])])]
  const [oldest] = approvals
  const waiting = useLive(waitingText)
  const pathWith = (change: Partial<InboxQuery>): string => encodeInboxQuery({ ...query, selected: null, ...change })
  return (
    <TopBar
      actions={
        <>
          {agents.length > 1 && (
            <select
              className="inbox-agent no-phone"
              aria-label="Agent"
              value={query.agent ?? ''}
              onChange={({ target }) => navigate(pathWith({ agent: target.value === '' ? null : target.value }))}
            >
              <option value="">All agents</option>
              {agents.map((agent) => (
                <option key={agent} value={agent}>
                  {exactText(agent)}
                </option>
              ))}
            </select>
          )}
          <nav className="seg no-phone" aria-label="Show">
            {SHOWS.map((show) => (
              <Link
                key={show}
                href={pathWith({ show })}
                className={show === query.show ? 'on' : ''}
                aria-current={show === query.show ? 'true' : undefined}
              >
                {words[show]}
              </Link>
            ))}
          </nav>
          <span className="row small t3 no-phone inbox-keys">
            <Kbd>J</Kbd>
            <Kbd>K</Kbd> move <Kbd>Enter</Kbd> answer
          </span>
          <span className="no-phone">
            <NotifySwitch />
          </span>
        </>
      }
    >
      <h1>Inbox</h1>
      {oldest && (
        <span className="t3 num nowrap">
          {waiting} waiting, oldest <Age at={oldest.requestedAt} />
        </span>
      )}
    </TopBar>
  )
}
