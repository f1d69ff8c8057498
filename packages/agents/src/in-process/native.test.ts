import type { Json, JsonObject } from '@bridle/events/json'
import { flushPending, VirtualClock } from '@bridle/kernel/host/host.suite'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { agent, type RunContext } from '../agent.ts'
import { key, NativeWorld, until } from './native.suite.ts'

type Run = (context: RunContext<JsonObject>) => unknown
const tested = (run: Run, durable = true) => agent({ name: 'tested', durable, run: run as () => Json })
const world = (run: Run) => new NativeWorld(tested(run))
const background = { kind: 'background', maxRetries: 2 } as const
const outcomes = async (it: NativeWorld) =>
  (await it.payloads('tool_outcome')).map(({ tool_name, status, error, reason }) => ({
    tool_name,
    status,
    ...(error !== undefined && { error }),
    ...(reason !== undefined && { reason }),
  }))

/** The events at the start of every turn. */
const TURN_RUNTIME = ['policy_decision', 'sandbox_notice']

describe('a run', () => {
  test('[N6] streams text in order, awaited or not', async () => {
    const it = world(async ({ session }) => {
      session.text('a')
      session.text('b')
      await session.thinking('hm')
      await session.text('c')
    })
    expect(await it.run()).toEqual({ status: 'completed', result: 'abc' })
    expect(await it.told()).toEqual([
      'turn_start',
      ...TURN_RUNTIME,
      'token',
      'token',
      'thinking',
      'token',
      'response',
      'completed',
      'turn_end',
    ])
  })

  test('[N6] text beyond any measure is split and waits for the log', async () => {
    const it = world(async ({ session }) => {
      for (let n = 0; n < 5; n++) await session.text('x'.repeat(500_000))
    })
    await it.run()
    const sizes = (await it.payloads('token')).map(({ text }) => String(text).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(2_500_000)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(400_000)
  })

  test('[N2] gets its input through the schema, and starts the log before it starts', async () => {
    const seen: unknown[] = []
    const it: NativeWorld = new NativeWorld(
      agent({
        name: 'tested',
        input: v.object({ at: v.pipe(v.string(), v.toDate()) }),
        run: async ({ input, session }) => {
          seen.push(input, session.id, (await it.events()).at(-1)?.type)
        },
      }),
    )
    await it.run('whatever', { at: '2026-01-01T00:00:00.000Z' })
    expect(seen).toEqual([{ at: new Date('2026-01-01T00:00:00.000Z') }, 's1', 'sandbox_notice'])
  })

  test('[N3] input that does not fit fails the run', async () => {
    const it = new NativeWorld(agent({ name: 'tested', input: v.object({ title: v.string() }), run: () => 'never' }))
    expect(await it.run('just text')).toEqual({
      status: 'failed',
      message: expect.stringMatching(/^The input does not fit: title: /),
      reason: 'input_invalid',
    })
  })

  test('[N5] returns its result, checked', async () => {
    const it = new NativeWorld(
      agent({ name: 'tested', output: v.object({ ok: v.boolean() }), run: ({ input }) => input.answer as never }),
    )
    expect(await it.run('x', { answer: { ok: true } })).toEqual({ status: 'completed', result: { ok: true } })
    expect(await it.run('x', { answer: { ok: 'yes' } })).toEqual({
      status: 'failed',
      message: expect.stringMatching(/^The output does not fit: ok: /),
      reason: 'output_invalid',
    })
  })

  test.each<[string, unknown, unknown]>([
    ['an error', new Error('it broke'), { message: 'it broke', reason: null }],
    ['a text', 'just text', { message: 'just text', reason: null }],
    ['an error without words', new TypeError(), { message: 'TypeError', reason: null }],
    ['a novel', new Error('x'.repeat(5_000)), { message: `${'x'.repeat(2_000)}…`, reason: null }],
  ])('[N12] fails with the message of %s', async (_name, thrown, expected) => {
    const it = world(() => {
      throw thrown
    })
    expect(await it.run()).toEqual({ status: 'failed', ...(expected as object) })
    expect(JSON.stringify(await it.events())).not.toContain('native.test.ts')
  })

  test('[N12] a transient error is tried again in the background, and only there', async () => {
    let attempts = 0
    const flaky: Run = async ({ session }) => {
      attempts += 1
      await session.text(`try ${attempts}`)
      if (attempts < 3) throw Object.assign(new Error('busy'), { transient: true })
    }
    const it = world(flaky)
    const { end } = await it.begin('hello', undefined, background)
    await it.clock.pass(10_000)
    expect(await end).toEqual({ status: 'completed', result: 'try 3' })
    attempts = 0
    expect(await world(flaky).run()).toEqual({ status: 'failed', message: 'busy', reason: null })
  })

  test('[N13] what was begun and not awaited belongs to the run; what fails there harms nobody', async () => {
    const it = world(({ session }) => {
      session.tool('slow', {}, () => new Promise((resolve) => setImmediate(() => resolve('late'))))
      session.tool('bad', {}, () => Promise.reject(new Error('unheard')))
      session.text('done')
    })
    expect(await it.run()).toEqual({ status: 'completed', result: 'done' })
    expect(await outcomes(it)).toEqual([
      { tool_name: 'bad', status: 'error', error: 'unheard' },
      { tool_name: 'slow', status: 'ok' },
    ])
  })

  test('[N13] a run that throws takes what it began with it', async () => {
    let seen: AbortSignal | undefined
    const it = world(async ({ session }) => {
      await Promise.all([
        session.tool('endless', {}, (_args, { signal }) => {
          seen = signal
          return new Promise(() => {})
        }),
        until(() => seen !== undefined).then(() => Promise.reject(new Error('enough'))),
      ])
    })
    expect(await it.run()).toMatchObject({ status: 'failed', message: 'enough' })
    expect(seen?.aborted).toBe(true)
  })

  test('[N7] [N13] a tool whose run ended while its intent was being written does not begin', async () => {
    let acted = false
    const it: NativeWorld = world(async ({ session }) => {
      const act = () => {
        acted = true
      }
      session.tool('late', {}, act, { input: slow })
      await until(() => checking)
      throw new Error('enough')
    })
    let checking = false
    const slow = v.pipeAsync(
      v.object({}),
      v.checkAsync(async () => {
        checking = true
        await new Promise((resolve) => setTimeout(resolve, 20))
        return true
      }),
    )
    expect(await it.run()).toMatchObject({ message: 'enough' })
    await new Promise((resolve) => setTimeout(resolve, 40))
    expect(acted).toBe(false)
  })

  test('[N13] after its end a session takes nothing', async () => {
    let kept: RunContext<JsonObject>['session'] | undefined
    const it = world(({ session }) => {
      kept = session
    })
    await it.run()
    const { length } = await it.events()
    await expect(kept?.text('late')).rejects.toMatchObject({ name: 'AbortError', code: 'run_over' })
    await expect(kept?.tool('late', {}, () => 1)).rejects.toMatchObject({ code: 'run_over' })
    expect((await it.events()).length).toBe(length)
  })
})

describe('an abort', () => {
  test('[N11] in mid-tool reaches the tool, and nothing is added after it', async () => {
    const seen: unknown[] = []
    const it = world(async ({ session }) => {
      await session.text('so far')
      try {
        await session.tool('wait', {}, (_args, { signal }) => {
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('let go')))
            seen.push('waiting')
          })
        })
      } catch (error) {
        seen.push((error as { code: string }).code)
      }
      await session.text('never')
    })
    const run = await it.begin()
    await until(() => seen.length === 1)
    await it.send({ type: 'cancel' })
    expect(await run.end).toEqual({ status: 'cancelled' })
    expect(seen).toEqual(['waiting', 'run_over'])
    expect(await it.told()).toEqual([
      'turn_start',
      ...TURN_RUNTIME,
      'token',
      'tool_call',
      'cancel_requested',
      'tool_outcome',
      'run_stopped',
      'turn_end',
    ])
    expect(await it.payloads('run_stopped')).toMatchObject([{ how: 'confirmed' }])
  })

  test('[N11] a run that ignores it is left behind', async () => {
    let began = false
    const it = world(() => {
      began = true
      return new Promise(() => {})
    })
    const run = await it.begin()
    await until(() => began)
    await it.send({ type: 'cancel' })
    await it.clock.pass(2_000)
    expect(await run.end).toEqual({ status: 'cancelled' })
    expect(await it.payloads('run_stopped')).toMatchObject([{ how: 'deadline' }])
  })

  test('[N11] while it waits for an approval', async () => {
    const it = world(({ session }) => session.approval({ subject: 'deploy', reason: 'it is Friday' }) as never)
    const run = await it.begin()
    await it.asked()
    await it.send({ type: 'cancel' })
    expect(await run.end).toEqual({ status: 'cancelled' })
  })
})

describe('after a crash, with durable: false', () => {
  const waiting: Run = ({ session }) =>
    session.tool('deploy', {}, () => 'deployed', { approve: true, effect: 'idempotent' })

  test('[N14] [N55] a chat that was running, or waited for an approval, ends as interrupted', async () => {
    const before = new NativeWorld(tested(waiting, false))
    const { runId } = await before.begin()
    await before.asked()
    await before.host.stop()
    const after = new NativeWorld(tested(waiting, false), { store: before.store.reopen() })
    await after.host.start()
    await until(() => after.host.counts().running === 0)
    expect((await after.events()).filter(({ run }) => run === runId).slice(-1)).toMatchObject([
      { type: 'turn_end', payload: { status: 'failed' } },
    ])
    expect(await after.payloads('error')).toMatchObject([{ reason: 'interrupted' }])
    await after.host.stop()
  })

  test('[N14] [N55] background work starts again from the beginning', async () => {
    const before = new NativeWorld(tested(waiting, false))
    await before.begin('hello', undefined, background)
    await before.asked()
    await before.host.stop()
    const clock = new VirtualClock()
    const after = new NativeWorld(tested(waiting, false), { store: before.store.reopen(), clock })
    await after.host.start()
    await clock.pass(5_000)
    const session = await after.host.open(key)
    expect(Object.values(session.state.approvals.open)).toMatchObject([{ tool: 'deploy', attempt: 2 }])
    await after.send({ type: 'approve', ...(await after.asked()), decision: 'approved' })
    await until(() => session.state.lifecycle.run === null)
    expect(await after.payloads('completed')).toMatchObject([{ result: 'deployed' }])
    await after.host.stop()
  })
})

test('[N18] a new definition serves new runs; a live one keeps its own', async () => {
  let go: (() => void) | undefined
  const first = tested(async () => {
    await new Promise<void>((resolve) => {
      go = resolve
    })
    return 'old'
  })
  let current = first
  const it = new NativeWorld(() => current)
  const live = await it.begin()
  await until(() => go !== undefined)
  current = tested(() => 'new')
  go?.()
  expect(await live.end).toMatchObject({ result: 'old' })
  expect(await it.run()).toMatchObject({ result: 'new' })
})

test('[N59] a run whose agent is gone fails with a reason, when it starts and when it is taken up', async () => {
  const waiting: Run = ({ session }) => session.approval({ subject: 'end', reason: 'Enough?' })
  const gone = () => {
    throw new Error('no such file')
  }
  const it = new NativeWorld(gone)
  expect(await it.run()).toEqual({
    ...{ status: 'failed', message: 'The agent "tested" is not available.', reason: 'agent_unavailable' },
  })
  const before = world(waiting)
  await before.begin()
  await before.asked()
  await before.host.stop()
  const after = new NativeWorld(gone, { store: before.store.reopen() })
  await after.host.start()
  // The agent may be back before the answer comes.
  const { approvalId } = await after.asked()
  await flushPending()
  expect(await after.payloads('error')).toEqual([])
  await after.send({ type: 'approve', approvalId, decision: 'approved' })
  await until(() => after.host.counts().running === 0)
  expect(await after.payloads('error')).toMatchObject([
    { reason: 'agent_unavailable', message: expect.stringContaining('no longer there') },
  ])
  await after.host.stop()
})
