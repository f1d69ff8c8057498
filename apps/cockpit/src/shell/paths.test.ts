import { expect, test } from 'vitest'
import { inboxPath, pathPart, sessionPath } from './paths.ts'

test('an address names the session with its agent, whatever characters they have', () => {
  expect(sessionPath({ id: 'a/b', agent: 'x&y' }, { tab: 'health' })).toBe('/s/a%2Fb?agent=x%26y&tab=health')
  expect(inboxPath({ id: 'apr-1', sessionId: 'a b', agent: 'one' })).toBe('/inbox?a=apr-1&s=a+b&agent=one')
  expect(inboxPath()).toBe('/inbox')
})

test('a part of an address that is not encoded well is taken as it is', () => {
  expect(['a%2Fb', '100%', '%E0%A4%A', 'plain'].map(pathPart)).toEqual(['a/b', '100%', '%E0%A4%A', 'plain'])
})
