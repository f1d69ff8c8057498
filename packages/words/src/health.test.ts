import { expect, test } from 'vitest'
import { endingText } from './endings.ts'
import { adviceText } from './health.ts'

test.each([
  ['resume', 'Resume the session.', ''],
  ['answer_approval', 'answer the approval', ''],
  ['branch', 'compact or branch', 'Compact or branch.'],
  ['of_a_later_server', 'wait', 'Wait.'],
  [null, null, ''],
])('advice beside the button %s: %s', (action, advice, text) => expect(adviceText(action, advice)).toBe(text))

test.each([
  ['cancelled', 'stopped'],
  ['pause_turn', 'ended: pause turn'],
])('an answer that ended with %s', (reason, text) => expect(endingText(reason)).toBe(text))
