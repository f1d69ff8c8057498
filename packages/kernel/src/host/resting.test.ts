// An announced stop: durable runs come to rest at once, the others go on, and the next process continues both.
import { expect, test } from 'vitest'
import type { Job, RunEnd, Runner } from '../ports/runner.ts'
import { askItem, call, finished } from '../rules/rules.suite.ts'
import type { RunReporter } from '../session/run-reporter.ts'
import { deferred, flushPending, key, setUp } from './host.suite.ts'

/** Durable runs: each has one call under way, which ends when the test says so. */
const callRunner = () => {
  const calls = new Map<string, ReturnType<typeof deferred>>()
  const seen: string[] = []
  const resting = new Set<string>()
  const go = async ({ key: { id }, runId }: Job, reporter: RunReporter): Promise<RunEnd> => {
    const callId = `${runId}.1`
    if (!(callId in (reporter.session.job()?.course?.calls ?? {}))) await reporter.report([call(callId)])
    const under = deferred()
    calls.set(id, under)
    await under.promise
    await reporter.report([
      { type: 'event', event: { type: 'tool_outcome', payload: { tool_call_id: callId, status: 'ok' } } },
    ])
    if (resting.has(id)) return 'waiting'
    await reporter.report([finished()])
    return 'done'
  }
  const runner: Runner = {
    start: async (job, reporter) => {
      seen.push(`start ${job.key.id}`)
      await reporter.report([{ type: 'started', durable: true }])
      return go(job, reporter)
    },
    attach: async (job, reporter) => {
      seen.push(`attach ${job.key.id}`)
      await reporter.report([{ type: 'resumed' }])
      return go(job, reporter)
    },
    rest: async (job) => {
      seen.push(`rest ${job.key.id}`)
      resting.add(job.key.id)
      await calls.get(job.key.id)?.promise
    },
    abort: async () => null,
    answer: async () => {},
  }
  return { runner, seen, calls }
}

const prompt = { type: 'submit', prompt: 'go' } as const
const other = { ...key('plain'), agent: 'other' }

test('[O4] durable runs end what they have begun and begin nothing new; a run that would end with the process goes on', async () => {
  const durable = callRunner()
  const first = setUp()
  const world = setUp({ runner: (agent) => (agent === 'other' ? first.runner : durable.runner) })
  const { host, clock } = world
  for (const id of ['a', 'b']) await host.send(key(id), prompt)
  await host.send(other, prompt)
  await flushPending()
  expect(host.runningCount).toBe(3)

  let rested = false
  const resting = host.rest().then(() => {
    rested = true
  })
  await flushPending()
  expect(durable.seen).toEqual(['start a', 'start b', 'rest a', 'rest b'])
  expect(host.runningCount).toBe(3)
  durable.calls.get('a')?.release()
  await flushPending()
  expect([host.runningCount, rested]).toEqual([2, false])
  durable.calls.get('b')?.release()
  await resting
  await flushPending()
  expect([host.runningCount, rested, first.runner.last.reporter.closed]).toEqual([1, true, false])
  await first.runner.last.reporter.report([finished()])
  expect(host.runningCount).toBe(0)
  // Nothing is taken up any more: neither by a timer, nor when a session is opened again.
  await clock.pass(60_000)
  expect(durable.seen).toHaveLength(4)

  const next = callRunner()
  const later = await world.again({ runner: () => next.runner })
  await later.host.start()
  await flushPending()
  expect(next.seen.sort()).toEqual(['attach a', 'attach b'])
  for (const id of ['a', 'b']) next.calls.get(id)?.release()
  await flushPending()
  for (const id of ['a', 'b']) {
    const types = (await later.events(key(id))).map(({ type }) => type)
    expect(types.filter((type) => type === 'turn_end')).toHaveLength(1)
    expect(types).not.toContain('run_parked')
  }
  await later.host.stop()
})

test('[O4] an answer that comes while durable runs rest is used by the next process', async () => {
  const asking = (seen: string[]): Runner => {
    const go = async (reporter: RunReporter): Promise<RunEnd> => {
      const { course } = reporter.session.job() ?? {}
      const answer = course?.answers[0]
      if (answer) {
        await reporter.report([{ type: 'approval_delivered', requestId: answer.requestId }, finished()])
        return 'done'
      }
      if (!course?.open.length) await reporter.report([call('c1'), askItem('c1')])
      await reporter.report([{ type: 'waiting', until: null, seen: reporter.session.job()?.course?.head ?? 0 }])
      return 'waiting'
    }
    return {
      start: async (job, reporter) => {
        seen.push(`start ${job.key.id}`)
        await reporter.report([{ type: 'started', durable: true }])
        return go(reporter)
      },
      attach: async (job, reporter) => {
        seen.push(`attach ${job.key.id}`)
        await reporter.report([{ type: 'resumed' }])
        return go(reporter)
      },
      rest: async (job) => void seen.push(`rest ${job.key.id}`),
      abort: async () => null,
      answer: async () => {},
    }
  }
  const seen: string[] = []
  const world = setUp({ runner: () => asking(seen) })
  const { host } = world
  const approve = async (id: string) => {
    const [approval] = Object.values((await host.open(key(id))).state.approvals.open)
    await host.send(key(id), { type: 'approve', approvalId: approval?.id ?? '', decision: 'approved' })
  }
  for (const id of ['a', 'b', 'c']) await host.send(key(id), prompt)
  await flushPending()
  expect(host.runningCount).toBe(0)
  await approve('a')
  await flushPending()
  await host.rest()
  await approve('b')
  await flushPending()
  expect([seen, host.runningCount]).toEqual([['start a', 'start b', 'start c', 'attach a'], 0])

  const next: string[] = []
  const later = await world.again({ runner: () => asking(next) })
  await later.host.start()
  await flushPending()
  expect(next).toEqual(['attach b'])
  expect((await later.host.open(key('b'))).state.lifecycle.run).toBeNull()
  expect((await later.host.open(key('c'))).state.lifecycle.run).not.toBeNull()
  await later.host.stop()
})
