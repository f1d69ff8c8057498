// Runs that are stopped in the middle: what is kept, what is repeated, and what it costs.

import { BUDGET_GRACE_MS } from '@bridle/events/limits'
import type { Policy } from '@bridle/events/schemas'
import { describe, expect, test } from 'vitest'
import type { ReportItem } from '../../commands.ts'
import { emptyState, evolve, statusOf } from '../../projections/state.ts'
import { healthSnapshot } from '../../views/health-snapshot.ts'
import { sessionStateCard } from '../../views/session-card.ts'
import { decide } from '../decide.ts'
import { dueAt } from '../due-time.ts'
import {
  approve,
  background,
  call,
  deny,
  eventReport,
  failed,
  finished,
  key,
  lost,
  outcome,
  running,
  started,
  stopped,
  TestSession,
  token,
} from '../rules.suite.ts'
import { wantedEffects } from '../wanted-effects.ts'
import { INTERRUPTED_ATTEMPTS_MAX, RETRY_MAX_MS } from './runs.ts'

const pause = { type: 'pause' } as const
const resume = { type: 'resume' } as const
const usage = (cost_usd: number) => eventReport('usage', { cost_usd })
const stoppedAt = (handle: string): ReportItem => ({ type: 'stopped', resume: handle })
const handle = (text: string): ReportItem => ({ type: 'resume', handle: text })
const resumable: ReportItem = { type: 'started', resumable: true }
const job = (life: TestSession) => wantedEffects(key, life.state, 1).find((effect) => effect.kind === 'run')?.job
const card = (life: TestSession) => sessionStateCard(key, life.state)
const counts = (life: TestSession) =>
  life.payloads('session_state').map((each) => `${each.status}/${each.attempt_count}`)
const budget = (health: NonNullable<Policy['health']>, maxRetries = 0): TestSession =>
  running(background({ policy: { health }, maxRetries }))

describe('[S65] a run that is stopped continues from the handle in the log', () => {
  const stop = {
    budget: (life: TestSession) => {
      life.report(usage(5))
      life.report(token('Never in the log.'))
      life.report(stoppedAt('beyond'))
      life.do(approve(Object.keys(life.state.approvals.open)[0] ?? ''))
    },
    pause: (life: TestSession) => {
      life.do(pause)
      life.report(token('Never in the log.'))
      life.report(stoppedAt('beyond'))
      life.do(resume)
    },
  }
  const called = [call('c1', 'pure'), outcome('c1')]
  test.each<[string, readonly ReportItem[], string]>([
    ['nothing is behind it', [...called, handle('h1')], 'h1'],
    ['a hook or a thought is behind it', [...called, handle('h1'), eventReport('thinking', { text: 'Hm.' })], 'h1'],
    ['the newest handle has nothing behind it', [handle('h0'), ...called, handle('h1')], 'h1'],
    ['text is behind it', [...called, handle('h1'), token('Half.')], 'beyond'],
    ['a call is behind it', [handle('h1'), ...called], 'beyond'],
    ['there is none', called, 'beyond'],
  ])('%s', (_name, items, expected) => {
    for (const [how, end] of Object.entries(stop)) {
      const life = budget({ max_cost_usd: 1 })
      for (const item of items) life.report(item)
      end(life)
      expect([how, job(life)?.resume]).toEqual([how, expected])
      expect(life.payloads('token').some(({ text }) => text.includes('Never'))).toBe(false)
      // The next attempt has a handle of its own, or none yet.
      life.report(started())
      life.do(pause)
      life.report(stoppedAt('later'))
      life.do(resume)
      expect([how, job(life)?.resume]).toEqual([how, 'later'])
    }
  })

  test('a prompt that reached the engine is not forgotten, and a call that was cut off neither', () => {
    const steered = running(background(), true)
    steered.report(handle('h1'))
    steered.do({ type: 'steer', prompt: 'Also this.' })
    steered.report({ type: 'steer_delivered', messageId: steered.state.lifecycle.steers[0]?.messageId ?? '' })
    stop.pause(steered)
    expect(job(steered)?.resume).toBe('beyond')
    const cut = running(background())
    cut.report(call('c1', 'pure'))
    cut.report(handle('h1'))
    stop.pause(cut)
    expect(job(cut)?.resume).toBe('beyond')
  })
})

describe('[S35] a budget that is crossed', () => {
  test.each<[string, (life: TestSession) => void]>([
    ['in the report of the end', (life) => life.report(usage(5), finished({ result: 'done' }))],
    [
      'right before the end',
      (life) => {
        life.report(usage(5))
        life.report(eventReport('hook_event', { hook: 'Stop', phase: 'after' }))
        life.report(finished({ result: 'done' }))
      },
    ],
    [
      'by a call that was under way',
      (life) => {
        life.report(call('c1'))
        life.report(usage(5))
        life.tick(60_000)
        life.report(outcome('c1'))
        life.report(finished({ result: 'done' }))
      },
    ],
  ])('%s lets the turn end', (_name, end) => {
    const life = budget({ max_cost_usd: 1 })
    end(life)
    expect(life.status).toBe('completed')
    expect(life.payloads('completed')).toMatchObject([{ result: 'done' }])
    expect([life.payloads('budget_crossed'), life.payloads('approval_required')]).toEqual([[], []])
  })

  test.each<[string, ReportItem]>([
    ['text', token('more')],
    ['a thought', eventReport('thinking', { text: 'more' })],
    ['a call', call('c2')],
  ])('in the middle stops the run before more work: %s', (_name, work) => {
    const life = budget({ max_cost_usd: 1 })
    life.report(token('half'), usage(5))
    life.report(work)
    expect(life.status).toBe('awaiting_approval')
    expect(life.answer.content).toBe('half')
    expect(life.payloads('tool_call')).toEqual([])
  })

  test.each<[string, (life: TestSession) => void]>([
    ['while nothing else is said', () => {}],
    ['while a call is under way', (life) => life.report(call('c1'))],
  ])('and spent on stops the run, %s', (_name, begin) => {
    const life = budget({ max_cost_usd: 1 })
    begin(life)
    life.report(usage(0.9))
    life.wait(100).report(usage(0.9))
    expect(life.status).toBe('running')
    life.wait(100).report(usage(0.9))
    expect(life.status).toBe('awaiting_approval')
  })

  test('an end that comes with more work is as late as that', () => {
    const life = budget({ max_cost_usd: 1 })
    life.report(usage(5))
    expect(life.report(token('more'), finished())).toMatchObject({ dropped: 'budget' })
    expect(life.status).toBe('awaiting_approval')
    expect(life.run.stopRequestedAt).not.toBeNull()
  })

  test('is looked at again when nothing more was said for a while', () => {
    const life = budget({ max_cost_usd: 1 })
    life.wait(100).report(usage(5))
    expect(dueAt(life.state, life.now)).toBe(life.now + BUDGET_GRACE_MS)
    life.tick(BUDGET_GRACE_MS - 1)
    expect(life.status).toBe('running')
    life.tick(1)
    expect(life.status).toBe('awaiting_approval')
  })

  test.each<[string, NonNullable<Policy['health']>, (life: TestSession) => void, number]>([
    ['cost', { max_cost_usd: 0.05 }, (life) => life.report(usage(0.04)), 0.08],
    ['tokens', { max_total_tokens: 50 }, (life) => life.report(eventReport('usage', { total_tokens: 40 })), 80],
    [
      'failed calls',
      { max_failed_tool_calls: 1 },
      (life) => life.report(call(`c${life.state.head}`, 'pure', 'x'), outcome(`c${life.state.head}`, 'error')),
      2,
    ],
    ['runtime', { max_runtime_minutes: 5 }, (life) => life.tick(240_000), 8],
  ])('of %s: the work of twice four fifths of it ends after one approval', (name, health, spend, spent) => {
    const life = budget(health)
    life.report(token('half '))
    spend(life)
    spend(life)
    life.report(token('end'))
    expect(life.status).toBe('awaiting_approval')
    life.report(stoppedAt('step:3'))
    life.do(approve(life.openApprovals[0]!))
    expect(job(life)).toMatchObject({ resume: 'step:3', continues: { isMidText: true } })
    life.report(resumable)
    life.report(token('end'))
    life.report(finished())
    expect(life.status).toBe('completed')
    expect(life.answer.content).toBe('half end')
    expect(life.payloads('approval_required')).toHaveLength(1)
    const { costUsd, tokens, failedTools, ranMs } = life.state.health
    const sums = { cost: costUsd, tokens, 'failed calls': failedTools, runtime: ranMs / 60_000 }
    expect(sums[name as keyof typeof sums]).toBeCloseTo(spent)
    expect(card(life)).toMatchObject({ attempt_count: 1, last_error: null })
  })

  test.each<[name: string, work: (life: TestSession) => void, next: string]>([
    ['not resumable', (life) => life.report(started()), 'the turn starts over: the work so far is done again'],
    ['resumable', (life) => life.report(resumable), 'the work goes on from where it stopped'],
    [
      'known by a handle of its own',
      (life) => life.report(started(), handle('step:3')),
      'the work goes on from where it stopped',
    ],
    [
      'new after a turn with a handle',
      (life) => {
        life.report(started(), handle('step:3'))
        life.report(finished())
        life.submit('more')
        life.report(started())
      },
      'the turn starts over: the work so far is done again',
    ],
  ])('the question says what is repeated by a run that is %s', (_name, work, next) => {
    const life = new TestSession()
    life.submit('hello', { policy: { health: { max_cost_usd: 1 } } })
    work(life)
    life.report(usage(3))
    life.tick(BUDGET_GRACE_MS)
    expect(life.payloads('approval_required').map(({ reason }) => reason)).toEqual([
      `Over budget: cost limit of $1.00 (at $3.00). If you approve, it becomes a cost limit of $4.00, and ${next}.`,
    ])
  })

  test('a run that cannot go on starts over, and its output is marked', () => {
    const life = budget({ max_cost_usd: 1 })
    life.report(token('half'), usage(5))
    life.tick(BUDGET_GRACE_MS)
    life.report(stopped)
    life.do(approve(life.openApprovals[0]!))
    expect(life.payloads('output_superseded')).toHaveLength(1)
    expect([job(life)?.resume, job(life)?.continues, life.answer.content]).toEqual([null, undefined, ''])
    expect(card(life).attempt_count).toBe(1)
  })

  test('a chat that was cancelled over its budget is asked again by its next turn', () => {
    const life = running({ policy: { health: { max_cost_usd: 1 } } })
    life.report(usage(5))
    life.tick(BUDGET_GRACE_MS)
    life.report(stopped)
    life.do({ type: 'cancel' })
    life.submit('next')
    expect(life.status).toBe('awaiting_approval')
    expect(life.payloads('budget_crossed')).toHaveLength(1)
  })

  test('an older log that granted steps reads as it did', () => {
    const life = budget({ max_cost_usd: 1 })
    life.report(usage(1.5))
    life.tick(BUDGET_GRACE_MS)
    const raised = {
      seq: life.state.head + 1,
      at: life.now,
      type: 'budget_raised',
      payload: { budgets: ['max_cost_usd'], steps: { max_cost_usd: 2 } },
    } as const
    const state = evolve(life.state, raised)
    const { budget_pressure, policy } = healthSnapshot(key, state, statusOf(state), life.now)
    expect(budget_pressure.budgets).toMatchObject([{ limit: 3 }])
    expect(policy.enforcement.raised).toEqual({ max_cost_usd: 3 })
  })
})

describe('[S36] a policy that is changed while its question is open', () => {
  const asked = () => {
    const life = budget({ max_cost_usd: 1 })
    life.report(token('half'), usage(5))
    life.tick(BUDGET_GRACE_MS)
    life.report(stoppedAt('step:1'))
    return life
  }

  test('withdraws it, and the work goes on', () => {
    const life = asked()
    const [id] = life.openApprovals
    life.do({ type: 'set_policy', policy: { health: { max_cost_usd: 10 } }, actor: 'ann' })
    expect(life.openApprovals).toEqual([])
    expect(life.payloads('approval_applied')).toMatchObject([
      { request_id: id, decision: 'superseded', reason: 'The policy was changed.' },
    ])
    expect(life.status).toBe('running')
    expect(job(life)).toMatchObject({ resume: 'step:1', continues: {} })
    expect(life.do(approve(id!))).toMatchObject({ refused: 'approval_settled' })
  })

  test('asks with the new limit where that is crossed too', () => {
    const life = asked()
    life.do({ type: 'set_policy', policy: { health: { max_cost_usd: 2 } } })
    expect(life.openApprovals).toHaveLength(1)
    expect(life.payloads('approval_required').at(-1)?.reason).toContain('cost limit of $2.00 (at $5.00)')
    expect(life.status).toBe('awaiting_approval')
  })

  test('leaves what was denied paused', () => {
    const life = asked()
    life.do(deny(life.openApprovals[0]!))
    life.do({ type: 'set_policy', policy: { health: { max_cost_usd: 10 } } })
    expect(life.status).toBe('paused')
    life.do(resume)
    expect(life.status).toBe('running')
  })
})

describe('[S37] a run that is stopped and kept', () => {
  test('goes on with the handle that its runner gave when it stopped', () => {
    const life = running()
    life.report(token('One.'), call('c1', 'pure'), outcome('c1'))
    life.do(pause)
    life.report(stoppedAt('engine/7'))
    life.do(resume)
    expect(life.payloads('output_superseded')).toEqual([])
    expect(job(life)).toMatchObject({ attempt: 2, resume: 'engine/7', continues: { isMidText: true } })
    life.report(started())
    life.report(token('\n\nTwo.'))
    life.report(finished({ resume: 'engine/9' }))
    expect(life.answer.content).toBe('One.\n\nTwo.')
    expect(life.answer.toolCalls).toMatchObject([{ id: 'c1', status: 'complete' }])
    life.submit('next')
    expect(job(life)).toMatchObject({ resume: 'engine/9' })
    expect(job(life)?.continues).toBeUndefined()
  })

  test('goes on with the newest handle that was told, also where the runner does not answer the stop', () => {
    const life = running()
    life.report(handle('engine/1'))
    life.report(token('One.'), handle('engine/2'))
    life.report(handle('engine/2'))
    expect(life.payloads('resume_handle').map((each) => each.handle)).toEqual(['engine/1', 'engine/2'])
    life.do(pause)
    life.do(resume)
    life.tick(2_000)
    expect(job(life)).toMatchObject({ attempt: 2, resume: 'engine/2', continues: { isMidText: true } })
  })

  test('shows clients one attempt, and a whole text as the whole answer', () => {
    const life = running()
    life.report(token('One. '))
    life.do(pause)
    life.report(stoppedAt('engine/1'))
    life.do(resume)
    life.report(started())
    life.report(token('Tw'))
    expect(life.last[0]).toMatchObject({ attempt: 2, continues: 1 })
    life.report(eventReport('response', { text: '' }))
    expect(life.answer.content).toBe('One. ')
    life.report(token('Two.'))
    life.do(pause)
    life.report(stoppedAt('engine/2'))
    life.do(resume)
    life.report(started())
    life.report(eventReport('response', { text: ' Three.' }))
    expect(life.last[0]).toMatchObject({ attempt: 3, continues: 1 })
    life.report(finished())
    expect(life.payloads('response').at(-1)).toEqual({ text: 'One. Two. Three.' })
  })

  test('a place in a script is good once: stopped without another, the turn starts over', () => {
    const life = new TestSession()
    life.submit()
    life.report(resumable)
    const goOn = (...items: ReportItem[]) => {
      life.do(pause)
      for (const item of items) life.report(item)
      life.do(resume)
    }
    life.report(token('abc'))
    goOn(stoppedAt('step:0:3'))
    // Stopped before it was started, and without any progress: it stands where it stood.
    goOn(stopped)
    expect(job(life)).toMatchObject({ attempt: 3, resume: 'step:0:3', continues: {} })
    life.report(resumable)
    goOn(stoppedAt('step:0:3'))
    expect(job(life)).toMatchObject({ attempt: 4, resume: 'step:0:3', continues: {} })
    life.report(resumable)
    life.report(token('def'))
    goOn(stopped)
    expect(job(life)).toMatchObject({ attempt: 5, resume: null })
    expect(life.answer.content).toBe('')
  })

  test('a retry starts from nothing, whatever was remembered', () => {
    const work = running(background({ maxRetries: 2 }))
    work.report(token('One.'), handle('engine/1'))
    work.report(failed())
    work.tick(RETRY_MAX_MS)
    expect(job(work)).toMatchObject({ attempt: 2, resume: null })
    expect(job(work)?.continues).toBeUndefined()
    expect(work.payloads('output_superseded')).toHaveLength(1)
    // Stopped before it reported a handle: the handle of the first attempt does not belong to this one.
    work.report(started())
    work.do(pause)
    work.report(stopped)
    work.do(resume)
    expect(job(work)).toMatchObject({ attempt: 3, resume: null })
  })
})

describe('[S38] attempts', () => {
  test('are of the turn: the second has retries of its own', () => {
    const life = running(background({ maxRetries: 1 }))
    life.submit('second')
    life.report(finished())
    expect(life.run.text).toBe('second')
    life.report(started())
    life.report(failed())
    expect(life.status).toBe('recovering')
    expect(card(life).attempt_count).toBe(1)
    life.tick(RETRY_MAX_MS)
    life.report(started())
    life.report(lost)
    expect(life.status).toBe('failed')
    expect(counts(life)).toEqual(['running/1', 'recovering/1', 'running/2', 'failed/2'])
  })

  test('cost nothing for a pause, a grant, a policy or a restart of the server', () => {
    const life = budget({ max_cost_usd: 1 }, 1)
    const again = (): void => {
      life.report(stopped)
      if (life.status === 'paused') life.do(resume)
      life.report(started())
    }
    for (let round = 0; round < 4; round++) {
      life.do(pause)
      again()
      life.report(usage(100))
      life.tick(BUDGET_GRACE_MS)
      life.do(approve(life.openApprovals[0]!))
      again()
      life.do({ type: 'hand_over' })
      again()
    }
    expect(life.run.attempt).toBe(13)
    expect(card(life).attempt_count).toBe(1)
    life.report(failed())
    expect(life.status).toBe('recovering')
    life.do(pause)
    life.do(resume)
    expect(card(life).attempt_count).toBe(2)
    life.report(started())
    life.report(failed())
    expect([life.status, card(life).attempt_count]).toEqual(['failed', 2])
  })

  test('a process that ends keeps its run for the next one', () => {
    const life = running(background())
    life.report(token('half'))
    life.do({ type: 'hand_over' })
    expect(life.lastTypes).toContain('run_parked')
    const { runId, attempt } = life.run
    const report = { type: 'report', runId, attempt, frame: null, items: [stoppedAt('step:1')] } as const
    // The process that ends starts nothing any more.
    const left = decide(key, life.state, report, life.now, { starts: false })
    expect(left.events.map(({ type }) => type)).toEqual(['run_stopped', 'resume_handle'])
    expect(dueAt(left.state, life.now)).toBe(left.state.at)
    const next = decide(key, left.state, { type: 'tick' }, life.now + 5_000)
    expect(next.state.lifecycle.run).toMatchObject({ phase: 'requested', attempt: 2, resume: 'step:1', continues: 1 })
    expect(next.state.lifecycle.attempts).toBe(1)
  })

  test('a chat is never started again unasked: it is left as it is', () => {
    const life = running()
    life.do({ type: 'hand_over' })
    expect(life.last).toEqual([])
  })

  test('the error that the work got over is not its last; expiry after attempts says so', () => {
    const life = running(background({ maxRetries: 2 }))
    life.report(failed(true, 'busy'))
    expect(card(life).last_error).toBe('busy')
    life.tick(RETRY_MAX_MS)
    life.report(started())
    life.report(finished())
    expect([life.status, card(life).last_error]).toEqual(['completed', null])

    const late = running(background({ maxRetries: 2, expiresAt: life.now + 1_000 }))
    late.now = life.now
    late.report(failed())
    late.tick(RETRY_MAX_MS)
    expect(late.payloads('session_checkpoint').at(-1)).toMatchObject({
      checkpoint_type: 'expired',
      summary_text: 'The session expired after 1 attempt.',
    })
  })

  test('logs from before attempts were counted by the turn read the same way', () => {
    const life = running(background({ maxRetries: 3 }))
    life.report(failed())
    life.tick(RETRY_MAX_MS)
    const replayed = life.log.reduce(evolve, emptyState)
    expect(replayed.lifecycle.attempts).toBe(2)
  })
})

describe('[S65] a run that its runner calls interrupted', () => {
  const interrupted = (resume?: string): ReportItem => ({
    ...{ type: 'failed', message: 'The server was away.', reason: 'interrupted', transient: true },
    ...(resume !== undefined && { resume }),
  })
  const settings = { chat: undefined, 'background work': background() }

  test.each(Object.entries(settings))('continues in the middle of its turn: %s', (_name, opening) => {
    const life = running(opening)
    life.report(token('Half an '), call('c1', 'pure'))
    life.report(interrupted('h1'))
    expect(job(life)).toMatchObject({ attempt: 2, resume: 'h1', continues: { isMidText: true } })
    expect(life.payloads('tool_outcome')).toMatchObject([{ tool_call_id: 'c1', status: 'error' }])
    expect(life.payloads('error')).toEqual([])
    life.report(started())
    life.report(token('answer.'), finished())
    expect(life.payloads('turn_end')).toMatchObject([{ status: 'completed' }])
    expect(life.answer.content).toBe('Half an answer.')
  })

  test('asks about an unsafe call before it goes on', () => {
    const life = running()
    life.report(call('c1', 'unsafe'))
    life.report(interrupted('h1'))
    expect(life.status).toBe('awaiting_approval')
    life.do(approve(life.openApprovals[0]!))
    expect(job(life)).toMatchObject({ attempt: 2, resume: 'h1' })
  })

  test('fails without a handle, and after too many attempts', () => {
    const bare = running()
    bare.report(interrupted())
    expect(bare.payloads('error')).toMatchObject([{ reason: 'interrupted' }])
    const life = running()
    for (let attempt = 1; attempt < INTERRUPTED_ATTEMPTS_MAX; attempt++) {
      life.report(interrupted(`h${attempt}`))
      life.report(started())
    }
    expect(life.run.attempt).toBe(INTERRUPTED_ATTEMPTS_MAX)
    life.report(interrupted('last'))
    expect(life.payloads('error')).toMatchObject([{ reason: 'interrupted' }])
  })
})
