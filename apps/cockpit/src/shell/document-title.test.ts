import { expect, test } from 'vitest'
import { documentTitle } from './document-title.ts'

const sessions = [
  { id: 'one', title: 'Lower the retry budget' },
  { id: 'user:ann', title: 'Ann’s notes' },
  { id: 'odd', title: 'safe\u202egnp.exe' },
]

test.each([
  ['/', 0, 'Sessions · Bridle'],
  ['/inbox', 2, '(2) Inbox · Bridle'],
  ['/fleet', 0, 'Health · Bridle'],
  ['/try/scripted', 1, '(1) Agents · Bridle'],
  ['/routes', 0, 'Routes · Bridle'],
  ['/s/one', 1, '(1) Lower the retry budget · Bridle'],
  ['/s/user%3Aann', 0, 'Ann’s notes · Bridle'],
  ['/s/not-listed', 0, 'not-listed · Bridle'],
  ['/s/odd', 0, 'safe⟨U+202E⟩gnp.exe · Bridle'],
  ['/nowhere', 0, 'Bridle'],
])('%s with %i waiting is "%s"', (path, waiting, title) => {
  expect(documentTitle(path, sessions, waiting)).toBe(title)
})
