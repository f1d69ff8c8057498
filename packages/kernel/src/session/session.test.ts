import { ABORT_GRACE_MS, HEARTBEAT_MS, STUCK_MS } from '@bridle/events/limits'
import { describe, expect, test, vi } from 'vitest'
import {
  ControlledLog,
  deferred,
  flushPending,
  key,
  ManualRunner,
  RecordingListener,
  T0,
  VirtualClock,
} from '../host/host.suite.ts'
import { memoryStore } from '../memory/memory-store.ts'
import { StoreFault } from '../ports/store-fault.ts'
import { assessHealth } from '../projections/health/health-score.ts'
import { emptyState, evolve, statusOf } from '../projections/state.ts'
import { eventReport, finished, token } from '../rules/rules.suite.ts'
import { applyToState } from '../state-operations.ts'
import { ROW_TEXT_CHARS_MAX } from '../views/directory-row.ts'
import { INBOX_MAX } from './inbox.ts'
import { Session } from './session.ts'
import { SNAPSHOT_EVERY } from './session-writer.ts'
import type { CommittedChange } from './subscribers.ts'

const submit = (prompt = 'hello') => ({ type: 'submit', prompt }) as const
const open = async (
  log = new ControlledLog(memoryStore().log),
  clock = new VirtualClock(),
  runner = new ManualRunner(),
) => {
  const dropped: unknown[] = []
  const lease = (await log.open(key()))!
  const session = await Session.open(
    { log, clock, runner, tokenPaceMs: 0, onDrop: (_session, cause) => dropped.push(cause) },
    lease,
  )
  return { session, log, clock, runner, dropped }
}
const settled = async (promise: Promise<unknown>) => {
  let done = false
  const mark = () => {
    done = true
  }
  promise.then(mark, mark)
  await flushPending()
  return done
}

describe('[S25] nothing is told before it is in the log', () => {
  test('answers, watchers, state and runner wait for the append', async () => {
    const { session, log, runner } = await open()
    const watcher = new RecordingListener()
    session.subscribers.add(watcher, 0)
    await flushPending()
    const gate = deferred()
    log.before = () => gate.promise
    const answer = session.send(submit())
    expect(await settled(answer)).toBe(false)
    expect([watcher.seen, session.state.head, runner.attempts]).toEqual([[], 0, []])
    log.before = () => {}
    gate.release()
    expect(await answer).toMatchObject({ runId: 'r-2' })
    await flushPending()
    expect(watcher.seen[0]).toMatchObject({ seq: 1, type: 'session_created' })
    expect(runner.attempts).toHaveLength(1)
  })

  test('what arrives meanwhile is one batch, in order', async () => {
    const { session, log } = await open()
    const gate = deferred()
    log.before = () => gate.promise
    const first = session.send(submit('one'))
    const rest = ['two', 'three'].map((prompt) => session.send(submit(prompt)))
    await flushPending()
    log.before = () => {}
    gate.release()
    await Promise.all([first, ...rest])
    expect(session.state.lifecycle.queue.map(({ text }) => text)).toEqual(['two', 'three'])
    expect(log.appends[1]!.events.slice(0, 2).map(({ type }) => type)).toEqual(['prompt_queued', 'prompt_queued'])
  })

  test('a live change carries the operations of its whole batch, and a replayed one carries none', async () => {
    const { session, log } = await open()
    const changes: CommittedChange[] = []
    const listener = (key: string) => ({
      audience: { key, encode: (change: CommittedChange) => String(changes.push(change)) },
      send: () => {},
      unsent: () => 0,
      close: () => {},
    })
    session.subscribers.add(listener('live'), 0)
    const gate = deferred()
    log.before = () => gate.promise
    const sent = ['one', 'two', 'three'].map((prompt) => session.send(submit(prompt)))
    await flushPending()
    gate.release()
    await Promise.all(sent)
    const operations = changes.splice(0).flatMap((change) => change.operations ?? [])
    expect(applyToState(emptyState.conversation, operations)).toEqual(session.state.conversation)
    expect(session.state.conversation.messages).toHaveLength(4)
    session.subscribers.add(listener('replay'), 0)
    await flushPending()
    expect(changes.map((change) => [change.events.length, change.operations])).toEqual([
      [session.state.head, undefined],
    ])
  })

  test.each(['fenced', 'full', 'outcome_unknown', 'corrupt', 'refused'] as const)(
    'a %s append drops the session and rejects everybody',
    async (code) => {
      const { session, log, dropped, clock } = await open()
      await session.send(submit())
      const watcher = new RecordingListener()
      session.subscribers.add(watcher, session.state.head)
      await flushPending()
      const head = session.state.head
      const seen = watcher.seen.length
      const fault = new StoreFault(code, 'no')
      log.before = () => Promise.reject(fault)
      const failing = [session.send(submit('a')), session.send(submit('b'))]
      const waiting = session.send({ type: 'cancel' })
      await expect(Promise.allSettled([...failing, waiting])).resolves.toEqual(
        [1, 2, 3].map(() => ({ status: 'rejected', reason: fault })),
      )
      expect(dropped).toEqual([fault])
      expect([session.dropped, session.state.head, watcher.seen.length, watcher.closed]).toEqual([
        true,
        head,
        seen,
        'moved',
      ])
      await expect(session.send({ type: 'tick' })).rejects.toBe(fault)
      expect(clock.pending).toBe(0)
    },
  )

  test('dropped while it waits for the store, it tells nobody', async () => {
    const { session, log } = await open()
    const gate = deferred()
    log.after = () => gate.promise
    const answer = session.send(submit())
    answer.catch(() => {})
    await flushPending()
    session.drop(new Error('stopped'))
    gate.release()
    // The command may be in the log: a caller that tries again would run it twice.
    await expect(answer).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(session.state.head).toBe(0)
  })

  test('a refusal writes nothing', async () => {
    const { session, log } = await open()
    expect(await session.send({ type: 'pause' })).toMatchObject({ refused: 'session_not_found' })
    expect(log.appends).toEqual([])
    expect(session.exists).toBe(false)
  })

  test('a full inbox refuses callers, never the runner', async () => {
    const { session, log } = await open()
    await session.send(submit())
    const gate = deferred()
    log.before = () => gate.promise
    const first = session.send({ type: 'pause' })
    const ticks = Array.from({ length: INBOX_MAX }, () => session.send({ type: 'tick' }))
    await expect(session.send(submit())).resolves.toMatchObject({ refused: 'busy' })
    const report = session.send({ type: 'report', runId: 'x', attempt: 1, frame: null, items: [] })
    log.before = () => {}
    gate.release()
    await expect(report).resolves.toMatchObject({ dropped: 'run' })
    await Promise.all([first, ...ticks])
  })
})

describe('[S24] command ids', () => {
  const id = (commandId: string, bodyHash = 'h') => ({ commandId, bodyHash })

  test('the same id and body: one effect, the same answer; another body is refused', async () => {
    const { session } = await open()
    const first = await session.send(submit(), id('c1'))
    expect(await session.send(submit(), id('c1'))).toEqual(first)
    expect(await session.send(submit('other'), id('c1', 'h2'))).toMatchObject({ refused: 'command_conflict' })
    expect(session.state.conversation.messages.filter(({ role }) => role === 'user')).toHaveLength(1)
  })

  test('twice in one batch', async () => {
    const { session } = await open()
    const answers = await Promise.all([
      session.send({ type: 'create' }),
      session.send(submit(), id('c1')),
      session.send(submit(), id('c1')),
      session.send(submit('other'), id('c1', 'h2')),
    ])
    expect(answers[2]).toEqual(answers[1])
    expect(answers[3]).toMatchObject({ refused: 'command_conflict' })
    expect(session.state.conversation.messages.filter(({ role }) => role === 'user')).toHaveLength(1)
  })

  test('after a restart', async () => {
    const store = memoryStore()
    const { session } = await open(new ControlledLog(store.log))
    const first = await session.send(submit(), id('c1'))
    const next = await open(new ControlledLog(store.reopen().log))
    expect(await next.session.send(submit(), id('c1'))).toEqual(first)
  })

  test('refusals are not stored: later it may be accepted', async () => {
    const { session } = await open()
    await session.send({ type: 'create' })
    expect(await session.send({ type: 'resume' }, id('c1'))).toMatchObject({ refused: 'not_paused' })
    await session.send({ type: 'pause' })
    expect(await session.send({ type: 'resume' }, id('c1'))).toMatchObject({ paused: false })
  })

  test('an answer without an event is stored too', async () => {
    const { session, log } = await open()
    await session.send({ type: 'create' })
    const nothing = await session.send({ type: 'cancel' }, id('c1'))
    expect(log.appends.at(-1)).toMatchObject({ events: [], results: [{ commandId: 'c1', answer: nothing }] })
    await session.send(submit())
    expect(await session.send({ type: 'cancel' }, id('c1'))).toEqual(nothing)
    expect(statusOf(session.state)).toBe('running')
  })
})

describe('snapshots', () => {
  /** Turns of a chat, each with some tokens, until a snapshot was taken. */
  const talk = async (session: Session, runner: ManualRunner, turns: number) => {
    for (let turn = 0; turn < turns; turn++) {
      await session.send(submit(`prompt ${turn}`))
      await flushPending()
      const { reporter, end } = runner.last
      for (let piece = 0; piece < 20; piece++) await reporter.report([token(`${piece} `)])
      await reporter.report([finished({ resume: `h${turn}` })])
      end('done')
    }
  }
  const whole = async (store: ReturnType<typeof memoryStore>) =>
    (await store.log.read(key(), 0, 1_000_000)).reduce(evolve, emptyState)

  test('opening from a snapshot and the tail is folding it all', async () => {
    const store = memoryStore()
    const { session, runner, log } = await open(new ControlledLog(store.log))
    await talk(session, runner, 30)
    const written = log.appends.flatMap(({ snapshot }) => snapshot ?? [])
    expect(written.length).toBeGreaterThan(0)
    expect(written[0]!.seq).toBeGreaterThanOrEqual(SNAPSHOT_EVERY)
    const reads: number[] = []
    const gate = new ControlledLog(store.reopen().log)
    const read = gate.read
    gate.read = (where, after, limit) => {
      reads.push(after)
      return read(where, after, limit)
    }
    const next = await open(gate)
    expect(next.session.state).toEqual(await whole(store))
    expect(next.session.state).toEqual(session.state)
    expect(Math.min(...reads)).toBeGreaterThanOrEqual(SNAPSHOT_EVERY)
  })

  test('each settled message is written once, also across restarts', async () => {
    const store = memoryStore()
    const first = await open(new ControlledLog(store.log))
    await talk(first.session, first.runner, 30)
    const second = await open(new ControlledLog(store.reopen().log))
    await talk(second.session, second.runner, 30)
    const writes = [...first.log.appends, ...second.log.appends].flatMap(({ snapshot }) => snapshot?.pieces ?? [])
    const indexes = writes.map(({ index }) => index)
    expect(new Set(indexes).size).toBe(indexes.length)
    expect(indexes).toEqual(indexes.map((_, index) => index))
    const third = await open(new ControlledLog(store.reopen().log))
    expect(third.session.state).toEqual(await whole(store))
  })

  test('what was taken back is written again', async () => {
    const store = memoryStore()
    const first = await open(new ControlledLog(store.log))
    await talk(first.session, first.runner, 30)
    await first.session.send({
      type: 'edit',
      messageId: first.session.state.conversation.messages[0]!.id,
      prompt: 'new',
    })
    await flushPending()
    await first.runner.last.reporter.report([finished()])
    await talk(first.session, first.runner, 30)
    const second = await open(new ControlledLog(store.reopen().log))
    expect(second.session.state).toEqual(await whole(store))
    expect(second.session.state.conversation.messages[0]).toMatchObject({ content: 'new' })
  })

  test('one made by another fold is ignored', async () => {
    const store = memoryStore()
    const { session, runner } = await open(new ControlledLog(store.log))
    await talk(session, runner, 30)
    const gate = new ControlledLog(store.reopen().log)
    const log = gate.open.bind(gate)
    gate.open = async (...given) => {
      const lease = (await log(...given))!
      expect(lease.snapshot).not.toBeNull()
      return { ...lease, snapshot: { ...lease.snapshot!, foldVersion: 'older', state: '{"broken": true}' } }
    }
    const next = await open(gate)
    expect(next.session.state).toEqual(session.state)
  })

  test('a log that ends before its head is corrupt', async () => {
    const store = memoryStore()
    const { session } = await open(new ControlledLog(store.log))
    await session.send(submit())
    const gate = new ControlledLog(store.reopen().log)
    gate.read = async () => []
    await expect(open(gate)).rejects.toMatchObject({ code: 'corrupt' })
  })
})

describe('time', () => {
  test('a timer brings what is due', async () => {
    const { session, clock, runner } = await open()
    await session.send({ ...submit(), opening: { kind: 'background', maxRetries: 1 } })
    await flushPending()
    await runner.last.reporter.report([{ type: 'failed', message: 'x', transient: true }])
    expect(statusOf(session.state)).toBe('recovering')
    await clock.pass(999)
    expect(runner.attempts).toHaveLength(1)
    await clock.pass(1)
    expect(runner.attempts).toHaveLength(2)
    expect(runner.last.job).toMatchObject({ runId: 'r-2', attempt: 2 })
  })

  test('a reply sets its timer once, not for every token', async () => {
    const clock = new VirtualClock()
    const set = vi.spyOn(clock, 'after')
    const { session, runner } = await open(undefined, clock)
    await session.send(submit())
    await flushPending()
    const before = set.mock.calls.length
    for (let count = 0; count < 20; count++) {
      clock.step(10)
      await runner.last.reporter.token('word ')
      await flushPending()
    }
    expect([set.mock.calls.length - before, clock.pending]).toEqual([0, 1])
    await clock.pass(STUCK_MS)
    expect(assessHealth(session.state.health, 'running', session.state.at).flags).toEqual(['stuck'])
  })

  test('what was to happen late happens sooner when wall time has jumped towards it', async () => {
    const { session, clock } = await open()
    await session.send(submit())
    await flushPending()
    clock.step(STUCK_MS - 10_000)
    await session.send(submit('next'))
    await clock.pass(9_000)
    expect(session.state.health.publishedHash).toBeNull()
    await clock.pass(1_000)
    expect(assessHealth(session.state.health, 'running', session.state.at).flags).toEqual(['stuck'])
  })

  test.each([-86_400_000, 86_400_000])('a clock set by %i ms does not stall the end of a cancelled run', async (ms) => {
    const { session, clock, runner } = await open()
    runner.aborting = new Promise(() => {})
    await session.send(submit())
    await flushPending()
    await session.send({ type: 'cancel' })
    clock.step(ms)
    await clock.pass(ABORT_GRACE_MS)
    expect(session.state.lifecycle.run).toBeNull()
    expect(session.state.at).toBeGreaterThanOrEqual(T0 + ABORT_GRACE_MS)
  })

  test('the time of the log does not go back, nor does a pause shorten what is due', async () => {
    const { session, clock, runner, log } = await open()
    await session.send({ ...submit(), opening: { kind: 'background', maxRetries: 1 } })
    await flushPending()
    clock.step(-3_600_000)
    await runner.last.reporter.report([{ type: 'failed', message: 'x', transient: true }])
    const times = log.appends.flatMap(({ events }) => events.map(({ at }) => at))
    expect(times).toEqual([...times].sort((a, b) => a - b))
    await clock.pass(1_000)
    expect(session.state.lifecycle.run).toMatchObject({ attempt: 2 })
  })

  test('a session that may wake by itself says when', async () => {
    const { session, log, runner } = await open()
    await session.send({ ...submit(), opening: { kind: 'background', maxRetries: 1 } })
    expect(log.appends.at(-1)).toMatchObject({ wake: { inHand: true, dueAt: null } })
    await flushPending()
    await runner.last.reporter.report([{ type: 'failed', message: 'x', transient: true }])
    expect(log.appends.at(-1)).toMatchObject({ wake: { inHand: false, dueAt: T0 + 1_000 } })
    await session.send({ type: 'cancel' })
    expect(log.appends.at(-1)).toMatchObject({ wake: { inHand: false, dueAt: null } })
  })
})

describe('the row', () => {
  test('is written with the first append and when what lists show has changed, not by tokens', async () => {
    const { session, log, runner } = await open()
    await session.send(submit('Title\nand more'))
    expect(log.appends[0]).toMatchObject({
      row: { kind: 'chat', status: 'running', title: 'Title', createdAt: T0, approvals: [], parent: null },
    })
    await flushPending()
    const { reporter } = runner.last
    log.appends.length = 0
    await reporter.report([token('a')])
    await reporter.report([token('b')])
    expect(log.appends.map(({ row }) => row)).toEqual([undefined, undefined])
    await reporter.report([eventReport('tool_call', { name: 'x', arguments: {}, tool_call_id: 'c' })])
    await reporter.report([{ type: 'ask', toolCallId: 'c', tool: 'x', arguments: {}, reason: 'r', digest: 'd' }])
    expect(log.appends.at(-1)).toMatchObject({ row: { status: 'awaiting_approval', approvals: [{ tool: 'x' }] } })
    await reporter.report([finished()])
    expect(log.appends.at(-1)).toMatchObject({ row: { status: 'idle', approvals: [] } })
  })

  test('[H20] has the beginning of long texts', async () => {
    const { session, log, runner } = await open()
    const long = 'x'.repeat(ROW_TEXT_CHARS_MAX + 1)
    await session.send({ ...submit(), opening: { kind: 'chat', title: long } })
    await flushPending()
    const { reporter } = runner.last
    await reporter.report([eventReport('tool_call', { name: long, arguments: {}, tool_call_id: 'c' })])
    await reporter.report([{ type: 'ask', toolCallId: 'c', tool: long, arguments: {}, reason: long, digest: 'd' }])
    const cut = long.slice(1)
    expect(log.appends.at(-1)).toMatchObject({ row: { title: cut, approvals: [{ tool: cut, reason: cut }] } })
  })

  describe('[F18] the heartbeat', () => {
    test('of a run that says nothing touches the row, and never the log', async () => {
      const { session, log, clock } = await open()
      await session.send(submit())
      await flushPending()
      const { head } = session.state
      log.appends.length = 0
      await clock.pass(HEARTBEAT_MS - 1)
      expect(log.appends).toEqual([])
      await clock.pass(2 * HEARTBEAT_MS + 1)
      expect(log.appends.map(({ events, row, wake }) => [events, row?.detail.heartbeatAt, wake])).toEqual([
        [[], T0 + HEARTBEAT_MS, undefined],
        [[], T0 + 2 * HEARTBEAT_MS, undefined],
        [[], T0 + 3 * HEARTBEAT_MS, undefined],
      ])
      expect([session.heartbeatAt, session.state.head]).toEqual([T0 + 3 * HEARTBEAT_MS, head])
    })

    test('is not the life of a run that waits, or of none', async () => {
      const { session, log, clock, runner } = await open()
      await session.send(submit())
      await flushPending()
      const { reporter } = runner.last
      await reporter.report([eventReport('tool_call', { name: 'x', arguments: {}, tool_call_id: 'c' })])
      await reporter.report([{ type: 'ask', toolCallId: 'c', tool: 'x', arguments: {}, reason: 'r', digest: 'd' }])
      log.appends.length = 0
      await clock.pass(4 * HEARTBEAT_MS)
      await reporter.report([finished()])
      const ended = log.appends.length
      await clock.pass(4 * HEARTBEAT_MS)
      expect(log.appends.length).toBe(ended)
      expect(log.appends.every(({ events }) => events.length > 0)).toBe(true)
    })
  })
})

test('[E4] an unknown event in the log passes through untouched', async () => {
  const store = memoryStore()
  const { session } = await open(new ControlledLog(store.log))
  await session.send({ type: 'create' })
  const foreign = { seq: 3, at: T0, type: 'from_the_future', payload: { any: ['thing', null] }, extra: { kept: true } }
  const lease = (await store.log.open(key()))!
  await store.log.append(lease, { events: [foreign as never] })
  const next = await open(new ControlledLog(store.reopen().log))
  expect(next.session.state).toEqual({ ...session.state, head: 3 })
  const watcher = new RecordingListener()
  next.session.subscribers.add(watcher, 0)
  await flushPending()
  expect(watcher.seen[2]).toEqual(foreign)
  expect(await next.session.send(submit())).toMatchObject({ runId: 'r-4' })
})
