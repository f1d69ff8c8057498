import type { ExportContent, LogEntry } from 'bridle/history'
import { expect, test } from 'vitest'
import { findSession, lineageOf, listedSessions } from './lineage.ts'

const entries = (from: number, to: number, type: string): LogEntry[] =>
  Array.from({ length: to - from + 1 }, (_, at) => ({ seq: from + at, at: from + at, type, payload: {} }))

/** A session, its branch at 3, the branch's branch at 5, and a session of the same id that another agent has. */
const content: ExportContent = {
  digest: '',
  sessions: [
    { session: { id: 'a', agent: 'x', kind: 'chat' }, entries: entries(1, 4, 'first'), line: 2, chars: 0 },
    {
      session: { id: 'b', agent: 'x', kind: 'chat', parent: { id: 'a', agent: 'x', seq: 3 } },
      entries: entries(4, 6, 'second'),
      line: 7,
      chars: 0,
    },
    {
      session: { id: 'c', agent: 'x', kind: 'chat', parent: { id: 'b', agent: 'x', seq: 5 } },
      entries: entries(6, 6, 'third'),
      line: 11,
      chars: 0,
    },
    { session: { id: 'a', agent: 'y', kind: 'chat' }, entries: entries(1, 1, 'other'), line: 13, chars: 0 },
  ],
}

test('[C40] a branch has the events of its parents up to its branch point, and then its own', () => {
  const typesOf = (id: string, agent: string): readonly string[] =>
    lineageOf(content, findSession(content, { id, agent })!).map(({ seq, type }) => `${seq} ${type}`)
  expect(typesOf('c', 'x')).toEqual(['1 first', '2 first', '3 first', '4 second', '5 second', '6 third'])
  expect(typesOf('a', 'x')).toEqual(['1 first', '2 first', '3 first', '4 first'])
  expect(typesOf('a', 'y')).toEqual(['1 other'])
  expect(findSession(content, { id: 'a', agent: 'z' })).toBe(undefined)
})

test('[C40] sessions of a file are listed below their parents', () => {
  expect(listedSessions(content).map(({ file, depth }) => [file.session.id, depth])).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 2],
    ['a', 0],
  ])
})
