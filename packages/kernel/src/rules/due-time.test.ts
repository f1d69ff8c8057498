import { ABORT_GRACE_MS, STUCK_MS } from '@bridle/events/limits'
import { describe, expect, test } from 'vitest'
import { dueAt, dueTimes, wakeOf } from './due-time.ts'
import {
  askItem,
  awaitingApproval,
  background,
  call,
  failed,
  finished,
  lost,
  running,
  started,
  stopped,
  T0,
  TestSession,
  token,
} from './rules.suite.ts'
import { RETRY_BASE_MS } from './runs/runs.ts'

const life = (...steps: ((life: TestSession) => unknown)[]) => {
  const told = new TestSession()
  for (const step of steps) step(told)
  return told
}
const expiresAt = T0 + 5_000

describe('the next moment a tick changes something', () => {
  test.each<[string, TestSession, number | null]>([
    ['nothing there', new TestSession(), null],
    ['idle', life((it) => it.do({ type: 'create' })), null],
    ['running: may get stuck', running(), T0 + STUCK_MS],
    [
      'over',
      life(
        () => {},
        (it) => it.submit(),
        (it) => it.report(started(), finished()),
      ),
      null,
    ],
    ['an approval that expires', awaitingApproval(undefined, 700), T0 + 700],
    ['an approval that does not', awaitingApproval(), null],
    [
      'between two attempts',
      life(
        (it) => it.submit('x', background({ maxRetries: 1 })),
        (it) => it.report(failed()),
      ),
      T0 + RETRY_BASE_MS,
    ],
    [
      'an abort',
      life(
        (it) => it.submit(),
        (it) => it.do({ type: 'cancel' }),
      ),
      T0 + ABORT_GRACE_MS,
    ],
    ['background work under way', running(background({ expiresAt })), T0 + STUCK_MS],
    ['background work that waits', awaitingApproval(background({ expiresAt })), expiresAt],
    ['a chat that waits', awaitingApproval({ expiresAt }), null],
    [
      'background work for which no sandbox is free',
      life(
        (it) => it.submit('x', background({ expiresAt })),
        (it) => it.report({ type: 'sandbox_awaited', reason: 'All are busy.' }),
      ),
      expiresAt,
    ],
  ])('%s', (_name, { state, now }, expected) => {
    expect(dueAt(state, now)).toBe(expected)
  })
})

describe('[CF3] the wake that a store keeps', () => {
  test.each<[string, TestSession, boolean, number | null]>([
    ['a run that may get stuck: its owner looks after that', running(), true, null],
    ['an approval that expires while its run waits', awaitingApproval(undefined, 700), true, T0 + 700],
    ['background work that waits', awaitingApproval(background({ expiresAt })), true, expiresAt],
    ['background work under way may finish', running(background({ expiresAt })), true, null],
    [
      'a retry',
      life(
        (it) => it.submit('x', background({ maxRetries: 1 })),
        (it) => it.report(failed()),
      ),
      false,
      T0 + RETRY_BASE_MS,
    ],
    ['idle', life((it) => it.do({ type: 'create' })), false, null],
  ])('%s', (_name, { state, now }, inHand, expected) => {
    expect(wakeOf(inHand, dueTimes(state, now))).toEqual({ inHand, dueAt: expected })
  })

  test('of a run at work no token changes it', () => {
    const it = running(background({ expiresAt, policy: { health: { max_runtime_minutes: 9 } } }))
    const before = wakeOf(true, dueTimes(it.state, it.now))
    for (const text of ['a', 'b', 'c']) {
      it.wait(1_000).report(token(text))
      expect(wakeOf(true, dueTimes(it.state, it.now))).toEqual(before)
    }
  })
})

describe('a tick at that moment gets on: otherwise a session would spin', () => {
  test.each<[string, TestSession]>([
    [
      'background work without a prompt, past its expiry',
      life((it) => it.do({ type: 'create', opening: background({ expiresAt }) })),
    ],
    [
      'cancelled, past its expiry',
      life(
        () => {},
        (it) => it.submit('x', background({ expiresAt })),
        (it) => it.report(started()),
        (it) => it.wait(5_000),
        (it) => it.do({ type: 'cancel' }),
      ),
    ],
    [
      'paused and still stopping, past its expiry',
      life(
        (it) => it.submit('x', background({ expiresAt })),
        (it) => it.report(started()),
        (it) => it.wait(4_999),
        (it) => it.do({ type: 'pause' }),
        (it) => it.wait(1),
      ),
    ],
    [
      'running, past its expiry, with a question of the attempt before',
      life(
        (it) => it.submit('x', background({ expiresAt })),
        (it) => it.report(started(), call('c1'), askItem('c1')),
        (it) => it.do({ type: 'pause' }),
        (it) => it.report(stopped),
        (it) => it.do({ type: 'resume' }),
        (it) => it.report(started(), token('on')),
      ),
    ],
    [
      'asked about an unknown outcome',
      life(
        (it) => it.submit('x', background({ expiresAt })),
        (it) => it.report(started(), call('c1')),
        (it) => it.report(lost),
      ),
    ],
    ['waiting for an approval', awaitingApproval(background({ expiresAt }), 100)],
  ])('%s', (_name, told) => {
    for (let round = 0; round < 20; round++) {
      const due = dueAt(told.state, told.now)
      if (due === null) return
      told.now = Math.max(told.now, due)
      told.tick()
      const next = dueAt(told.state, told.now)
      expect(next === null || next > told.now, `still due at ${told.now - T0} after round ${round}`).toBe(true)
    }
  })
})
