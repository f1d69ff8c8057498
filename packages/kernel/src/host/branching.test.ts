import { QUEUE_MAX } from '@bridle/events/limits'
import { describe, expect, test } from 'vitest'
import type { AnyEvent } from '../event.ts'
import { StoreFault } from '../ports/store-fault.ts'
import { emptyState, evolve, statusOf } from '../projections/state.ts'
import { askItem, call, finished, outcome, started, token } from '../rules/rules.suite.ts'
import { SNAPSHOT_EVERY } from '../session/session-writer.ts'
import { flushPending, key, RecordingListener, setUp } from './host.suite.ts'

const submit = (prompt = 'hello') => ({ type: 'submit', prompt }) as const
const id = (commandId: string, bodyHash = 'h') => ({ commandId, bodyHash })
const seqs = (events: readonly AnyEvent[]) => events.map(({ seq }) => seq)
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

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

  test('from the middle of a long answer takes the pieces that its parent holds, and reads them after a restart', async () => {
    const { host, runner, events, again } = setUp()
    await host.send(key(), submit('go'))
    await flushPending()
    const { reporter } = runner.last
    await reporter.report([started()])
    for (let n = 0; n < 400; n++)
      await reporter.report([
        token(`Step ${n}. `),
        call(`c${n}`, 'pure'),
        outcome(`c${n}`, 'ok', { result: 'r'.repeat(500) }),
      ])
    const parent = (await host.open(key())).state
    for (const [id, seq] of [
      ['late', parent.head],
      ['early', Math.floor(parent.head / 2)],
    ] as const) {
      await host.branch(key(), seq, id)
      const { state } = await host.open(key(id))
      expect(state).toEqual((await events(key(id))).reduce(evolve, emptyState))
      expect(state.conversation.messages[1]?.toolCalls?.length).toBeGreaterThan(150)
    }
    const next = await again()
    for (const id of ['late', 'early', 's1']) {
      const session = await next.host.open(key(id))
      await flushPending()
      expect(session.state).toEqual((await next.events(key(id))).reduce(evolve, emptyState))
    }
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

  test('[X65] with the prompts of a replay: one append queues all of them, and a new process goes on with them', async () => {
    const { host, runner, events, again } = setUp()
    for (const prompt of ['one', 'two', 'three']) {
      await host.send(key(), submit(prompt))
      await flushPending()
      await runner.last.reporter.report([finished()])
      runner.last.end('done')
      await flushPending()
    }
    const prompts = ['one', 'two', 'three'].map((text) => ({ text, input: { text } }))
    const policy = { health: { max_cost_usd: 1 } }
    const answer = await host.branch(key(), 1, 'child', { prompts, policy, id: id('c1') })
    expect(answer).toMatchObject({ sessionId: 'child', prompts: 3, parent: { seq: 1 } })
    await flushPending()
    await runner.last.reporter.report([started(), token('half')])
    const types = (await events(key('child'))).map(({ type }) => type)
    expect(types.slice(1, 7)).toEqual([
      ...['branched', 'policy_set', 'session_checkpoint', 'prompt_queued', 'prompt_queued', 'prompt_queued'],
    ])
    // The process ends in the middle of the first turn.
    const next = await again()
    const asked: string[] = []
    for (;;) {
      const child = await next.host.open(key('child'))
      await flushPending()
      const { run } = child.state.lifecycle
      if (!run) break
      asked.push(run.text)
      const { reporter, end } = next.runner.last
      await reporter.report([finished()])
      end('done')
      await flushPending()
    }
    expect(asked).toEqual(['one', 'two', 'three'])
    expect(await next.host.branch(key(), 1, 'child', { prompts, policy, id: id('c1') })).toEqual(answer)
    expect((await next.host.open(key('child'))).state.lifecycle.policy).toEqual(policy)
  })

  test('[X64] with more prompts than a session queues, or an empty one, is refused', async () => {
    const { host, parent } = await midRun()
    const many = Array.from({ length: QUEUE_MAX + 1 }, (_, n) => ({ text: `${n}` }))
    expect(await host.branch(key(), parent.length, 'child', { prompts: many })).toMatchObject({ refused: 'queue_full' })
    const empty = [{ text: 'x' }, { text: ' ' }]
    expect(await host.branch(key(), parent.length, 'child', { prompts: empty })).toMatchObject({
      refused: 'prompt_empty',
    })
    expect(await host.find(key('child'))).toBeNull()
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
