import type { SessionRow } from 'bridle/client'
import { expect, test } from 'vitest'
import { sideOrder } from './side-order.ts'

const row = (agent: string, id: string, status: string, updatedAt: string): SessionRow =>
  ({ id, agent, status, createdAt: updatedAt, updatedAt }) as SessionRow
const request = (agent: string, sessionId: string, requestedAt: string) => ({ agent, sessionId, requestedAt })
const namesOf = (rows: readonly SessionRow[]) => rows.map(({ agent, id }) => `${agent}/${id}`)

test('sessions that wait stand as in the inbox, whatever happened in them since', () => {
  const rows = [
    row('one', 'late', 'awaiting_approval', '5'),
    row('one', 'first', 'awaiting_approval', '9'),
    row('two', 'first', 'awaiting_approval', '7'),
  ]
  const approvals = [request('one', 'first', '1'), request('two', 'first', '2'), request('one', 'late', '3')]
  expect(namesOf(sideOrder(rows, approvals))).toEqual(['one/first', 'two/first', 'one/late'])
  expect(namesOf(sideOrder(rows, []))).toEqual(['one/late', 'two/first', 'one/first'])
})

test('sessions at work keep their places', () => {
  const rows = [row('one', 'a', 'running', '1'), row('one', 'b', 'queued', '3'), row('two', 'c', 'recovering', '2')]
  expect(namesOf(sideOrder(rows, []))).toEqual(['one/b', 'two/c', 'one/a'])
})
