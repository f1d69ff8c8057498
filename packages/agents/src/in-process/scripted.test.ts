import type { Payloads } from '@bridle/events/schemas'
import type { SessionOptions } from '@bridle/kernel/commands'
import type { AnyEvent } from '@bridle/kernel/event'
import { callDigest } from '@bridle/kernel/host/approval-binding'
import { digest, flushPending, key, setUp, VirtualClock } from '@bridle/kernel/host/host.suite'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import { statusOf } from '@bridle/kernel/projections/state'
import { RunReporter } from '@bridle/kernel/session/run-reporter'
import { describe, expect, test } from 'vitest'
import { scriptedRunner } from './scripted.ts'

const stage = (more: object = {}, store = memoryStore(), clock = new VirtualClock()) => {
  const runner = scriptedRunner({ clock, digest })
  return setUp({ runner: () => runner, ...more }, store, clock)
}
/** The same data in a new process. */
const restarted = async (world: ReturnType<typeof stage>) => {
  await world.host.stop()
  await flushPending()
  const next = stage({}, world.store.reopen(), world.clock)
  await next.host.start()
  await flushPending()
  return next
}
const play = async (world: ReturnType<typeof stage>, steps: unknown[], opening?: SessionOptions) => {
  const prompt = `@script ${JSON.stringify(steps)}`
  await world.host.send(key(), { type: 'submit', prompt, ...(opening && { opening }) })
  await flushPending()
}
const said = <T extends keyof Payloads>(events: readonly AnyEvent[], type: T) =>
  events.filter((event) => event.type === type).map((event) => event.payload as Payloads[T])
const played = async (steps: unknown[], opening?: SessionOptions) => {
  const world = stage()
  await play(world, steps, opening)
  await world.clock.pass(200_000)
  return { ...world, events: await world.events(), state: (await world.host.open(key())).state }
}

describe('[S37] a script that goes on', () => {
  const script = [{ text: 'one ' }, { checkpoint: 'x' }, { text: 'two three ', chunks: 2 }, { text: 'four' }]
  test.each<[string, number, string]>([
    ['step:0:0', 0, 'one two three four'],
    ['step:0:0', 4, 'two three four'],
    ['step:0:0', 9, 'hree four'],
    ['step:1:0', 4, 'two three four'],
    ['step:2:1', 9, 'hree four'],
    ['step:3:0', 14, 'four'],
    ['step:0:0', 18, ''],
  ])('from %s, with %i characters in the log, says the rest', async (resume, keptChars, expected) => {
    let text = ''
    const clock = new VirtualClock()
    const reporter = new RunReporter({
      ...{ runId: 'r', attempt: 2, frame: -1, clock, tokenPaceMs: 0 },
      send: async ({ items }) => {
        for (const item of items)
          if (item.type === 'event' && item.event.type === 'token')
            text += (item.event.payload as { text: string }).text
      },
    })
    const prompt = `@script ${JSON.stringify(script)}`
    const place = { key: key(), runId: 'r', attempt: 2, epoch: 1, frame: -1 }
    const job = { ...place, prompt, input: null, parent: null, settings: {}, handle: null, awaiting: [] }
    const ended = scriptedRunner({ clock, digest }).start(
      { ...job, resume, continues: { isMidText: true, keptChars } },
      reporter,
    )
    await clock.pass(1_000)
    expect([await ended, text]).toEqual(['done', expected])
  })
})

describe('[A9] a task', () => {
  test('starts and ends; one that is stopped ends at once, and its script and all other sessions continue', async () => {
    const world = stage()
    const ids = ['a', 'b', 'c']
    const steps = [{ task: 'research', ms: 5_000 }, { text: 'done' }]
    for (const id of ids) await world.host.send(key(id), { type: 'submit', prompt: `@script ${JSON.stringify(steps)}` })
    await flushPending()
    const tasks = async (id: string) => said(await world.events(key(id)), 'subagent_event').map(({ status }) => status)
    expect(await world.host.stopTask(key('a'), 'task-2')).toBe(false)
    expect(await world.host.stopTask(key('a'), 'task-1')).toBe(true)
    await flushPending()
    expect(await Promise.all(ids.map(tasks))).toEqual([['started', 'stopped'], ['started'], ['started']])
    expect(said(await world.events(key('a')), 'completed')).toMatchObject([{ result: 'done' }])
    // The task is over, and so is the run.
    expect(await world.host.stopTask(key('a'), 'task-1')).toBe(false)
    await world.host.send(key('b'), { type: 'cancel' })
    await world.clock.pass(10_000)
    expect(await Promise.all(ids.map(tasks))).toEqual([
      ['started', 'stopped'],
      ['started', 'cancelled'],
      ['started', 'completed'],
    ])
    expect(said(await world.events(key('c')), 'subagent_event')[0]).toMatchObject({
      agent_id: 'task-1',
      summary: 'research',
    })
  })
})

describe('[A2] text', () => {
  test.each<[string, number, string[]]>([
    ['hello', 1, ['hello']],
    ['hello', 5, ['h', 'e', 'l', 'l', 'o']],
    ['hello', 2, ['he', 'llo']],
    ['hello', 99, ['h', 'e', 'l', 'l', 'o']],
    ['😀😀😀', 3, ['😀', '😀', '😀']],
    ['', 3, []],
  ])('[A7] %j in %i pieces', async (text, chunks, pieces) => {
    const { events } = await played([{ text, chunks }])
    expect(said(events, 'token').map((payload) => payload.text)).toEqual(pieces)
    expect(said(events, 'completed')).toMatchObject([{ result: text }])
  })

  test('a thousand pieces are a thousand', async () => {
    const { events } = await played([{ text: 'x'.repeat(5_000), chunks: 1_000 }])
    expect(said(events, 'token')).toHaveLength(1_000)
  })

  test.each([0, 16])(
    'a flood of pieces lets others have their turn (at most one event per %i ms)',
    async (tokenPaceMs) => {
      const world = stage({ tokenPaceMs })
      const order: string[] = []
      const ended = async (id: string) => {
        const session = await world.host.open(key(id))
        while (session.state.lifecycle.run || session.state.conversation.messages.length < 2) await flushPending(1)
        order.push(id)
      }
      const submit = (id: string, steps: unknown[]) =>
        world.host.send(key(id), { type: 'submit', prompt: `@script ${JSON.stringify(steps)}` })
      await submit('flood', [{ text: 'x'.repeat(5_000), chunks: 5_000 }])
      const flood = ended('flood')
      await submit('other', [{ text: 'answered' }])
      await ended('other')
      // No time has passed: the flood waits for its next turn, and others have run.
      expect(order).toEqual(['other'])
      await world.clock.pass(200)
      await flood
      expect(order).toEqual(['other', 'flood'])
      const text = said(await world.events(key('flood')), 'token').map((payload) => payload.text)
      expect(text.join('')).toBe('x'.repeat(5_000))
    },
  )

  test('one by one in time', async () => {
    const world = stage()
    await play(world, [{ text: 'abc', chunks: 3, everyMs: 5 }])
    const seen = async () => said(await world.events(), 'token').map(({ text }) => text)
    expect(await seen()).toEqual(['a'])
    await world.clock.pass(5)
    expect(await seen()).toEqual(['a', 'b'])
    await world.clock.pass(5)
    expect(await seen()).toEqual(['a', 'b', 'c'])
  })
})

describe('steps', () => {
  test('[A1] in order, each with its events', async () => {
    const { events, state } = await played([
      { thinking: 'hm' },
      { text: 'Hi' },
      { checkpoint: 'one' },
      { artifact: { name: 'a.txt', content: 'A' } },
      { usage: { input_tokens: 1, output_tokens: 2, cost_usd: 0.5 } },
      { event: { type: 'context_warning', payload: { message: 'full' } } },
      { sleepMs: 50 },
      { text: ' you' },
    ])
    const types = events.map(({ type }) => type).filter((type) => type !== 'health_changed')
    expect(types.slice(types.indexOf('sandbox_notice') + 1)).toEqual([
      'thinking',
      'token',
      'session_checkpoint',
      'artifact_chunk',
      'artifact_published',
      'usage',
      'context_warning',
      'token',
      'response',
      'completed',
      'turn_end',
      'session_state',
    ])
    expect(said(events, 'session_checkpoint')).toMatchObject([{ checkpoint_type: 'step', summary_text: 'one' }])
    expect(said(events, 'artifact_published')).toMatchObject([{ name: 'a.txt', size: 1 }])
    expect(state.conversation.messages.at(-1)).toMatchObject({ content: 'Hi you', status: 'complete' })
    expect(statusOf(state)).toBe('idle')
  })

  test.each(['ok', 'timeout', 'error', 'denied', 'artifact'] as const)(
    '[A3] a tool that ends in %s',
    async (outcome) => {
      const { events } = await played([{ tool: 'read', args: { p: 1 }, result: { lines: 2 }, outcome, ms: 5 }])
      expect(said(events, 'tool_call')).toEqual([
        { name: 'read', arguments: { p: 1, _tool_call_id: 'call-1' }, tool_call_id: 'call-1', effect: 'pure' },
      ])
      const shown = outcome === 'ok' || outcome === 'artifact'
      expect(said(events, 'tool_result')).toHaveLength(shown ? 1 : 0)
      expect(said(events, 'tool_outcome')).toMatchObject([{ tool_call_id: 'call-1', status: outcome, elapsed_ms: 5 }])
    },
  )

  test('[A3] calls are named after their step unless they have a name', async () => {
    const { events } = await played([{ text: 'x' }, { tool: 'a' }, { tool: 'b', id: 'mine' }])
    expect(said(events, 'tool_outcome').map(({ tool_call_id }) => tool_call_id)).toEqual(['call-2', 'mine'])
  })

  test('what only the session decides is shown and believed by nobody', async () => {
    const { events, state } = await played([
      { event: { type: 'session_state', payload: { status: 'failed' } } },
      { event: { type: 'turn_end', payload: { turn_id: 'r-2', status: 'failed' } } },
      { text: 'still here' },
    ])
    expect(statusOf(state)).toBe('idle')
    expect(events.filter(({ hearsay }) => hearsay).map(({ type }) => type)).toEqual(['session_state', 'turn_end'])
    expect(state.conversation.messages.at(-1)).toMatchObject({ content: 'still here', status: 'complete' })
  })

  test('[A1] a script that is not right fails before anything is played', async () => {
    const { events, state } = await played([{ text: 'x' }, { sleepMs: 'long' }])
    expect(said(events, 'token')).toEqual([])
    expect(state.conversation.error).toMatch(/^Step 2: sleepMs/)
  })

  test('[A6] a failure ends the run', async () => {
    const { events, state } = await played([{ text: 'x' }, { fail: 'no', transient: true }, { text: 'never' }])
    expect(said(events, 'error')).toMatchObject([{ message: 'no' }])
    expect(said(events, 'token')).toHaveLength(1)
    expect(statusOf(state)).toBe('failed')
  })

  test('[A6] a transient one is retried in the background', async () => {
    const { events, state } = await played([{ text: 'x' }, { fail: 'no', transient: true }], {
      kind: 'background',
      maxRetries: 2,
    })
    expect(said(events, 'run_requested').map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(statusOf(state)).toBe('failed')
    expect(state.conversation.messages.at(-1)).toMatchObject({ content: 'x' })
  })

  test('any other prompt plays the tour', async () => {
    const world = stage()
    await world.host.send(key(), { type: 'submit', prompt: 'hello there' })
    await world.clock.pass(10_000)
    const { conversation } = (await world.host.open(key())).state
    expect(conversation.messages.at(-1)).toMatchObject({ status: 'complete', toolCalls: [{ name: 'read_file' }] })
    expect(conversation.messages.at(-1)!.content).toContain('hello there')
  })
})

describe('approvals', () => {
  const steps = [
    { text: 'before ' },
    { approve: 'write', id: 'w', args: { path: 'a' }, reason: 'writes', expiresMs: 60_000 },
    { text: 'after' },
  ]
  const waiting = async (given: unknown[] = steps) => {
    const world = stage()
    await play(world, given)
    const [approvalId] = Object.keys((await world.host.open(key())).state.approvals.open)
    return { ...world, approvalId: approvalId! }
  }
  const answer = (approvalId: string, decision: 'approved' | 'denied', more: object = {}) =>
    ({ type: 'approve', approvalId, decision, ...more }) as const

  test('waits, with what is asked', async () => {
    const world = await waiting()
    expect(said(await world.events(), 'approval_required')).toMatchObject([
      {
        tool_call_id: 'w',
        tool_name: 'write',
        reason: 'writes',
        arguments: { path: 'a', _tool_call_id: 'w' },
        requested_digest: await callDigest(digest, 'write', { path: 'a' }),
      },
    ])
    expect(statusOf((await world.host.open(key())).state)).toBe('awaiting_approval')
  })

  test.each<[string, object, object]>([
    ['as asked', {}, { path: 'a' }],
    ['with other arguments', { args: { path: 'b' } }, { path: 'b' }],
  ])('approved %s: the outcome holds the arguments as approved', async (_name, more, args) => {
    const world = await waiting()
    await world.host.send(key(), answer(world.approvalId, 'approved', more))
    await flushPending()
    const events = await world.events()
    expect(said(events, 'tool_outcome')).toMatchObject([
      { tool_call_id: 'w', status: 'ok', result: { arguments: args } },
    ])
    expect(said(events, 'completed')).toMatchObject([{ result: 'before after' }])
  })

  test.each<[string, object, string]>([
    ['a missing name', { paht: 'b' }, 'path: It is missing.'],
    ['a name too many', { path: 'b', mode: 1 }, 'mode: The call takes no argument of this name.'],
  ])('[A8] edited arguments with %s do not fit', async (_name, args, problem) => {
    const world = await waiting([{ approve: 'write', id: 'w', args: { path: 'a' }, takes: ['path'] }])
    expect(await world.host.send(key(), answer(world.approvalId, 'approved', { args }))).toEqual({
      refused: 'arguments_invalid',
      message: `The arguments of "write" do not fit: ${problem}`,
    })
    await world.host.send(key(), answer(world.approvalId, 'approved', { args: { path: 'b' } }))
    await flushPending()
    expect(said(await world.events(), 'tool_outcome')).toMatchObject([{ result: { arguments: { path: 'b' } } }])
  })

  test('[A4] denied: outcome denied, and the script goes on', async () => {
    const world = await waiting()
    await world.host.send(key(), answer(world.approvalId, 'denied', { reason: 'no' }))
    await flushPending()
    const events = await world.events()
    expect(said(events, 'tool_outcome')).toMatchObject([{ status: 'denied', reason: 'no' }])
    expect(said(events, 'completed')).toMatchObject([{ result: 'before after' }])
  })

  test('[A4] expired: the same', async () => {
    const world = await waiting()
    await world.clock.pass(60_000)
    const events = await world.events()
    expect(said(events, 'tool_outcome')).toMatchObject([{ status: 'denied', reason: 'expired' }])
    expect(said(events, 'completed')).toMatchObject([{ result: 'before after' }])
  })

  test('two calls of one name are two questions', async () => {
    const world = await waiting([
      { approve: 'write', id: 'w', args: { n: 1 } },
      { approve: 'write', id: 'w', args: { n: 2 } },
    ])
    await world.host.send(key(), answer(world.approvalId, 'approved'))
    await flushPending()
    const [second] = Object.keys((await world.host.open(key())).state.approvals.open)
    expect(second).not.toBe(world.approvalId)
    await world.host.send(key(), answer(second!, 'denied'))
    await flushPending()
    expect(said(await world.events(), 'tool_outcome').map(({ status }) => status)).toEqual(['ok', 'denied'])
  })

  test('[A5] a script that waits survives its process and goes on there', async () => {
    const first = await waiting()
    const next = await restarted(first)
    expect(statusOf((await next.host.open(key())).state)).toBe('awaiting_approval')
    expect(await next.host.send(key(), answer(first.approvalId, 'approved', { args: { path: 'c' } }))).toMatchObject({
      decision: 'approved',
    })
    await flushPending()
    const events = await next.events()
    expect(said(events, 'token').map(({ text }) => text)).toEqual(['before ', 'after'])
    expect(said(events, 'approval_required')).toHaveLength(1)
    expect(said(events, 'tool_outcome')).toMatchObject([{ result: { arguments: { path: 'c' } } }])
    expect(said(events, 'completed')).toMatchObject([{ result: 'before after' }])
  })

  test('[A5] also twice, and when it expires meanwhile', async () => {
    const first = await waiting()
    const second = await restarted(first)
    await second.host.stop()
    await second.clock.pass(120_000)
    const third = stage({}, second.store.reopen(), second.clock)
    await third.host.start()
    await flushPending()
    const events = await third.events()
    expect(said(events, 'tool_outcome')).toMatchObject([{ status: 'denied', reason: 'expired' }])
    expect(said(events, 'completed')).toMatchObject([{ result: 'before after' }])
  })

  test('[A5] a script in mid-stream is lost with its process', async () => {
    const first = stage()
    await play(first, [{ text: 'one ' }, { sleepMs: 50 }, { text: 'two' }])
    const next = await restarted(first)
    await next.clock.pass(1_000)
    const { state } = await next.host.open(key())
    expect(state.conversation.messages.at(-1)).toMatchObject({ content: 'one ', status: 'error' })
    const { agent } = key()
    const message = `The server or the runner of ${agent} stopped in the middle of this run, and the run cannot continue. Ask again.`
    expect(said(await next.events(), 'error')).toMatchObject([{ reason: 'interrupted', message }])
  })

  test('[A5] lost in the background, it is asked again and uses the answer that was given', async () => {
    const first = stage()
    const opening: SessionOptions = { kind: 'background', maxRetries: 1 }
    await play(first, [{ approve: 'write', args: { n: 1 } }, { text: 'done' }], opening)
    await first.host.send(key(), { type: 'pause' })
    await flushPending()
    const [approvalId] = Object.keys((await first.host.open(key())).state.approvals.open)
    await first.host.send(key(), answer(approvalId!, 'approved', { args: { n: 2 } }))
    const next = await restarted(first)
    await next.host.send(key(), { type: 'resume' })
    await flushPending()
    const events = await next.events()
    expect(said(events, 'tool_outcome').at(-1)).toMatchObject({ status: 'ok', result: { arguments: { n: 2 } } })
    expect(statusOf((await next.host.open(key())).state)).toBe('completed')
  })
})

describe('[A10] a question of a script', () => {
  const db = { ask: 'Which database?', id: 'db', options: ['SQLite', 'PostgreSQL'] }
  const form = { ask: { schema: { type: 'object', properties: { port: { type: 'integer' } } } }, id: 'form' }
  const asking = async (step: object) => {
    const world = stage()
    await play(world, [step, { text: 'after' }])
    const [approvalId = ''] = Object.keys((await world.host.open(key())).state.approvals.open)
    return { ...world, approvalId }
  }

  test('is in the log as a question', async () => {
    const world = await asking({ ...db, default: 'SQLite' })
    const questions = [
      { id: 'db', question: 'Which database?', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] },
    ]
    const args = { questions, answers: { db: 'SQLite' } }
    expect(said(await world.events(), 'approval_required')).toMatchObject([
      {
        ...{ kind: 'question', tool_call_id: 'db', tool_name: 'ask', reason: 'Which database?', questions },
        ...{ default: { db: 'SQLite' }, default_digest: await callDigest(digest, 'ask', args) },
      },
    ])
  })

  test.each<[string, object, object]>([
    ['answers', db, { answers: { db: 'PostgreSQL' } }],
    ['values', form, { values: { port: 1 } }],
  ])('the outcome has its %s', async (_name, step, given) => {
    const world = await asking(step)
    await world.host.send(key(), { type: 'approve', approvalId: world.approvalId, decision: 'approved', ...given })
    await flushPending()
    const events = await world.events()
    expect(said(events, 'tool_outcome')).toMatchObject([{ status: 'ok', result: given }])
    expect(said(events, 'tool_outcome')[0]?.result).toEqual(given)
    expect(said(events, 'completed')).toMatchObject([{ result: 'after' }])
  })

  test.each<[string, object, object]>([
    [
      'with a default its outcome has the default',
      { default: 'SQLite' },
      { status: 'ok', result: { answers: { db: 'SQLite' } } },
    ],
    ['without a default it is denied, and the script continues', {}, { status: 'denied', reason: 'expired' }],
  ])('expired: %s', async (_name, more, outcome) => {
    const world = await asking({ ...db, expiresMs: 60_000, ...more })
    await world.clock.pass(60_000)
    const events = await world.events()
    expect(said(events, 'tool_outcome')).toMatchObject([outcome])
    expect(said(events, 'completed')).toMatchObject([{ result: 'after' }])
  })

  test('declined: outcome denied, and the script continues', async () => {
    const world = await asking(db)
    await world.host.send(key(), { type: 'approve', approvalId: world.approvalId, decision: 'denied', reason: 'no' })
    await flushPending()
    const events = await world.events()
    expect(said(events, 'tool_outcome')).toMatchObject([{ status: 'denied', reason: 'no' }])
    expect(said(events, 'completed')).toMatchObject([{ result: 'after' }])
  })

  test('[A5] survives the process of its script', async () => {
    const first = await asking(db)
    const next = await restarted(first)
    const answers = { db: 'SQLite' }
    await next.host.send(key(), { type: 'approve', approvalId: first.approvalId, decision: 'approved', answers })
    await flushPending()
    const events = await next.events()
    expect(said(events, 'approval_required')).toHaveLength(1)
    expect(said(events, 'tool_outcome')).toMatchObject([{ status: 'ok', result: { answers } }])
    expect(said(events, 'completed')).toMatchObject([{ result: 'after' }])
  })
})

describe('[A5] a script that is stopped goes on at its next step', () => {
  const steps = [{ usage: { cost_usd: 0.04 } }, { text: 'half ' }, { usage: { cost_usd: 0.04 } }, { text: 'end' }]
  const opening: SessionOptions = { kind: 'background', maxRetries: 3, policy: { health: { max_cost_usd: 0.05 } } }

  test.each([0, 16])(
    '[S35] over its budget: one approval, and nothing is done twice (pace %i ms)',
    async (tokenPaceMs) => {
      const world = stage({ tokenPaceMs })
      await play(world, steps, opening)
      await world.clock.pass(1_000)
      const session = await world.host.open(key())
      expect(statusOf(session.state)).toBe('awaiting_approval')
      const [approvalId] = Object.keys(session.state.approvals.open)
      await world.host.send(key(), { type: 'approve', approvalId: approvalId!, decision: 'approved' })
      await world.clock.pass(1_000)
      expect(statusOf(session.state)).toBe('completed')
      const events = await world.events()
      expect(said(events, 'approval_required')).toHaveLength(1)
      expect(said(events, 'usage')).toHaveLength(2)
      expect(session.state.health.costUsd).toBe(0.08)
      expect(said(events, 'completed')).toMatchObject([{ result: 'half end' }])
      expect(session.state.lifecycle.attempts).toBe(1)
    },
  )

  test.each<[string, unknown[], number]>([
    ['in mid-stream', [{ text: 'one, ' }, { text: 'abcdef', chunks: 6, everyMs: 1_000 }, { text: '.' }], 2_500],
    ['in a sleep', [{ text: 'one, abc' }, { sleepMs: 5_000 }, { text: 'def.' }], 2_000],
    ['in a call', [{ text: 'one, abc' }, { tool: 'read', ms: 5_000 }, { text: 'def.' }], 2_000],
    ['at its end', [{ text: 'one, abcdef.' }, { sleepMs: 2_000 }], 1_999],
  ])('paused %s', async (_name, script, ms) => {
    const world = stage()
    await play(world, script, { kind: 'background' })
    await world.clock.pass(ms)
    await world.host.send(key(), { type: 'pause' })
    await flushPending()
    await world.host.send(key(), { type: 'resume' })
    await world.clock.pass(20_000)
    const { state } = await world.host.open(key())
    expect(state.conversation.messages.at(-1)).toMatchObject({ content: 'one, abcdef.', status: 'complete' })
    expect(said(await world.events(), 'output_superseded')).toEqual([])
  })

  test('[S38] through four announced restarts, of three sessions, at no retry', async () => {
    const keys = ['a', 'b', 'c'].map((id) => ({ ...key(), id }))
    const script = [{ text: 'abcdefghij', chunks: 10, everyMs: 1_000 }]
    let world = stage()
    for (const each of keys)
      await world.host.send(each, {
        type: 'submit',
        prompt: `@script ${JSON.stringify(script)}`,
        opening: { kind: 'background', maxRetries: 3 },
      })
    for (let restarts = 0; restarts < 4; restarts++) {
      await world.clock.pass(2_000)
      await world.host.handOver()
      world = await restarted(world)
    }
    await world.clock.pass(10_000)
    for (const each of keys) {
      const { state } = await world.host.open(each)
      expect(state.conversation.messages.at(-1)).toMatchObject({ content: 'abcdefghij', status: 'complete' })
      expect(statusOf(state)).toBe('completed')
      expect(state.lifecycle.attempts).toBe(1)
    }
  })

  test('a cancelled one leaves no place to begin the next turn from', async () => {
    const world = stage()
    await play(world, [{ text: 'one' }, { sleepMs: 5_000 }])
    await world.host.send(key(), { type: 'cancel' })
    await flushPending()
    expect(said(await world.events(), 'resume_handle')).toEqual([])
  })
})

describe('abort', () => {
  test.each<[string, unknown[]]>([
    ['in mid-sleep', [{ sleepMs: 50_000 }, { text: 'never' }]],
    ['in mid-stream', [{ text: 'abc', chunks: 3, everyMs: 50_000 }]],
    ['in a tool', [{ tool: 'slow', ms: 50_000 }]],
    ['while it waits', [{ approve: 'write' }, { text: 'never' }]],
  ])('%s: it lets go at once, and leaves no timer', async (_name, steps) => {
    const world = stage()
    await play(world, steps)
    await world.host.send(key(), { type: 'cancel' })
    await flushPending()
    const { state } = await world.host.open(key())
    expect(state.lifecycle.run).toBeNull()
    expect(state.conversation.messages.at(-1)).toMatchObject({ status: 'complete', stopReason: 'cancelled' })
    expect(said(await world.events(), 'run_stopped')).toMatchObject([{ how: 'confirmed' }])
    expect(world.clock.pending).toBe(0)
    const head = (await world.events()).length
    await world.clock.pass(100_000)
    expect(await world.events()).toHaveLength(head)
  })

  test('of a run that is not there is done', async () => {
    const runner = scriptedRunner({ clock: new VirtualClock(), digest })
    const job = {
      key: key(),
      runId: 'r',
      attempt: 1,
      prompt: '',
      input: null,
      resume: null,
      handle: null,
      frame: 0,
      parent: null,
      settings: {},
      epoch: 1,
      awaiting: [],
    }
    await expect(runner.abort(job)).resolves.toBeNull()
    await expect(
      runner.answer?.(job, {
        requestId: 'a',
        toolCallId: 'c',
        decision: 'denied',
        arguments: {},
        approvedDigest: null,
        reason: null,
      }),
    ).rejects.toThrow()
  })
})
