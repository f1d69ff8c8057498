import { describe, expect, test } from 'vitest'
import { ABORT_GRACE_MS, RETRY_BASE_MS, STUCK_MS } from '../limits.ts'
import { dueAt } from './due-time.ts'
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
