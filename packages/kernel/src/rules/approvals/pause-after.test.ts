// Answering and pausing in one command.
import { describe, expect, test } from 'vitest'
import type { ReportItem } from '../../commands.ts'
import { emptyState, evolve } from '../../projections/state.ts'
import {
  askItem,
  awaitingApproval,
  background,
  call,
  finished,
  lost,
  outcome,
  running,
  TestSession,
  token,
} from '../rules.suite.ts'

const answer = (life: TestSession, more: { decision?: 'approved' | 'denied'; id?: string; pause?: boolean } = {}) => {
  const { decision = 'approved', id = life.openApprovals[0] ?? '', pause = true } = more
  const digest = decision === 'approved' ? { digest: 'digest-1' } : {}
  return life.do({ type: 'approve', approvalId: id, decision, ...digest, pause, actor: 'ann' })
}

describe('[H79] an answer with a pause', () => {
  test('the call runs, and the session pauses in the batch of its outcome', () => {
    const life = awaitingApproval()
    const id = life.openApprovals[0]
    expect(answer(life)).toMatchObject({ decision: 'approved' })
    expect(life.status).toBe('running')
    life.report(outcome('c1'))
    expect(life.status).toBe('paused')
    expect(life.lastTypes).toEqual(['tool_outcome', 'session_paused', 'run_parked', 'health_changed', 'session_state'])
    expect(life.payloads('session_paused')).toEqual([
      { reason: `As asked with the answer to ${id}.`, actor: 'ann', operator: true },
    ])
    // Nothing of a next step is taken, and it pauses once only.
    life.report(token('more'))
    expect(life.answer.content).toBe('')
    life.report({ type: 'stopped' })
    life.do({ type: 'resume' })
    life.report({ type: 'started' }, call('c2'), outcome('c2'), token('on'))
    expect(life.status).toBe('running')
  })

  test('the wish is in the log: a state that is folded anew pauses as well', () => {
    const life = awaitingApproval()
    answer(life)
    const restored = new TestSession(life.log.reduce(evolve, emptyState))
    restored.now = life.now
    restored.report(outcome('c1'))
    expect(restored.status).toBe('paused')
  })

  test('a denial with a pause pauses too', () => {
    const life = awaitingApproval()
    answer(life, { decision: 'denied' })
    life.report(outcome('c1', 'denied'))
    expect(life.status).toBe('paused')
  })

  test('calls of the same step end first, also one that waits for an answer', () => {
    const life = running()
    life.report(call('c1'), call('c2'), call('c3'), askItem('c1'), askItem('c2', undefined, 'digest-2'))
    const [first = '', second = ''] = life.openApprovals
    answer(life, { id: first })
    life.report(outcome('c1'))
    expect(life.status).toBe('awaiting_approval')
    life.report(outcome('c3'))
    life.do({ type: 'approve', approvalId: second, decision: 'denied' })
    expect(life.status).toBe('running')
    life.report(outcome('c2', 'denied'))
    expect(life.status).toBe('paused')
  })

  test('where the turn ends with the call, the next prompt waits; without one there is nothing to pause', () => {
    const life = awaitingApproval()
    life.submit('next')
    answer(life)
    life.report(outcome('c1'), finished())
    expect([life.status, life.state.lifecycle.run, life.state.lifecycle.queue.length]).toEqual(['paused', null, 1])
    const alone = awaitingApproval()
    answer(alone)
    alone.report(outcome('c1'), finished())
    expect([alone.status, alone.state.lifecycle.pauseAfter]).toEqual(['idle', null])
  })

  test('a run that is cancelled before its call ends has no next step, but a prompt that waits has', () => {
    const alone = awaitingApproval()
    const queued = awaitingApproval()
    queued.submit('next')
    for (const life of [alone, queued]) {
      answer(life)
      life.do({ type: 'cancel', runId: life.run.runId })
      expect(life.payloads('session_paused')).toEqual([])
      life.report({ type: 'stopped' })
    }
    expect([alone.status, alone.state.lifecycle.pauseAfter]).toEqual(['idle', null])
    expect([queued.status, queued.state.lifecycle.run, queued.state.lifecycle.queue.length]).toEqual([
      'paused',
      null,
      1,
    ])
  })

  test('the question of a budget stands for no call: the session pauses at once, with the budget granted', () => {
    const life = running({ policy: { health: { max_failed_tool_calls: 1 } } })
    life.report(call('c1'), outcome('c1', 'error'), call('c2'), outcome('c2', 'error'))
    life.report(token('more'))
    expect(life.status).toBe('awaiting_approval')
    life.do({ type: 'approve', approvalId: life.openApprovals[0] ?? '', decision: 'approved', pause: true })
    expect(life.status).toBe('paused')
    expect(life.lastTypes).toContain('budget_raised')
  })

  test('after the question of an MCP server, the session pauses when the answer is delivered and no call is open', () => {
    const questions = [{ id: 'q', question: 'Which?', options: [], allow_free_text: true }]
    const elicit = { ...askItem('c1:asks-1'), kind: 'question', questions } as ReportItem
    const answered = {
      type: 'approve',
      decision: 'approved',
      digest: 'd',
      answers: { q: 'this' },
      pause: true,
    } as const
    const asked = () => {
      const life = running()
      life.report(call('c1'), elicit)
      const [approvalId = ''] = life.openApprovals
      return { life, approvalId, used: { type: 'approval_delivered', requestId: approvalId } as const }
    }
    const { life, approvalId, used } = asked()
    life.do({ ...answered, approvalId })
    life.report(used, token('still in the call'))
    expect(life.status).toBe('running')
    const restored = new TestSession(life.log.reduce(evolve, emptyState))
    restored.now = life.now
    for (const each of [life, restored]) {
      each.report(outcome('c1'))
      expect(each.status).toBe('paused')
    }
    // The call may end before the answer is delivered.
    const late = asked()
    late.life.do({ ...answered, approvalId: late.approvalId })
    late.life.report(outcome('c1'))
    expect(late.life.status).toBe('running')
    late.life.report(late.used)
    expect(late.life.status).toBe('paused')
  })

  test('an answer between two attempts pauses the session after the call of the next attempt', () => {
    const life = awaitingApproval(background({ maxRetries: 1 }))
    life.report(lost)
    answer(life)
    expect(life.status).not.toBe('paused')
    life.tick(600_000)
    life.report({ type: 'started' }, call('c1'), askItem('c1'))
    expect(life.status).toBe('running')
    life.report({ type: 'approval_delivered', requestId: Object.keys(life.state.approvals.decided).at(-1) ?? '' })
    expect(life.status).toBe('running')
    life.report(outcome('c1'))
    expect(life.status).toBe('paused')
  })

  test('in a session that is paused already it asks for nothing more', () => {
    const life = awaitingApproval()
    life.do({ type: 'pause' })
    answer(life)
    expect([life.status, life.state.lifecycle.pauseAfter]).toEqual(['paused', null])
  })

  test('repeated it is the same answer; with a pause that the first one did not have it is another', () => {
    const life = awaitingApproval()
    const id = life.openApprovals[0] ?? ''
    answer(life)
    expect(answer(life, { id })).toMatchObject({ decision: 'approved' })
    expect(answer(life, { id, pause: false })).toMatchObject({ decision: 'approved' })
    const other = awaitingApproval()
    const otherId = other.openApprovals[0] ?? ''
    answer(other, { pause: false })
    expect(answer(other, { id: otherId })).toMatchObject({
      refused: 'approval_settled',
      settlement: { decision: 'approved', decidedBy: 'ann' },
    })
  })
})
