import { type Json, type JsonObject, present } from '@bridle/events/json'
import { ABORT_GRACE_MS } from '@bridle/events/limits'
import { describe, expect, test } from 'vitest'
import { evolve } from '../projections/state.ts'
import { dueAt } from './due-time.ts'
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
  lost,
  messageSummary,
  running,
  started,
  stopped,
  T0,
  TestSession,
  token,
} from './rules.suite.ts'
import { RETRY_BASE_MS } from './runs/runs.ts'
import { wantedEffects } from './wanted-effects.ts'

const pause = { type: 'pause' } as const
const resume = { type: 'resume' } as const
const effects = (life: TestSession): string[] => wantedEffects(key, life.state, 1).map(({ id }) => id)

describe('pause and resume', () => {
  test('[S20] in mid-run: the attempt is stopped, the run kept, and run again from its start', () => {
    const life = running()
    life.report(token('half'), call('c1', 'pure'))
    expect(life.do({ ...pause, actor: 'ann', reason: 'lunch' })).toMatchObject({ paused: true })
    expect(life.lastTypes.slice(0, 3)).toEqual(['session_paused', 'tool_outcome', 'run_parked'])
    expect(life.status).toBe('paused')
    expect(life.state.conversation.status).toBe('idle')
    expect(effects(life)).toEqual(['abort:r-2:1'])
    life.report(token('late'))
    expect(life.last).toEqual([])
    life.report(stopped)
    expect(life.lastTypes).toEqual(['run_stopped'])
    expect(effects(life)).toEqual([])
    life.do(resume)
    expect(life.lastTypes).toEqual([
      'session_resumed',
      'output_superseded',
      'run_requested',
      'health_changed',
      'session_state',
    ])
    expect(life.run).toMatchObject({ attempt: 2, phase: 'requested' })
    expect(life.payloads('turn_start')).toHaveLength(1)
    expect(life.payloads('turn_end')).toEqual([])
  })

  test('[S20] resumed before the attempt has stopped, the next one waits for that', () => {
    const life = running()
    life.do(pause)
    life.do(resume)
    expect(life.run).toMatchObject({ attempt: 1, phase: 'parked' })
    expect(effects(life)).toEqual(['abort:r-2:1'])
    life.tick(ABORT_GRACE_MS)
    expect(life.run).toMatchObject({ attempt: 2, phase: 'requested' })
  })

  test('[S20] while it waits for an approval: an answer given meanwhile serves the next attempt', () => {
    const life = awaitingApproval()
    life.do(pause)
    life.report(stopped)
    expect(life.openApprovals).toHaveLength(1)
    expect(life.do(approve(life.openApprovals[0]!, { digest: 'digest-1' }))).toMatchObject({ decision: 'approved' })
    expect(life.status).toBe('paused')
    expect(effects(life)).toEqual([])
    life.do(resume)
    life.report(started())
    life.report(call('c1'), askItem('c1'))
    expect(life.openApprovals).toEqual([])
    expect(effects(life)).toEqual(['run:r-2:2', expect.stringContaining('answer:apr-')])
  })

  test('[S20] with nothing running: prompts wait', () => {
    const life = new TestSession()
    life.do({ type: 'create' })
    life.do(pause)
    expect(life.submit('x')).toMatchObject({ delivery: 'queued' })
    expect(life.status).toBe('paused')
    expect(effects(life)).toEqual([])
    life.do(resume)
    expect(life.run.text).toBe('x')
  })

  test('[S20] between two attempts: the retry waits too', () => {
    const life = running(background({ maxRetries: 2 }))
    life.report(failed())
    life.do(pause)
    expect(dueAt(life.state, life.now)).toBeNull()
    life.tick(RETRY_BASE_MS)
    expect(life.last).toEqual([])
    life.do(resume)
    expect(life.run).toMatchObject({ attempt: 2, phase: 'requested' })
  })

  test('[S20] twice is refused', () => {
    const life = running()
    expect(life.do(resume)).toMatchObject({ refused: 'not_paused' })
    life.do(pause)
    expect(life.do(pause)).toMatchObject({ refused: 'already_paused' })
    life.do(resume)
    expect(life.do(resume)).toMatchObject({ refused: 'not_paused' })
  })

  test('[S20] while a cancelled run is ending it keeps the next prompt waiting', () => {
    const life = running()
    life.submit('next')
    life.do({ type: 'cancel' })
    life.do(pause)
    expect(life.status).toBe('idle')
    life.report(stopped)
    expect(life.status).toBe('paused')
    expect(life.state.lifecycle).toMatchObject({ run: null, queue: [{ text: 'next' }] })
  })

  test.each([pause, resume])('[S20] of background work that has ended is refused', (command) => {
    const life = running(background())
    life.report(finished())
    expect(life.do(command)).toMatchObject({ refused: 'session_ended' })
  })
})

describe('expiry', () => {
  const expiresAt = T0 + 10_000
  const expired = (life: TestSession) => {
    expect(life.status).toBe('failed')
    expect(life.payloads('session_checkpoint')).toMatchObject([{ checkpoint_type: 'expired', status: 'failed' }])
    expect(life.payloads('error')).toMatchObject([{ reason: 'expired', turn_id: 'r-2' }])
    expect(life.payloads('turn_end')).toMatchObject([{ turn_id: 'r-2', status: 'failed' }])
    expect(life.messages.filter(({ status }) => status === 'pending' || status === 'streaming')).toEqual([])
    expect(dueAt(life.state, life.now)).toBeNull()
    expect(effects(life)).toEqual([])
  }

  test.each([0, 5])('[S21] one that is lost behind its time has expired, with %i retries left', (maxRetries) => {
    const life = running(background({ expiresAt, maxRetries }))
    life.wait(10_000).report(lost)
    expired(life)
  })

  test('[S21] before execution', () => {
    const life = new TestSession()
    life.wait(10_000).submit('x', background({ expiresAt }))
    expired(life)
    expect(life.payloads('run_requested')).toEqual([])
  })

  test('[S21] before execution, with more prompts behind it', () => {
    const life = new TestSession()
    life.do({ type: 'create', opening: background({ expiresAt }) })
    life.do(pause)
    life.submit('one')
    life.submit('two')
    life.tick(10_000)
    expect(life.status).toBe('failed')
    expect(life.state.lifecycle.queue).toEqual([])
    expect(life.messages.map(messageSummary)).toEqual(['user complete: one', 'user complete: two'])
    expect(life.payloads('turn_end')).toHaveLength(1)
  })

  test('[S21] before recovery', () => {
    const life = running(background({ expiresAt, maxRetries: 5 }))
    life.wait(9_500).report(failed())
    expect(dueAt(life.state, life.now)).toBe(expiresAt)
    life.tick(500)
    expired(life)
  })

  test('[S21] while paused', () => {
    const life = running(background({ expiresAt }))
    life.do(pause)
    life.report(stopped)
    expect(dueAt(life.state, life.now)).toBe(expiresAt)
    life.tick(10_000)
    expired(life)
  })

  test('[S21] while its outcome is asked about', () => {
    const life = running(background({ expiresAt }))
    life.report(call('c1'), lost)
    life.tick(10_000)
    expired(life)
  })

  test('[S21] while it waits for an approval: its runner lets go first', () => {
    const life = awaitingApproval(background({ expiresAt }))
    expect(dueAt(life.state, life.now)).toBe(expiresAt)
    life.tick(10_000)
    expect(effects(life)).toEqual(['abort:r-2:1'])
    life.report(stopped)
    expired(life)
  })

  test('[S21] what is under way may finish', () => {
    const life = running(background({ expiresAt }))
    life.tick(20_000)
    expect(life.status).toBe('running')
    life.report(token('done'), finished())
    expect(life.status).toBe('completed')
  })

  test('[S21] the expire command says whether it was time', () => {
    const life = running(background({ expiresAt, maxRetries: 1 }))
    life.report(failed())
    expect(life.do({ type: 'expire' })).toMatchObject({ refused: 'not_expired' })
    life.wait(10_000)
    expect(life.do({ type: 'expire' })).not.toHaveProperty('refused')
    expired(life)
    expect(life.do({ type: 'expire' })).toMatchObject({ refused: 'session_ended' })
  })

  test('a chat does not expire', () => {
    const life = new TestSession()
    life.wait(20_000).submit('x', { expiresAt })
    expect(life.status).toBe('running')
  })
})

describe('branch', () => {
  /** The child of a life, at one of its events. */
  const branchAt = (parent: TestSession, seq: number, title?: string) => {
    const child = new TestSession(parent.log.slice(0, seq).reduce(evolve, new TestSession().state))
    child.now = parent.now
    child.branchPoint = { agent: 'scripted', id: 'p1', seq }
    const answer = child.do({
      type: 'branch',
      parent: { agent: 'scripted', id: 'p1', seq },
      ...(title !== undefined && { title }),
    })
    return { child, answer }
  }

  test('[S22] in the middle of a turn it comes to rest', () => {
    const parent = awaitingApproval()
    parent.submit('queued')
    const seq = parent.state.head
    const { child, answer } = branchAt(parent, seq, 'T')
    expect(answer).toEqual({ sessionId: 's1', parent: { agent: 'scripted', id: 'p1', seq }, seq: child.state.head })
    expect(child.last.map(({ type, seq: at }) => [type, at])).toEqual([
      ['branched', seq + 1],
      ['tool_outcome', seq + 2],
      ['approval_applied', seq + 3],
      ['turn_end', seq + 4],
      ['session_checkpoint', seq + 5],
      ['health_changed', seq + 6],
      ['session_state', seq + 7],
    ])
    const turn_id = parent.run.runId
    expect(child.state.health).toMatchObject({ failedTools: 0 })
    expect(child.last[1]).toMatchObject({ run: turn_id, payload: { status: 'error', reason: 'branched' } })
    expect(child.last[2]).toMatchObject({ payload: { decision: 'cancelled', reason: 'branched' } })
    expect(child.last[3]).toMatchObject({
      payload: { turn_id, status: 'cancelled', stop_reason: 'branched', queued: 0 },
    })
    expect(child.status).toBe('idle')
    expect(child.state.lifecycle).toMatchObject({ run: null, queue: [], tools: {}, title: 'T', attempts: 0 })
    expect(child.state.approvals).toEqual({ open: {}, decided: {}, settled: [] })
    expect(child.messages.map(messageSummary)).toEqual(['user complete: hello', 'assistant complete: '])
    expect(child.answer).toMatchObject({ stopReason: 'branched', toolCalls: [{ status: 'error' }] })
    expect(child.state.conversation).toMatchObject({ status: 'idle', sessionStatus: 'idle', approvals: [] })
    expect(child.payloads('session_state')).toMatchObject([
      {
        parent_session_id: 'p1',
        branch_source_event_id: `ev-${seq}`,
        branch_resume_cursor: `branch:p1:${seq}`,
      },
    ])
    expect(child.payloads('session_checkpoint')).toMatchObject([
      { checkpoint_type: 'resume_seed', last_prompt: 'hello' },
    ])
    expect(effects(child)).toEqual([])
    expect(dueAt(child.state, child.now)).toBeNull()
    child.submit('go on')
    expect(child.run.text).toBe('go on')
  })

  test('[S22] after a turn the engine goes on from there', () => {
    const parent = running()
    parent.report(token('one'), finished({ resume: 'h1' }))
    const { child } = branchAt(parent, parent.state.head)
    child.submit('two')
    expect(child.run.resume).toBe('h1')
  })

  test('[F11] the seed quotes what was asked and answered last, and no more than a little of it', () => {
    const parent = running()
    parent.report(token('one'), finished())
    parent.submit(`second ${'p'.repeat(900)}`)
    parent.report({ type: 'started' })
    parent.report(token(`two ${'a'.repeat(900)}`), finished())
    const { child } = branchAt(parent, parent.state.head)
    const [seed] = child.payloads('session_checkpoint')
    expect(seed?.summary_text).toMatch(/^Branched from p1 at ev-\d+\. Asked: second p+ Answered: two a+$/)
    expect(seed?.summary_text.length).toBeLessThan(500)
    expect(seed).toMatchObject({
      last_prompt: expect.stringMatching(/^second p{493}$/),
      last_answer: expect.stringMatching(/^two a{496}$/),
    })
    const first = branchAt(parent, parent.log.find(({ type }) => type === 'turn_end')?.seq ?? 0).child
    expect(first.payloads('session_checkpoint')).toMatchObject([{ last_prompt: 'hello', last_answer: 'one' }])
    const none = branchAt(parent, 1).child
    expect(none.payloads('session_checkpoint')).toMatchObject([{ summary_text: 'Branched from p1 at ev-1.' }])
  })

  test('[S22] of failed background work can run again', () => {
    const parent = running(background({ maxRetries: 0, expiresAt: T0 + 1_000 }))
    parent.report(failed(false))
    const { child } = branchAt(parent, parent.state.head)
    expect(child.status).toBe('idle')
    expect(child.state.conversation.error ?? null).toBeNull()
    expect(child.wait(5_000).submit('again')).toMatchObject({ delivery: 'started' })
    expect(child.status).toBe('running')
  })

  test('[S22] is the first command of a session, at the event it names', () => {
    const life = running()
    const parent = { agent: 'scripted', id: 'p1', seq: 3 }
    expect(life.do({ type: 'branch', parent })).toMatchObject({ refused: 'session_exists' })
    expect(new TestSession().do({ type: 'branch', parent })).toMatchObject({ refused: 'bad_branch_point' })
  })
})

test('[S19] session_state is told in the batch of the change, and only then', () => {
  const life = running()
  life.report(token('a'), token('b'))
  life.report(eventReport('usage', { input_tokens: 1 }))
  expect(life.payloads('session_state').map(({ status }) => status)).toEqual(['running'])
  life.report(call('c1'), askItem('c1'))
  life.do(approve(life.openApprovals[0]!, { digest: 'digest-1' }))
  life.report(finished())
  expect(life.payloads('session_state').map(({ status }) => status)).toEqual([
    'running',
    'awaiting_approval',
    'running',
    'idle',
  ])
})

const CARD = [
  ...['session_id', 'status', 'provider', 'model', 'agent_profile', 'permission_mode', 'approval_mode', 'think_level'],
  ...['policy_path', 'sandbox_mode', 'sandbox_isolation', 'engine', 'runner_kind', 'approval_request_id'],
  ...['workspace_id', 'task_graph_id', 'process_id', 'attempt_count', 'max_retries', 'expires_at', 'parent_session_id'],
  ...['branch_source_event_id', 'branch_resume_cursor', 'last_heartbeat_at', 'last_error', 'updated_at', 'ended_at'],
  'resume_context',
]

describe('[C436] the model on the status card', () => {
  const play = (
    settings: JsonObject,
    asked: string | undefined,
    answered: string,
    handle: Json = { sandbox: 's1' },
  ) => {
    const life = new TestSession()
    life.submit('Hi', { kind: 'chat', settings })
    life.report({ type: 'started', handle, ...present({ model: asked }) })
    const before = life.payloads('session_state').at(-1)?.model
    life.report(eventReport('usage', { model: answered, input_tokens: 1 }))
    life.report(eventReport('usage', { model: 'a helper', input_tokens: 1 }))
    return [before, life.payloads('session_state').at(-1)?.model]
  }

  test.each<[string, JsonObject, string | undefined, string, readonly unknown[]]>([
    ['the engine has chosen one', {}, undefined, 'opus-5', [null, 'opus-5']],
    ['another one than was asked', {}, 'opus', 'opus-5', ['opus', 'opus-5']],
    ['another one than that of the session', { model: 'opus' }, 'opus', 'opus-5', ['opus', 'opus-5']],
    ['a prompt has asked another one', { model: 'opus' }, 'haiku', 'haiku-5', ['haiku', 'haiku-5']],
    [
      'the one of the session, with its provider',
      { model: 'acme/large' },
      'large',
      'large',
      ['acme/large', 'acme/large'],
    ],
  ])('%s', (_name, settings, asked, answered, expected) => expect(play(settings, asked, answered)).toEqual(expected))

  test('a model of this process stays the one that was asked: its steps say when another one answers', () => {
    expect(play({}, 'large', 'a helper before it', null)).toEqual(['large', 'large'])
  })
})

test.each([
  ['a chat', undefined],
  ['background work', background()],
])('[F8] session_state has all the contract’s fields, of %s', (_name, opening) => {
  const life = running(opening)
  life.report(finished())
  for (const card of life.payloads('session_state')) expect(Object.keys(card)).toEqual(expect.arrayContaining(CARD))
  expect(life.payloads('session_state').at(-1)).toMatchObject({ approval_request_id: null, last_error: null })
})

test('[F8] session_state names the approval that is to be answered next', () => {
  const life = running(background())
  life.report(call('c1'), askItem('c1'), call('c2'), askItem('c2', undefined, 'digest-2'))
  const [first, second] = life.openApprovals as [string, string]
  life.do(approve(first))
  expect(life.payloads('session_state').map((card) => card.approval_request_id)).toEqual([null, first, second])
  life.do(approve(second))
  expect(life.payloads('session_state').at(-1)).toMatchObject({ status: 'running', approval_request_id: null })
})

describe('[F26] background work that is being cancelled', () => {
  const cancelling = () => {
    const life = running(background())
    life.do({ type: 'cancel' })
    expect(life.run.phase).toBe('cancelling')
    return life
  }

  test.each<[string, Parameters<TestSession['do']>[0]]>([
    ['paused', pause],
    ['resumed', resume],
    ['asked more', { type: 'submit', prompt: 'more' }],
    ['steered', { type: 'steer', prompt: 'more' }],
  ])('is not %s: it would end with it', (_name, command) => {
    const life = cancelling()
    expect(life.do(command)).toMatchObject({ refused: 'session_ended' })
    expect(life.last).toEqual([])
  })

  test('[F8] says when it has ended', () => {
    const life = cancelling()
    life.wait(5).report(stopped)
    const cards = life.payloads('session_state').map(({ status, ended_at }) => [status, ended_at])
    expect(cards).toEqual([
      ['running', null],
      ['cancelled', null],
      ['cancelled', new Date(T0 + 5).toISOString()],
    ])
  })
})
