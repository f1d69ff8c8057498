import type { SessionRow } from 'bridle/client'
import { expect, test } from 'vitest'
import { mergedRows, orderedRows } from './row-order.ts'

const row = (id: string, status: string, createdAt: string, updatedAt = createdAt): SessionRow =>
  ({ id, agent: 'a', status, createdAt, updatedAt }) as SessionRow

test('waiting first, oldest first; then those at work as they were made; then the newest change', () => {
  const rows = [
    row('done-old', 'completed', '1', '3'),
    row('run-1', 'running', '1', '9'),
    row('done-new', 'failed', '1', '4'),
    row('wait-new', 'awaiting_approval', '1', '6'),
    row('run-2', 'recovering', '2', '8'),
    row('wait-old', 'awaiting_approval', '1', '5'),
  ]
  expect(orderedRows(rows).map(({ id }) => id)).toEqual([
    'wait-old',
    'wait-new',
    'run-2',
    'run-1',
    'done-new',
    'done-old',
  ])
})

test('of a session in two lists the first row counts', () => {
  const live = row('s', 'running', '1')
  const other = { ...live, agent: 'b' }
  expect(mergedRows([live], [row('s', 'idle', '1'), other])).toEqual([live, other])
})
