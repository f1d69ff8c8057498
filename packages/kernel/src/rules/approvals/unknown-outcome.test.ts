// Calls that may have happened never run again without an answer, and acknowledged prompts are never lost.

import { BUDGET_GRACE_MS } from '@bridle/events/limits'
import { describe, expect, test } from 'vitest'
import type { ToolApprovalRequest } from '../../commands.ts'
import {
  approve,
  awaitingApproval,
  background,
  call,
  deny,
  eventReport,
  failed,
  finished,
  lost,
  messageSummary,
  outcome,
  running,
  stopped,
  type TestSession,
  token,
} from '../rules.suite.ts'
import { RESULT_CHARS_MAX } from '../runs/runs.ts'

const question = (life: TestSession): string => life.openApprovals.at(-1) ?? ''
const kindOf = (life: TestSession): string | undefined => life.state.approvals.open[question(life)]?.kind

describe('[S14] an unsafe call under way', () => {
  test.each<[string, (life: TestSession) => void]>([
    ['its runner is lost', (life) => life.report(lost)],
    ['its run fails for a passing reason', (life) => life.report(failed(true))],
    ['the session is paused', (life) => life.do({ type: 'pause' })],
  ])('is asked about when %s', (_name, happen) => {
    const life = running(background({ maxRetries: 3 }))
    life.report(call('c1', 'unsafe', 'send_mail'), call('c2', 'unsafe', 'pay'), call('c3', 'pure', 'look'))
    happen(life)
    expect(kindOf(life)).toBe('unknown_outcome')
    expect(life.state.approvals.open[question(life)]?.reason).toMatch(/^"send_mail", "pay" was under way/)
    expect(life.run.phase).toBe('parked')
    life.report(stopped)
    if (life.state.lifecycle.paused) life.do({ type: 'resume' })
    life.tick(120_000)
    expect(life.run).toMatchObject({ attempt: 1, phase: 'parked' })
    life.do(approve(question(life)))
    expect(life.run).toMatchObject({ attempt: 2, phase: 'requested' })
  })

  test('fails the turn when the answer is no', () => {
    const life = running(background({ maxRetries: 3 }))
    life.report(call('c1', 'unsafe'))
    life.report(failed(true))
    life.do(deny(question(life)))
    expect(life.status).toBe('failed')
    expect(life.payloads('error')).toMatchObject([{ reason: 'outcome_unknown' }])
  })

  test('is not asked about when it still waits for its own approval: it has not happened', () => {
    const life = awaitingApproval(background({ maxRetries: 3 }))
    life.do({ type: 'pause' })
    expect(life.openApprovals).toHaveLength(1)
    expect(kindOf(life)).toBe('tool')
  })

  test('is not asked about when the run is cancelled: nothing will be repeated', () => {
    const life = running()
    life.report(call('c1', 'unsafe'))
    life.do({ type: 'cancel' })
    expect(life.openApprovals).toEqual([])
  })
})

describe('[S84] a call that the server makes for an engine', () => {
  const unmarked: ToolApprovalRequest = {
    ...{ type: 'ask', kind: 'unknown_outcome', toolCallId: 'c1', tool: 'pay', arguments: {}, reason: 'Again?' },
    digest: 'd',
  }
  const servedCall = eventReport('tool_call', {
    ...{ name: 'pay', arguments: {}, tool_call_id: 'c1', effect: 'unsafe', served: true },
  })
  const ask: ToolApprovalRequest = { ...unmarked, served: true }

  test.each(['chat', 'background'] as const)('is asked about while its turn goes on, in a %s', (kind) => {
    const life = running(kind === 'background' ? background({ maxRetries: 3 }) : undefined)
    life.report(servedCall, ask)
    const id = question(life)
    expect(life.state.approvals.open[id]).toMatchObject({ kind: 'unknown_outcome', served: true })
    life.do(deny(id))
    expect(life.state.approvals.decided[id]).toMatchObject({ undelivered: true, decision: 'denied' })
    expect(life.run.phase).toBe('started')
    expect(life.payloads('error')).toEqual([])
  })

  test('keeps its arguments, and its answer goes to the run', () => {
    const life = running()
    life.report(servedCall, ask)
    life.do({ ...approve(question(life)), digest: 'd' })
    expect(Object.values(life.state.approvals.decided)).toMatchObject([{ undelivered: true, approvedDigest: 'd' }])
  })

  test('[EN70] has a question of its own, whatever its runner has asked under the same id', () => {
    const life = running()
    const { served: _served, ...asRunner } = { ...ask, kind: 'tool' as const }
    life.report(asRunner, servedCall, { ...asRunner, served: true })
    expect(Object.values(life.state.approvals.open).map(({ served }) => served)).toEqual([undefined, true])
    // Nor does a later question of the runner supersede it, or an answer to that one count.
    life.report({ ...asRunner, digest: 'e' })
    expect(Object.values(life.state.approvals.open).map(({ served }) => served)).toEqual([true, undefined])
  })

  test('[EN70] is approved by the answers to its own question, and not stopped for want of an answer to another', () => {
    const life = running()
    const { served: _served, ...asRunner } = { ...ask, kind: 'tool' as const }
    life.report(asRunner, servedCall, { ...asRunner, served: true })
    life.do({ ...approve(question(life)), digest: 'd' })
    life.report(outcome('c1'))
    expect(life.run.phase).toBe('started')
  })

  test('[EN70] whose id the runner has taken asks nothing: the question would be about a call of the runner', () => {
    const life = running()
    const { served: _served, ...asRunner } = { ...ask, kind: 'tool' as const }
    life.report(call('c1', 'unsafe', 'pay'), asRunner)
    life.report(servedCall, { ...asRunner, digest: 'e', served: true })
    expect(Object.values(life.state.approvals.open)).toMatchObject([{ requestedDigest: 'd' }])
    expect(life.payloads('tool_call')).toHaveLength(1)
  })

  test('without the mark is the question of the kernel, as ever', () => {
    const life = running()
    life.report(call('c1', 'unsafe', 'pay'), unmarked)
    life.do(deny(question(life)))
    expect(life.payloads('error')).toMatchObject([{ reason: 'outcome_unknown' }])
  })
})

describe('[S7] a steering prompt that came too late for its run', () => {
  test.each<[string, (life: TestSession) => void]>([
    ['ended', (life) => life.report(finished())],
    ['failed', (life) => life.report(failed(false))],
  ])('is the next prompt when the run %s', (_name, end) => {
    const life = running(undefined, true)
    life.report(token('so far'))
    life.submit('queued before')
    life.do({ type: 'steer', prompt: 'first' })
    life.do({ type: 'steer', prompt: 'second' })
    end(life)
    expect(life.run.text).toBe('first')
    expect(life.state.lifecycle.queue.map(({ text }) => text)).toEqual(['second', 'queued before'])
    expect(life.messages.map(messageSummary).filter((line) => line.includes('first'))).toEqual(['user complete: first'])
  })

  test('is let go with a run that was cancelled', () => {
    const life = running(undefined, true)
    life.do({ type: 'steer', prompt: 'too late' })
    life.do({ type: 'cancel' })
    life.report(stopped)
    expect([life.status, life.state.lifecycle.queue]).toEqual(['idle', []])
  })
})

describe('[S9] the response', () => {
  test('is not said again when the runner has said it', () => {
    const life = running()
    life.report(token('Hel'), eventReport('response', { text: 'Hello' }))
    life.report(finished())
    expect(life.payloads('response')).toEqual([{ text: 'Hello' }])
    expect(life.payloads('completed')).toMatchObject([{ result: 'Hello' }])
  })

  test('is said when more came after it', () => {
    const life = running()
    life.report(eventReport('response', { text: 'Hello' }), token(' there'))
    life.report(finished())
    expect(life.payloads('response').at(-1)).toEqual({ text: 'Hello there' })
  })

  test('that is too long for one event is an artifact, and the text stays in the message', () => {
    const life = running()
    const text = 'x'.repeat(RESULT_CHARS_MAX + 1)
    life.report(token(text))
    life.report(finished())
    expect(life.payloads('response')).toEqual([])
    const [{ artifact_id } = { artifact_id: '' }] = life.payloads('artifact_published')
    expect(life.payloads('completed')).toMatchObject([{ result: { artifact_id, size: text.length } }])
    expect(life.answer.content).toBe(text)
  })
})

test('[S5] a stale name does nothing, whatever else the cancel says', () => {
  const life = running()
  life.submit('waits')
  expect(life.do({ type: 'cancel', runId: 'r-999', queue: true })).toMatchObject({ cancelled: false })
  expect(life.last).toEqual([])
  expect(life.state.lifecycle.queue).toHaveLength(1)
})

test('[S28] resuming what was paused over its budget grants more', () => {
  const life = running(background({ policy: { health: { max_total_tokens: 10, action: 'pause' } } }))
  life.report(eventReport('usage', { total_tokens: 11 }))
  life.tick(BUDGET_GRACE_MS)
  expect(life.status).toBe('paused')
  life.report(stopped)
  life.do({ type: 'resume' })
  expect(life.status).toBe('running')
  life.report({ type: 'started' })
  life.report(eventReport('usage', { total_tokens: 11 }))
  life.tick(BUDGET_GRACE_MS)
  expect(life.payloads('budget_crossed').map(({ limit }) => limit)).toEqual([10, 21])
  expect(life.status).toBe('paused')
})

test('[S28] a limit of zero can be raised', () => {
  const life = running(background({ policy: { health: { max_failed_tool_calls: 0 } } }))
  life.report(
    call('c1', 'pure'),
    eventReport('tool_outcome', {
      tool_call_id: 'c1',
      tool_name: 'write',
      outcome_type: 'ToolFailure',
      status: 'error',
    }),
  )
  life.tick(BUDGET_GRACE_MS)
  expect(kindOf(life)).toBe('budget')
  life.report(stopped)
  life.do(approve(question(life)))
  expect([life.status, life.openApprovals]).toEqual(['running', []])
})

test('an expiry beyond all dates is no reason to fall over', () => {
  const life = running(background({ expiresAt: 1e300 }))
  life.report(call('c1'), {
    type: 'ask',
    toolCallId: 'c1',
    tool: 'write',
    arguments: {},
    reason: '',
    digest: 'd',
    expiresMs: 1e300,
  })
  expect(life.status).toBe('awaiting_approval')
})
