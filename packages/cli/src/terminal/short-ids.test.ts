import { expect, test } from 'vitest'
import { shortIds } from './short-ids.ts'

test.each<[string, string[], string[]]>([
  ['short ids stay whole', ['hello', 'help'], ['hello', 'help']],
  [
    'a long id is cut, and keeps more than tells it apart',
    ['scripted-aaaa1111-2222', 'scripted-aabb1111-2222'],
    ['scripted-aaaa11', 'scripted-aabb11'],
  ],
  ['an id that begins another', ['session-number-1', 'session-number-10'], ['session-number-1', 'session-number-10']],
  ['the same id of two agents', ['a-very-long-session', 'a-very-long-session'], ['a-very-long-', 'a-very-long-']],
])('[C151] %s', (_name, ids, expected) => {
  expect(shortIds(ids)).toEqual(expected)
})
