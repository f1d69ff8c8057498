import { ABORT_GRACE_MS } from '@bridle/events/limits'
import { describe, expect, test } from 'vitest'
import type { Command } from '../../commands.ts'
import { dueAt } from '../due-time.ts'
import {
  approve,
  askItem,
  awaitingApproval,
  background,
  call,
  deny,
  eventReport,
  failed,
  finished,
  key,
  lost,
  messageSummary,
  outcome,
  running,
  started,
  stopped,
  TestSession,
  token,
} from '../rules.suite.ts'
import { wantedEffects } from '../wanted-effects.ts'
import { RETRY_BASE_MS, RETRY_MAX_MS } from './runs.ts'

const cancel = (more: Partial<Command & { type: 'cancel' }> = {}): Command => ({ type: 'cancel', ...more })
const effects = (life: TestSession): string[] => wantedEffects(key, life.state, 1).map(({ id }) => id)

const withCall = (): TestSession => {
  const life = running(background())
  life.report(call('c1', 'pure'))
  return life
}

describe('the end of a run', () => {
  test('[S4][S6] completed: calls settle, the text is told once more, and the turn ends once', () => {
    const life = running()
    life.report(token('Hi'), call('c1', 'pure'))
    life.report(finished({ resume: 'h1' }))
    expect(life.lastTypes).toEqual([
      'tool_outcome',
      'response',
      'resume_handle',
      'completed',
      'turn_end',
      'session_state',
    ])
    expect(life.answer).toMatchObject({
      content: 'Hi',
      status: 'complete',
      toolCalls: [{ id: 'c1', status: 'complete', outcome: 'ok' }],
    })
    expect(life.payloads('completed')).toEqual([{ turn_id: 'r-2', result: 'Hi' }])
    expect(life.payloads('turn_end')).toEqual([{ turn_id: 'r-2', status: 'completed', queued: 0 }])
    expect(life.status).toBe('idle')
  })

  test('[S4] a result stands in for text that was never streamed', () => {
    const life = running()
    life.report(finished({ result: 'the result' }))
    expect(life.answer).toMatchObject({ content: 'the result', status: 'complete' })
  })

  test('[S9] a response that differs from the tokens replaces them, an equal one changes nothing', () => {
    const life = running()
    life.report(token('Helo'))
    const streamed = life.state.conversation
    life.report(eventReport('response', { text: 'Helo' }))
    expect(life.state.conversation).toBe(streamed)
    life.report(eventReport('response', { text: 'Hello' }))
    expect(life.answer).toMatchObject({ content: 'Hello', parts: [{ type: 'text', from: 0 }] })
  })

  test('[S3] failed: the message and the session say so, and the next prompt clears it', () => {
    const life = running()
    life.report(token('par'), failed(true, 'no power'))
    expect(life.lastTypes).toEqual(['token', 'error', 'turn_end', 'health_changed', 'session_state'])
    expect(life.state.conversation).toMatchObject({ status: 'error', sessionStatus: 'failed', error: 'no power' })
    expect(life.messages.map(messageSummary)).toEqual(['user complete: hello', 'assistant error: par'])
    life.submit('again')
    expect(life.state.conversation.status).toBe('running')
    expect(life.state.conversation).not.toHaveProperty('error')
  })

  test('[S10] a run that was never started can fail but not finish', () => {
    const life = new TestSession()
    life.submit()
    life.report(finished())
    expect(life.last).toEqual([])
    life.report(failed(false, 'cannot start'))
    expect(life.status).toBe('failed')
  })
})

describe('cancel', () => {
  test('[S5] idle at once, settled in the same batch, ended when the runner confirms', () => {
    const life = awaitingApproval()
    life.report(token('par'))
    expect(life.do(cancel({ actor: 'ann' }))).toMatchObject({ runId: 'r-2', cancelled: true })
    expect(life.lastTypes).toEqual([
      'cancel_requested',
      'tool_outcome',
      'approval_decided',
      'approval_applied',
      'health_changed',
      'session_state',
    ])
    expect(life.state.conversation).toMatchObject({ status: 'idle', approvals: [] })
    expect(life.answer).toMatchObject({
      content: 'par',
      status: 'complete',
      stopReason: 'cancelled',
      toolCalls: [{ id: 'c1', status: 'error', outcome: 'error', approval: { status: 'cancelled' } }],
    })
    expect(effects(life)).toEqual(['abort:r-2:1'])
    const shown = life.state.conversation
    life.report(token('more'), call('c2'))
    expect(life.last).toEqual([])
    expect(life.state.conversation).toBe(shown)
    life.report(stopped)
    expect(life.lastTypes).toEqual(['run_stopped', 'turn_end'])
    expect(life.payloads('turn_end')).toEqual([{ turn_id: 'r-2', status: 'cancelled', queued: 0 }])
    expect(effects(life)).toEqual([])
  })

  test.each<[string, () => TestSession, Command]>([
    ['cancelled while it asks', () => awaitingApproval(), cancel()],
    ['cancelled, background work', () => awaitingApproval(background()), cancel()],
    ['paused while it asks', () => awaitingApproval(background()), { type: 'pause' }],
    ['cancelled with a call under way', () => withCall(), cancel()],
    ['paused with a call under way', () => withCall(), { type: 'pause' }],
    [
      'cancelled with two open approvals',
      () => {
        const life = awaitingApproval()
        life.report(call('c2', 'unsafe', 'send'), askItem('c2', undefined, 'digest-2'))
        return life
      },
      cancel(),
    ],
  ])('[S27] a call that a person stops is no failed call: %s', (_name, prepare, stop) => {
    const life = prepare()
    life.do(stop)
    expect(life.payloads('tool_outcome').length).toBeGreaterThan(0)
    expect(life.payloads('tool_outcome').every(({ status }) => status === 'error')).toBe(true)
    expect(life.state.health).toMatchObject({ failedTools: 0, forgiven: { failedTools: 0 } })
    expect(life.payloads('health_changed').map(({ score }) => score)).not.toContain(95)
  })

  test.each<[string, (life: TestSession) => void]>([
    ['of the next turn', (life) => life.do(cancel())],
    [
      'after a pause',
      (life) => {
        life.do({ type: 'pause' })
        life.do({ type: 'resume' })
      },
    ],
    [
      'after a queued prompt is cancelled',
      (life) => life.do(cancel({ runId: life.state.lifecycle.queue.at(-1)!.runId })),
    ],
  ])('[S27] a call that fails counts still: %s', (_name, stop) => {
    const life = running()
    life.submit('next')
    stop(life)
    if (life.run.stopRequestedAt !== null) life.report(stopped)
    if (life.run.phase === 'requested') life.report(started())
    life.report(call('f', 'pure'), outcome('f', 'error'))
    expect(life.state.health.failedTools).toBe(1)
  })

  test('[S5] tasks that are open end with the run; those of other runs, and those that ended, do not end again', () => {
    const life = running()
    const task = (agent_id: string, status: string) =>
      eventReport('subagent_event', { agent_id, status, task: `do ${agent_id}` })
    life.report(task('before', 'running'))
    life.report(finished())
    life.submit('next')
    life.report(started())
    life.report(task('a', 'running'), task('b', 'started'), task('c', 'running'), task('c', 'completed'))
    life.do(cancel())
    const settled = life.last.flatMap(({ type, payload }) => (type === 'subagent_event' ? [payload] : []))
    expect(settled).toEqual([
      { agent_id: 'a', status: 'cancelled', parent_session_id: 's1', reason: 'interrupted' },
      { agent_id: 'b', status: 'cancelled', parent_session_id: 's1', reason: 'interrupted' },
    ])
    life.report(stopped)
    expect(life.lastTypes).not.toContain('subagent_event')
  })

  test.each<[string, (life: TestSession) => void]>([
    ['the runner confirms', (life) => life.report(stopped)],
    ['the runner finishes instead', (life) => life.report(finished())],
    ['the runner fails instead', (life) => life.report(failed())],
    ['the runner is lost', (life) => life.report(lost)],
    ['the grace is over', (life) => life.tick(ABORT_GRACE_MS)],
  ])('[S5][S6] the next prompt starts only after the end: %s', (_name, end) => {
    const life = running()
    life.submit('next')
    life.do(cancel())
    life.tick(ABORT_GRACE_MS - 1)
    expect(life.run.runId).toBe('r-2')
    life.now -= ABORT_GRACE_MS - 1
    end(life)
    expect(life.run.text).toBe('next')
    expect(life.payloads('turn_end')).toEqual([{ turn_id: 'r-2', status: 'cancelled', queued: 1 }])
    expect(life.payloads('completed')).toEqual([])
    expect(life.payloads('error')).toEqual([])
  })

  test('[S5] a cancelled run that was only requested is aborted too', () => {
    const life = new TestSession()
    life.submit()
    life.do(cancel())
    expect(effects(life)).toEqual(['abort:r-2:1'])
    life.report(started())
    expect(life.last).toEqual([])
  })

  test('[S5] twice is once', () => {
    const life = running()
    life.do(cancel())
    life.wait(1_000)
    expect(life.do(cancel())).toMatchObject({ cancelled: true })
    expect(life.last).toEqual([])
    life.tick(ABORT_GRACE_MS - 1_000)
    expect(life.payloads('turn_end')).toHaveLength(1)
  })

  test('[S5] a prompt that waits is cancelled by name, and the run goes on', () => {
    const life = running()
    const second = life.submit('second') as { runId: string }
    life.submit('third')
    expect(life.do(cancel({ runId: second.runId }))).toMatchObject({ runId: second.runId, cancelled: true })
    expect(life.lastTypes).toEqual(['cancel_requested', 'prompt_dropped', 'health_changed'])
    expect(life.messages.map(messageSummary)).toEqual([
      'user complete: hello',
      'assistant pending: ',
      'user complete: second',
      'user pending: third',
    ])
    expect(life.messages[2]).toMatchObject({ stopReason: 'cancelled' })
    expect(life.status).toBe('running')
  })

  test.each<[string, string]>([
    ['a run that has ended', 'r-2'],
    ['a run nobody knows', 'r-999'],
    ['the name of a prototype', '__proto__'],
  ])('[S5] a stale name is acknowledged and does nothing: %s', (_name, runId) => {
    const life = running()
    life.report(finished())
    life.submit('next')
    const before = life.state
    expect(life.do(cancel({ runId }))).toEqual({ runId, cancelled: false, seq: before.head })
    expect(life.state).toBe(before)
  })

  test('[S5] with nothing to cancel it is acknowledged', () => {
    const life = new TestSession()
    life.do({ type: 'create' })
    expect(life.do(cancel())).toMatchObject({ runId: null, cancelled: false })
  })

  test('[S5] the queue goes only when asked for', () => {
    const life = running()
    life.submit('second')
    life.submit('third')
    life.do(cancel({ queue: true }))
    expect(life.payloads('prompt_dropped').map(({ reason }) => reason)).toEqual(['cancelled', 'cancelled'])
    life.report(stopped)
    expect(life.state.lifecycle).toMatchObject({ run: null, queue: [] })
    expect(life.status).toBe('idle')
  })

  test.each<[string, (life: TestSession) => void]>([
    ['between two attempts', (life) => life.report(failed())],
    [
      'while paused',
      (life) => {
        life.do({ type: 'pause' })
        life.report(stopped)
      },
    ],
    ['while its outcome is asked about', (life) => life.report(call('c1', 'unsafe'), lost)],
  ])('[S5] a run that no runner holds ends here and now: %s', (_name, prepare) => {
    const life = running(background({ maxRetries: 3 }))
    prepare(life)
    life.do(cancel())
    expect(life.lastTypes).toContain('turn_end')
    expect(life.status).toBe('cancelled')
    expect(effects(life)).toEqual([])
    expect(life.openApprovals).toEqual([])
    life.tick(RETRY_MAX_MS)
    expect(life.last).toEqual([])
  })

  test('[S5] cancelling while the pause is still stopping the attempt ends it when that stops', () => {
    const life = running()
    life.do({ type: 'pause' })
    life.wait(100).do(cancel())
    expect(life.lastTypes).not.toContain('turn_end')
    life.report(stopped)
    expect(life.payloads('turn_end')).toHaveLength(1)
  })

  test.each<[string, (life: TestSession) => void]>([
    ['running', () => {}],
    ['paused before it began', (life) => life.do({ type: 'pause' })],
  ])('[S5] background work is cancelled as a whole: %s', (_name, prepare) => {
    const life = running(background())
    prepare(life)
    life.submit('second')
    life.do(cancel())
    life.report(stopped)
    expect(life.status).toBe('cancelled')
    expect(life.state.lifecycle).toMatchObject({ run: null, queue: [] })
    expect(life.messages.some(({ status }) => status === 'pending')).toBe(false)
    expect(life.submit('more')).toMatchObject({ refused: 'session_ended' })
  })

  test('[S5] background work that has not begun is cancelled with what waits', () => {
    const life = new TestSession()
    life.do({ type: 'create', opening: background() })
    life.do({ type: 'pause' })
    life.submit('one')
    life.submit('two')
    life.do(cancel({ queue: true }))
    expect(life.lastTypes.slice(0, 4)).toEqual(['cancel_requested', 'prompt_dropped', 'prompt_dropped', 'turn_end'])
    expect(life.status).toBe('cancelled')
  })
})

describe('retries', () => {
  const attempts = (life: TestSession) => life.payloads('run_requested').map(({ attempt }) => attempt)

  test.each([0, 1, 2, 3])('[S13] max_retries = %i allows one attempt more', (maxRetries) => {
    const life = running(background({ maxRetries }))
    for (let attempt = 1; attempt <= maxRetries; attempt++) {
      life.report(failed())
      expect(life.status).toBe('recovering')
      life.tick(RETRY_MAX_MS)
      life.report(started())
    }
    life.report(failed())
    expect(life.status).toBe('failed')
    expect(attempts(life)).toEqual(Array.from({ length: maxRetries + 1 }, (_, index) => index + 1))
    expect(life.payloads('turn_end')).toHaveLength(1)
    expect(life.payloads('error')).toHaveLength(1)
  })

  test('[S13] the wait doubles up to its limit, and nothing starts before it is over', () => {
    const life = running(background({ maxRetries: 9 }))
    const waits: number[] = []
    for (let attempt = 1; attempt <= 9; attempt++) {
      life.report(failed())
      const due = dueAt(life.state, life.now)!
      waits.push(due - life.now)
      life.tick(due - life.now - 1)
      expect(life.run.phase).toBe('waiting')
      life.tick(1)
      expect(life.run.phase).toBe('requested')
      life.report(started())
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * RETRY_BASE_MS))
  })

  test.each<[string, Parameters<typeof running>[0], boolean]>([
    ['a lasting failure in the background', background({ maxRetries: 3 }), false],
    ['a transient failure of a chat', { maxRetries: 3 }, true],
  ])('[S13] %s is not retried', (_name, opening, transient) => {
    const life = running(opening)
    life.report(failed(transient))
    expect(life.status).toBe('failed')
  })

  test('[S13] what an attempt wrote stays, marked, and the content starts anew, once', () => {
    const life = running(background({ maxRetries: 1 }))
    life.report(eventReport('thinking', { text: 'hm' }), token('Hel'), call('c1', 'pure'), token('lo'))
    life.report(failed())
    expect(life.lastTypes).toContain('tool_outcome')
    life.tick(RETRY_BASE_MS)
    expect(life.lastTypes.slice(0, 2)).toEqual(['output_superseded', 'run_requested'])
    expect(life.answer).toMatchObject({ content: '', status: 'streaming' })
    const old = [
      { type: 'reasoning', text: 'hm', superseded: true },
      { type: 'text', text: 'Hel', superseded: true },
      { type: 'tool', toolCallId: 'c1', superseded: true },
      { type: 'text', text: 'lo', superseded: true },
    ]
    expect(life.answer.parts).toEqual(old)
    life.report(started())
    life.report(eventReport('thinking', { text: 'better' }), token('Hello'), call('c1', 'pure'), outcome('c1'))
    life.report(finished())
    expect(life.answer).toMatchObject({
      content: 'Hello',
      status: 'complete',
      parts: [
        ...old,
        { type: 'reasoning', text: 'better' },
        { type: 'text', from: 0 },
        { type: 'tool', toolCallId: 'c1' },
      ],
      toolCalls: [
        { id: 'c1', status: 'error', superseded: true },
        { id: 'c1', status: 'complete' },
      ],
    })
    expect(life.payloads('output_superseded')).toEqual([{ run_id: 'r-2', attempt: 1 }])
  })

  test('[S13] an attempt that wrote nothing is not superseded', () => {
    const life = running(background({ maxRetries: 1 }))
    life.report(failed())
    life.tick(RETRY_BASE_MS)
    expect(life.lastTypes[0]).toBe('run_requested')
  })

  test('[S13] a marker is a part too', () => {
    const life = running(background({ maxRetries: 1 }))
    life.report(eventReport('context_compacted', { original_count: 2, compacted_count: 1, summary: 's' }))
    life.report(failed())
    life.tick(RETRY_BASE_MS)
    expect(life.answer.parts).toEqual([{ type: 'marker', kind: 'context_compacted', text: 's', superseded: true }])
  })

  test('[S10] the attempt before is no longer heard', () => {
    const life = running(background({ maxRetries: 1 }))
    life.report(failed())
    life.tick(RETRY_BASE_MS)
    for (const item of [token('late'), finished(), failed(), lost, stopped]) {
      expect(life.do({ type: 'report', runId: 'r-2', attempt: 1, frame: 99, items: [item] })).toMatchObject({
        dropped: 'run',
      })
      expect(life.last).toEqual([])
    }
  })
})

describe('a lost run', () => {
  test('[S12] of a chat ends with one error and keeps its text', () => {
    const life = running()
    life.report(token('half an ans'), call('c1', 'unsafe'))
    life.report(lost)
    expect(life.payloads('error')).toEqual([{ turn_id: 'r-2', message: 'gone', reason: 'interrupted' }])
    expect(life.messages.map(messageSummary)).toEqual(['user complete: hello', 'assistant error: half an ans'])
    expect(life.answer.toolCalls).toMatchObject([{ status: 'error', outcome: 'error' }])
    expect(effects(life)).toEqual([])
    expect(life.payloads('run_requested')).toHaveLength(1)
  })

  test.each<[string, Parameters<TestSession['report']>]>([
    ['without calls', [token('x')]],
    ['in a pure call', [call('c1', 'pure')]],
    ['in an idempotent call', [call('c1', 'idempotent')]],
    ['after an unsafe call', [call('c1', 'unsafe'), outcome('c1')]],
  ])('[S13] of background work recovers: %s', (_name, items) => {
    const life = running(background({ maxRetries: 1 }))
    life.report(...items)
    life.report(lost)
    expect(life.status).toBe('recovering')
    life.tick(RETRY_BASE_MS)
    expect(life.run).toMatchObject({ attempt: 2, phase: 'requested' })
  })

  test('[S13] before it was started it recovers too', () => {
    const life = new TestSession()
    life.submit('x', background({ maxRetries: 1 }))
    life.report(lost)
    expect(life.status).toBe('recovering')
  })

  test.each<['unsafe' | undefined]>([['unsafe'], [undefined]])(
    '[S14] in a call declared %s becomes a question',
    (effect) => {
      const life = running(background({ maxRetries: 1 }))
      life.report(call('c1', effect))
      life.report(lost)
      expect(life.status).toBe('awaiting_approval')
      expect(life.payloads('approval_required')).toMatchObject([
        { kind: 'unknown_outcome', tool_call_id: 'c1', tool_name: 'write', expires_at: null },
      ])
      expect(life.payloads('tool_outcome')).toMatchObject([{ tool_call_id: 'c1', status: 'error' }])
      life.tick(RETRY_MAX_MS)
      expect(life.run).toMatchObject({ attempt: 1, phase: 'parked' })
      expect(effects(life)).toEqual([])
    },
  )

  test('[S14] approved, the turn runs again, though no retries are left', () => {
    const life = running(background())
    life.report(token('x'), call('c1'))
    life.report(lost)
    life.do(approve(life.openApprovals[0]!))
    expect(life.run).toMatchObject({ attempt: 2, phase: 'requested' })
    expect(life.lastTypes).toContain('output_superseded')
    expect(life.status).toBe('running')
  })

  test('[S14] denied, it fails', () => {
    const life = running(background({ maxRetries: 5 }))
    life.report(call('c1'))
    life.report(lost)
    life.do(deny(life.openApprovals[0]!))
    expect(life.payloads('error')).toMatchObject([{ reason: 'outcome_unknown' }])
    expect(life.status).toBe('failed')
    expect(life.payloads('turn_end')).toHaveLength(1)
  })
})
