import { describe, expect, test } from 'vitest'
import type { ReportItem } from '../../commands.ts'
import { DECIDED_APPROVALS_MAX } from '../../projections/approvals.ts'
import { dueAt } from '../due-time.ts'
import {
  approve,
  askItem,
  awaitingApproval,
  background,
  call,
  deny,
  failed,
  finished,
  key,
  outcome,
  running,
  started,
  stopped,
  T0,
  type TestSession,
} from '../rules.suite.ts'
import { wantedEffects } from '../wanted-effects.ts'
import { OPEN_APPROVALS_MAX } from './approvals.ts'

const answersWanted = (life: TestSession) =>
  wantedEffects(key, life.state, 1).flatMap((effect) => (effect.kind === 'answer' ? [effect.answer] : []))

test('[S15] asking is in the log, on the call, and in the state of the session', () => {
  const life = awaitingApproval(undefined, 60_000)
  const id = life.openApprovals[0]!
  expect(life.payloads('approval_required')).toEqual([
    {
      request_id: id,
      tool_call_id: 'c1',
      tool_name: 'write',
      reason: 'it writes',
      arguments: { a: 1, _tool_call_id: 'c1' },
      kind: 'tool',
      requested_digest: 'digest-1',
      expires_at: new Date(T0 + 60_000).toISOString(),
    },
  ])
  expect(life.status).toBe('awaiting_approval')
  expect(life.state.conversation).toMatchObject({
    status: 'running',
    sessionStatus: 'awaiting_approval',
    approvals: [{ id, kind: 'tool', toolCallId: 'c1', toolName: 'write', reason: 'it writes', arguments: { a: 1 } }],
  })
  expect(life.answer.toolCalls).toMatchObject([{ id: 'c1', status: 'running', approval: { id, status: 'pending' } }])
  expect(life.payloads('session_state').at(-1)).toMatchObject({ approval_request_id: id })
})

test('[S15] what is asked beyond the most that may be open is denied at once', () => {
  const life = running()
  for (let n = 0; n <= OPEN_APPROVALS_MAX; n++) life.report(call(`c${n}`), askItem(`c${n}`, undefined, `digest-${n}`))
  expect(life.openApprovals).toHaveLength(OPEN_APPROVALS_MAX)
  expect(answersWanted(life)).toMatchObject([
    {
      toolCallId: `c${OPEN_APPROVALS_MAX}`,
      decision: 'denied',
      reason: 'Too many approvals are open.',
      isRefused: true,
    },
  ])
  expect(life.status).toBe('awaiting_approval')
})

test.each<[string, Parameters<typeof approve>[1], object, object]>([
  ['as asked', { digest: 'digest-1' }, { arguments: { a: 1 }, approvedDigest: 'digest-1' }, { a: 1 }],
  [
    'with other arguments',
    { digest: 'digest-2', args: { a: 2 } },
    { arguments: { a: 2 }, approvedDigest: 'digest-2' },
    { a: 2 },
  ],
])('[S16] approved %s: the runner gets arguments and digest until it has them', (_name, how, answer, shown) => {
  const life = awaitingApproval()
  const id = life.openApprovals[0]!
  expect(life.do(approve(id, how))).toMatchObject({ approvalId: id, decision: 'approved' })
  expect(life.lastTypes.slice(0, 2)).toEqual(['approval_decided', 'approval_applied'])
  expect(life.status).toBe('running')
  const expected = { requestId: id, toolCallId: 'c1', decision: 'approved', reason: null, ...answer }
  expect(answersWanted(life)).toEqual([expected])
  life.report({ type: 'approval_delivered', requestId: id })
  expect(answersWanted(life)).toEqual([])
  life.report({ type: 'approval_delivered', requestId: id })
  expect(life.last).toEqual([])
  life.report(outcome('c1'), finished())
  expect(life.answer.toolCalls).toMatchObject([{ arguments: shown, approval: { id, status: 'approved' } }])
})

test.each<[string, Parameters<typeof approve>[1], object | undefined]>([
  ['as asked', { digest: 'digest-1' }, undefined],
  ['with other arguments', { digest: 'digest-2', args: { a: 2 } }, { a: 2, _tool_call_id: 'c1' }],
])('[E6] approved %s: whoever watches can tell what runs', (_name, how, given) => {
  const life = awaitingApproval()
  life.do(approve(life.openApprovals[0]!, how))
  expect(life.payloads('approval_applied')[0]?.arguments).toEqual(given)
})

test('[S15] denied with a reason', () => {
  const life = awaitingApproval()
  const id = life.openApprovals[0]!
  life.do({ ...deny(id, 'too much'), actor: 'ann' })
  expect(life.payloads('approval_applied')).toEqual([
    {
      request_id: id,
      tool_call_id: 'c1',
      tool_name: 'write',
      decision: 'denied',
      reason: 'too much',
      actor: 'ann',
      approved_digest: null,
    },
  ])
  expect(answersWanted(life)).toMatchObject([{ decision: 'denied', reason: 'too much', approvedDigest: null }])
})

describe('[S17] the second answer', () => {
  const asAsked = { digest: 'digest-1' }
  const edited = { digest: 'digest-2', args: { a: 2 } }
  test.each<
    [
      string,
      (id: string) => Parameters<TestSession['do']>[0],
      (id: string) => Parameters<TestSession['do']>[0],
      boolean,
    ]
  >([
    ['approved, approved', (id) => approve(id, asAsked), (id) => approve(id, asAsked), true],
    ['denied, denied for another reason', (id) => deny(id), (id) => deny(id, 'no'), true],
    ['edited, the same edit', (id) => approve(id, edited), (id) => approve(id, edited), true],
    ['approved, denied', (id) => approve(id, asAsked), (id) => deny(id), false],
    ['denied, approved', (id) => deny(id), (id) => approve(id, asAsked), false],
    ['approved, edited', (id) => approve(id, asAsked), (id) => approve(id, edited), false],
    ['edited, as asked', (id) => approve(id, edited), (id) => approve(id, asAsked), false],
  ])('%s', (_name, first, second, same) => {
    const life = awaitingApproval()
    const id = life.openApprovals[0]!
    const { seq: _first, ...reply } = life.do(first(id)) as { seq: number }
    const again = life.do(second(id))
    if (same) expect(again).toMatchObject(reply)
    else expect(again).toMatchObject({ refused: 'approval_settled' })
    expect(life.last).toEqual([])
    // Also after the turn has ended, when nothing of the request is needed any more.
    life.report(finished())
    const later = life.do(second(id))
    if (same) expect(later).toMatchObject(reply)
    else expect(later).toMatchObject({ refused: 'approval_settled' })
  })
})

test.each(['nope', '__proto__', 'constructor', 'toString', ''])('[S26] an unknown approval is refused: %j', (id) => {
  const life = awaitingApproval()
  expect(life.do(approve(id))).toMatchObject({ refused: 'approval_not_found' })
  expect(life.do(deny(id))).toMatchObject({ refused: 'approval_not_found' })
})

test.each(['__proto__', 'constructor', 'hasOwnProperty'])('a call may be named %s', (id) => {
  const life = running()
  life.report(call(id), askItem(id))
  expect(life.status).toBe('awaiting_approval')
  life.do(approve(life.openApprovals[0]!, { digest: 'digest-1' }))
  expect(answersWanted(life)).toMatchObject([{ toolCallId: id }])
  life.report(outcome(id))
  expect(life.answer.toolCalls).toMatchObject([{ id, status: 'complete' }])
  life.report(finished())
  expect(life.payloads('tool_outcome')).toHaveLength(1)
})

describe('[S15] expiry', () => {
  test('a late answer is refused, and the next tick settles it', () => {
    const life = awaitingApproval(undefined, 60_000)
    const id = life.openApprovals[0]!
    expect(dueAt(life.state, life.now)).toBe(T0 + 60_000)
    life.tick(59_999)
    expect(life.openApprovals).toEqual([id])
    life.wait(1)
    expect(life.do(approve(id, { digest: 'digest-1' }))).toMatchObject({ refused: 'approval_settled' })
    life.tick()
    expect(life.payloads('approval_decided')).toEqual([{ request_id: id, decision: 'expired', reason: 'expired' }])
    expect(life.status).toBe('running')
    expect(answersWanted(life)).toMatchObject([{ decision: 'expired' }])
    expect(life.do(approve(id, { digest: 'digest-1' }))).toMatchObject({ refused: 'approval_settled' })
  })

  test('while the session is paused', () => {
    const life = awaitingApproval(undefined, 60_000)
    life.do({ type: 'pause' })
    life.report(stopped)
    life.tick(60_000)
    expect(life.payloads('approval_decided')).toMatchObject([{ decision: 'expired' }])
    expect(life.status).toBe('paused')
  })
})

describe('[S18] asking again', () => {
  /** The attempt ends while call c1 waits, and the next one starts. */
  const secondAttempt = (prepare: (life: TestSession, id: string) => void) => {
    const life = awaitingApproval()
    const id = life.openApprovals[0]!
    life.do({ type: 'pause' })
    life.report(stopped)
    prepare(life, id)
    life.do({ type: 'resume' })
    life.report(started())
    return { life, id }
  }

  test('in the same attempt, while it is open or its answer is on its way, is nothing new', () => {
    const life = awaitingApproval()
    life.report(askItem('c1'))
    expect(life.last).toEqual([])
    life.do(approve(life.openApprovals[0]!, { digest: 'digest-1' }))
    life.report(askItem('c1'))
    expect(life.last).toEqual([])
  })

  test('in the same attempt after the answer was used is a new question', () => {
    const life = awaitingApproval()
    const id = life.openApprovals[0]!
    life.do(approve(id, { digest: 'digest-1' }))
    life.report({ type: 'approval_delivered', requestId: id })
    life.report(askItem('c1'))
    expect(life.openApprovals).toHaveLength(1)
    expect(life.status).toBe('awaiting_approval')
  })

  test('for other arguments under the same name is a new question, and the old one is superseded', () => {
    const life = awaitingApproval()
    const id = life.openApprovals[0]!
    life.report(askItem('c1', undefined, 'digest-other'))
    expect(life.openApprovals).not.toContain(id)
    expect(life.openApprovals).toHaveLength(1)
    expect(life.payloads('approval_decided')).toEqual([
      { request_id: id, decision: 'superseded', superseded_by: life.openApprovals[0] },
    ])
    expect(life.answer.toolCalls).toMatchObject([{ approval: { id: life.openApprovals[0], status: 'pending' } }])
  })

  test('in the next attempt uses the answer that was given, once', () => {
    const { life, id } = secondAttempt((told, asked) =>
      told.do(approve(asked, { args: { a: 2 }, digest: 'digest-2', reason: 'fine' })),
    )
    life.report(call('c1'), askItem('c1'))
    expect(life.lastTypes).toEqual([
      'tool_call',
      'approval_required',
      'approval_delivered',
      'approval_decided',
      'approval_applied',
      'health_changed',
    ])
    expect(life.status).toBe('running')
    expect(answersWanted(life)).toMatchObject([
      { decision: 'approved', arguments: { a: 2 }, approvedDigest: 'digest-2', reason: 'fine' },
    ])
    expect(answersWanted(life)[0]!.requestId).not.toBe(id)
    life.report(call('c2'), askItem('c2'))
    expect(life.openApprovals).toHaveLength(1)
    expect(life.status).toBe('awaiting_approval')
  })

  test('in the next attempt for something else asks', () => {
    const { life } = secondAttempt((told, asked) => told.do(approve(asked, { digest: 'digest-1' })))
    life.report(call('c1'), askItem('c1', undefined, 'digest-other'))
    expect(life.status).toBe('awaiting_approval')
  })

  test('in the next attempt supersedes the question that is still open', () => {
    const { life, id } = secondAttempt(() => {})
    expect(life.status).toBe('running')
    life.report(call('c1'), askItem('c1'))
    const [open] = life.openApprovals
    expect(life.payloads('approval_decided')).toEqual([{ request_id: id, decision: 'superseded', superseded_by: open }])
    expect(life.openApprovals).toHaveLength(1)
    expect(life.do(approve(id, { digest: 'digest-1' }))).toMatchObject({ refused: 'approval_settled' })
    expect(life.do(approve(open!, { digest: 'digest-1' }))).toMatchObject({ decision: 'approved' })
  })

  test('in the next attempt after it expired is a question again', () => {
    const life = awaitingApproval(undefined, 1_000)
    life.do({ type: 'pause' })
    life.report(stopped)
    life.tick(1_000)
    expect(life.openApprovals).toEqual([])
    life.do({ type: 'resume' })
    life.report(started(), call('c1'), askItem('c1', 1_000))
    expect(life.status).toBe('awaiting_approval')
  })

  test('in another turn asks', () => {
    const life = awaitingApproval()
    life.do(approve(life.openApprovals[0]!, { digest: 'digest-1' }))
    life.report(finished())
    life.submit('again')
    life.report(started(), call('c1'), askItem('c1'))
    expect(life.status).toBe('awaiting_approval')
  })
})

test('[S4] a run that ends while a call waits denies the call and withdraws the question', () => {
  const life = awaitingApproval()
  life.report(finished())
  expect(life.answer.toolCalls).toMatchObject([
    { status: 'error', outcome: 'denied', approval: { status: 'cancelled' } },
  ])
  expect(life.openApprovals).toEqual([])
})

test('answers are remembered up to a limit, those not delivered always', () => {
  const life = running(background())
  const ids: string[] = []
  for (let index = 0; index <= DECIDED_APPROVALS_MAX; index++) {
    life.report(call(`c${index}`), askItem(`c${index}`))
    const id = life.openApprovals[0]!
    ids.push(id)
    life.do(approve(id, { digest: 'digest-1' }))
    if (index > 0) life.report({ type: 'approval_delivered', requestId: id })
  }
  const { decided } = life.state.approvals
  expect(Object.keys(decided)).toHaveLength(DECIDED_APPROVALS_MAX)
  expect(decided[ids[0]!]).toMatchObject({ undelivered: true })
  expect(decided[ids[1]!]).toBeUndefined()
})

test('a failed attempt keeps the question open for the next', () => {
  const life = awaitingApproval(background({ maxRetries: 1 }))
  life.report(failed())
  expect(life.status).toBe('recovering')
  expect(life.openApprovals).toHaveLength(1)
})

test('[S66] a call that its runner makes only as it is takes no other arguments, and stays open', () => {
  const life = running()
  life.report(...['c1', 'c2', 'c3'].flatMap((id) => [call(id), { ...askItem(id), fixed: id !== 'c2' } as ReportItem]))
  const [one = '', two = '', three = ''] = life.openApprovals
  const edit = (approvalId: string) =>
    life.do({ ...approve(approvalId), args: { a: 2 }, digest: 'digest-2' } as Parameters<typeof life.do>[0])
  expect(edit(one)).toMatchObject({ refused: 'arguments_fixed' })
  expect(edit(two)).toMatchObject({ decision: 'approved' })
  expect(edit(three)).toMatchObject({ refused: 'arguments_fixed' })
  expect(life.openApprovals).toEqual([one, three])
  expect(life.do(approve(one))).toMatchObject({ decision: 'approved' })
  expect(life.do(deny(three))).toMatchObject({ decision: 'denied' })
})
