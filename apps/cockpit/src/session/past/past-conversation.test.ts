import type { HarnessState } from 'bridle/client'
import { expect, test } from 'vitest'
import { PastConversation } from './past-conversation.ts'

const emptyHarnessState: HarnessState = { status: 'idle', messages: [] }

test('[C32] a past conversation shows one state after the other, and calls listeners for a change alone', () => {
  const first = { ...emptyHarnessState }
  const second = { ...emptyHarnessState }
  const past = new PastConversation(first, 41)
  let calls = 0
  const stop = past.subscribe(() => {
    calls += 1
  })
  const { connection } = past
  expect([past.getSnapshot(), connection.phase, connection.lastSeq]).toEqual([first, 'open', 41])
  past.show(first, 41)
  expect(calls).toBe(0)
  expect(past.connection).toBe(connection)
  past.show(second, 42)
  expect(past.getSnapshot()).toBe(second)
  expect([calls, past.connection.lastSeq]).toEqual([1, 42])
  stop()
  past.show(first, 41)
  expect(calls).toBe(1)
})

test('[C32] every command of a past conversation is refused', async () => {
  const past = new PastConversation(emptyHarnessState, 1)
  const commands = [
    'submit',
    'steer',
    'edit',
    'reload',
    'cancel',
    'approve',
    'pause',
    'resume',
    'signal',
    'branch',
    'upload',
  ] as const
  for (const command of commands) await expect(past[command]()).rejects.toThrow('This page shows the past.')
  expect(past.discard()).toBe(false)
})
