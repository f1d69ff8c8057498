// The title of the tab: the number of open approvals, so that it is seen from another tab, and the page, so that a tab is found again.
import type { SessionRow } from 'bridle/client'
import { visibleText } from '../ui/plain-text.ts'
import { titleText } from '../ui/script-text.ts'
import { currentPage, IMPORT_PATH, pageLinks, REPLAY_PATH } from './pages.ts'

/** Characters of a page's name in the title of the tab: a tab shows some twenty, its tooltip more. */
const TITLE_CHARS = 120

type NamedSession = Pick<SessionRow, 'id' | 'title'> & Partial<Pick<SessionRow, 'branch_source_event_id'>>

export const documentTitle = (path: string, sessions: readonly NamedSession[], waiting: string): string => {
  const name = visibleText(pageName(path, sessions)).slice(0, TITLE_CHARS)
  return `${waiting !== '' ? `(${waiting}) ` : ''}${name === '' ? '' : `${name} · `}Bridle`
}

const pageName = (path: string, sessions: readonly NamedSession[]): string => {
  const id = path.startsWith('/s/') ? path.slice('/s/'.length) : null
  const session = sessions.find((row) => row.id === id || encodeURIComponent(row.id) === id)
  if (id !== null) return session ? titleText(session) : id
  if (path.startsWith('/routes')) return 'Routes'
  if (path.startsWith(REPLAY_PATH)) return 'Replay'
  if (path === IMPORT_PATH) return 'Import'
  return pageLinks.find((link) => link.path === currentPage(path))?.word ?? ''
}
