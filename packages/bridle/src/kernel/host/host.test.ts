import { describe, expect, test } from 'vitest'
import type { Answers } from '../commands.ts'
import type { AnyEvent } from '../event.ts'
import { BUDGET_GRACE_MS, IDLE_SESSIONS_MAX, SNAPSHOT_EVERY } from '../limits.ts'
import { StoreFault } from '../ports/store-fault.ts'
import { emptyState, evolve, statusOf } from '../projections/state.ts'
import {
  askItem,
  background,
  call,
  eventReport,
  failed,
  finished,
  messageSummary,
  token,
} from '../rules/rules.suite.ts'
import { callDigest } from './approval-binding.ts'
import { deferred, digest, flushPending, key, RecordingListener, setUp, T0 } from './host.suite.ts'

const submit = (prompt = 'hello') => ({ type: 'submit', prompt }) as const
const id = (commandId: string, bodyHash = 'h') => ({ commandId, bodyHash })
const seqs = (events: readonly AnyEvent[]) => events.map(({ seq }) => seq)
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)
const prompts = (events: readonly AnyEvent[]) => events.filter(({ type }) => type === 'prompt_queued').length

describe('[O29] when another owner has taken over the data', () => {
  test('sessions in memory are let go, watched or not, and shown to nobody', async () => {
    const { host, clock, store } = setUp()
    await host.start()
    const watchers: RecordingListener[] = []
    for (const name of ['a', 'b', 'c']) {
      await host.send(key(name), submit())
      const watcher = new RecordingListener()
      ;(await host.open(key(name))).subscribers.add(watcher, 0)
      watchers.push(watcher)
    }
    await flushPending()
    const next = setUp({}, store.reopen(), clock)
    await expect(host.find(key('a'))).rejects.toMatchObject({ code: 'fenced' })
    expect(host.counts()).toMatchObject({ sessions: 0, running: 0 })
    expect(watchers.map(({ closed }) => closed)).toEqual(['moved', 'moved', 'moved'])
    for (const name of ['a', 'b', 'c', 'new'])
      await expect(host.send(key(name), submit())).rejects.toMatchObject({ code: 'fenced' })
    await next.host.start()
    expect(next.host.counts().running).toBe(3)
  })

  test('also when nobody asks', async () => {
    const { host, clock, store } = setUp()
    await host.start()
    const watchers = ['a', 'b', 'c'].map(() => new RecordingListener())
    for (const [index, watcher] of watchers.entries()) (await host.open(key(`s${index}`))).subscribers.add(watcher, 0)
    store.reopen()
    await clock.pass(1_000)
    expect(watchers.map(({ closed }) => closed)).toEqual(['moved', 'moved', 'moved'])
  })
})

describe('[S25] when the store does not say whether it wrote', () => {
  test.each(['before', 'after'] as const)(
    'a command with an id is tried again and has one effect (%s the write)',
    async (when) => {
      const { host, log, events } = setUp()
      await host.send(key(), { type: 'create' })
      let failures = 1
      log[when] = () => {
        if (failures-- > 0) throw new StoreFault('outcome_unknown', 'lost')
      }
      const answer = await host.send(key(), submit(), id('c1'))
      expect(answer).toMatchObject({ delivery: 'started' })
      expect(await host.send(key(), submit(), id('c1'))).toEqual(answer)
      expect(prompts(await events())).toBe(1)
    },
  )

  test('one without an id is not, and its caller is told', async () => {
    const { host, log, events } = setUp()
    await host.send(key(), { type: 'create' })
    let failures = 1
    log.after = () => {
      if (failures-- > 0) throw new StoreFault('outcome_unknown', 'lost')
    }
    await expect(host.send(key(), submit())).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(prompts(await events())).toBe(1)
    // The append was written after all: the run is taken up although no caller asks.
    const { lifecycle } = (await host.open(key())).state
    expect(lifecycle.run).toMatchObject({ text: 'hello' })
  })

  test('it is not tried for ever', async () => {
    const { host, log } = setUp()
    log.before = () => {
      throw new StoreFault('outcome_unknown', 'lost')
    }
    await expect(host.send(key(), submit(), id('c1'))).rejects.toMatchObject({ code: 'outcome_unknown' })
  })

  test('the first command of a session, too', async () => {
    const { host, log, events } = setUp()
    let failures = 1
    log.after = () => {
      if (failures-- > 0) throw new StoreFault('outcome_unknown', 'lost')
    }
    expect(await host.send(key(), submit(), id('c1'))).toMatchObject({ runId: 'r-2' })
    expect(prompts(await events())).toBe(1)
  })
})

test('[S25] a full store is told, and later the session goes on from what is there', async () => {
  const { host, log, runner, clock, faults, events } = setUp()
  await host.send(key(), submit())
  await flushPending()
  const head = (await events()).length
  log.before = () => {
    throw new StoreFault('full', 'no room')
  }
  await expect(host.send(key(), submit('second'), id('c1'))).rejects.toMatchObject({ code: 'full' })
  expect(await events()).toHaveLength(head)
  expect(faults).toHaveLength(1)
  log.before = () => {}
  await clock.pass(1_000)
  expect(runner.last.how).toBe('attach')
  expect(await host.send(key(), submit('second'), id('c1'))).toMatchObject({ delivery: 'queued' })
})

test('a deposed owner changes nothing and lets go', async () => {
  const first = setUp()
  await first.host.send(key(), submit())
  await flushPending()
  const watcher = new RecordingListener()
  const session = await first.host.open(key())
  session.subscribers.add(watcher, 0)
  await flushPending()
  const second = setUp({}, first.store.reopen(), first.clock)
  await second.host.send(key(), submit('second'))
  await expect(first.host.send(key(), submit('deposed'), id('c1'))).rejects.toMatchObject({ code: 'fenced' })
  expect(watcher.closed).toBe('moved')
  expect(first.runner.last.reporter.closed).toBe(true)
  await expect(first.host.send(key(), submit('deposed'))).rejects.toMatchObject({ code: 'fenced' })
  const log = await second.events()
  expect(seqs(log)).toEqual(range(1, log.length))
  expect(JSON.stringify(log)).not.toContain('deposed')
})

describe('opening', () => {
  test('one session per key, however the asking falls', async () => {
    const { host, log } = setUp()
    await host.send(key(), { type: 'create' })
    const opens: ReturnType<typeof host.open>[] = []
    const other = key('s2')
    for (let turn = 0; turn < 60; turn++) {
      opens.push(host.open(other))
      await null
    }
    const sessions = new Set(await Promise.all(opens))
    expect(sessions.size).toBe(1)
    expect(log.opened).toBe(2)
  })

  test('asking for an unknown session leaves nothing behind', async () => {
    const { host, events } = setUp()
    expect(await host.find(key())).toBeNull()
    expect(await host.send(key(), { type: 'pause' })).toMatchObject({ refused: 'session_not_found' })
    expect(host.counts()).toMatchObject({ sessions: 0 })
    expect(await events()).toEqual([])
  })

  test.each(range(0, 25))('somebody who looks for a session does not disturb its first command (%i)', async (turns) => {
    const { host } = setUp()
    const sent = host.send(key(), submit())
    for (let turn = 0; turn < turns; turn++) await null
    await host.find(key())
    expect(await sent).toMatchObject({ delivery: 'started' })
  })

  test('an agent that is not there', async () => {
    const { host } = setUp()
    await expect(host.send({ ...key(), agent: 'nobody' }, submit())).rejects.toMatchObject({ code: 'refused' })
  })

  test('idle sessions leave memory when there are too many, and come back when asked for', async () => {
    const { host, log } = setUp()
    await host.send(key('kept'), { type: 'create' })
    const watcher = new RecordingListener()
    ;(await host.open(key('kept'))).subscribers.add(watcher, 0)
    for (let index = 0; index < IDLE_SESSIONS_MAX + 10; index++) await host.send(key(`x${index}`), { type: 'create' })
    expect(host.counts().sessions).toBeLessThanOrEqual(IDLE_SESSIONS_MAX + 1)
    expect(watcher.closed).toBeNull()
    const opened = log.opened
    expect(await host.send(key('x0'), { type: 'pause' })).toMatchObject({ paused: true })
    expect(log.opened).toBe(opened + 1)
  })
})

describe('[S15] approvals through the host', () => {
  const waiting = async () => {
    const all = setUp()
    await all.host.send(key(), submit())
    await flushPending()
    const requested = await callDigest(digest, 'write', { a: 1 })
    await all.runner.last.reporter.report([call('c1'), askItem('c1', undefined, requested)])
    const session = await all.host.open(key())
    const [approvalId] = Object.keys(session.state.approvals.open)
    const answer = (more: object) =>
      all.host.send(key(), { type: 'approve', approvalId: approvalId!, decision: 'approved', ...more })
    return { ...all, session, answer, approvalId: approvalId!, requested }
  }

  test('[S16] are bound to the arguments as approved', async () => {
    const { answer, runner, requested } = await waiting()
    await answer({})
    await flushPending()
    expect(runner.answers).toMatchObject([{ arguments: { a: 1 }, approvedDigest: requested }])
  })

  test('[S16] also when these were edited', async () => {
    const { answer, runner } = await waiting()
    await answer({ args: { a: 2 } })
    await flushPending()
    const approvedDigest = await callDigest(digest, 'write', { a: 2 })
    expect(runner.answers).toMatchObject([{ arguments: { a: 2 }, approvedDigest }])
  })

  test('[E6] also when they came back as the log shows them', async () => {
    const { answer, runner } = await waiting()
    await answer({ args: { a: 2, _tool_call_id: 'c1' } })
    await flushPending()
    const approvedDigest = await callDigest(digest, 'write', { a: 2 })
    expect(runner.answers).toMatchObject([{ approvedDigest }])
    expect(runner.answers[0]?.arguments).toEqual({ a: 2 })
  })

  test.each<[string, object, object, boolean]>([
    ['twice as asked', {}, {}, true],
    ['the same edit', { args: { a: 2 } }, { args: { a: 2 } }, true],
    ['as asked, then the same arguments spelled out', {}, { args: { a: 1 } }, true],
    ['as asked, then edited', {}, { args: { a: 2 } }, false],
    ['edited, then as asked', { args: { a: 2 } }, {}, false],
    ['approved, then denied', {}, { decision: 'denied' }, false],
  ])('[S17] %s', async (_name, first, second, same) => {
    const { answer, approvalId, again } = await waiting()
    await answer(first)
    const check = async (given: Promise<unknown>) =>
      same
        ? expect(await given).toMatchObject({ approvalId, decision: 'approved' })
        : expect(await given).toMatchObject({ refused: 'approval_settled' })
    await check(answer(second))
    await flushPending()
    await check(answer(second))
    const next = await again()
    await check(next.host.send(key(), { type: 'approve', approvalId, decision: 'approved', ...second }))
  })

  test("[S17] the kernel's own questions, too", async () => {
    const { host, runner, clock } = setUp()
    const opening = background({ policy: { health: { max_cost_usd: 1 } } })
    await host.send(key(), { ...submit(), opening })
    await flushPending()
    await runner.last.reporter.report([eventReport('usage', { cost_usd: 1.5 })]).catch(() => {})
    await clock.pass(BUDGET_GRACE_MS)
    const session = await host.open(key())
    const [approvalId] = Object.keys(session.state.approvals.open)
    const approve = () => host.send(key(), { type: 'approve', approvalId: approvalId!, decision: 'approved' })
    const first = (await approve()) as Answers['approve']
    expect(await approve()).toMatchObject({ approvalId, decision: first.decision })
  })
})

describe('after a restart', () => {
  test('[S12] a chat run that its runner lost ends with one error and its text', async () => {
    const first = setUp()
    await first.host.send(key(), submit())
    await flushPending()
    await first.runner.last.reporter.report([token('half')])
    const next = await first.again()
    await next.host.start()
    expect(next.runner.attempts).toMatchObject([{ how: 'attach', job: { frame: 1 } }])
    next.runner.last.end('lost')
    await flushPending()
    const { state } = await next.host.open(key())
    expect(state.conversation.messages.map(messageSummary)).toEqual(['user complete: hello', 'assistant error: half'])
    expect((await next.events()).filter(({ type }) => type === 'error')).toMatchObject([
      { payload: { reason: 'interrupted' } },
    ])
    expect(next.runner.attempts).toHaveLength(1)
  })

  test('a run that was asked for and never started is started', async () => {
    const first = setUp()
    first.log.after = () => first.host.stop()
    await first.host.send(key(), submit()).catch(() => {})
    const next = await first.again()
    await next.host.start()
    await flushPending()
    expect(next.runner.attempts).toMatchObject([{ how: 'start', job: { runId: 'r-2', attempt: 1 } }])
  })

  test('[S13] a retry is due though nobody asks', async () => {
    const first = setUp()
    await first.host.send(key(), { ...submit(), opening: background({ maxRetries: 1 }) })
    await flushPending()
    await first.runner.last.reporter.report([failed()])
    const next = await first.again()
    await next.host.start()
    await next.clock.pass(999)
    expect(next.runner.attempts).toEqual([])
    await next.clock.pass(1_001)
    expect(next.runner.attempts).toMatchObject([{ how: 'start', job: { attempt: 2 } }])
  })

  test('[S15] an approval expires though nobody was running', async () => {
    const first = setUp()
    await first.host.send(key(), submit())
    await flushPending()
    await first.runner.last.reporter.report([call('c1'), askItem('c1', 5_000)])
    await first.host.stop()
    await first.clock.pass(60_000)
    const next = await first.again()
    await next.host.start()
    await flushPending()
    expect((await next.events()).filter(({ type }) => type === 'approval_decided')).toMatchObject([
      { payload: { decision: 'expired' } },
    ])
  })

  test('what is live equals what a replay gives', async () => {
    const first = setUp()
    await first.host.send(key(), submit())
    await flushPending()
    await first.runner.last.reporter.report([token('a'), call('c1'), finished()])
    const live = (await first.host.open(key())).state
    expect((await first.events()).reduce(evolve, emptyState)).toEqual(live)
    const next = await first.again()
    expect((await next.host.open(key())).state).toEqual(live)
  })
})

describe('[S23] removal', () => {
  test('tells its watchers, lets its run go, and a new session of that name goes on with the numbers', async () => {
    const { host, runner, events } = setUp()
    await host.send(key(), submit())
    await flushPending()
    const watcher = new RecordingListener()
    ;(await host.open(key())).subscribers.add(watcher, 0)
    await flushPending()
    const head = (await events()).length
    expect(await host.remove(key())).toBe(true)
    await flushPending()
    expect([watcher.closed, runner.aborted.length, runner.last.reporter.closed]).toEqual(['removed', 1, true])
    expect(await host.find(key())).toBeNull()
    expect(await host.remove(key())).toBe(false)
    expect(await events()).toEqual([])
    expect(await host.send(key(), submit('new'))).toMatchObject({ runId: `r-${head + 2}` })
    const log = await events()
    expect(seqs(log)).toEqual(range(head + 1, head + log.length))
    const { state } = await host.open(key())
    expect(state.conversation.messages.filter(({ role }) => role === 'user').map(messageSummary)).toEqual([
      'user complete: new',
    ])
    const late = new RecordingListener()
    ;(await host.open(key())).subscribers.add(late, 0)
    await flushPending()
    expect(seqs(late.seen)).toEqual(seqs(log))
  })

  test('its command ids are forgotten with it', async () => {
    const { host } = setUp()
    await host.send(key(), submit(), id('c1'))
    await host.remove(key())
    expect(await host.send(key(), submit('other'), id('c1', 'h2'))).toMatchObject({ delivery: 'started' })
  })
})

describe('[S22] branches', () => {
  const midRun = async () => {
    const all = setUp()
    await all.host.send(key(), submit())
    await flushPending()
    await all.runner.last.reporter.report([token('half'), call('c1'), askItem('c1')])
    await all.host.send(key(), submit('queued'))
    return { ...all, parent: await all.events() }
  }

  test('in the middle of a run comes to rest, and no runner hears of it', async () => {
    const { host, runner, events, parent } = await midRun()
    const seq = parent.length
    expect(await host.branch(key(), seq, 'child', { title: 'T' })).toMatchObject({
      sessionId: 'child',
      parent: { id: 's1', seq },
    })
    await flushPending()
    const child = await host.open(key('child'))
    expect(statusOf(child.state)).toBe('idle')
    expect(runner.attempts.map(({ job }) => job.key.id)).toEqual(['s1'])
    expect(runner.aborted).toEqual([])
    const lineage = await events(key('child'))
    expect(lineage.slice(0, seq)).toEqual(parent)
    expect(seqs(lineage)).toEqual(range(1, lineage.length))
    expect(child.state).toEqual(lineage.reduce(evolve, emptyState))
    // A client that only listens learns that the approval is not open in the branch.
    expect(
      lineage.filter(({ type }) => type === 'approval_applied').map(({ seq: at, payload }) => [at > seq, payload]),
    ).toMatchObject([[true, { tool_call_id: 'c1', decision: 'cancelled', reason: 'branched' }]])
    expect(child.state.conversation.messages.at(-1)?.toolCalls).toMatchObject([
      { id: 'c1', status: 'error', approval: { status: 'cancelled' } },
    ])
  })

  test.each(range(1, 12))('at each event of its parent (%i)', async (seq) => {
    const { host, runner, events, parent, again } = await midRun()
    if (seq > parent.length) return
    expect(await host.branch(key(), seq, 'child')).toMatchObject({ sessionId: 'child' })
    expect(await host.send(key('child'), submit('go on'))).toMatchObject({ delivery: 'started' })
    await flushPending()
    expect(runner.last.job).toMatchObject({ key: key('child'), prompt: 'go on' })
    expect(await events()).toEqual(parent)
    const live = (await host.open(key('child'))).state
    const next = await again()
    expect((await next.host.open(key('child'))).state).toEqual(live)
  })

  test('takes the messages that its parent holds as they are, and is what the log says', async () => {
    const { host, runner, events } = setUp()
    for (let turn = 0; turn < 40; turn++) {
      await host.send(key(), submit(`prompt ${turn}`))
      await flushPending()
      const { reporter, end } = runner.last
      for (let piece = 0; piece < 20; piece++) await reporter.report([token(`${piece} `)])
      await reporter.report([finished()])
      end('done')
    }
    const parent = (await host.open(key())).state
    expect(parent.head).toBeGreaterThan(SNAPSHOT_EVERY)
    await host.branch(key(), parent.head, 'child')
    const { state } = await host.open(key('child'))
    expect(state).toEqual((await events(key('child'))).reduce(evolve, emptyState))
    expect(state.conversation.messages[0]).toBe(parent.conversation.messages[0])
  })

  test('never alters its parent, which goes on', async () => {
    const { host, runner, events, parent } = await midRun()
    await host.branch(key(), parent.length, 'child')
    await host.send(key('child'), submit('go on'))
    await flushPending()
    await runner.attempts[0]!.reporter.report([finished()])
    await flushPending()
    const [mine, theirs] = [await events(), await events(key('child'))]
    expect(mine.slice(0, parent.length)).toEqual(parent)
    expect(JSON.stringify(mine)).not.toContain('go on')
    expect(theirs.map(({ type }) => type)).not.toContain('completed')
  })

  test.each<[string, (host: Awaited<ReturnType<typeof midRun>>['host']) => Promise<unknown>, string]>([
    ['an unknown parent', (host) => host.branch(key('nope'), 1, 'child'), 'session_not_found'],
    ['before the first event', (host) => host.branch(key(), 0, 'child'), 'bad_branch_point'],
    ['beyond the last', (host) => host.branch(key(), 999, 'child'), 'bad_branch_point'],
    ['between two', (host) => host.branch(key(), 1.5, 'child'), 'bad_branch_point'],
    ['onto itself', (host) => host.branch(key(), 1, 's1'), 'session_exists'],
  ])('%s is refused', async (_name, ask, refused) => {
    const { host, events, parent } = await midRun()
    expect(await ask(host)).toMatchObject({ refused })
    expect(await host.find(key('child'))).toBeNull()
    expect(await events()).toEqual(parent)
  })

  test('twice is refused, or with an id the same answer', async () => {
    const { host } = await midRun()
    const first = await host.branch(key(), 5, 'child', { id: id('c1') })
    expect(await host.branch(key(), 5, 'child', { id: id('c1') })).toEqual(first)
    expect(await host.branch(key(), 5, 'child')).toMatchObject({ refused: 'session_exists' })
  })

  test('[S24] an id is good for a branch or for another command of its parent, whichever comes first', async () => {
    const { host, events, parent, again } = await midRun()
    expect(await host.branch(key(), 5, 'child', { id: id('c1', 'branch') })).toMatchObject({ sessionId: 'child' })
    expect(await host.send(key(), submit('more'), id('c1', 'submit'))).toMatchObject({ refused: 'command_conflict' })
    expect(await host.branch(key(), 5, 'other', { id: id('c1', 'branch') })).toMatchObject({
      refused: 'command_conflict',
    })
    expect(await host.find(key('other'))).toBeNull()
    expect(await events()).toEqual(parent)

    await host.send(key(), submit('more'), id('c2', 'submit'))
    expect(await host.branch(key(), 5, 'late', { id: id('c2', 'branch') })).toMatchObject({
      refused: 'command_conflict',
    })
    expect(await host.find(key('late'))).toBeNull()

    const next = await again()
    expect(await next.host.send(key(), submit('more'), id('c1', 'submit'))).toMatchObject({
      refused: 'command_conflict',
    })
  })

  test('[S24] at the same time with another command of that id: one of them is refused', async () => {
    const { host, events, parent } = await midRun()
    const answers = await Promise.all([
      host.branch(key(), 5, 'child', { id: id('c1', 'branch') }),
      host.send(key(), submit('more'), id('c1', 'submit')),
    ])
    expect(answers.filter((answer) => 'refused' in answer)).toMatchObject([{ refused: 'command_conflict' }])
    const effects = [await host.find(key('child')), (await events()).length > parent.length ? 'more' : null]
    expect(effects.filter((effect) => effect !== null)).toHaveLength(1)
  })

  test('[S24] a branch whose child was not written is made when it is asked again', async () => {
    const { host, log } = await midRun()
    log.before = ({ events }) => {
      if (events.some(({ type }) => type === 'branched')) throw new StoreFault('full', 'no room')
    }
    const ask = () => host.branch(key(), 5, 'child', { id: id('c1') })
    await expect(ask()).rejects.toMatchObject({ code: 'full' })
    log.before = () => {}
    expect(await ask()).toMatchObject({ sessionId: 'child' })
  })

  test('at the same time: one is made', async () => {
    const { host } = await midRun()
    const answers = await Promise.all([1, 2, 3].map(() => host.branch(key(), 5, 'child')))
    expect(answers.map((answer) => ('refused' in answer ? answer.refused : 'made')).sort()).toEqual([
      'made',
      'session_exists',
      'session_exists',
    ])
  })

  test('of a branch', async () => {
    const { host, events } = await midRun()
    await host.branch(key(), 5, 'child')
    const { length } = await events(key('child'))
    await host.branch(key('child'), length, 'grandchild')
    const lineage = await events(key('grandchild'))
    expect(seqs(lineage)).toEqual(range(1, lineage.length))
    expect((await host.open(key('grandchild'))).state.lifecycle.parent).toMatchObject({ id: 'child', seq: length })
  })

  test('with a watcher who came before it was made', async () => {
    const { host } = await midRun()
    const early = new RecordingListener()
    ;(await host.open(key('child'))).subscribers.add(early, 0)
    await flushPending()
    expect(await host.branch(key(), 5, 'child')).toMatchObject({ sessionId: 'child' })
    expect([null, 'moved']).toContain(early.closed)
  })

  test('outlives its parent', async () => {
    const { host, events } = await midRun()
    await host.branch(key(), 5, 'child')
    const before = await events(key('child'))
    await host.remove(key())
    expect(await events(key('child'))).toEqual(before)
    expect(await host.send(key('child'), submit('go on'))).toMatchObject({ delivery: 'started' })
  })
})

test('watchers who come at any time see the whole log, once and in order', async () => {
  const { host, runner, events } = setUp()
  await host.send(key(), submit())
  await flushPending()
  const session = await host.open(key())
  const watchers: RecordingListener[] = []
  for (let index = 0; index < 120; index++) {
    const reported = runner.last.reporter.report([token(`${index} `)])
    if (index % 3 === 0) {
      const watcher = new RecordingListener(`audience ${index % 4}`)
      watchers.push(watcher)
      session.subscribers.add(watcher, 0)
    }
    if (index % 2 === 0) await null
    if (index % 7 === 0) await reported
  }
  await flushPending()
  const log = await events()
  for (const watcher of watchers) expect(seqs(watcher.seen)).toEqual(seqs(log))
})

test('a store that holds one session back holds no other', async () => {
  const { host, log } = setUp()
  await host.send(key('a'), { type: 'create' })
  const gate = deferred()
  log.before = ({ events }) =>
    events.some(({ at }) => at === T0) && JSON.stringify(events).includes('slow') ? gate.promise : undefined
  const slow = host.send(key('a'), submit('slow'))
  expect(await host.send(key('b'), submit('fast'))).toMatchObject({ delivery: 'started' })
  gate.release()
  expect(await slow).toMatchObject({ delivery: 'started' })
})

test('a stopped host opens nothing and fires no timer', async () => {
  const { host, clock, runner } = setUp()
  await host.send(key(), { ...submit(), opening: background({ maxRetries: 1 }) })
  await flushPending()
  await runner.last.reporter.report([failed()])
  await host.start()
  await host.stop()
  await clock.pass(10_000)
  expect(runner.attempts).toHaveLength(1)
  expect(clock.pending).toBe(0)
})

describe('[S40] a session that was started from another tells it how it stands', () => {
  const child = (name: string) =>
    ({ ...submit(), opening: { kind: 'background', parentSessionId: 's1', title: name } }) as const
  const told = (events: readonly AnyEvent[]) =>
    events.flatMap((event) =>
      event.type === 'subagent_event' ? [`${event.payload.agent_id} ${event.payload.status}`] : [],
    )

  test('three children, each once, also when the process dies before it could, or after it did', async () => {
    let fails = true
    const first = setUp({
      notifyParent: async (notice) => {
        if (fails) throw new Error('The parent cannot be asked.')
        await first.host.notifyParent(notice)
      },
    })
    await first.host.send(key(), { type: 'create' })
    for (const name of ['a', 'b', 'c']) await first.host.send(key(name), child(name))
    await flushPending()
    for (const { reporter } of first.runner.attempts) await reporter.report([finished()])
    await flushPending()
    expect(told(await first.events())).toEqual([])
    const second = await first.again({ notifyParent: undefined as never })
    fails = false
    await second.host.start()
    await second.clock.pass(10)
    expect(told(await second.events()).toSorted()).toEqual(['a completed', 'b completed', 'c completed'])
    // Told, and then the process dies before the child has written that down: told again, and written once.
    second.log.before = ({ events }) => {
      if (events.some(({ type }) => type === 'parent_told')) throw new StoreFault('full', 'no room')
    }
    await second.host.send(key('d'), child('d'))
    await flushPending()
    expect(told(await second.events()).at(-1)).toBe('d running')
    const third = await second.again()
    await third.host.start()
    await third.clock.pass(10)
    expect(told(await third.events()).filter((each) => each === 'd running')).toHaveLength(1)
    expect((await third.events(key('d'))).some(({ type }) => type === 'parent_told')).toBe(true)
    const { lifecycle } = (await third.host.open(key())).state
    expect(lifecycle).toMatchObject({ run: null, queue: [] })
  })

  test('a parent that is not there is nobody to tell, and an old notice changes nothing', async () => {
    const { host, events } = setUp()
    await host.send(key('a'), child('a'))
    await flushPending()
    expect((await events(key('a'))).filter(({ type }) => type === 'parent_told')).toHaveLength(1)
    await host.send(key(), { type: 'create' })
    const notice = { type: 'child_status', child: key('a') } as const
    for (const [status, seq] of [
      ['running', 1],
      ['completed', 9],
      ['running', 1],
      ['completed', 9],
    ] as const)
      await host.send(key(), { ...notice, status, seq })
    expect(told(await events())).toEqual(['a running', 'a completed'])
    expect(await host.send(key('nobody'), { ...notice, status: 'running', seq: 1 })).toMatchObject({
      refused: 'session_not_found',
    })
  })
})
