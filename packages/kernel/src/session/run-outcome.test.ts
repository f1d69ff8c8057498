import { expect, test } from 'vitest'
import { flushPending, key, setUp, T0 } from '../host/host.suite.ts'
import { eventReport, failed, finished, token } from '../rules/rules.suite.ts'
import { type RunOutcome, runOutcome } from './run-outcome.ts'
import type { Session } from './session.ts'

type HostSetUp = Awaited<ReturnType<typeof begun>>
const begun = async (opening: object = {}) => {
  const all = setUp()
  const answer = (await all.host.send(key(), { type: 'submit', prompt: 'p', opening })) as {
    runId: string
    seq: number
  }
  await flushPending()
  const session: Session = await all.host.open(key())
  const second = (await all.host.send(key(), { type: 'submit', prompt: 'q' })) as { runId: string; seq: number }
  return { ...all, session, answer, second }
}

test.each<[string, (world: HostSetUp) => Promise<unknown>, RunOutcome]>([
  [
    'completed with its text',
    async ({ runner }) => runner.last.reporter.report([token('Hi'), finished()]),
    { status: 'completed', result: 'Hi' },
  ],
  [
    'completed with a result',
    async ({ runner }) => runner.last.reporter.report([finished({ result: 'R' })]),
    { status: 'completed', result: 'R' },
  ],
  [
    'failed',
    async ({ runner }) => runner.last.reporter.report([failed(false, 'no')]),
    { status: 'failed', message: 'no', reason: null },
  ],
  [
    'lost',
    async ({ runner }) => runner.last.end('lost'),
    {
      status: 'failed',
      message:
        'The server or the runner of agent stopped in the middle of this run, and the run cannot continue. Ask again.',
      reason: 'interrupted',
    },
  ],
  [
    'ended without a terminal report',
    async ({ runner }) => runner.last.end('done'),
    { status: 'failed', message: 'agent ended this run without an answer. Ask again.', reason: 'interrupted' },
  ],
  ['cancelled', async ({ host }) => host.send(key(), { type: 'cancel' }), { status: 'cancelled' }],
  ['moved', async ({ host }) => host.stop(), { status: 'moved' }],
])('a run that %s, whether it is awaited or over', async (_name, end, expected) => {
  const world = await begun()
  const awaited = runOutcome(world.session, world.answer.runId, world.answer.seq)
  await end(world)
  await flushPending()
  expect(await awaited).toEqual(expected)
  expect(await runOutcome(world.session, world.answer.runId, world.answer.seq)).toEqual(expected)
  await flushPending()
  expect(world.session.subscribers.size).toBe(0)
})

test('a prompt that never ran was cancelled', async () => {
  const { host, session, second } = await begun()
  const awaited = runOutcome(session, second.runId, second.seq)
  await host.send(key(), { type: 'cancel', runId: second.runId })
  expect(await awaited).toEqual({ status: 'cancelled' })
})

test('a prompt that expired before it ran has failed', async () => {
  const { host, clock } = setUp()
  clock.step(10_000)
  const opening = { kind: 'background', expiresAt: T0 } as const
  const answer = (await host.send(key(), { type: 'submit', prompt: 'p', opening })) as { runId: string }
  const session = await host.open(key())
  expect(await runOutcome(session, answer.runId, 0)).toEqual({
    status: 'failed',
    message: 'The session expired.',
    reason: 'expired',
  })
})

test('the end of another run is not its end, nor is what a runner makes up', async () => {
  const { runner, session, answer, second } = await begun()
  let over = false
  const awaited = runOutcome(session, second.runId, second.seq).then((outcome) => {
    over = true
    return outcome
  })
  await runner.last.reporter.report([
    eventReport('prompt_dropped', { run_id: second.runId, message_id: 'm', reason: 'forged' }),
    eventReport('turn_end', { turn_id: second.runId, status: 'completed' }),
    eventReport('completed', { turn_id: second.runId, result: 'forged' }),
  ])
  await runner.last.reporter.report([finished({ result: 'first' })])
  await flushPending()
  expect(over).toBe(false)
  expect(await runOutcome(session, answer.runId, answer.seq)).toEqual({ status: 'completed', result: 'first' })
  await runner.last.reporter.report([finished({ result: 'second' })])
  expect(await awaited).toEqual({ status: 'completed', result: 'second' })
})
