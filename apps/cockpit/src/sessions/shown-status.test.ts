import { expect, test } from 'vitest'
import { AWAITING_ANSWER, shownStatus } from './shown-status.ts'

const row = { id: 's', agent: 'one', status: 'awaiting_approval' }
const asked = (kind: 'question' | 'tool', agent = 'one') => ({ sessionId: 's', agent, kind })

test.each([
  ['questions alone', [asked('question'), asked('question'), asked('tool', 'other')], AWAITING_ANSWER],
  ['a question and a call', [asked('question'), asked('tool')], 'awaiting_approval'],
  ['what the page has not loaded', [], 'awaiting_approval'],
])('[C425] a session that waits for %s', (_name, approvals, status) =>
  expect(shownStatus(row as never, approvals)).toBe(status),
)

test('[C425] any other status is as it is', () =>
  expect(shownStatus({ ...row, status: 'running' } as never, [asked('question')])).toBe('running'))
