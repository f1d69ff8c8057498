// The pages of one session beside its thread. `?view=` names one; its code loads when somebody opens it.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { DEBUG_VIEW } from '../../shell/paths.ts'
import type { IconName } from '../../ui/icon-names.ts'

export interface SessionView {
  readonly id: string
  readonly word: string
  readonly icon: IconName
  readonly Page: LazyExoticComponent<ComponentType>
}

/** In the order in which they are shown. */
export const sessionViews: readonly SessionView[] = [
  { id: 'timeline', word: 'Timeline', icon: 'activity', Page: lazy(() => import('../timeline/timeline-page.tsx')) },
  { id: 'branches', word: 'Branches', icon: 'git-branch', Page: lazy(() => import('../branches/branches-page.tsx')) },
  { id: DEBUG_VIEW, word: 'Debug', icon: 'terminal', Page: lazy(() => import('../debug/debug-page.tsx')) },
]

/** The address of a view of the same session, with what is selected; null = the thread. */
export const hrefOfView = (path: string, query: URLSearchParams, id: string | null): string => {
  const next = new URLSearchParams(query)
  if (id === null) next.delete('view')
  else next.set('view', id)
  return next.size > 0 ? `${path}?${next}` : path
}
