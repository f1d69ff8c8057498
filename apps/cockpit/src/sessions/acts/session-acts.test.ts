import type { SessionRow } from 'bridle/client'
import { expect, test } from 'vitest'
import { applicable, type SessionAct, statusCounts } from './session-acts.ts'

const rows = ['idle', 'queued', 'running', 'awaiting_approval', 'paused', 'recovering', 'completed', 'failed'].map(
  (status) => ({ id: status, status, archived: status === 'failed' }) as SessionRow,
)

test.each<[SessionAct, string]>([
  ['pause', 'queued running awaiting_approval recovering'],
  ['resume', 'paused'],
  ['cancel', 'queued running awaiting_approval paused recovering'],
  ['archive', 'idle queued running awaiting_approval paused recovering completed'],
  ['unarchive', 'failed'],
])('%s applies to %s', (act, statuses) =>
  expect(
    applicable(act, rows)
      .map(({ status }) => status)
      .join(' '),
  ).toBe(statuses),
)

test('the selection says its statuses', () => {
  expect(statusCounts([{ status: 'paused' }, { status: 'awaiting_approval' }, { status: 'paused' }])).toBe(
    '2 paused, 1 needs approval',
  )
})
