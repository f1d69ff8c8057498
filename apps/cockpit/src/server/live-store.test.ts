import type { PendingApproval, SessionRow, TenantChange } from 'bridle/client'
import { expect, test } from 'vitest'
import { applyChange, emptyLiveState } from './live-store.ts'

const row = (id: string, updatedAt: string, more: Partial<SessionRow> = {}) =>
  ({ id, agent: 'scripted', updatedAt, archived: false, ...more }) as SessionRow
const approval = (id: string, sessionId: string, requestedAt: string, agent = 'scripted') =>
  ({ id, sessionId, agent, requestedAt }) as PendingApproval
const fold = (...changes: TenantChange[]) => {
  const { sessions, approvals } = changes.reduce(applyChange, emptyLiveState)
  return { sessions: sessions.map(({ id, agent }) => `${agent}/${id}`), approvals: approvals.map(({ id }) => id) }
}

test('sessions stand newest change first, each once, and two agents may share an id', () => {
  expect(
    fold(
      { type: 'session', session: row('a', '2026-01-01') },
      { type: 'session', session: row('b', '2026-01-02') },
      { type: 'session', session: row('a', '2026-01-02', { agent: 'other' }) },
      { type: 'session', session: row('a', '2026-01-03') },
    ).sessions,
  ).toEqual(['scripted/a', 'other/a', 'scripted/b'])
})

test('an archived session leaves the list, and comes back when it is taken out', () => {
  const away: TenantChange = { type: 'session', session: row('a', '2026-01-03', { archived: true }) }
  const back: TenantChange = { type: 'session', session: row('a', '2026-01-04') }
  expect(fold({ type: 'session', session: row('a', '2026-01-01') }, away).sessions).toEqual([])
  expect(fold(away, back).sessions).toEqual(['scripted/a'])
})

test('approvals stand oldest first; a closed one and those of a removed session leave', () => {
  const asked: TenantChange[] = [
    { type: 'approval', approval: approval('apr-2', 'b', '2026-01-02') },
    { type: 'approval', approval: approval('apr-1', 'a', '2026-01-01') },
    { type: 'approval', approval: approval('apr-1', 'b', '2026-01-03') },
  ]
  expect(fold(...asked).approvals).toEqual(['apr-1', 'apr-2', 'apr-1'])
  expect(
    fold(...asked, {
      type: 'approval_closed',
      id: 'apr-1',
      session_id: 'a',
      agent: 'scripted',
      status: 'approved',
      decidedBy: null,
      decidedAt: null,
    }).approvals,
  ).toEqual(['apr-2', 'apr-1'])
  expect(fold(...asked, { type: 'session_removed', session_id: 'b', agent: 'scripted' }).approvals).toEqual(['apr-1'])
})

test('two agents may have a session and an approval of the same ids: closing one leaves the other', () => {
  const { approvals } = [
    { type: 'approval', approval: approval('apr-1', 'a', '2026-01-01') },
    { type: 'approval', approval: approval('apr-1', 'a', '2026-01-02', 'other') },
    {
      ...{ type: 'approval_closed', id: 'apr-1', session_id: 'a', agent: 'scripted' },
      ...{ status: 'denied', decidedBy: null, decidedAt: null },
    } as const,
  ].reduce((state, change) => applyChange(state, change as TenantChange), emptyLiveState)
  expect(approvals.map(({ agent }) => agent)).toEqual(['other'])
})
