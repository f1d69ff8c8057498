import type { JsonObject } from '@bridle/events/json'
import { describe, expect, test } from 'vitest'
import type { Command, ReportItem, SessionOptions } from '../../commands.ts'
import { emptyState, evolve } from '../../projections/state.ts'
import { approve, awaitingApproval, call, deny, finished, key, outcome, running, TestSession } from '../rules.suite.ts'
import { jobOf, wantedEffects } from '../wanted-effects.ts'

const db = { id: 'db', question: 'Which database?', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }
const schema = { type: 'object', properties: { port: { type: 'integer', maximum: 9 } }, required: ['port'] }
const args = { questions: ['as the agent wrote them'] }

const ask = (id: string, more: object = { questions: [db] }): ReportItem[] => [
  call(id, 'pure', 'ask', args),
  {
    ...{ type: 'ask', kind: 'question', toolCallId: id, tool: 'ask', arguments: args },
    ...{ reason: 'Which database?', digest: `asked-${id}`, ...more },
  } as ReportItem,
]
const asking = (more?: object, opening?: SessionOptions): TestSession => {
  const life = running(opening)
  life.report(...ask('c1', more))
  return life
}
/** The answer, with the digest that `Host.send` adds. */
const answer = (life: TestSession, given: Partial<Command & { type: 'approve' }>, at = 0) =>
  life.do({
    ...{ type: 'approve', approvalId: life.openApprovals[at] ?? 'apr-5', decision: 'approved', digest: 'answered' },
    ...given,
  })
const deliveries = (life: TestSession): JsonObject[] =>
  wantedEffects(key, life.state, 1).flatMap((effect) => (effect.kind === 'answer' ? [effect.answer as never] : []))

describe('[S70] a question', () => {
  test('is in the log and the state with what it asks', () => {
    const life = asking({ questions: [db], default: { db: 'SQLite' }, defaultDigest: 'by-default', expiresMs: 60_000 })
    const [id = ''] = life.openApprovals
    expect(life.payloads('approval_required')).toMatchObject([
      { request_id: id, kind: 'question', questions: [db], default: { db: 'SQLite' }, default_digest: 'by-default' },
    ])
    expect(life.state.approvals.open[id]).toMatchObject({
      kind: 'question',
      questions: [db],
      default: { db: 'SQLite' },
    })
    expect(life.state.conversation.approvals).toMatchObject([
      { id, kind: 'question', questions: [db], default: { db: 'SQLite' }, arguments: args },
    ])
    expect(life.status).toBe('awaiting_approval')
  })

  test('[S73] gives its answer to the runner among the arguments', () => {
    const life = asking()
    const [id = ''] = life.openApprovals
    expect(answer(life, { answers: { db: 'SQLite' }, actor: 'ann' })).toMatchObject({
      approvalId: id,
      decision: 'approved',
    })
    expect(life.payloads('approval_decided')).toEqual([
      { request_id: id, decision: 'approved', actor: 'ann', answers: { db: 'SQLite' }, approved_digest: 'answered' },
    ])
    expect(life.payloads('approval_applied')).toMatchObject([
      { kind: 'question', decision: 'approved', answers: { db: 'SQLite' } },
    ])
    expect(deliveries(life)).toMatchObject([
      {
        requestId: id,
        kind: 'question',
        decision: 'approved',
        approvedDigest: 'answered',
        arguments: { ...args, answers: { db: 'SQLite' } },
      },
    ])
    expect(life.answer.toolCalls?.[0]?.approval).toEqual({ id, status: 'approved', answers: { db: 'SQLite' } })
    life.report({ type: 'approval_delivered', requestId: id }, outcome('c1'), finished())
    expect(life.status).toBe('idle')
  })

  test('[S72] of a form takes values', () => {
    const life = asking({ schema })
    expect(answer(life, { values: { port: 10 } })).toMatchObject({
      refused: 'invalid_answer',
      message: 'Field "port" must be at most 9.',
    })
    answer(life, { values: { port: 8 } })
    expect(deliveries(life)).toMatchObject([{ arguments: { ...args, values: { port: 8 } } }])
  })

  test.each<[string, Partial<Command & { type: 'approve' }>, string, RegExp]>([
    [
      'an unknown option',
      { answers: { db: 'Oracle' } },
      'invalid_answer',
      /"Oracle" is not an option of question "db"/,
    ],
    ['an unknown question', { answers: { db: 'SQLite', x: 'y' } }, 'invalid_answer', /no question "x"/],
    ['two answers to a single choice', { answers: { db: ['SQLite', 'PostgreSQL'] } }, 'invalid_answer', /one answer/],
    ['values', { values: { db: 'SQLite' } }, 'invalid_answer', /`answers`, not `values`/],
    ['nothing, without a default', {}, 'answer_missing', /\/answer/],
    ['arguments', { args: { answers: { db: 'SQLite' } } }, 'arguments_fixed', /`answers`/],
  ])('[S72] stays open after %s', (_name, given, code, message) => {
    const life = asking()
    const { head } = life.state
    expect(answer(life, given)).toMatchObject({ refused: code, message: expect.stringMatching(message) })
    expect([life.state.head, life.openApprovals.length]).toEqual([head, 1])
    expect(answer(life, { answers: { db: 'SQLite' } })).toMatchObject({ decision: 'approved' })
  })

  test('[S73] has one answer: the same again has the same reply, and another is refused', () => {
    const life = asking()
    const approvalId = life.openApprovals[0] ?? ''
    const same = { approvalId, decision: 'approved' }
    expect(answer(life, { approvalId, answers: { db: 'SQLite' } })).toMatchObject(same)
    life.report({ type: 'approval_delivered', requestId: approvalId })
    const { head } = life.state
    expect(answer(life, { approvalId, answers: { db: 'SQLite' } })).toMatchObject(same)
    for (const late of [{ answers: { db: 'PostgreSQL' } }, {}])
      expect(answer(life, { approvalId, ...late })).toMatchObject({
        refused: 'approval_settled',
        settlement: { decision: 'approved' },
      })
    expect(life.do(deny(approvalId))).toMatchObject({ refused: 'approval_settled' })
    expect(life.state.head).toBe(head)
  })

  test('[S74] approved without an answer uses its default, also when that is repeated', () => {
    const life = asking({ questions: [db], default: { db: 'PostgreSQL' }, defaultDigest: 'by-default' })
    const approvalId = life.openApprovals[0] ?? ''
    const same = { approvalId, decision: 'approved' }
    expect(answer(life, { approvalId })).toMatchObject(same)
    expect(life.payloads('approval_decided')).toMatchObject([{ answers: { db: 'PostgreSQL' } }])
    expect(answer(life, { approvalId })).toMatchObject(same)
    expect(answer(life, { approvalId, answers: { db: 'PostgreSQL' } })).toMatchObject(same)
    expect(answer(life, { approvalId, answers: { db: 'SQLite' } })).toMatchObject({ refused: 'approval_settled' })
  })

  test('[S73] is declined without any answer', () => {
    const life = asking({ questions: [db], default: { db: 'SQLite' }, defaultDigest: 'by-default' })
    life.do(deny(life.openApprovals[0] ?? '', 'Not now'))
    expect(deliveries(life)).toMatchObject([{ decision: 'denied', reason: 'Not now', arguments: args }])
    expect(life.payloads('approval_applied')[0]).not.toHaveProperty('answers')
  })

  test('[S74] that expires is answered by its default', () => {
    const life = asking({ questions: [db], default: { db: 'SQLite' }, defaultDigest: 'by-default', expiresMs: 1_000 })
    const [id = ''] = life.openApprovals
    life.wait(1_000)
    expect(answer(life, { approvalId: id, answers: { db: 'SQLite' } })).toMatchObject({
      refused: 'approval_settled',
      settlement: { decision: 'approved', decidedBy: null },
    })
    life.tick()
    expect(life.payloads('approval_decided')).toEqual([
      {
        request_id: id,
        decision: 'approved',
        reason: 'expired',
        answers: { db: 'SQLite' },
        approved_digest: 'by-default',
      },
    ])
    expect(deliveries(life)).toMatchObject([
      { decision: 'approved', approvedDigest: 'by-default', arguments: { ...args, answers: { db: 'SQLite' } } },
    ])
  })

  test('[S74] that expires without a default has no answer', () => {
    const life = asking({ questions: [db], expiresMs: 1_000 })
    life.tick(1_000)
    expect(life.payloads('approval_decided')).toMatchObject([{ decision: 'expired', reason: 'expired' }])
    expect(deliveries(life)).toMatchObject([{ decision: 'expired', arguments: args }])
  })

  test('[S71] that cannot be asked is denied, and the reason says why', () => {
    const life = asking({ questions: [{ id: 'db', question: 'Which?' }] })
    expect(life.openApprovals).toEqual([])
    expect(life.payloads('approval_required')[0]).not.toHaveProperty('questions')
    expect(life.payloads('approval_decided')).toMatchObject([
      { decision: 'denied', reason: expect.stringMatching(/no options and takes no free text/) },
    ])
    expect(deliveries(life)).toMatchObject([{ decision: 'denied' }])
  })

  test('[S29] does not let its call act before the answer', () => {
    const life = asking()
    life.report(outcome('c1'))
    expect(life.payloads('run_parked')).toMatchObject([{ reason: 'unapproved_call' }])
  })

  test('[S22] goes with its run, and a branch has none', () => {
    const life = asking()
    const { head } = life.state
    const branch = new TestSession(life.state)
    branch.branchPoint = { agent: 'scripted', id: 's1', seq: head }
    branch.do({ type: 'branch', parent: { agent: 'scripted', id: 's1', seq: head } })
    expect([branch.openApprovals, branch.state.conversation.approvals]).toEqual([[], []])
    expect(life.openApprovals).toHaveLength(1)
    life.do({ type: 'cancel' })
    life.report({ type: 'stopped' })
    expect(life.payloads('approval_decided')).toMatchObject([{ decision: 'cancelled' }])
  })

  test('[S18] of an earlier attempt hands its answer to the next one, which asks the same', () => {
    const life = asking(undefined, { kind: 'background', maxRetries: 2 })
    answer(life, { answers: { db: 'SQLite' } })
    life.report({ type: 'failed', message: 'broke', transient: true })
    life.tick(60_000)
    life.report({ type: 'started' } as ReportItem)
    life.report(...ask('c1'))
    expect(life.openApprovals).toEqual([])
    expect(life.payloads('approval_decided').at(-1)).toMatchObject({
      decision: 'approved',
      answers: { db: 'SQLite' },
      approved_digest: 'answered',
    })
    expect(deliveries(life)).toMatchObject([{ arguments: { ...args, answers: { db: 'SQLite' } } }])
  })
})

test('[S72] an approval that is not a question takes no answers', () => {
  const life = awaitingApproval()
  const [id = ''] = life.openApprovals
  const given = { ...approve(id, { digest: 'digest-1' }), answers: { db: 'SQLite' } }
  expect(life.do(given)).toMatchObject({ refused: 'not_a_question' })
  expect(life.openApprovals).toEqual([id])
  life.do(approve(id, { digest: 'digest-1' }))
  expect(life.do(given)).toMatchObject({ refused: 'not_a_question' })
})

test('a job waits for the calls whose question is open', () => {
  const life = asking()
  expect(jobOf(key, life.state, life.run, 1).awaiting).toEqual(['c1'])
})

test('[S75] a question in a log from before there were any is one', () => {
  const life = new TestSession()
  life.submit('go')
  life.report({ type: 'started', durable: true } as ReportItem, call('c1', 'pure', 'user.input', { answer: '' }), {
    ...{
      type: 'ask',
      toolCallId: 'c1',
      tool: 'user.input',
      arguments: { answer: '' },
      reason: 'Your name?',
      digest: 'd',
    },
  } as ReportItem)
  expect(life.payloads('approval_required')[0]?.kind).toBe('tool')
  const asked = { kind: 'question', questions: [{ id: 'answer', question: 'Your name?', allow_free_text: true }] }
  expect(Object.values(life.state.approvals.open)).toMatchObject([asked])
  expect(life.state.conversation.approvals).toMatchObject([asked])
  answer(life, { answers: { answer: 'Ada' } })
  expect(jobOf(key, life.state, life.run, 1).course?.answers).toMatchObject([
    { kind: 'question', arguments: { answer: '', answers: { answer: 'Ada' } } },
  ])
})

test('[S73] several choices in another order are the same answer', () => {
  const life = asking({ questions: [{ ...db, multi_select: true }] })
  const [approvalId = ''] = life.openApprovals
  const both = (...answers: string[]) => answer(life, { approvalId, answers: { db: answers } })
  expect(both('SQLite', 'PostgreSQL')).toMatchObject({ approvalId, decision: 'approved' })
  expect(both('PostgreSQL', 'SQLite')).toMatchObject({ approvalId, decision: 'approved' })
  expect(both('SQLite')).toMatchObject({ refused: 'approval_settled', message: 'The question was already answered.' })
})

test('[E19] an approval whose kind only a newer version knows folds as the approval of a tool', () => {
  const newer = asking().log.map((event) =>
    event.type === 'approval_required'
      ? ({ ...event, payload: { ...event.payload, kind: 'sign_in' } } as never)
      : event,
  )
  expect(Object.values(newer.reduce(evolve, emptyState).approvals.open)).toMatchObject([{ kind: 'tool', tool: 'ask' }])
})

describe('[S78] a question that its run withdraws', () => {
  test('is cancelled, takes no answer, and leaves the others open', () => {
    const life = running()
    life.report(...ask('c1'), ...ask('c2'))
    const [one = '', two = ''] = life.openApprovals
    life.report({ type: 'withdraw', requestId: one })
    expect(life.openApprovals).toEqual([two])
    expect(life.payloads('approval_applied')).toMatchObject([{ request_id: one, decision: 'cancelled', reason: null }])
    expect(life.do(approve(one))).toMatchObject({ refused: 'approval_settled' })
    expect(deliveries(life)).toEqual([])
    expect(life.status).toBe('awaiting_approval')
    life.report({ type: 'withdraw', requestId: two })
    expect(life.status).toBe('running')
  })

  test.each<[string, (life: TestSession) => string]>([
    ['that is unknown', () => 'apr-999'],
    [
      'that was answered before',
      (life) => {
        const [id = ''] = life.openApprovals
        answer(life, { answers: { db: 'SQLite' } })
        return id
      },
    ],
  ])('%s changes nothing', (_name, idOf) => {
    const life = asking()
    const requestId = idOf(life)
    const before = life.state
    life.report({ type: 'withdraw', requestId })
    expect(life.state.approvals).toEqual(before.approvals)
  })
})
