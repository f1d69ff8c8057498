// The bar above every page: where you are, what you can do here, and whether the page is current.
import type { ReactNode } from 'react'
import { ConnectionPill } from './connection-pill.tsx'

interface TopBarProps {
  /** The heading of the page, perhaps with a way back before it. */
  readonly children: ReactNode
  readonly actions?: ReactNode
}

export const TopBar = ({ children, actions }: TopBarProps) => (
  <header className="top">
    <div className="crumb grow">{children}</div>
    <ConnectionPill />
    {actions}
  </header>
)
