// The bar above every page: where you are, what you can do here, and whether the page is current.
import type { ReactNode } from 'react'
import { ConnectionPill } from './connection-pill.tsx'

interface TopBarProps {
  /** The heading of the page, perhaps with a way back before it. */
  readonly children: ReactNode
  readonly actions?: ReactNode
  /** In place of the word whether the page is current. */
  readonly pill?: ReactNode
}

export const TopBar = ({ children, actions, pill }: TopBarProps) => (
  <header className="top">
    <div className="crumb grow">{children}</div>
    {pill ?? <ConnectionPill />}
    {actions}
  </header>
)
