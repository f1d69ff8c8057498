// The rest of the side bar, for a phone: the pages without a place in the bar below, the person who is signed in, the theme.
import { Link, useLocation } from 'wouter'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icon-names.ts'
import { ActionRow } from './action-row.tsx'
import { IMPORT_PATH, REPLAY_PATH, ROUTES_PATH } from './pages.ts'
import { ThemeSwitch } from './theme-switch.tsx'
import { UserRow } from './user-row.tsx'

const links: readonly { readonly path: string; readonly word: string; readonly icon: IconName }[] = [
  { path: ROUTES_PATH, word: 'Routes', icon: 'route' },
  { path: IMPORT_PATH, word: 'Import a session', icon: 'upload' },
  { path: REPLAY_PATH, word: 'Replay a file', icon: 'history' },
]

export const MoreSheet = ({ onClose }: { readonly onClose: () => void }) => {
  const [path] = useLocation()
  return (
    <Dialog title="More" look="low-sheet" onClose={onClose}>
      <div className="nav more-sheet">
        {links.map(({ path: to, word, icon }) => (
          <Link key={to} href={to} aria-current={path === to ? 'page' : undefined} onClick={onClose}>
            <Icon name={icon} />
            <span>{word}</span>
          </Link>
        ))}
        <ActionRow id="palette.open" onRun={onClose} />
        <UserRow />
        <ThemeSwitch />
      </div>
    </Dialog>
  )
}
