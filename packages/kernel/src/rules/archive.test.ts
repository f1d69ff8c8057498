// An archived session, and the commands that take it out again.
import { expect, test } from 'vitest'
import type { Command } from '../commands.ts'
import { finished, running, type TestSession, token } from './rules.suite.ts'

const archived = (isRunning: boolean): TestSession => {
  const life = running(undefined, true)
  life.report(token('x'), ...(isRunning ? [] : [finished()]))
  life.do({ type: 'archive', actor: 'ann' })
  expect(life.state.lifecycle.isArchived).toBe(true)
  return life
}
const firstPrompt = (life: TestSession): string => life.messages.find(({ role }) => role === 'user')?.id ?? ''

const cases: readonly [name: string, isRunning: boolean, (life: TestSession) => Command, isArchived: boolean][] = [
  ['a prompt', false, () => ({ type: 'submit', prompt: 'more', actor: 'bob' }), false],
  ['a prompt that waits', true, () => ({ type: 'submit', prompt: 'more', actor: 'bob' }), false],
  ['a prompt for the run in progress', true, () => ({ type: 'steer', prompt: 'more', actor: 'bob' }), false],
  [
    'an edited prompt',
    false,
    (life) => ({ type: 'edit', messageId: firstPrompt(life), prompt: 'else', actor: 'bob' }),
    false,
  ],
  ['the same prompt again', false, () => ({ type: 'reload', actor: 'bob' }), false],
  ['a prompt that is refused', false, () => ({ type: 'submit', prompt: '' }), true],
  ['a pause', true, () => ({ type: 'pause' }), true],
  ['a cancel', true, () => ({ type: 'cancel' }), true],
  ['a new policy', false, () => ({ type: 'set_policy', policy: {} }), true],
]

test.each(cases)('[H80] %s', (_, isRunning, command, isArchived) => {
  const life = archived(isRunning)
  life.do(command(life))
  expect(life.state.lifecycle.isArchived).toBe(isArchived)
  expect(life.payloads('session_unarchived')).toEqual(isArchived ? [] : [{ actor: 'bob' }])
})

test('[H80] each of archive and unarchive is one event, however often it is said', () => {
  const life = archived(false)
  life.do({ type: 'archive' })
  life.do({ type: 'unarchive', reason: 'again' })
  life.do({ type: 'unarchive' })
  expect([life.payloads('session_archived'), life.payloads('session_unarchived')]).toEqual([
    [{ actor: 'ann' }],
    [{ reason: 'again' }],
  ])
})
