import { Link, useLocation } from 'wouter'
import { waitingText } from '../server/live-store.ts'
import { useLive } from '../server/server-context.tsx'
import { Icon } from '../ui/icon.tsx'
import { currentPage, pageLinks } from './pages.ts'

/** The pages on a phone. */
export const TabBar = () => {
  const [path] = useLocation()
  const waiting = useLive(waitingText)
  const here = currentPage(path)
  return (
    <nav className="tabbar" aria-label="Pages">
      {pageLinks.map(({ path: to, word, icon }) => (
        <Link key={to} href={to} aria-current={here === to ? 'page' : undefined}>
          <Icon name={icon} size={20} />
          <span>{word}</span>
          {to === '/inbox' && waiting !== '' && (
            <span className="badge hot">
              {waiting}
              <span className="vh"> waiting</span>
            </span>
          )}
        </Link>
      ))}
    </nav>
  )
}
