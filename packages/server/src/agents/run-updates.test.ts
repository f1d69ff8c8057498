import type { EventType } from '@bridle/events/catalogue'
import type { AnyEvent } from '@bridle/kernel/event'
import { expect, test } from 'vitest'
import { type RunUpdate, runUpdates, WATCHED_RUNS_MAX } from './run-updates.ts'

const key = (id: string) => ({ tenant: 't', agent: 'greet', id })
const event = (at: number, run: string, type: EventType, payload: object): AnyEvent =>
  ({ seq: 1, at, run, type, payload }) as unknown as AnyEvent

test('[C121] runs of three sessions have their own outcome, time, cost and reason, whatever lies between', () => {
  const updates: RunUpdate[] = []
  const read = runUpdates((update) => updates.push(update))
  const [one, two, three] = [key('one'), key('two'), key('three')]
  read(one, [event(1_000, 'r-1', 'turn_start', { turn_id: 'r-1', prompt: 'a' })])
  read(two, [event(1_500, 'r-1', 'turn_start', { turn_id: 'r-1', prompt: 'b' })])
  read(one, [event(1_600, 'r-1', 'usage', { cost_usd: 0.25 }), event(1_700, 'r-1', 'usage', { cost_usd: -0.05 })])
  read(two, [event(1_800, 'r-1', 'error', { message: 'no such city' })])
  read(three, [event(1_900, 'r-9', 'turn_end', { turn_id: 'r-9', status: 'cancelled' })])
  read(one, [event(2_200, 'r-1', 'turn_end', { turn_id: 'r-1', status: 'completed' })])
  read(two, [event(2_500, 'r-1', 'turn_end', { turn_id: 'r-1', status: 'failed' })])
  const end = { type: 'end', costUsd: null, message: null }
  expect(updates).toEqual([
    { ...end, key: three, runId: 'r-9', outcome: 'cancelled', ms: null },
    { ...end, key: one, runId: 'r-1', outcome: 'completed', ms: 1_200, costUsd: 0.2 },
    { ...end, key: two, runId: 'r-1', outcome: 'failed', ms: 1_000, message: 'no such city' },
  ])
})

test('[C124] waits are told while they happen: approvals, sandboxes, queues, retries, pauses; a claim of a runner is not', () => {
  const updates: RunUpdate[] = []
  const read = runUpdates((update) => updates.push(update))
  const one = key('one')
  read(one, [
    event(0, 'r-1', 'approval_required', { request_id: 'apr-1', tool_name: 'bash', reason: 'why' }),
    event(0, 'r-1', 'sandbox_awaited', { run_id: 'r-1', attempt: 1, reason: 'All are busy.' }),
    event(0, 'r-1', 'sandbox_awaited', { run_id: 'r-1', attempt: 1, reason: null }),
    event(0, 'r-1', 'retry_scheduled', { run_id: 'r-1', attempt: 2, due: 4_000, reason: 'It broke.' }),
    { ...event(0, 'r-1', 'turn_end', { turn_id: 'r-1', status: 'failed' }), hearsay: true } as AnyEvent,
    event(0, 'r-1', 'session_paused', { reason: 'lunch' }),
    event(0, 'r-1', 'session_resumed', {}),
  ])
  expect(updates).toEqual([
    { type: 'approval', key: one, runId: 'r-1', approvalId: 'apr-1', subject: 'bash' },
    { type: 'notice', key: one, runId: 'r-1', kind: 'waiting', message: 'All are busy.' },
    { type: 'notice', key: one, runId: 'r-1', kind: 'retry', message: 'It broke, trying again in 4 s, attempt 2' },
    { type: 'notice', key: one, runId: 'r-1', kind: 'waiting', message: 'paused: prompts wait until it is resumed' },
    { type: 'notice', key: one, runId: 'r-1', kind: 'waiting', message: 'resumed' },
  ])
})

test('[C407] a question comes with what it asks', () => {
  const updates: RunUpdate[] = []
  const question = { questions: [{ id: 'db', question: 'Which?', options: [{ label: 'SQLite' }] }] }
  const payload = { request_id: 'apr-1', tool_name: 'ask', reason: 'Which?', kind: 'question', ...question }
  runUpdates((update) => updates.push(update))(key('one'), [event(0, 'r-1', 'approval_required', payload)])
  expect(updates).toEqual([
    { type: 'approval', key: key('one'), runId: 'r-1', approvalId: 'apr-1', subject: 'ask', question },
  ])
})

test('runs that never end do not fill the memory: the oldest lose their time', () => {
  const updates: RunUpdate[] = []
  const read = runUpdates((update) => updates.push(update))
  const count = WATCHED_RUNS_MAX + 1
  for (let at = 0; at < count; at++) read(key('one'), [event(at, `r-${at}`, 'turn_start', { turn_id: '', prompt: '' })])
  for (const run of ['r-0', `r-${count - 1}`])
    read(key('one'), [event(count, run, 'turn_end', { turn_id: run, status: 'completed' })])
  expect(updates.map((each) => each.type === 'end' && each.ms)).toEqual([null, 1])
})

test('[C121] [C124] the past of an imported session is no news; its next run is', () => {
  const updates: RunUpdate[] = []
  const read = runUpdates((update) => updates.push(update))
  const one = key('one')
  read(one, [
    event(1_000, 'r-1', 'turn_start', { turn_id: 'r-1', prompt: 'a' }),
    event(1_100, 'r-1', 'approval_required', { request_id: 'apr-1', tool_name: 'bash', reason: 'why' }),
    event(1_200, 'r-1', 'retry_scheduled', { run_id: 'r-1', attempt: 2, due: 4_000, reason: 'It broke.' }),
    event(9_000, '', 'session_imported', { source: {}, digest: '' }),
    event(9_000, 'r-1', 'turn_end', { turn_id: 'r-1', status: 'cancelled' }),
  ])
  read(one, [event(9_500, 'r-2', 'turn_start', { turn_id: 'r-2', prompt: 'b' })])
  read(one, [event(9_600, 'r-2', 'turn_end', { turn_id: 'r-2', status: 'completed' })])
  expect(updates).toEqual([
    { type: 'end', key: one, runId: 'r-2', outcome: 'completed', ms: 100, costUsd: null, message: null },
  ])
})
