// A screen that says what is the matter and what to do: nothing here, nothing found, nobody answers.
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'

interface ScreenProps {
  readonly icon: IconName
  readonly title: string
  /** The screen stands alone: its title is the heading of the page. */
  readonly isPage?: boolean
  readonly children?: ReactNode
}

export const Screen = ({ icon, title, isPage = false, children }: ScreenProps) => (
  <div className="center">
    <section className="state">
      <Icon name={icon} size={20} />
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </section>
  </div>
)
