import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { waitingText } from '../server/live-store.ts'
import { useLive } from '../server/server-context.tsx'
import { Icon } from '../ui/icon.tsx'
import { MoreSheet } from './more-sheet.tsx'
import { currentPage, pageLinks } from './pages.ts'

/** The pages on a phone, and the way to everything else that the side bar has. */
export const TabBar = () => {
  const [path] = useLocation()
  const waiting = useLive(waitingText)
  const here = currentPage(path)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
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
        <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <Icon name="ellipsis" size={20} />
          <span>More</span>
        </button>
      </nav>
      {isOpen && <MoreSheet onClose={() => setOpen(false)} />}
    </>
  )
}
