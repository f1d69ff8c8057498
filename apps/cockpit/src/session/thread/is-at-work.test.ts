import type { HarnessState } from 'bridle/client'
import { expect, test } from 'vitest'
import { isAtWork } from './is-at-work.ts'

type Status = NonNullable<HarnessState['sessionStatus']>

test.each<[Status, boolean]>([
  ['queued', true],
  ['running', true],
  ['recovering', true],
  ['paused', false],
  ['awaiting_approval', false],
  ['failed', false],
  ['idle', false],
  ['cancelled', false],
])('a session that is %s: the agent may write, %s', (sessionStatus, expected) =>
  expect(isAtWork({ sessionStatus, status: 'running' })).toBe(expected),
)

test('a server of the bare document', () => {
  expect(isAtWork({ status: 'running' })).toBe(true)
  expect(isAtWork({ status: 'idle' })).toBe(false)
})
