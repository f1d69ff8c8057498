import { expect, test } from 'vitest'
import type { SessionEntry } from '../../ports/directory.ts'
import { findParentKey } from './child-notice.ts'

const key = (agent: string, id = 'p') => ({ tenant: 't', agent, id })
const child = key('b', 'c')

const of = (key: SessionEntry['key'], owner: string | null = null): SessionEntry => ({ key, owner })

test.each<[string, SessionEntry[], SessionEntry['key'] | null]>([
  ['nobody', [], null],
  ['the only one', [of(key('a'))], key('a')],
  ['the one of the same agent', [of(key('a')), of(key('b'))], key('b')],
  ['else the one that was made first', [of(key('x')), of(key('a'))], key('x')],
  ['never the child itself', [of(child), of(key('a', 'c'))], key('a', 'c')],
  ['never one of another user', [of(key('b'), 'user:bob'), of(key('x'), 'user:ada'), of(key('y'))], key('x')],
])('[F36] of the sessions with the id of a parent, %s is told', (_name, found, expected) =>
  expect(findParentKey(found, { child, owner: 'user:ada' })).toEqual(expected),
)
