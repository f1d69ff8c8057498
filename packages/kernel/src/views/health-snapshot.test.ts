import { inTier } from '@bridle/events/catalogue'
import { BUDGET_GRACE_MS, STUCK_MS } from '@bridle/events/limits'
import { expect, test } from 'vitest'
import { statusOf } from '../projections/state.ts'
import {
  approve,
  askItem,
  awaitingApproval,
  background,
  call,
  eventReport,
  failed,
  finished,
  key,
  outcome,
  running,
  stopped,
  type TestSession,
} from '../rules/rules.suite.ts'
import { healthSnapshot, healthSummary } from './health-snapshot.ts'
import { sessionStateCard } from './session-card.ts'

const snapshot = ({ state, now }: TestSession) => healthSnapshot(key, state, statusOf(state), now)

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
    checkpoints: { count: 0, latest: null },
    artifacts: { count: 0, latest: null },
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
  life.report(call('a', 'pure'), outcome('a', 'error'))
  const at = life.log.findLast(({ type }) => type === 'tool_outcome')?.seq
  expect(snapshot(life).penalties).toEqual([{ points: 5, reason: '1 failed tool call', evidence: [`ev-${at}`] }])
  life.report(eventReport('transport_diagnostic', { status: 'degraded', kind: 'provider_fallback', reason: 'slow' }))
  const fallback = life.log.findLast(({ type }) => type === 'transport_diagnostic')?.seq
  expect(snapshot(life).risk_flags).toEqual([
    { flag: 'degraded', reason: 'degraded: slow', evidence: [`ev-${fallback}`] },
  ])
})

test('[F20] stuck points to the last event that was heard, to the second, and a client can see it', () => {
  const life = running(background())
  life.wait(5_000).report(eventReport('token', { text: 'a' }))
  const last = life.log.find(({ type }) => type === 'token')?.seq
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
  life.report(eventReport('usage', { total_tokens: 8 }))
  expect(snapshot(life).budget_pressure).toMatchObject({ level: 'high', budgets: [{ level: 'high' }, { level: 'ok' }] })
  life.report(eventReport('usage', { total_tokens: 3 }))
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
    ['budget_crossed', 'token limit of 10 tokens, at 11 tokens'],
    ['paused', 'Over budget: token limit of 10 tokens (at 11 tokens)'],
  ])
})

test('[F22] memory: what was looked up, and what it would remember', () => {
  const life = running(background())
  life.report(eventReport('retrieval', { query: 'roadmap', citations: ['a', 'b'] }))
  life.report({
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
  const asked = awaitingApproval(background())
  const id = asked.openApprovals[0]!
  expect(snapshot(asked).recovery_hint).toMatchObject({ action: 'answer_approval', approval_request_id: id })
  asked.do({ ...approve(id, { digest: 'digest-1' }), actor: 'ann' })
  expect(snapshot(asked).audit.at(-1)).toMatchObject({ action: 'approval_approved', actor: 'ann' })
  asked.report({ type: 'failed', message: 'broke', transient: false })
  const { kind, seq } = asked.state.resumePoints.at(-1)!
  expect(snapshot(asked)).toMatchObject({
    hint: 'branch from it to go on',
    recovery_hint: { action: 'branch', resume_cursor: `${kind}:${key.id}:${seq}`, label: 'branch from it to go on' },
  })
  expect(asked.do({ type: 'submit', prompt: 'again' })).toMatchObject({ refused: 'session_ended' })
  const chat = running()
  chat.report({ type: 'failed', message: 'broke', transient: false })
  expect(snapshot(chat)).toMatchObject({
    hint: 'send the prompt again, or branch from an earlier point',
    recovery_hint: { action: 'submit' },
  })

  const again = running(background({ maxRetries: 1 }))
  again.report(failed())
  expect(snapshot(again).recovery_hint).toMatchObject({ action: 'wait', until: expect.any(String) })
})

test('[F24] told when, and only when, it changed; equal logs give equal snapshots', () => {
  const life = running(background())
  life.report(
    eventReport('token', { text: 'a' }),
    eventReport('thinking', { text: 'b' }),
    call('a', 'pure'),
    outcome('a'),
  )
  life.report(eventReport('usage', { total_tokens: 5 }))
  expect(life.payloads('health_changed')).toEqual([])
  life.report(eventReport('retrieval', { query: 'q' }))
  expect(life.lastTypes).toEqual(['retrieval', 'health_changed'])
  expect(life.payloads('health_changed').at(-1)).toEqual(snapshot(life))
  life.tick(1_000)
  expect(life.last).toEqual([])
  expect(life.payloads('health_changed')).toHaveLength(1)
})

test('[F25] a list shows a summary', () => {
  expect(healthSummary(snapshot(awaitingApproval(background())))).toEqual({
    score: 100,
    flags: ['waiting'],
    hint: 'answer the approval',
    budget_pressure: { level: 'none', budgets: [], running_since: null },
    recovery_action: 'answer_approval',
  })
})

test('[F38] checkpoints and artifacts change it, and each names the newest', () => {
  const life = running(background())
  life.report(eventReport('session_checkpoint', { checkpoint_type: 'step', status: 'completed', summary_text: 'one' }))
  expect(life.lastTypes).toEqual(['session_checkpoint', 'health_changed'])
  life.report({ type: 'artifact', name: 'a.txt', contentType: 'text/plain', text: 'a' })
  expect(life.lastTypes).toContain('health_changed')
  const published = life.log.findLast(({ type }) => type === 'artifact_published')
  expect(life.payloads('health_changed').at(-1)).toMatchObject({
    checkpoints: { count: 1, latest: { checkpoint_type: 'step', status: 'completed', summary_text: 'one' } },
    artifacts: { count: 1, latest: { event_id: `ev-${published?.seq}`, name: 'a.txt', artifact_type: 'file' } },
  })
  life.report(finished())
  expect(snapshot(life)).toMatchObject({ checkpoints: { count: 2 }, artifacts: { count: 2 } })
})

test('[F20] a context that fills up is shown by the event that told of it', () => {
  for (const [type, payload] of [
    ['usage', { context_usage_pct: 95 }],
    ['context_warning', { usage_pct: 95, kind: 'loop' }],
    ['context_warning', { usage_pct: 95 }],
  ] as const) {
    const life = running(background())
    life.report(eventReport(type, payload))
    const { seq } = life.log.findLast((event) => event.type === type)!
    expect(snapshot(life).risk_flags).toMatchObject([{ flag: 'degraded', evidence: [`ev-${seq}`] }])
  }
})

test('[F20] every id that a snapshot names is of an event that a client can see', () => {
  const life = running(background({ maxRetries: 2, policy: { health: { max_cost_usd: 1, max_failed_tool_calls: 0 } } }))
  life.report(call('a', 'pure'), outcome('a', 'error'), eventReport('usage', { cost_usd: 2, context_usage_pct: 95 }))
  life.report({ type: 'artifact', name: 'm', kind: 'memory_proposal', contentType: 'text/plain', text: 'm' })
  life.tick(BUDGET_GRACE_MS)
  life.do({ type: 'pause', actor: 'ada' })
  life.do({ type: 'resume' })
  for (const id of life.openApprovals) life.do(approve(id))
  const other = running(background({ maxRetries: 2 }))
  other.report(failed())
  other.tick(60_000)
  other.tick(STUCK_MS)
  const ids = [life, other].flatMap((each) =>
    each
      .payloads('health_changed')
      .flatMap((told) =>
        [...JSON.stringify(told).matchAll(/"ev-(\d+)"/g)].map(
          (match) => each.log.find(({ seq }) => seq === Number(match[1]))?.type ?? match[1],
        ),
      ),
  )
  expect(ids.length).toBeGreaterThan(20)
  expect([...new Set(ids)].filter((type) => !inTier(String(type), 'debug'))).toEqual([])
})

test('[F21] what is over its limit is not "ok", also when the turn may end', () => {
  const life = running(background({ policy: { health: { max_events_without_evidence: 0 } } }))
  life.report(eventReport('token', { text: 'so' }), finished())
  expect(snapshot(life).budget_pressure).toMatchObject({
    level: 'crossed',
    budgets: [{ value: 1, limit: 0, level: 'crossed' }],
  })
})

test('[S27] a limit that is crossed lowers the score at once, whether the turn goes on, ends, or waits', () => {
  const life = running({ policy: { health: { max_cost_usd: 1 } } })
  life.report(eventReport('usage', { cost_usd: 1 }))
  expect(snapshot(life)).toMatchObject({ score: 100, flags: [], budget_pressure: { level: 'high' } })
  life.report(eventReport('usage', { cost_usd: 1 }))
  const { seq } = life.log.findLast(({ type }) => type === 'usage')!
  const over = {
    ...{ score: 80, flags: ['budget'], reasons: ['over budget: cost limit'] },
    ...{ penalties: [{ points: 20, reason: 'over budget: cost limit', evidence: [`ev-${seq}`] }] },
    ...{ budget_pressure: { level: 'crossed' }, policy: { enforcement: { status: 'armed', crossed: [] } } },
  }
  expect(snapshot(life)).toMatchObject({ ...over, hint: null, recovery_hint: null })
  expect(life.payloads('health_changed').at(-1)).toEqual(snapshot(life))
  life.report(finished())
  expect(life.payloads('budget_crossed')).toEqual([])
  expect(snapshot(life)).toMatchObject({ ...over, hint: 'raise the limit in the policy or branch' })
  expect(healthSummary(snapshot(life))).toMatchObject({ score: 80, flags: ['budget'] })

  // The question that follows with the next turn costs nothing more.
  life.submit('next')
  expect(snapshot(life)).toMatchObject({
    score: 80,
    flags: ['budget', 'waiting'],
    hint: 'approve more budget or cancel',
  })
  life.report(stopped)
  life.do(approve(life.openApprovals[0]!))
  expect(snapshot(life)).toMatchObject({ score: 100, flags: [] })
})

test('[S27] over a limit while a call asks, the answer to that comes first', () => {
  const life = running({ policy: { health: { max_cost_usd: 1 } } })
  life.report(call('a'), askItem('a'), eventReport('usage', { cost_usd: 2 }))
  expect(snapshot(life)).toMatchObject({
    ...{ score: 80, flags: ['budget', 'waiting'], hint: 'answer the approval' },
    recovery_hint: { action: 'answer_approval', label: 'answer the approval' },
  })
})

test.each<[string, boolean, string, object | null]>([
  ['a chat', false, 'idle', { action: 'branch', label: 'raise the limit in the policy or branch' }],
  ['background work', true, 'cancelled', null],
])('[F23] cancelled while its budget asks, there is nothing left to approve: %s', (_name, isWork, status, hint) => {
  const policy = { health: { max_cost_usd: 1 } }
  const life = running(isWork ? background({ policy }) : { policy })
  life.report(eventReport('usage', { cost_usd: 2 }))
  life.tick(BUDGET_GRACE_MS)
  life.report(stopped)
  life.do({ type: 'cancel' })
  expect(life.status).toBe(status)
  const { recovery_hint, ...rest } = snapshot(life)
  expect(rest).toMatchObject({
    score: 80,
    flags: ['budget'],
    hint: hint === null ? null : 'raise the limit in the policy or branch',
  })
  expect(recovery_hint).toEqual(hint === null ? null : expect.objectContaining(hint))
})

test('[S28] the points for a crossed limit cross no other one', () => {
  const life = running({ policy: { health: { max_cost_usd: 1, min_score: 90 } } })
  life.report(eventReport('usage', { cost_usd: 2 }))
  expect(snapshot(life)).toMatchObject({ score: 80, reasons: ['over budget: cost limit'] })
  life.tick(BUDGET_GRACE_MS)
  expect(life.payloads('budget_crossed').map(({ budget }) => budget)).toEqual(['max_cost_usd'])
})

test('[S42] too many events without evidence stop a run in its middle', () => {
  const life = running(background({ policy: { health: { max_events_without_evidence: 3 } } }))
  life.report(eventReport('thinking', { text: 'a' }), call('a', 'pure'), outcome('a', 'error'))
  expect(life.status).toBe('running')
  life.report(call('b', 'pure', 'other'))
  life.report(outcome('b', 'error'))
  life.report(eventReport('thinking', { text: 'b' }))
  expect(life.status).toBe('awaiting_approval')
  const fine = running(background({ policy: { health: { max_events_without_evidence: 3 } } }))
  for (const id of ['a', 'b', 'c', 'd', 'e'])
    fine.report(eventReport('thinking', { text: id }), call(id, 'pure', id), outcome(id))
  expect(fine.status).toBe('running')
})

test('[F18] the heartbeat never goes back, and in a status card is not behind the last event', () => {
  const life = running(background({ maxRetries: 1 }))
  const beats: string[] = []
  const look = () => {
    for (const card of life.payloads('session_state', life.last)) {
      const { at } = life.log.find(({ payload }) => payload === card)!
      expect(card.last_heartbeat_at).toBe(new Date(at).toISOString())
    }
    beats.push(String(sessionStateCard(key, life.state).last_heartbeat_at))
  }
  const steps: (() => unknown)[] = [
    () => life.report(eventReport('token', { text: 'a' })),
    () => life.report(call('c1'), askItem('c1')),
    () => life.do(approve(life.openApprovals[0] ?? '')),
    () => life.report(outcome('c1')),
    () => life.report(failed()),
    () => life.tick(5_000),
    () => life.report(eventReport('token', { text: 'b' })),
    () => life.report({ type: 'started' }),
    () => life.report(eventReport('token', { text: 'c' }), finished()),
  ]
  for (const step of steps) {
    life.wait(316)
    step()
    look()
  }
  expect(beats).toEqual(beats.toSorted())
})
