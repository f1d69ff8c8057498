import type { Json, JsonObject } from '@bridle/events/json'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { agent, type RunContext } from '../agent.ts'
import { NativeWorld, until } from '../in-process/native.suite.ts'

type RunFunction = (context: RunContext<JsonObject>) => unknown
const world = (run: RunFunction) => new NativeWorld(agent({ name: 'tested', run: run as () => Json }))
const background = { kind: 'background', maxRetries: 2 } as const
const outcomes = async (it: NativeWorld) =>
  (await it.payloads('tool_outcome')).map(({ tool_name, status, error, reason }) => ({
    tool_name,
    status,
    ...(error !== undefined && { error }),
    ...(reason !== undefined && { reason }),
  }))

describe('a tool', () => {
  test('[N7] is in the log before it acts, and its result before the run continues', async () => {
    const seen: unknown[] = []
    const it: NativeWorld = world(async ({ session }) => {
      const args = { path: 'a' }
      const reading = session.tool('read', args, async (given) => {
        seen.push(given, (await it.told()).at(-1))
        return { lines: 3 }
      })
      args.path = 'changed afterwards'
      seen.push(await reading, (await it.told()).slice(-2))
    })
    await it.run()
    expect(seen).toEqual([{ path: 'a' }, 'tool_call', { lines: 3 }, ['tool_result', 'tool_outcome']])
    expect(await it.payloads('tool_call')).toEqual([
      { name: 'read', arguments: { path: 'a', _tool_call_id: 'read' }, tool_call_id: 'read', effect: 'unsafe' },
    ])
    expect(await it.payloads('tool_outcome')).toEqual([
      {
        tool_call_id: 'read',
        tool_name: 'read',
        outcome_type: 'ToolExecutionResult',
        status: 'ok',
        elapsed_ms: 0,
        result: { lines: 3 },
      },
    ])
  })

  test.each<[string, RunFunction, unknown[], unknown]>([
    ['nothing returned', ({ session }) => session.tool('t', {}, () => {}), [{ tool_name: 't', status: 'ok' }], null],
    [
      'an error',
      ({ session }) =>
        session.tool('t', {}, () => {
          throw new Error('no such file')
        }),
      [{ tool_name: 't', status: 'error', error: 'no such file' }],
      'no such file',
    ],
    [
      'a result that is not JSON',
      ({ session }) => session.tool('t', {}, () => 1n),
      [{ tool_name: 't', status: 'error', error: 'The result of a tool is not JSON.' }],
      'The result of a tool is not JSON.',
    ],
    [
      'a large result',
      async ({ session }) => String(await session.tool('t', {}, () => 'x'.repeat(20_000))).length,
      [{ tool_name: 't', status: 'artifact' }],
      20_000,
    ],
    [
      'a huge result',
      async ({ session }) => String(await session.tool('t', {}, () => 'x'.repeat(3_000_000))).length,
      [{ tool_name: 't', status: 'artifact' }],
      3_000_000,
    ],
    [
      'arguments that do not fit',
      ({ session }) =>
        session.tool('t', { n: 'x' }, () => 1, { input: v.object({ n: v.number() }) as never }) as Promise<unknown>,
      [{ tool_name: 't', status: 'error', error: expect.stringMatching(/^The arguments of "t" do not fit: n: /) }],
      expect.stringMatching(/do not fit/),
    ],
  ])('[N8] %s', async (_name, run, expected, end) => {
    const it = world(run)
    const outcome = await it.run()
    expect(await outcomes(it)).toEqual(expected)
    if (outcome.status === 'completed') expect(outcome.result ?? null).toEqual(end === null ? '' : end)
    else expect(outcome).toMatchObject({ status: 'failed', message: end })
  })

  test('[E18] the exit code of a result is one of the outcome, too', async () => {
    const it = world(({ session }) => session.tool('t', {}, () => ({ exit_code: 2 })))
    await it.run()
    expect(await it.payloads('tool_outcome')).toMatchObject([{ status: 'ok', exit_code: 2 }])
  })

  test('[N8] a tool that takes too long is aborted, and the run does not wait for it', async () => {
    let seen: AbortSignal | undefined
    const it = world(({ session }) =>
      session
        .tool(
          'slow',
          {},
          (_args, { signal }) => {
            seen = signal
            return new Promise(() => {})
          },
          { timeoutMs: 50 },
        )
        .catch((error) => error.code),
    )
    const { end } = await it.begin()
    await until(() => seen !== undefined)
    await it.clock.pass(49)
    expect(seen?.aborted).toBe(false)
    await it.clock.pass(1)
    expect(await end).toEqual({ status: 'completed', result: 'tool_timeout' })
    expect(seen?.aborted).toBe(true)
    expect(await it.payloads('tool_outcome')).toMatchObject([
      { status: 'timeout', elapsed_ms: 50, error: '"slow" took longer than 50 ms.' },
    ])
  })

  test('[N10] has a step key of its own, which a call that failed for a while keeps', async () => {
    const keys: string[] = []
    let attempts = 0
    const it = world(async ({ session }) => {
      const note = (_args: object, { stepKey }: { stepKey: string }) => keys.push(stepKey)
      await session.tool('a', {}, note)
      await session.tool('b', {}, note, { id: 'mine' })
      await session.tool('c', {}, (args, context) => {
        note(args, context)
        if (++attempts < 3) throw Object.assign(new Error('busy'), { transient: true })
      })
      await session.tool('c', {}, note)
    })
    const { end, runId } = await it.begin('hello', undefined, background)
    await it.clock.pass(10_000)
    expect(await end).toMatchObject({ status: 'completed' })
    const ids = ['a', 'mine', 'c', 'c', 'c', 'c#4']
    expect(keys).toEqual(ids.map((id) => `acme/tested/s1:${runId}:${id}`))
    expect((await it.payloads('tool_call')).map(({ tool_call_id }) => tool_call_id)).toEqual([
      ...['a', 'mine', 'c', 'c#2', 'c#3', 'c#4'],
    ])
  })

  test('[N10] with durable: false, every call has the same step key in every attempt', async () => {
    const keys: string[] = []
    let attempts = 0
    const run: RunFunction = async ({ session }) => {
      const note = (_args: object, { stepKey }: { stepKey: string }) => keys.push(stepKey)
      await session.tool('a', {}, note)
      await session.tool('b', {}, note, { id: 'mine' })
      if (++attempts === 1) throw Object.assign(new Error('busy'), { transient: true })
    }
    const it = new NativeWorld(agent({ name: 'tested', durable: false, run: run as () => Json }))
    const { end, runId } = await it.begin('hello', undefined, background)
    await it.clock.pass(5_000)
    await end
    const each = [`acme/tested/s1:${runId}:call-1`, `acme/tested/s1:${runId}:mine`]
    expect(keys).toEqual([...each, ...each])
  })
})

describe('an approval', () => {
  const writing: RunFunction = ({ session }) =>
    session.tool('write', { path: 'a' }, (args) => ({ wrote: args }), {
      effect: 'idempotent',
      approve: { reason: 'it writes', expiresMs: 1_000 },
    })

  test.each<[string, object, unknown, unknown]>([
    ['allowed', { decision: 'approved' }, { result: { wrote: { path: 'a' } } }, { status: 'ok' }],
    [
      'allowed with other arguments',
      { decision: 'approved', args: { path: 'b' } },
      { result: { wrote: { path: 'b' } } },
      { status: 'ok' },
    ],
    [
      'denied',
      { decision: 'denied', reason: 'not today' },
      { message: '"write" was denied: not today' },
      { status: 'denied', reason: 'not today' },
    ],
  ])('[N9] %s', async (_name, verdict, end, outcome) => {
    const it = world(writing)
    const run = await it.begin()
    const { approvalId } = await it.asked()
    expect(await it.told()).toEqual([
      'turn_start',
      'policy_decision',
      'sandbox_notice',
      'tool_call',
      'approval_required',
    ])
    await it.send({ type: 'approve', approvalId, ...verdict } as never)
    expect(await run.end).toMatchObject(end as object)
    expect(await it.payloads('tool_outcome')).toMatchObject([outcome])
  })

  test('[N9] expires', async () => {
    const it = world(writing)
    const run = await it.begin()
    await it.asked()
    await it.clock.pass(1_000)
    expect(await run.end).toMatchObject({ status: 'failed', message: '"write" was not approved in time.' })
    expect(await it.payloads('tool_outcome')).toMatchObject([{ status: 'denied', reason: 'expired' }])
  })

  test('[N9] the agent may catch a denial', async () => {
    const it = world(async (context) => {
      const code = await Promise.resolve(writing(context)).catch((error) => [error.code, error.decision, error.reason])
      return code as Json
    })
    const run = await it.begin()
    await it.send({ type: 'approve', ...(await it.asked()), decision: 'denied', reason: 'no' })
    expect(await run.end).toEqual({ status: 'completed', result: ['tool_denied', 'denied', 'no'] })
  })

  test('[N9] edited arguments go through the tool’s schema', async () => {
    const paid: unknown[] = []
    const input = v.object({ cents: v.pipe(v.union([v.number(), v.string()]), v.transform(Number)) })
    const it = world(({ session }) =>
      session.tool('pay', { cents: 5 }, (args) => void paid.push(args), { approve: true, input }),
    )
    const run = await it.begin()
    await it.send({ type: 'approve', ...(await it.asked()), decision: 'approved', args: { cents: '7' } })
    expect(await run.end).toMatchObject({ status: 'completed' })
    expect(paid).toEqual([{ cents: 7 }])
    expect(await it.payloads('approval_applied')).toMatchObject([{ arguments: { cents: '7' } }])
  })

  test.each([
    [
      'approved',
      { decision: 'approved', args: { to: 'b' } },
      { approved: true, args: { to: 'b' }, reason: null },
      'ok',
    ],
    ['denied', { decision: 'denied' }, { approved: false, args: { to: 'a' }, reason: null }, 'denied'],
  ])('[N9] of a question without a tool: %s', async (decision, verdict, expected, status) => {
    const it = world(
      ({ session }) => session.approval({ subject: 'deploy', args: { to: 'a' }, reason: 'it is Friday' }) as never,
    )
    const run = await it.begin()
    await it.send({ type: 'approve', ...(await it.asked()), ...verdict } as never)
    expect(await run.end).toEqual({ status: 'completed', result: { decision, ...expected } })
    expect(await it.payloads('tool_outcome')).toMatchObject([{ tool_name: 'deploy', status }])
  })
})
