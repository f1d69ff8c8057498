import type { ExportedSession } from '@bridle/history/export/export-reader'
import { expect, test } from 'vitest'
import { eventsOf } from './import-check.ts'

const named = { agent: 'scripted', id: 'as-in-the-file', seq: 4 }
const parent = { ...named, id: 'as-here' }
const branched = { seq: 5, at: 0, type: 'branched', payload: { parent: named, kind: 'chat' } }
const imported = (entry: object, own: typeof parent | null) => {
  const entries = [entry] as unknown as ExportedSession['entries']
  const exported = { session: { agent: 'scripted', id: 'b', parent: null }, entries, line: 1, chars: 1 }
  return eventsOf({ exported: exported as unknown as ExportedSession, parent: own })
}

test.each([
  ['the branch of a session that has another id here', branched, parent, parent],
  ['a session without a parent', branched, null, named],
  ['the branch of another session, later in the log', { ...branched, seq: 6 }, parent, named],
  ['an event whose content is withheld', { ...branched, withheld: true }, parent, named],
])('the parent of %s', (_name, entry, own, expected) => {
  expect(imported(entry, own)).toMatchObject([{ type: 'branched', payload: { parent: expected, kind: 'chat' } }])
})
