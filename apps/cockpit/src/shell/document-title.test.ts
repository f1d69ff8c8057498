import { expect, test } from 'vitest'
import { documentTitle } from './document-title.ts'

const sessions = [
  { id: 'one', title: 'Lower the retry budget' },
  { id: 'user:ann', title: 'Ann’s notes' },
  { id: 'odd', title: 'safe\u202egnp.exe' },
]

test.each([
  ['/', '', 'Sessions · Bridle'],
  ['/inbox', '2', '(2) Inbox · Bridle'],
  ['/inbox', '1000+', '(1000+) Inbox · Bridle'],
  ['/fleet', '', 'Health · Bridle'],
  ['/try/scripted', '1', '(1) Agents · Bridle'],
  ['/routes', '', 'Routes · Bridle'],
  ['/import-file', '', 'Import · Bridle'],
  ['/s/one', '1', '(1) Lower the retry budget · Bridle'],
  ['/s/user%3Aann', '', 'Ann’s notes · Bridle'],
  ['/s/not-listed', '', 'not-listed · Bridle'],
  ['/s/odd', '', 'safe⟨U+202E⟩gnp.exe · Bridle'],
  ['/nowhere', '', 'Bridle'],
])('%s with %s waiting is "%s"', (path, waiting, title) => {
  expect(documentTitle(path, sessions, waiting)).toBe(title)
})
