// The pages that the side bar and the tab bar lead to, with the keys that open them.
import type { ActionId } from '../actions/action-table.ts'
import type { IconName } from '../ui/icon-names.ts'

export interface PageLink {
  readonly path: string
  readonly word: string
  readonly icon: IconName
  readonly action: ActionId
  readonly keys: string
}

export const ROUTES_PATH = '/routes'
export const REPLAY_PATH = '/replay'
/** `/import` is a route of the server. */
export const IMPORT_PATH = '/import-file'

export const pageLinks: readonly PageLink[] = [
  { path: '/inbox', word: 'Inbox', icon: 'inbox', action: 'page.inbox', keys: 'g i' },
  { path: '/', word: 'Sessions', icon: 'layers', action: 'page.sessions', keys: 'g s' },
  { path: '/fleet', word: 'Health', icon: 'activity', action: 'page.health', keys: 'g h' },
  { path: '/try', word: 'Agents', icon: 'bot', action: 'page.agents', keys: 'g a' },
]

/** The page that a path belongs to: a session belongs to the list, and so does its import. */
export const currentPage = (path: string): string => {
  if (path.startsWith('/s/') || path === IMPORT_PATH) return '/'
  return pageLinks.find((link) => link.path !== '/' && path.startsWith(link.path))?.path ?? path
}
