import { describe, expect, test } from 'vitest'
import { flushPending, key, ManualRunner, setUp } from '../host/host.suite.ts'
import type { RunEnd, Runner } from '../ports/runner.ts'
import { statusOf } from '../projections/state.ts'
import { askItem, call, finished, token } from '../rules/rules.suite.ts'

const submit = { type: 'submit', prompt: 'hello' } as const
const begun = async (more: Parameters<typeof setUp>[0] = {}, command: object = submit) => {
  const all = setUp(more)
  await all.host.send(key(), command as typeof submit)
  await flushPending()
  const session = await all.host.open(key())
  return { ...all, session }
}

describe('a run', () => {
  test('is started once, with its job', async () => {
    const { runner, host } = await begun()
    expect(runner.attempts).toHaveLength(1)
    expect(runner.last.how).toBe('start')
    expect(runner.last.job).toEqual({
      key: key(),
      runId: 'r-2',
      attempt: 1,
      prompt: 'hello',
      input: null,
      resume: null,
      handle: null,
      frame: -1,
      parent: null,
      settings: {},
      epoch: 1,
      awaiting: [],
    })
    await host.send(key(), { type: 'submit', prompt: 'next' })
    await flushPending()
    expect(runner.attempts).toHaveLength(1)
    await runner.last.reporter.report([finished({ resume: 'h' })])
    await flushPending()
    expect(runner.attempts.map(({ job }) => [job.prompt, job.resume, job.frame])).toEqual([
      ['hello', null, -1],
      ['next', 'h', -1],
    ])
  })

  test('[S11] a runner that fails ends it, and the text that waited for its pace is kept', async () => {
    const { runner, session, clock } = await begun({ tokenPaceMs: 16 })
    await runner.last.reporter.token('a')
    await runner.last.reporter.token('b')
    runner.last.crash(new Error('engine died'))
    await flushPending()
    await clock.pass(0)
    expect(session.state.conversation).toMatchObject({ status: 'error', error: 'engine died' })
    expect(session.state.conversation.messages[1]).toMatchObject({ content: 'ab', status: 'error' })
  })

  test('[S11] a runner that cannot even begin ends it', async () => {
    const start = (): Promise<RunEnd> => {
      throw new Error('no engine')
    }
    const none: Runner = { start, attach: start, abort: async () => null, answer: async () => {} }
    const { session } = await begun({ runner: () => none })
    expect(session.state.conversation).toMatchObject({ status: 'error', error: 'no engine' })
  })

  test('[S11] a runner that is done without a word leaves no run behind', async () => {
    const { runner, session } = await begun()
    await runner.last.reporter.report([token('x')])
    runner.last.end('done')
    await flushPending()
    expect(statusOf(session.state)).toBe('failed')
    expect(session.state.conversation.messages[1]).toMatchObject({ content: 'x', status: 'error' })
  })

  test('[S11] a stream that is cut is taken up again behind its last frame', async () => {
    const { runner, session, clock } = await begun()
    await runner.last.reporter.report([token('one ')])
    runner.last.end('cut')
    await clock.pass(0)
    expect(runner.last).toMatchObject({ how: 'attach', job: { frame: 1, handle: { at: 'here' } } })
    await runner.last.reporter.report([token('two')])
    await runner.last.reporter.report([finished()])
    runner.last.end('done')
    await flushPending()
    expect(session.state.conversation.messages[1]).toMatchObject({ content: 'one two', status: 'complete' })
  })

  test('[S11] one that is cut again and again without a word is lost', async () => {
    const { runner, session, clock } = await begun()
    for (let cut = 0; cut < 20 && session.state.lifecycle.run; cut++) {
      runner.last.end('cut')
      await clock.pass(10_000)
    }
    expect(statusOf(session.state)).toBe('failed')
    expect(runner.attempts.length).toBeLessThan(10)
  })

  test('[S11] one that gets on between the cuts is not', async () => {
    const { runner, session, clock } = await begun()
    for (let cut = 0; cut < 20; cut++) {
      await runner.last.reporter.report([token('.')])
      runner.last.end('cut')
      await clock.pass(10_000)
    }
    await runner.last.reporter.report([finished()])
    expect(session.state.conversation.messages[1]).toMatchObject({ content: '.'.repeat(20), status: 'complete' })
  })

  test('let go while it waits to be taken up, it is not taken up', async () => {
    const { runner, host, clock } = await begun()
    runner.last.end('cut')
    await clock.pass(0)
    runner.last.end('cut')
    await flushPending()
    const attempts = runner.attempts.length
    await host.stop()
    await clock.pass(10_000)
    expect(runner.attempts).toHaveLength(attempts)
  })
})

describe('an abort', () => {
  test('[S5] is asked for once, and its end is the end of the run', async () => {
    const { runner, host, session } = await begun()
    await host.send(key(), { type: 'cancel' })
    await flushPending()
    expect(runner.aborted).toMatchObject([{ runId: 'r-2', attempt: 1 }])
    expect(runner.last.reporter.closed).toBe(true)
    expect(session.state.lifecycle.run).toBeNull()
  })

  test('[S5] says where the engine stands, and the next turn goes on from there', async () => {
    const { runner, host } = await begun()
    runner.aborting = Promise.resolve('stopped here')
    await host.send(key(), { type: 'cancel' })
    await flushPending()
    await host.send(key(), { type: 'submit', prompt: 'next' })
    await flushPending()
    expect(runner.last.job).toMatchObject({ prompt: 'next', resume: 'stopped here' })
  })

  test('a failure may say it too', async () => {
    const { runner, host } = await begun()
    await runner.last.reporter.report([{ type: 'failed', message: 'too long', resume: 'failed here' }])
    await host.send(key(), { type: 'submit', prompt: 'next' })
    await flushPending()
    expect(runner.last.job).toMatchObject({ prompt: 'next', resume: 'failed here' })
  })

  test('a removed session is forgotten by its runner, its run stopped first', async () => {
    const { runner, host } = await begun()
    await host.remove(key())
    await flushPending()
    expect(runner.aborted).toMatchObject([{ runId: 'r-2', epoch: 1 }])
    expect(runner.forgotten).toEqual([key()])
  })

  test('that fails is tried again, until its time is over', async () => {
    const { runner, host, session, clock } = await begun()
    runner.aborting = Promise.reject(new Error('unreachable'))
    runner.aborting.catch(() => {})
    await host.send(key(), { type: 'cancel' })
    await clock.pass(1_999)
    expect(runner.aborted.length).toBe(2)
    expect(session.state.lifecycle.run).not.toBeNull()
    await clock.pass(1)
    expect(session.state.lifecycle.run).toBeNull()
    const times = runner.aborted.length
    await clock.pass(60_000)
    expect(runner.aborted).toHaveLength(times)
  })
})

describe('answers and steers', () => {
  test('[S15] an answer is delivered once, and again only when that failed', async () => {
    const { runner, host, session, clock } = await begun()
    await runner.last.reporter.report([call('c1'), askItem('c1')])
    const [id] = Object.keys(session.state.approvals.open)
    let failures = 2
    const { answer } = runner
    runner.answer = async (job, given) => {
      if (failures-- > 0) throw new Error('busy')
      await answer.call(runner, job, given)
    }
    await host.send(key(), { type: 'approve', approvalId: id!, decision: 'denied', reason: 'no' })
    await clock.pass(10_000)
    expect(runner.answers).toMatchObject([{ requestId: id, toolCallId: 'c1', decision: 'denied', reason: 'no' }])
    expect(session.state.approvals.decided[id!]).toMatchObject({ undelivered: false })
  })

  test('[S15] an answer that was not delivered is delivered by the next owner', async () => {
    const first = await begun()
    await first.runner.last.reporter.report([call('c1'), askItem('c1')])
    const [id] = Object.keys(first.session.state.approvals.open)
    first.runner.answer = () => new Promise(() => {})
    await first.host.send(key(), { type: 'approve', approvalId: id!, decision: 'denied' })
    const next = await first.again()
    await next.host.start()
    await flushPending()
    expect(next.runner.attempts).toMatchObject([{ how: 'attach', job: { awaiting: ['c1'] } }])
    expect(next.runner.answers).toMatchObject([{ requestId: id }])
  })

  test('[S15] a runner without `answer` takes it from the log, and says itself when it has it', async () => {
    const manual = new ManualRunner()
    const following: Runner = {
      start: (job, reporter) => manual.start(job, reporter),
      attach: (job, reporter) => manual.attach(job, reporter),
      abort: (job) => manual.abort(job),
    }
    const { host, session, clock } = await begun({ runner: () => following })
    const followed: string[] = []
    manual.last.reporter.follow((events) => void followed.push(...events.map(({ type }) => type)))
    await manual.last.reporter.report([call('c1'), askItem('c1')])
    const id = String(Object.keys(session.state.approvals.open)[0])
    await host.send(key(), { type: 'approve', approvalId: id, decision: 'denied' })
    await clock.pass(10_000)
    expect(followed).toContain('approval_decided')
    expect(session.state.approvals.decided[id]).toMatchObject({ undelivered: true })
    await manual.last.reporter.report([{ type: 'approval_delivered', requestId: id }])
    expect(session.state.approvals.decided[id]).toMatchObject({ undelivered: false })
  })

  test('[S7] a steer reaches the runner once', async () => {
    const all = setUp()
    all.runner.steerable = true
    await all.host.send(key(), submit)
    await flushPending()
    await all.host.send(key(), { type: 'steer', prompt: 'left' })
    await flushPending()
    await all.host.send(key(), { type: 'steer', prompt: 'right' })
    await flushPending()
    expect(all.runner.steers).toEqual(['left', 'right'])
  })
})
