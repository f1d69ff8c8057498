import type { JsonObject } from '@bridle/events/json'
import type { ReportItem } from '@bridle/kernel/commands'
import { callDigest } from '@bridle/kernel/host/approval-binding'
import { digest, flushPending, VirtualClock } from '@bridle/kernel/host/host.suite'
import type { ApprovalAnswer } from '@bridle/kernel/ports/runner'
import { RunReporter } from '@bridle/kernel/session/run-reporter'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import type { StepCall } from '../../model/model.ts'
import { RunEndedError } from '../../session/errors.ts'
import { type Tool, type ToolCallContext, type ToolDeclaration, tool } from '../../tools/tool.ts'
import { applyAnswer, outcomeQuestion } from './call-approvals.ts'
import { checkCalls } from './call-checks.ts'
import { beginning, beginsAtOnce, type CallContext, makeCall, refusal } from './calls.ts'

const deadline = {
  ...{ clock: new VirtualClock(), signal: new AbortController().signal, ms: 1_000 },
  error: () => new Error('It took too long.'),
}

const key = { tenant: 'acme', agent: 'tested', id: 's1' }
const callOf = (name: string, input: JsonObject = {}, id = 'r-1.1.1'): StepCall => ({
  type: 'call',
  id,
  tool: name,
  input,
  provider_id: id,
})
const work = (run: Tool['run'], more: Partial<ToolDeclaration<never>> = {}) =>
  tool({ name: 'work', description: 'Works.', run, ...(more as object) })

/** A run with a reporter that keeps what it is told. */
const setUp = () => {
  const clock = new VirtualClock()
  const reported: ReportItem[] = []
  const ending = new AbortController()
  const reporter = new RunReporter({
    runId: 'r-1',
    attempt: 1,
    frame: 0,
    clock,
    tokenPaceMs: 0,
    send: async ({ items }) => {
      reported.push(...items)
      return {}
    },
  })
  const context: CallContext = { key, reporter, clock, digest, signal: ending.signal, toolMs: 60_000 }
  const call = (made: Tool, args: JsonObject = {}) => makeCall(callOf('work', args), made, args, context)
  return { clock, reported, ending, context, call }
}

/** The payloads of event items, by type. */
const events = (items: readonly ReportItem[]) =>
  items.map((item) => (item.type === 'event' ? [item.event.type, item.event.payload] : [item.type, item]))
const outcomesIn = (items: readonly ReportItem[]) => events(items).filter(([type]) => type === 'tool_outcome')

describe('the work of a call', () => {
  test('[N24] its result and its one outcome are told together', async () => {
    const { call } = setUp()
    expect(events(await call(work(() => ({ lines: 3 }))))).toEqual([
      ['tool_result', { tool_call_id: 'r-1.1.1', tool_name: 'work', result: { lines: 3 } }],
      [
        'tool_outcome',
        {
          tool_call_id: 'r-1.1.1',
          tool_name: 'work',
          outcome_type: 'ToolExecutionResult',
          status: 'ok',
          elapsed_ms: 0,
          result: { lines: 3 },
        },
      ],
    ])
  })

  test.each<[JsonObject, object]>([
    [{ exit_code: 3, output: 'no' }, { exit_code: 3 }],
    [{ exit_code: null }, {}],
    [{ exit_code: 'secret' }, {}],
  ])('[E18] the outcome has the exit code of a result: %j', async (result, facts) => {
    const { call } = setUp()
    expect(outcomesIn(await call(work(() => result)))).toEqual([
      [
        'tool_outcome',
        {
          ...{ tool_call_id: 'r-1.1.1', tool_name: 'work', outcome_type: 'ToolExecutionResult', status: 'ok' },
          ...{ elapsed_ms: 0, result, ...facts },
        },
      ],
    ])
  })

  test('[N24] the tool gets its input as the schema returns it, and the same step key in every process', async () => {
    const seen: unknown[] = []
    const reads = work((input, { stepKey, session }) => seen.push(input, stepKey, session.id), {
      input: v.object({ n: v.pipe(v.string(), v.transform(Number)) }) as never,
    })
    await setUp().call(reads, { n: '5' })
    await setUp().call(reads, { n: '5' })
    const each = [{ n: 5 }, 'acme/tested/s1:r-1.1.1', 's1']
    expect(seen).toEqual([...each, ...each])
  })

  const deep = () => {
    let value: unknown = 1
    for (let level = 0; level < 200; level++) value = [value]
    return value
  }
  const circle: { self?: unknown } = {}
  circle.self = circle

  test.each<[string, () => unknown, object]>([
    ['nothing is null', () => undefined, { status: 'ok', result: null }],
    ['JSON as it is written', () => new Date(0), { status: 'ok', result: '1970-01-01T00:00:00.000Z' }],
    ['a large result, which the session makes an artifact', () => 'x'.repeat(3_000_000), { status: 'ok' }],
    ['a number that JSON does not have', () => 1n, { status: 'error', reason: 'result_invalid' }],
    ['a function', () => () => 1, { status: 'error', reason: 'result_invalid' }],
    ['a circle', () => circle, { status: 'error', reason: 'result_invalid' }],
    ['a deep value', deep, { status: 'error', reason: 'result_invalid' }],
    ['100 MB of text', () => 'x'.repeat(100_000_000), { status: 'error', reason: 'result_too_large' }],
    ['a long list', () => Array(100).fill('x'.repeat(200_000)), { status: 'error', reason: 'result_too_large' }],
    [
      'an error, without its stack',
      () => {
        throw new Error('no such file')
      },
      { status: 'error', error: 'no such file' },
    ],
    ['a rejection', () => Promise.reject(new Error('later')), { status: 'error', error: 'later' }],
    ['a text that is thrown', () => Promise.reject('plain'), { status: 'error', error: 'plain' }],
    [
      'a strange thing that is thrown',
      () => Promise.reject(Object.create(null)),
      { status: 'error', error: 'Unknown error.' },
    ],
    [
      'a long message',
      () => Promise.reject(new Error('x'.repeat(5_000))),
      { status: 'error', error: `${'x'.repeat(2_000)}…` },
    ],
  ])('[N26] %s', async (_name, run, expected) => {
    const { call } = setUp()
    const outcomes = outcomesIn(await call(work(run)))
    expect(outcomes).toEqual([['tool_outcome', expect.objectContaining(expected)]])
  })

  test('[N26] a tool that hangs has a timeout, and its signal is aborted', async () => {
    const { call, clock } = setUp()
    let seen: AbortSignal | undefined
    const hangs = (timeoutMs?: number) =>
      work(
        (_input, { signal }) => {
          seen = signal
          return new Promise(() => {})
        },
        { ...(timeoutMs !== undefined && { timeoutMs }) },
      )
    for (const [made, ms] of [
      [hangs(50), 50],
      [hangs(), 60_000],
    ] as const) {
      const end = call(made)
      await flushPending()
      await clock.pass(ms - 1)
      expect(seen?.aborted).toBe(false)
      await clock.pass(1)
      expect(outcomesIn(await end)).toMatchObject([
        ['tool_outcome', { status: 'timeout', elapsed_ms: ms, error: `"work" took longer than ${ms} ms.` }],
      ])
      expect(seen?.aborted).toBe(true)
    }
  })

  test('[N26] a tool that settles after its deadline changes nothing', async () => {
    const { call, clock, reported } = setUp()
    const late: { settle: (value: unknown) => void; session: ToolCallContext['session'] }[] = []
    const slow = work(
      (_input, { session }) =>
        new Promise((resolve, reject) => {
          late.push({ settle: late.length === 0 ? resolve : reject, session })
        }),
      { timeoutMs: 10 },
    )
    const ends = [call(slow), call(slow)]
    await flushPending()
    await clock.pass(10)
    const outcomes = (await Promise.all(ends)).flatMap(outcomesIn)
    for (const { settle } of late) settle('too late')
    await expect(late[0]?.session.emit('my_event', {})).rejects.toThrow('took longer than 10 ms')
    await flushPending()
    expect(outcomes).toMatchObject([
      ['tool_outcome', { status: 'timeout' }],
      ['tool_outcome', { status: 'timeout' }],
    ])
    expect(reported).toEqual([])
  })

  test('[N26] the end of the run ends its calls: their tools are told, and nothing is reported', async () => {
    const { call, ending } = setUp()
    const aborted: boolean[] = []
    const patient = work(
      (_input, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted.push(true)
            resolve('after the end')
          })
        }),
    )
    const ends = [call(patient), call(patient), call(patient)]
    await flushPending()
    ending.abort(new RunEndedError('The run was cancelled.'))
    for (const end of ends) await expect(end).rejects.toThrow('The run was cancelled.')
    expect(aborted).toEqual([true, true, true])
    let ran = false
    const begun = work(() => {
      ran = true
    })
    await expect(call(begun)).rejects.toThrow('The run was cancelled.')
    expect(ran).toBe(false)
  })

  test('[N29] a tool tells events, artifacts and usage, but neither text nor outcomes', async () => {
    const { call, reported } = setUp()
    const kept: ToolCallContext['session'][] = []
    const talks = work(async (_input, { session }) => {
      kept.push(session)
      await session.emit('my_event', { n: 1 })
      await session.artifact('a.txt', 'text')
      await session.usage({ inputTokens: 5 })
      // Nobody awaits it, and nothing breaks.
      session.emit('tool_outcome' as 'my_event', {})
      await session.emit('token' as 'my_event', { text: 'x' })
    })
    expect(outcomesIn(await call(talks))).toMatchObject([
      ['tool_outcome', { status: 'error', error: '"token" is not an event that a tool can emit.' }],
    ])
    const told = events(reported).map(([type]) => type)
    expect(told).toEqual(['custom_event', 'artifact', 'usage'])
    await expect(kept[0]?.emit('my_event', {})).rejects.toThrow('The call is over.')
    expect(reported).toHaveLength(3)
  })

  test.each(['turn_start_tools', 'context_warning', 'context_compacted', 'hook_event', 'transport_diagnostic'])(
    '[N29] a tool cannot write %s, by which the loop goes on',
    async (type) => {
      const { call, reported } = setUp()
      const forges = work((_input, { session }) => session.emit(type as 'my_event', { tools: [], kept_from: 1 }))
      expect(outcomesIn(await call(forges))).toMatchObject([['tool_outcome', { status: 'error' }]])
      expect(reported).toEqual([])
    },
  )
})

describe('the beginning of a call', () => {
  const begin = async (declaration: object, input: JsonObject = { n: 1 }) => {
    const made = tool({ name: 'work', description: 'Works.', run: () => 1, ...declaration })
    const [check] = await checkCalls([{ call: callOf('work', input), outcome: null }], () => true, [made], deadline)
    if (!check || 'refusal' in check) throw new Error('It was refused.')
    return beginning(check, digest)
  }
  const intent = (effect: string, args: JsonObject = { n: 1 }) => [
    'tool_call',
    { name: 'work', arguments: args, tool_call_id: 'r-1.1.1', effect },
  ]

  test('[N24] the log has the call with its effect before it is made', async () => {
    for (const effect of ['pure', 'idempotent', 'unsafe']) {
      const items = await begin({ effect })
      expect(events(items)).toEqual([intent(effect)])
      expect(beginsAtOnce(items)).toBe(true)
    }
  })

  test.each<[string, unknown, object]>([
    ['always', true, { reason: 'The agent wants to run "work".' }],
    ['with a reason and a time', { reason: 'It pays.', expiresMs: 5_000 }, { reason: 'It pays.', expiresMs: 5_000 }],
    ['by its input', ({ n }: JsonObject) => Number(n) > 0, { reason: 'The agent wants to run "work".' }],
    ['by its input, with a reason', () => ({ reason: 'Look.' }), { reason: 'Look.' }],
  ])('[N33] asks a person: %s', async (_name, approve, expected) => {
    const items = await begin({ approve })
    expect(beginsAtOnce(items)).toBe(false)
    expect(events(items)).toEqual([
      intent('unsafe'),
      [
        'ask',
        {
          type: 'ask',
          toolCallId: 'r-1.1.1',
          tool: 'work',
          arguments: { n: 1 },
          digest: await callDigest(digest, 'work', { n: 1 }),
          ...expected,
        },
      ],
    ])
  })

  test.each<[string, unknown]>([
    ['never', false],
    ['not for this input', ({ n }: JsonObject) => Number(n) > 5],
  ])('[N33] asks nobody: %s', async (_name, approve) => {
    expect(beginsAtOnce(await begin({ approve }))).toBe(true)
  })

  test.each<[string, unknown, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
      /Nobody could be asked for an approval of "work": broken/,
    ],
    ['says something else', () => 'yes', /is neither a boolean nor/],
    ['says nothing', () => undefined, /is neither a boolean nor/],
    // The test fails, as a server would end, where nobody takes the error.
    ['is async, and fails', () => Promise.reject(new Error('broken')), /approve returned a promise/],
    ['is async', async () => false, /approve returned a promise/],
  ])('[N33] a rule that %s lets nothing pass', async (_name, approve, error) => {
    const items = await begin({ approve })
    expect(beginsAtOnce(items)).toBe(false)
    expect(events(items)).toMatchObject([
      ['tool_call', {}],
      ['tool_outcome', { status: 'error', reason: 'approval_failed', error: expect.stringMatching(error) }],
    ])
  })
})

describe('the answer of a person', () => {
  const call = { id: 'r-1.1.1', tool: 'work' }
  const answer = async (more: Partial<ApprovalAnswer>): Promise<ApprovalAnswer> => ({
    requestId: 'apr-5',
    toolCallId: call.id,
    decision: 'approved',
    arguments: { n: 1 },
    approvedDigest: await callDigest(digest, 'work', more.arguments ?? { n: 1 }),
    reason: null,
    ...more,
  })
  const delivered = ['approval_delivered', { type: 'approval_delivered', requestId: 'apr-5' }]

  test.each<[string, Partial<ApprovalAnswer>, JsonObject | null, object | null]>([
    ['approved', {}, { n: 1 }, null],
    ['approved with other arguments', { arguments: { n: 2 } }, { n: 2 }, null],
    ['approved, but another call', { approvedDigest: 'x' }, null, { status: 'error', reason: 'not_approved' }],
    ['approved, but without a digest', { approvedDigest: null }, null, { status: 'error', reason: 'not_approved' }],
    ['denied', { decision: 'denied' }, null, { status: 'denied', reason: 'denied' }],
    [
      'denied with a reason',
      { decision: 'denied', reason: 'not today' },
      null,
      { status: 'denied', reason: 'not today' },
    ],
    ['expired', { decision: 'expired', reason: 'expired' }, null, { status: 'denied', reason: 'expired' }],
    ['run again', { kind: 'unknown_outcome', approvedDigest: null }, { begun: true }, null],
    ['run again, with other arguments', { kind: 'unknown_outcome', arguments: { n: 9 } }, { begun: true }, null],
    [
      'not run again',
      { kind: 'unknown_outcome', decision: 'denied' },
      null,
      { status: 'error', reason: 'outcome_unknown' },
    ],
    [
      'nobody said',
      { kind: 'unknown_outcome', decision: 'expired' },
      null,
      { status: 'error', reason: 'outcome_unknown' },
    ],
  ])('[N33] %s', async (_name, more, args, outcome) => {
    const used = await applyAnswer(call, { begun: true }, await answer(more), digest)
    expect(used.args).toEqual(args)
    expect(events(used.items)).toEqual([
      delivered,
      ...(outcome ? [['tool_outcome', expect.objectContaining(outcome)]] : []),
    ])
  })

  test('[N33] edited arguments go through the schema of the tool', async () => {
    let ran = false
    const pay = work(
      () => {
        ran = true
      },
      { input: v.object({ cents: v.number() }) as never },
    )
    const { call } = setUp()
    expect(outcomesIn(await call(pay, { cents: 'all' }))).toMatchObject([
      [
        'tool_outcome',
        { status: 'error', reason: 'arguments_invalid', error: expect.stringMatching(/do not fit: cents: /) },
      ],
    ])
    expect(ran).toBe(false)
  })

  test('[N33] a person decides about an unsafe call that a crash cut off', async () => {
    expect(await outcomeQuestion(call, { n: 1 }, digest)).toEqual({
      type: 'ask',
      kind: 'unknown_outcome',
      toolCallId: 'r-1.1.1',
      tool: 'work',
      arguments: { n: 1 },
      reason: expect.stringMatching(/stopped while "work" ran/),
      digest: await callDigest(digest, 'work', { n: 1 }),
    })
  })
})

test('[N27] a call that is not made has its intent, its problem and its outcome in one report', async () => {
  const strict = tool({ name: 'strict', description: 'x', input: v.object({ n: v.number() }), run: () => 1 })
  const [check] = await checkCalls(
    [{ call: callOf('strict', { n: 'x' }), outcome: null }],
    () => true,
    [strict],
    deadline,
  )
  if (!check || !('refusal' in check)) throw new Error('It was not refused.')
  const error = expect.stringMatching(/^The arguments of "strict" do not fit: n: /)
  expect(events(refusal(check))).toEqual([
    ['tool_call', { name: 'strict', arguments: { n: 'x' }, tool_call_id: 'r-1.1.1', effect: 'pure' }],
    ['tool_validation_error', { tool_call_id: 'r-1.1.1', tool_name: 'strict', error }],
    [
      'tool_outcome',
      {
        tool_call_id: 'r-1.1.1',
        tool_name: 'strict',
        outcome_type: 'ToolFailure',
        status: 'error',
        elapsed_ms: 0,
        reason: 'arguments_invalid',
        error,
      },
    ],
  ])
})
