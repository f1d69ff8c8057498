import { expect, test } from 'vitest'
import { parentAmong } from './child-notice.ts'

const key = (agent: string, id = 'p') => ({ tenant: 't', agent, id })
const child = key('b', 'c')

test.each([
  ['nobody', [], null],
  ['the only one', [key('a')], key('a')],
  ['the one of the same agent', [key('a'), key('b')], key('b')],
  ['else the one that was made first', [key('x'), key('a')], key('x')],
  ['never the child itself', [child, key('a', 'c')], key('a', 'c')],
])('[F36] of the sessions with the id of a parent, %s is told', (_name, found, expected) =>
  expect(parentAmong(found, child)).toEqual(expected),
)
