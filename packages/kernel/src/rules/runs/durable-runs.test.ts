import type { JsonObject } from '@bridle/events/json'
import { describe, expect, test } from 'vitest'
import type { ReportItem, SessionOptions } from '../../commands.ts'
import { evolve } from '../../projections/state.ts'
import { decide } from '../decide.ts'
import { dueAt } from '../due-time.ts'
import {
  approve,
  askItem,
  background,
  call,
  deny,
  eventReport,
  failed,
  finished,
  key,
  outcome,
  stopped,
  TestSession,
  token,
} from '../rules.suite.ts'
import { wantedEffects } from '../wanted-effects.ts'
import { RESUMES_MAX, SIGNAL_CHARS_MAX, SIGNALS_MAX } from './durable-runs.ts'
import { RETRY_MAX_MS } from './runs.ts'

const durable: ReportItem = { type: 'started', durable: true, steer: true }
const step = (text: string) =>
  eventReport('model_step', { step: 1, model: 'm', content: [{ type: 'text', text }], finish: 'stop' })

const running = (opening?: SessionOptions): TestSession => {
  const life = new TestSession()
  life.submit('hello', opening)
  life.report(durable)
  return life
}
const wait = (life: TestSession, until: number | null = null, seen = life.state.head) =>
  life.report({ type: 'waiting', until, seen })
const wanted = (life: TestSession) => wantedEffects(key, life.state, 1)
const course = (life: TestSession) => {
  const [effect] = wanted(life)
  return effect?.kind === 'run' ? effect.job.course : undefined
}
/** A run that waits for the answer about call c1. */
const awaitingAnswer = (opening?: SessionOptions, expiresMs?: number): TestSession => {
  const life = running(opening)
  life.report(call('c1'), askItem('c1', expiresMs))
  wait(life)
  return life
}
const openId = (life: TestSession): string => life.openApprovals[0]!

describe('[S43] a durable run that waits', () => {
  test.each<[string, SessionOptions | undefined]>([
    ['in a chat', undefined],
    ['in the background', background({ maxRetries: 3 })],
  ])('wants nothing, %s', (_name, opening) => {
    const life = running(opening)
    wait(life)
    expect(life.lastTypes[0]).toBe('run_waiting')
    expect(wanted(life)).toEqual([])
    expect(dueAt(life.state, life.now)).toBeNull()
    expect(life.status).toBe('running')
  })

  test('is due at its moment alone, and the tick there wakes it', () => {
    const life = running()
    wait(life, life.now + 3_600_000)
    expect(dueAt(life.state, life.now)).toBe(life.now + 3_600_000)
    life.tick(3_599_999)
    expect(life.last).toEqual([])
    life.tick(1)
    expect(life.payloads('run_woken')).toMatchObject([{ reason: 'time' }])
    expect(wanted(life)).toMatchObject([{ kind: 'run', started: true }])
  })

  test.each<[string, (life: TestSession) => void]>([
    ['an answer', (life) => life.do(approve(openId(life), { digest: 'digest-1' }))],
    ['a denial', (life) => life.do(deny(openId(life)))],
    ['a steering prompt', (life) => life.do({ type: 'steer', prompt: 'also' })],
    ['a signal', (life) => life.do({ type: 'signal', name: 'paid', payload: { n: 1 } })],
    ['an approval that expires', (life) => life.tick(60_000)],
  ])('is woken by %s', (_name, act) => {
    const life = awaitingAnswer(undefined, 60_000)
    expect(life.status).toBe('awaiting_approval')
    act(life)
    expect(life.payloads('run_woken')).toMatchObject([{ reason: 'news' }])
    expect(wanted(life)).toMatchObject([{ kind: 'run', started: true }])
  })

  test('news that its runner has not seen keep it awake', () => {
    const life = running()
    const seen = life.state.head
    life.do({ type: 'signal', name: 'paid', payload: null })
    wait(life, null, seen)
    expect(life.last).toEqual([])
    wait(life)
    expect(life.lastTypes).toContain('run_waiting')
  })

  test('a moment that has passed is no wait', () => {
    const life = running()
    wait(life, life.now)
    expect(life.last).toEqual([])
  })

  test('its time does not count as work, and it is never stuck', () => {
    const life = running(background({ policy: { health: { max_runtime_minutes: 10 } } }))
    life.wait(60_000)
    wait(life, life.now + 86_400_000)
    life.tick(86_400_000)
    expect(life.status).toBe('running')
    expect(life.state.health.ranMs).toBe(60_000)
    expect(life.payloads('health_changed').flatMap(({ flags }) => flags)).toEqual([])
  })

  test('ends at once when it is cancelled: no runner has it', () => {
    const life = awaitingAnswer()
    life.do({ type: 'cancel' })
    expect(life.payloads('turn_end')).toMatchObject([{ status: 'cancelled' }])
    expect(life.payloads('tool_outcome')).toMatchObject([{ status: 'error', reason: 'interrupted' }])
    expect(life.openApprovals).toEqual([])
  })

  test('background work expires while it waits', () => {
    const life = running(background({ expiresAt: 1_700_000_000_000 + 5_000 }))
    wait(life)
    expect(dueAt(life.state, life.now)).toBe(1_700_000_000_000 + 5_000)
    life.tick(5_000)
    expect(life.status).toBe('failed')
    expect(life.payloads('error')).toMatchObject([{ reason: 'expired' }])
  })
})

describe('[S12] a durable run is taken up', () => {
  test('as the same attempt, and its job says where it stands', () => {
    const life = running()
    life.report(token('Hel'), call('c1', 'unsafe'), call('c2', 'pure'), askItem('c2'))
    life.report({ type: 'resumed' })
    life.do({ type: 'steer', prompt: 'and more' })
    life.do(approve(openId(life), { digest: 'digest-1' }))
    expect(course(life)).toMatchObject({
      calls: { c1: { effect: 'unsafe' }, c2: { effect: 'pure' } },
      open: [],
      answers: [{ toolCallId: 'c2', decision: 'approved', arguments: { a: 1 } }],
      steers: [{ text: 'and more' }],
      kept: { chars: 0, parts: 0 },
      written: { chars: 3, parts: 3 },
      head: life.state.head,
    })
    expect(life.run.attempt).toBe(1)
  })

  test('answers and prompts reach it by its job alone', () => {
    const life = running()
    life.report(call('c1'), askItem('c1'))
    life.do(approve(openId(life), { digest: 'digest-1' }))
    life.do({ type: 'steer', prompt: 'more' })
    expect(wanted(life).map(({ kind }) => kind)).toEqual(['run'])
    const requestId = course(life)!.answers[0]!.requestId
    life.report({ type: 'approval_delivered', requestId })
    expect(course(life)?.answers).toEqual([])
  })

  test('[CF31] too often without progress and without a host: the run fails, and background work spends a retry', () => {
    const life = running(background({ maxRetries: 5 }))
    for (let times = 1; times <= RESUMES_MAX; times++) life.report({ type: 'resumed' })
    expect(life.payloads('run_resumed').map(({ times }) => times)).toEqual([1, 2, 3, 4, 5])
    life.report({ type: 'resumed' })
    expect(life.payloads('retry_scheduled')).toMatchObject([{ attempt: 2, code: 'crash_loop' }])
    expect(life.status).toBe('recovering')
  })

  test.each<[string, (life: TestSession) => void]>([
    ['an answer of the model', (life) => life.report(step('x'))],
    ['the outcome of a call', (life) => life.report(call('c1'), outcome('c1'))],
    ['a step', (life) => life.report(eventReport('step_done', { name: 'one', result: 1 }))],
    ['a wait', (life) => wait(life)],
    ['a cut', (life) => life.report(eventReport('context_compacted', { cleared_before: 3 }))],
  ])('%s counts as getting further', (_name, act) => {
    const life = running()
    for (let times = 1; times <= RESUMES_MAX; times++) life.report({ type: 'resumed' })
    act(life)
    expect(life.state.course.takeUps.times).toBe(0)
  })
})

describe('[S37] a durable run keeps what it did', () => {
  const stop = (life: TestSession) => {
    life.report(token('Hello'), step('Hello'), call('c1', 'unsafe'), call('c2', 'pure'), askItem('c2'))
    return openId(life)
  }
  test.each<[string, SessionOptions | undefined, (life: TestSession) => void]>([
    [
      'over a pause',
      undefined,
      (life) => {
        life.do({ type: 'pause' })
        life.report(stopped)
        life.do({ type: 'resume' })
      },
    ],
    [
      'over a retry',
      background({ maxRetries: 1 }),
      (life) => {
        life.report(failed())
        life.tick(RETRY_MAX_MS)
      },
    ],
  ])('%s', (_name, opening, act) => {
    const life = running(opening)
    const question = stop(life)
    act(life)
    expect(life.run).toMatchObject({ attempt: 2, continues: 1, durable: true, phase: 'requested' })
    life.report(durable)
    expect(life.payloads('output_superseded')).toEqual([])
    expect(life.payloads('tool_outcome')).toEqual([])
    expect(life.answer.content).toBe('Hello')
    expect(course(life)).toMatchObject({
      calls: { c1: {}, c2: {} },
      open: [{ id: question, toolCallId: 'c2' }],
      kept: { chars: 5, parts: 1 },
    })
    // Asking again is nothing new, and the answer serves the later attempt.
    life.report(askItem('c2'))
    expect(life.openApprovals).toEqual([question])
    expect(life.status).toBe('awaiting_approval')
    life.do(approve(question, { digest: 'digest-1' }))
    expect(course(life)).toMatchObject({ open: [], answers: [{ requestId: question, toolCallId: 'c2' }] })
    life.report({ type: 'approval_delivered', requestId: question }, outcome('c1'), outcome('c2'), finished())
    expect(life.payloads('tool_outcome').map(({ status }) => status)).toEqual(['ok', 'ok'])
    expect(life.payloads('turn_end')).toMatchObject([{ status: 'completed' }])
  })

  test('a process that ends parks no durable run', () => {
    const life = running(background())
    life.do({ type: 'hand_over' })
    expect(life.last).toEqual([])
  })

  test('a paused wait needs no runner to stop it', () => {
    const life = awaitingAnswer()
    life.do({ type: 'pause' })
    expect(wanted(life)).toEqual([])
    life.do({ type: 'resume' })
    expect(life.run).toMatchObject({ attempt: 2, phase: 'requested' })
  })
})

describe('[S35] a durable run over its budget', () => {
  const overBudget = () => {
    const life = running(background({ policy: { health: { max_total_tokens: 10 } } }))
    life.report(eventReport('usage', { total_tokens: 11 }))
    return life
  }

  test('keeps the answer of its finished step and begins no call', () => {
    const life = overBudget()
    life.report(token('Done.'), step('Done.'), call('c1'))
    expect(life.lastTypes).toContain('model_step')
    expect(life.payloads('tool_call')).toEqual([])
    expect(life.answer.content).toBe('Done.')
    expect(life.run.phase).toBe('parked')
    expect(life.payloads('approval_required')[0]?.reason).toContain('goes on from where it stopped')
    life.report(stopped)
    life.do(approve(openId(life)))
    life.report(durable)
    expect(course(life)).toMatchObject({ kept: { chars: 5, parts: 1 }, calls: {} })
  })

  test('stops before it asks its model', () => {
    const life = overBudget()
    life.report({ type: 'next_step' })
    expect(life.run.phase).toBe('parked')
  })
})

describe('[S14] a call of a durable run with an unknown outcome', () => {
  const ask: ReportItem = {
    type: 'ask',
    kind: 'unknown_outcome',
    toolCallId: 'c1',
    tool: 'write',
    arguments: { a: 1 },
    reason: 'It may have happened.',
    digest: 'digest-1',
  }

  test.each(['approved', 'denied'] as const)('is asked about, and the answer (%s) goes to the run', (decision) => {
    const life = running(background())
    life.report(call('c1', 'unsafe'))
    life.report({ type: 'resumed' }, ask)
    wait(life)
    expect(life.status).toBe('awaiting_approval')
    expect(life.payloads('approval_required')).toMatchObject([{ kind: 'unknown_outcome', tool_call_id: 'c1' }])
    life.do({ type: 'approve', approvalId: openId(life), decision })
    expect(life.payloads('turn_end')).toEqual([])
    expect(course(life)?.answers).toMatchObject([{ toolCallId: 'c1', decision, kind: 'unknown_outcome' }])
  })

  test('cannot be approved with other arguments: it has begun with its own', () => {
    const life = running(background())
    life.report(call('c1', 'unsafe'))
    life.report({ type: 'resumed' }, ask)
    const approve = (args: JsonObject, digest: string) =>
      life.do({ type: 'approve', approvalId: openId(life), decision: 'approved', args, digest })
    expect(approve({ a: 2 }, 'digest-2')).toMatchObject({ refused: 'arguments_fixed' })
    expect(life.status).toBe('awaiting_approval')
    expect(approve({ a: 1 }, 'digest-1')).toMatchObject({ decision: 'approved' })
  })
})

describe('[S44] withdrawn text', () => {
  test('after a step that was cut off is the text since the last finished step', () => {
    const life = running()
    life.report(token('One.'), step('One.'))
    life.report(token(' Tw'))
    life.report({ type: 'resumed' }, { type: 'supersede' })
    expect(life.payloads('output_superseded')).toMatchObject([{ run_id: 'r-2', keep: { chars: 4, parts: 1 } }])
  })

  test('is nothing where nothing was written since', () => {
    const life = running()
    life.report(token('One.'), step('One.'))
    life.report({ type: 'supersede' })
    expect(life.last).toEqual([])
  })
})

describe('[S45] a signal', () => {
  test('is kept for the run, also before it starts and between its attempts', () => {
    const life = new TestSession()
    life.submit('hello')
    expect(life.do({ type: 'signal', name: 'a', payload: 1 })).toMatchObject({ runId: 'r-2' })
    life.report(durable)
    life.do({ type: 'pause' })
    expect(life.do({ type: 'signal', name: 'b', payload: null, actor: 'ann' })).toMatchObject({ runId: 'r-2' })
    expect(life.log.filter(({ type }) => type === 'signal_received')).toMatchObject([
      { run: 'r-2', payload: { name: 'a', payload: 1 } },
      { run: 'r-2', payload: { name: 'b', payload: null, actor: 'ann' } },
    ])
  })

  test.each<[string, () => TestSession, string]>([
    ['no session', () => new TestSession(), 'session_not_found'],
    [
      'a run that is not durable',
      () => {
        const life = new TestSession()
        life.submit('hello')
        life.report({ type: 'started' })
        return life
      },
      'not_waiting',
    ],
    [
      'no run',
      () => {
        const life = running()
        life.report(finished())
        return life
      },
      'not_waiting',
    ],
    [
      'a run that is being cancelled',
      () => {
        const life = running()
        life.do({ type: 'cancel' })
        return life
      },
      'not_waiting',
    ],
    [
      'work that has ended',
      () => {
        const life = running(background())
        life.report(finished())
        return life
      },
      'session_ended',
    ],
    [
      'a run with a thousand signals',
      () => {
        const life = running()
        for (let n = 0; n < SIGNALS_MAX; n++) life.do({ type: 'signal', name: 'n', payload: n })
        return life
      },
      'signals_full',
    ],
  ])('is refused: %s', (_name, make, code) => {
    expect(make().do({ type: 'signal', name: 'a', payload: 1 })).toMatchObject({ refused: code })
  })

  test('counts with its size, for its run alone', () => {
    const life = running()
    const large = () => life.do({ type: 'signal', name: 'n', payload: 'x'.repeat(SIGNAL_CHARS_MAX / 8) })
    for (let n = 0; n < 7; n++) expect(large()).toMatchObject({ runId: 'r-2' })
    expect(large()).toMatchObject({ refused: 'signals_full' })
    expect(life.do({ type: 'signal', name: 'small', payload: null })).toMatchObject({ runId: 'r-2' })
    life.report(finished())
    life.submit('again')
    expect(large()).toMatchObject({ runId: expect.not.stringMatching(/^r-2$/) })
  })
})

test('[S43] facts of a durable run count only in a durable run', () => {
  const life = new TestSession()
  life.submit('hello')
  life.report({ type: 'started' })
  life.report(
    step('x'),
    { type: 'waiting', until: null, seen: life.state.head },
    { type: 'resumed' },
    { type: 'supersede' },
  )
  expect(life.last).toMatchObject([{ type: 'model_step', hearsay: true }])
  expect(life.state.course.kept).toEqual({ chars: 0, parts: 0 })
})

test('[S22] a branch out of the middle of a durable turn continues that turn, one behind its end repeats it', () => {
  const parent = running()
  parent.report(token('One.'), step('One.'))
  const middle = new TestSession(parent.state)
  const point = { agent: 'scripted', id: 'parent', seq: parent.state.head }
  middle.branchPoint = point
  middle.do({ type: 'branch', parent: point, prompt: null })
  expect(middle.payloads('prompt_queued')).toMatchObject([{ text: 'hello', continues_run: 'r-2' }])
  middle.report(durable)
  expect(course(middle)).toMatchObject({ continuesRun: 'r-2' })

  parent.report(finished())
  const behind = new TestSession(parent.state)
  const end = { ...point, seq: parent.state.head }
  behind.branchPoint = end
  behind.do({ type: 'branch', parent: end, prompt: null })
  expect(behind.payloads('prompt_queued')[0]).not.toHaveProperty('continues_run')
})

test('[S8] [S22] compactions of a run that is taken back do not count; a branch keeps those of its parent', () => {
  const life = running()
  const compact = (from: number) => eventReport('context_compacted', { summary: 's', kept_from: from })
  life.report(compact(3), finished())
  life.submit('second')
  life.report(durable, compact(9))
  expect(course(life)?.since).toBe(9)
  const branched = [...life.log].reduce(evolve, new TestSession().state)
  expect(branched.course.cuts).toHaveLength(2)
  life.report(finished())
  const second = life.messages.findLast(({ role }) => role === 'user')!
  life.do({ type: 'edit', messageId: second.id, prompt: 'other' })
  life.report(durable)
  expect(course(life)?.since).toBe(3)
})

test('news in the commit of the wait leave the run awake', () => {
  const life = running()
  const { runId, attempt, frame } = life.run
  const waiting = { type: 'waiting', until: null, seen: life.state.head } as const
  const first = decide(
    key,
    life.state,
    { type: 'report', runId, attempt, frame: frame + 1, items: [waiting] },
    life.now,
  )
  const second = decide(key, first.state, { type: 'signal', name: 'a', payload: 1 }, life.now)
  expect(wantedEffects(key, second.state, 1)).toMatchObject([{ kind: 'run' }])
})
