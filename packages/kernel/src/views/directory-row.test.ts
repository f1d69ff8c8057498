import { expect, test } from 'vitest'
import type { Event, Key } from '../event.ts'
import type { DirectoryRow } from '../ports/directory.ts'
import { emptyState, evolve, type SessionState } from '../projections/state.ts'
import { eventReport, key, TestSession, token } from '../rules/rules.suite.ts'
import { goldenLogs } from '../session/fold-version.ts'
import { isSame, nextRow, type RowInputs, type RowSnapshot, rowOf } from './directory-row.ts'

const next = (session: TestSession, last: RowSnapshot | null = null) => nextRow(key, session.state, last, session.now)

test('[F50] a row is written again for usage and for a step, and not for text', () => {
  const session = new TestSession()
  session.submit()
  session.report({ type: 'started', model: 'm-1' })
  const first = next(session)
  expect(first.row.detail).toMatchObject({
    usage: { total_tokens: 0, cost_usd: null },
    step: null,
    model: 'm-1',
    retryAt: null,
  })
  session.report(token('a'))
  const texts = next(session, first)
  for (const text of ['b', 'c', 'd']) {
    session.report(token(text), eventReport('thinking', { text }))
    expect(next(session, texts)).toBe(texts)
  }
  session.report(eventReport('usage', { input_tokens: 3, cost_usd: 0.5 }))
  const used = next(session, texts)
  expect(used.row.detail.usage).toEqual({ total_tokens: 3, cost_usd: 0.5 })
  session.report(eventReport('step_progress', { step_id: 'a', summary: 'First' }))
  expect(next(session, used).row.detail.step).toEqual({ index: 1, total: null, title: 'First', status: 'running' })
})

/** Each value differs from the inputs of a new session, and shows in the row. */
const others: { readonly [name in keyof RowInputs]: RowInputs[name] } = {
  kind: 'background',
  status: 'failed',
  title: 'Another title',
  createdAt: 7,
  parent: { agent: 'scripted', id: 'parent', seq: 3 } as DirectoryRow['parent'],
  owner: 'user:ada',
  isArchived: true,
  openApprovals: {
    'apr-1': { id: 'apr-1', kind: 'tool', tool: 't', toolCallId: 'c', reason: 'r', arguments: {} } as never,
  },
  settledApprovals: [{ id: 'apr-1', seq: 4, decision: 'approved' } as never],
  attempts: 7,
  maxRetries: 7,
  expiresAt: 7,
  lastError: 'It broke.',
  endedAt: 7,
  parentSessionId: 'parent',
  queued: 7,
  messages: 7,
  childApprovals: 7,
  totalTokens: 7,
  costUsd: 7,
  steps: {
    turn: 'r',
    latest: [{ runId: 'r', index: 1, total: 2, title: 'x', status: 'running' }],
    plan: null,
  } as never,
  model: 'another',
  retryAt: 7,
  branchSourceEventId: 'ev-7',
  branchResumeCursor: 'turn:s:7',
  incarnation: 7,
  health: { hash: 'another', summary: { score: 7 } as never },
}

test('the inputs of a row are those that the next test changes', () => {
  const session = new TestSession()
  session.submit()
  expect(Object.keys(next(session).inputs).sort()).toEqual(Object.keys(others).sort())
})

test.each(Object.keys(others) as (keyof RowInputs)[])('a change of %s alone is another row', (name) => {
  const session = new TestSession()
  session.submit()
  const { inputs } = next(session)
  const changed = { ...inputs, [name]: others[name] }
  const times = { updatedAt: 1, heartbeatAt: 1 }
  expect(rowOf(changed, times)).not.toEqual(rowOf(inputs, times))
  expect(isSame(changed, inputs)).toBe(false)
})

test('a row that follows another one is the row that the state alone gives, but for its times', () => {
  for (const log of goldenLogs()) {
    let last: RowSnapshot | null = null
    for (const { state, at } of commits(log)) {
      last = nextRow(goldenKey, state, last, at)
      expect(withoutTimes(last.row)).toEqual(withoutTimes(nextRow(goldenKey, state, null, at).row))
    }
  }
})

const goldenKey: Key = { tenant: 'golden', agent: 'golden', id: 'golden' }

/** The states after each append: events of one command have one time. */
const commits = (log: readonly Event[]): { readonly state: SessionState; readonly at: number }[] => {
  let state = emptyState
  return log.flatMap((event, index) => {
    state = evolve(state, event)
    return log[index + 1]?.at === event.at ? [] : [{ state, at: event.at }]
  })
}

const withoutTimes = ({ updatedAt: _, detail: { heartbeatAt: __, ...detail }, ...row }: DirectoryRow) => ({
  ...row,
  detail,
})

test('[H199] a row has what a question asks, and the answer of a settled one, as far as these fit', () => {
  const asked = { questions: [{ id: 'db', question: 'Which?', allow_free_text: true }], default: { db: 'a' } }
  const large = { questions: [{ id: 'db', question: 'x'.repeat(20_000), allow_free_text: true }] }
  const rowAfter = (more: object, answer?: string) => {
    const session = new TestSession()
    session.submit()
    session.report({ type: 'started' }, {
      ...{ type: 'ask', kind: 'question', toolCallId: 'c1', tool: 'ask', arguments: { a: 1 } },
      ...{ reason: 'Which?', digest: 'd', ...more },
    } as never)
    const approvalId = session.openApprovals[0] ?? ''
    if (answer !== undefined)
      session.do({ type: 'approve', approvalId, decision: 'approved', answers: { db: answer }, digest: 'e' })
    return next(session).row
  }
  const [open] = rowAfter(asked).approvals
  expect(open).toMatchObject({ kind: 'question', arguments: { a: 1 }, isCut: false, ...asked })
  const [cut] = rowAfter(large).approvals
  expect(cut).toMatchObject({ kind: 'question', arguments: null, isCut: true })
  expect(cut).not.toHaveProperty('questions')

  const [settled] = rowAfter(asked, 'b').settled ?? []
  expect(settled).toMatchObject({ kind: 'question', arguments: null, isCut: false, answers: { db: 'b' }, ...asked })
  const [short] = rowAfter(asked, 'x'.repeat(2_000)).settled ?? []
  expect(short).toMatchObject({ kind: 'question', arguments: null, isCut: true, decision: 'approved' })
  expect(short).toMatchObject(asked)
  expect(short?.answers).toBeUndefined()
  const [long] = rowAfter(large, 'b').settled ?? []
  expect(long).toMatchObject({ isCut: true, answers: { db: 'b' } })
  expect(long?.questions).toBeUndefined()
})
