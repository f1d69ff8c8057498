import { expect, test } from 'vitest'
import { BUDGET_GRACE_MS, STUCK_MS } from '../limits.ts'
import {
  approve,
  background,
  call,
  failed,
  finished,
  key,
  type Life,
  outcome,
  running,
  says,
  waiting,
} from '../rules/rules.suite.ts'
import { statusOf } from '../state.ts'
import { healthSnapshot, healthSummary } from './health-snapshot.ts'

const snapshot = ({ state, now }: Life) => healthSnapshot(key, state, statusOf(state), now)

test('[F19] a session that nothing was said of', () => {
  expect(snapshot(running(background()))).toEqual({
    score: 100,
    flags: [],
    reasons: [],
    hint: null,
    risk_flags: [],
    penalties: [],
    budget_pressure: { level: 'none', budgets: [], running_since: null },
    memory_provenance: { retrievals: 0, citations: 0, proposals: 0, latest: [] },
    audit: [],
    recovery_hint: null,
    policy: {
      health: null,
      enforcement: { action: 'request_approval', status: 'off', crossed: [], raised: {} },
    },
  })
})

test('[F20] what lowers the score says by how much, and which event shows it', () => {
  const life = running(background())
  life.says(call('a', 'pure'), outcome('a', 'error'))
  const at = life.log.findLast(({ type }) => type === 'tool_outcome')?.seq
  expect(snapshot(life).penalties).toEqual([{ points: 5, reason: '1 failed tool calls', evidence: [`ev-${at}`] }])
  life.says(says('transport_diagnostic', { status: 'degraded', kind: 'provider_fallback', reason: 'slow' }))
  const fallback = life.log.findLast(({ type }) => type === 'transport_diagnostic')?.seq
  expect(snapshot(life).risk_flags).toEqual([
    { flag: 'degraded', reason: 'degraded: slow', evidence: [`ev-${fallback}`] },
  ])
})

test('[F20] stuck points to the last event that was heard', () => {
  const life = running(background())
  const last = life.state.health.activeSeq
  life.tick(STUCK_MS)
  expect(snapshot(life)).toMatchObject({
    flags: ['stuck'],
    risk_flags: [{ flag: 'stuck', evidence: [`ev-${last}`] }],
    recovery_hint: { action: 'pause' },
  })
})

test('[F21] budgets: how close each is, and what the policy did', () => {
  const life = running(background({ policy: { health: { max_total_tokens: 10, max_cost_usd: 1, action: 'pause' } } }))
  expect(snapshot(life).budget_pressure).toEqual({
    level: 'ok',
    budgets: [
      { budget: 'max_total_tokens', limit: 10, value: 0, level: 'ok' },
      { budget: 'max_cost_usd', limit: 1, value: 0, level: 'ok' },
    ],
    running_since: null,
  })
  life.says(says('usage', { total_tokens: 8 }))
  expect(snapshot(life).budget_pressure).toMatchObject({ level: 'high', budgets: [{ level: 'high' }, { level: 'ok' }] })
  life.says(says('usage', { total_tokens: 3 }))
  life.tick(BUDGET_GRACE_MS)
  expect(snapshot(life)).toMatchObject({
    flags: ['budget'],
    budget_pressure: { level: 'crossed' },
    recovery_hint: { action: 'resume' },
    policy: {
      health: { max_total_tokens: 10, max_cost_usd: 1, action: 'pause' },
      enforcement: { action: 'pause', status: 'paused', crossed: ['max_total_tokens'] },
    },
  })
  expect(snapshot(life).audit.map(({ action, summary }) => [action, summary])).toEqual([
    ['budget_crossed', 'max_total_tokens is 11, the limit 10'],
    ['paused', 'Over budget: max_total_tokens 11 (limit 10)'],
  ])
})

test('[F22] memory: what was looked up, and what it would remember', () => {
  const life = running(background())
  life.says(says('retrieval', { query: 'roadmap', citations: ['a', 'b'] }))
  life.says({
    type: 'artifact',
    name: 'prefers-tabs.md',
    kind: 'memory_proposal',
    contentType: 'text/plain',
    text: 'x',
  })
  expect(snapshot(life).memory_provenance).toMatchObject({
    retrievals: 1,
    citations: 2,
    proposals: 1,
    latest: [
      { kind: 'retrieval', summary: 'roadmap' },
      { kind: 'proposal', summary: 'prefers-tabs.md' },
    ],
  })
})

test('[F23] the hint is something that can be done, with what the call for it needs', () => {
  const asked = waiting(background())
  const id = asked.openApprovals[0]!
  expect(snapshot(asked).recovery_hint).toMatchObject({ action: 'answer_approval', approval_request_id: id })
  asked.do({ ...approve(id, { digest: 'digest-1' }), actor: 'ann' })
  expect(snapshot(asked).audit.at(-1)).toMatchObject({ action: 'approval_approved', actor: 'ann' })
  asked.says({ type: 'failed', message: 'broke', transient: false })
  const { kind, seq } = asked.state.resumePoints.at(-1)!
  expect(snapshot(asked).recovery_hint).toMatchObject({ action: 'branch', resume_cursor: `${kind}:${key.id}:${seq}` })

  const again = running(background({ maxRetries: 1 }))
  again.says(failed())
  expect(snapshot(again).recovery_hint).toMatchObject({ action: 'wait', until: expect.any(String) })
})

test('[F24] told when, and only when, it changed; equal logs give equal snapshots', () => {
  const life = running(background())
  life.says(says('token', { text: 'a' }), says('thinking', { text: 'b' }), call('a', 'pure'), outcome('a'))
  life.says(says('usage', { total_tokens: 5 }))
  expect(life.payloads('health_changed')).toEqual([])
  life.says(says('retrieval', { query: 'q' }))
  expect(life.happened).toEqual(['retrieval', 'health_changed'])
  expect(life.payloads('health_changed').at(-1)).toEqual(snapshot(life))
  life.tick(1_000)
  expect(life.last).toEqual([])
  life.says(finished())
  expect(life.happened).not.toContain('health_changed')
})

test('[F25] a list shows a summary', () => {
  expect(healthSummary(snapshot(waiting(background())))).toEqual({
    score: 100,
    flags: ['waiting'],
    hint: 'answer the approval',
    budget_pressure: 'none',
    recovery_action: 'answer_approval',
  })
})
