// The pages that the side bar and the tab bar lead to, with the keys that open them.
import type { IconName } from '../ui/icon-names.ts'

export interface PageLink {
  readonly path: string
  readonly word: string
  readonly icon: IconName
  readonly keys: string
}

export const pageLinks: readonly PageLink[] = [
  { path: '/inbox', word: 'Inbox', icon: 'inbox', keys: 'g i' },
  { path: '/', word: 'Sessions', icon: 'layers', keys: 'g s' },
  { path: '/fleet', word: 'Health', icon: 'activity', keys: 'g h' },
  { path: '/try', word: 'Agents', icon: 'bot', keys: 'g a' },
]

/** The page that a path belongs to: a session belongs to the list. */
export const currentPage = (path: string): string => {
  if (path.startsWith('/s/')) return '/'
  return pageLinks.find((link) => link.path !== '/' && path.startsWith(link.path))?.path ?? path
}
