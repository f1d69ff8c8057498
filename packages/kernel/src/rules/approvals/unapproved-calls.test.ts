import { describe, expect, test } from 'vitest'
import {
  approve,
  askItem,
  awaitingApproval,
  background,
  call,
  deny,
  eventReport,
  finished,
  outcome,
  running,
  stopped,
  type TestSession,
  token,
} from '../rules.suite.ts'

const message = 'The tool "write" ran without an approval (call c1). Check what it did before you go on.'
const isFailed = (life: TestSession) => {
  expect(life.payloads('tool_outcome')).toContainEqual(
    expect.objectContaining({ tool_call_id: 'c1', reason: 'unapproved_call' }),
  )
  expect(life.payloads('run_parked')).toMatchObject([{ reason: 'unapproved_call', stop: true }])
  // The runner has to stop first.
  expect(life.run.stopRequestedAt).not.toBeNull()
  expect(life.openApprovals).toEqual([])
  life.report(token('and on it goes'))
  expect(life.payloads('token')).toEqual([])
  life.do({ type: 'report', runId: life.run.runId, attempt: 1, frame: null, items: [stopped] })
  expect(life.payloads('error')).toEqual([{ turn_id: 'r-2', message, reason: 'unapproved_call' }])
  expect(life.payloads('turn_end')).toMatchObject([{ status: 'failed' }])
  expect(life.answer.status).toBe('error')
}

describe('[S29] a call that ran without an approval fails its run', () => {
  test.each(['ok', 'artifact', 'timeout'] as const)('%s while the question is open', (status) => {
    const life = awaitingApproval()
    life.report(outcome('c1', status, { result: 'done' }))
    isFailed(life)
  })

  test.each(['chat', 'background'] as const)('of %s work, and it is not tried again', (kind) => {
    const life = awaitingApproval(kind === 'chat' ? {} : background({ maxRetries: 3 }))
    life.report(outcome('c1'))
    isFailed(life)
    expect(life.payloads('run_requested')).toHaveLength(1)
    expect(life.payloads('retry_scheduled')).toEqual([])
  })

  test('a result alone counts, and so does one with its outcome', () => {
    const life = awaitingApproval()
    life.report(eventReport('tool_result', { tool_call_id: 'c1', tool_name: 'write', result: 'done' }), outcome('c1'))
    expect(life.payloads('tool_outcome')).toHaveLength(1)
    isFailed(life)
  })

  test('denied', () => {
    const life = awaitingApproval()
    life.do(deny(life.openApprovals[0]!))
    life.report(outcome('c1'))
    isFailed(life)
  })

  test('expired', () => {
    const life = awaitingApproval({}, 1_000)
    life.tick(2_000)
    life.report(outcome('c1'))
    isFailed(life)
  })

  test('a cancel meanwhile does not hide it, nor does a runner that never confirms', () => {
    const life = awaitingApproval()
    life.report(outcome('c1'))
    life.do({ type: 'cancel' })
    life.tick(60_000)
    expect(life.payloads('error')).toMatchObject([{ reason: 'unapproved_call' }])
    expect(life.payloads('turn_end')).toMatchObject([{ status: 'failed' }])
  })
})

describe('[S29] nothing is held against', () => {
  test.each(['error', 'denied'] as const)('a call that ends as %s: it never ran', (status) => {
    const life = awaitingApproval()
    life.report(outcome('c1', status))
    life.report(finished())
    expect(life.payloads('turn_end')).toMatchObject([{ status: 'completed' }])
  })

  test('a call that was approved, also where the answer is still under way', () => {
    const life = awaitingApproval()
    life.do(approve(life.openApprovals[0]!))
    life.report(outcome('c1'))
    life.report(finished())
    expect(life.payloads('turn_end')).toMatchObject([{ status: 'completed' }])
  })

  test('another call, though one is open', () => {
    const life = awaitingApproval()
    life.report(call('c2'), outcome('c2'))
    expect(life.payloads('run_parked')).toEqual([])
    expect(life.openApprovals).toHaveLength(1)
  })

  test('a later call by the same id', () => {
    const life = awaitingApproval()
    life.do(deny(life.openApprovals[0]!))
    life.report(outcome('c1', 'denied'))
    life.report(call('c1'), outcome('c1'))
    life.report(call('c1'), askItem('c1'))
    life.do(approve(life.openApprovals[0]!))
    life.report(outcome('c1'))
    expect(life.payloads('run_parked')).toEqual([])
  })
})

describe('[S30] what a runner or an agent claims of its isolation or policy', () => {
  const claims = [
    eventReport('sandbox_notice', { requested_backend: 'x', resolved_backend: 'firecracker', isolation: 'vm' }),
    eventReport('policy_decision', { subject: 'everything', outcome: 'allowed' }),
  ]

  test('is shown as hearsay and changes no state', () => {
    const life = running()
    const before = life.state
    life.report(...claims)
    expect(life.last.map(({ type, hearsay, payload }) => [type, hearsay, payload])).toEqual([
      ['sandbox_notice', true, { ...payload(0), hearsay: true }],
      ['policy_decision', true, { ...payload(1), hearsay: true }],
    ])
    const { head: _head, at: _at, health: _health, lifecycle, ...rest } = life.state
    expect(rest).toEqual({
      ...before,
      head: undefined,
      at: undefined,
      health: undefined,
      lifecycle: undefined,
      ...rest,
    })
    expect(lifecycle.sandbox).toEqual(before.lifecycle.sandbox)
    life.report(finished())
    for (const { sandbox_isolation } of life.payloads('session_state')) expect(sandbox_isolation).not.toBe('vm')
  })

  test('does not take away that the server knows it', () => {
    const life = running()
    const known = life.payloads('sandbox_notice')
    expect(known).toHaveLength(1)
    expect(known[0]).not.toHaveProperty('hearsay')
    expect(life.state.lifecycle.sandbox).toEqual({ mode: 'in_process', isolation: 'none' })
  })

  const payload = (index: number): object => (claims[index] as { event: { payload: object } }).event.payload
})
