import type { HarnessMessage, HarnessState } from 'bridle/client'
import { expect, test } from 'vitest'
import { queuedPrompts } from './queued-prompts.ts'

const message = (id: string, role: HarnessMessage['role'], status: HarnessMessage['status']): HarnessMessage => ({
  ...{ id, role, status, content: id },
})
const idsOf = (state: Partial<HarnessState>, ...messages: HarnessMessage[]) =>
  queuedPrompts({ status: 'running', messages, ...state }).map(({ id }) => id)

test('prompts wait behind an answer that is not over, and while the session is paused', () => {
  const asked = message('u1', 'user', 'complete')
  const next = [message('u2', 'user', 'pending'), message('u3', 'user', 'pending')]
  expect(idsOf({}, asked, message('a1', 'assistant', 'streaming'), ...next)).toEqual(['u2', 'u3'])
  expect(idsOf({}, asked, message('a1', 'assistant', 'complete'), ...next)).toEqual([])
  expect(idsOf({ sessionStatus: 'paused' }, asked, message('a1', 'assistant', 'complete'), ...next)).toEqual([
    ...['u2', 'u3'],
  ])
})
