import { STATUS_NAMES, statusWords } from 'bridle/words'
import { Link, useLocation } from 'wouter'
import { waitingText } from '../server/live-store.ts'
import { useLive } from '../server/server-context.tsx'
import { Icon } from '../ui/icon.tsx'
import { ActionRow } from './action-row.tsx'
import { currentPage, pageLinks, ROUTES_PATH } from './pages.ts'
import { sessionPath } from './paths.ts'
import { SideSessions } from './side-sessions.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import { UserRow } from './user-row.tsx'

export const SideBar = () => {
  const [path] = useLocation()
  const waiting = useLive(waitingText)
  const here = currentPage(path)
  return (
    <nav className="side" aria-label="Pages">
      <div className="brand">
        <Icon name="bridle" size={20} />
        Bridle
      </div>
      <div className="nav">
        {pageLinks.map(({ path: to, word, icon, keys }) => (
          <Link key={to} href={to} aria-current={here === to ? 'page' : undefined} aria-keyshortcuts={keys}>
            <Icon name={icon} />
            <span>{word}</span>
            {to === '/inbox' && waiting !== '' ? (
              <span className="badge hot">
                {waiting}
                <span className="vh"> waiting</span>
              </span>
            ) : (
              <span className="kbd-hint" aria-hidden="true">
                {keys}
              </span>
            )}
          </Link>
        ))}
      </div>
      <SideSessions title="Waiting for you" statuses={waitingStatuses} hrefOf={sessionPath} />
      <SideSessions title="Running" statuses={runningStatuses} hrefOf={sessionPath} />
      <div className="foot nav">
        <Link href={ROUTES_PATH} aria-current={path === ROUTES_PATH ? 'page' : undefined}>
          <Icon name="route" />
          <span>Routes</span>
        </Link>
        <ActionRow id="palette.open" />
        <ActionRow id="shortcuts.open" words="Shortcuts" />
        <UserRow />
        <ThemeSwitch />
      </div>
    </nav>
  )
}

const waitingStatuses: readonly string[] = ['awaiting_approval']
const runningStatuses: readonly string[] = STATUS_NAMES.filter((status) => statusWords(status).isWorking)
