// Calls through a real session: the log that they leave behind.

import type { JsonObject } from '@bridle/events/json'
import { PAYLOAD_CHARS_MAX } from '@bridle/events/limits'
import { callDigest } from '@bridle/kernel/host/approval-binding'
import { digest, flushPending, key, setUp, VirtualClock } from '@bridle/kernel/host/host.suite'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import type { StepCall } from '../../model/model.ts'
import { tool } from '../../tools/tool.ts'
import { applyAnswer } from './call-approvals.ts'
import { checkCalls } from './call-checks.ts'
import { beginning, makeCall, refusal } from './calls.ts'

const deadline = {
  ...{ clock: new VirtualClock(), signal: new AbortController().signal, ms: 1_000 },
  error: () => new Error('It took too long.'),
}

const calls = (...names: [string, JsonObject?][]): StepCall[] =>
  names.map(([name, input = {}], index) => ({
    type: 'call',
    id: `r-1.1.${index + 1}`,
    tool: name,
    input,
    provider_id: `p${index}`,
  }))

/** A durable run in a session of its own, in the hands of the test. */
const startRun = async (id: string) => {
  const all = setUp()
  all.runner.durable = true
  await all.host.send(key(id), { type: 'submit', prompt: 'go' })
  await flushPending()
  const { reporter } = all.runner.last
  const context = {
    key: key(id),
    reporter,
    clock: all.clock,
    digest,
    signal: new AbortController().signal,
    toolMs: 60_000,
  }
  const payloads = async (type: string) =>
    (await all.events(key(id))).filter((event) => event.type === type).map(({ payload }) => payload as JsonObject)
  return { ...all, reporter, context, payloads }
}

test('[N26] results of any size end in one outcome each, and no payload is too large for a store', async () => {
  const { reporter, context, payloads, events, faults } = await startRun('large')
  const sizes = [10, 20_000, 2_000_000, 4_000_000]
  const big = tool({ name: 'big', description: 'x', effect: 'pure', run: (input) => 'x'.repeat(Number(input.size)) })
  const rows = tool({ name: 'rows', description: 'x', run: () => Array(50_000).fill({ name: 'row', n: 1 }) })
  const huge = tool({ name: 'huge', description: 'x', run: () => 'x'.repeat(100_000_000) })
  const asked = calls(...sizes.map((size): [string, JsonObject] => ['big', { size }]), ['rows'], ['huge'])
  const tools = [big, rows, huge]
  const checks = await checkCalls(
    asked.map((call) => ({ call, outcome: null })),
    () => true,
    tools,
    deadline,
  )
  for (const check of checks) {
    if ('refusal' in check) throw new Error('It was refused.')
    await reporter.report(await beginning(check, digest))
    await reporter.report(await makeCall(check.call, check.tool, check.call.input, context))
  }
  const outcomes = await payloads('tool_outcome')
  expect(outcomes.map(({ tool_call_id, status }) => [tool_call_id, status])).toEqual([
    ['r-1.1.1', 'ok'],
    ['r-1.1.2', 'artifact'],
    ['r-1.1.3', 'artifact'],
    ['r-1.1.4', 'artifact'],
    ['r-1.1.5', 'artifact'],
    ['r-1.1.6', 'error'],
  ])
  const reference = outcomes[3]?.result as JsonObject | undefined
  expect((await reporter.session.artifactText(String(reference?.artifact_id)))?.length).toBe(4_000_000)
  const lengths = (await events(key('large'))).map(({ payload }) => JSON.stringify(payload).length)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(PAYLOAD_CHARS_MAX)
  expect(faults).toEqual([])
})

test('[N24] a second outcome of a call is not kept', async () => {
  const { reporter, context, payloads } = await startRun('twice')
  const count = tool({ name: 'count', description: 'x', effect: 'pure', run: () => 1 })
  const [check] = await checkCalls(
    calls(['count']).map((call) => ({ call, outcome: null })),
    () => true,
    [count],
    deadline,
  )
  if (!check || 'refusal' in check) throw new Error('It was refused.')
  await reporter.report(await beginning(check, digest))
  const first = makeCall(check.call, count, {}, context)
  const second = makeCall(check.call, count, {}, context)
  await reporter.report(await first)
  await reporter.report(await second)
  expect(await payloads('tool_outcome')).toHaveLength(1)
})

test('[N27] a refused call is settled in the report in which it begins', async () => {
  const { reporter, payloads } = await startRun('refused')
  const strict = tool({ name: 'strict', description: 'x', input: v.object({ n: v.number() }), run: () => 1 })
  const asked = calls(['strict', { n: 'x' }], ['unknown'], ['strict'], ['strict'])
  const checks = await checkCalls(
    asked.map((call) => ({ call, outcome: null })),
    () => true,
    [strict],
    deadline,
  )
  await reporter.report(checks.flatMap((check) => ('refusal' in check ? refusal(check) : [])))
  expect((await payloads('tool_outcome')).map(({ status, reason }) => [status, reason])).toEqual([
    ['error', 'arguments_invalid'],
    ['error', 'unknown_tool'],
    ['error', 'arguments_invalid'],
    ['denied', 'tool_rests'],
  ])
  expect(await payloads('tool_call')).toHaveLength(4)
  expect(await payloads('tool_validation_error')).toHaveLength(4)
  expect(reporter.session.job()?.course?.calls).toEqual({})
})

test('[N33] a person approves with other arguments, and the call is made with these', async () => {
  const { host, reporter, context, payloads } = await startRun('approved')
  const paid: unknown[] = []
  const pay = tool({
    name: 'pay',
    description: 'x',
    input: v.object({ cents: v.number() }),
    approve: ({ cents }) => cents > 100 && { reason: 'It is much.' },
    run: (input) => paid.push(input),
  })
  const asked = calls(['pay', { cents: 500 }], ['pay', { cents: 900 }])
  for (const check of await checkCalls(
    asked.map((call) => ({ call, outcome: null })),
    () => true,
    [pay],
    deadline,
  )) {
    if ('refusal' in check) throw new Error('It was refused.')
    await reporter.report(await beginning(check, digest))
  }
  const [first, second] = reporter.session.job()?.course?.open ?? []
  expect(first).toMatchObject({ toolCallId: 'r-1.1.1', reason: 'It is much.' })
  await host.send(key('approved'), { type: 'approve', approvalId: String(second?.id), decision: 'denied' })
  const edited = { cents: 50 }
  await host.send(key('approved'), {
    type: 'approve',
    approvalId: String(first?.id),
    decision: 'approved',
    args: edited,
  })
  for (const answer of reporter.session.job()?.course?.answers ?? []) {
    const call = asked.find(({ id }) => id === answer.toolCallId) as StepCall
    const { items, args } = await applyAnswer(call, call.input, answer, digest)
    await reporter.report(items)
    if (args) await reporter.report(await makeCall(call, pay, args, context))
  }
  expect(paid).toEqual([edited])
  const outcomes = (await payloads('tool_outcome')).map(({ tool_call_id, status }) => [tool_call_id, status])
  expect(outcomes.sort()).toEqual([
    ['r-1.1.1', 'ok'],
    ['r-1.1.2', 'denied'],
  ])
  expect(reporter.session.job()?.course).toMatchObject({ calls: {}, open: [], answers: [] })
  expect(await callDigest(digest, 'pay', edited)).toBe(
    (await payloads('approval_decided')).find(({ decision }) => decision === 'approved')?.approved_digest,
  )
})

test('[N29] [N58] tools of one session share its memory; another session has its own', async () => {
  const counts = tool({
    ...{ name: 'count', description: 'Counts.' },
    run: async (_input, { session }) => {
      const count = ((await session.memory.get<number>('count')) ?? 0) + 1
      await session.memory.set('count', count)
      return count
    },
  })
  const [one, two] = [await startRun('s1'), await startRun('s2')]
  const results = []
  for (const { context } of [one, two, one]) {
    const [call] = calls(['count'])
    const items = await makeCall(call!, counts, {}, context)
    results.push(
      items.flatMap((item) => (item.type === 'event' && item.event.type === 'tool_result' ? [item.event.payload] : [])),
    )
  }
  expect(results.flat()).toMatchObject([{ result: 1 }, { result: 1 }, { result: 2 }])
  expect(await one.payloads('memory_set')).toMatchObject([{ value: 1 }, { value: 2 }])
})

test('[N72] the call of a tool with a directive is in the log as one directive, together with its outcome', async () => {
  const tools = [
    tool({ name: 'chart', description: 'x', directive: 'render_ui' }),
    tool({ name: 'start', description: 'x', directive: { action_type: 'com.example.start', priority: 'high' } }),
  ]
  const { reporter, context, payloads } = await startRun('directives')
  const asked = calls(['chart', { component: 'A' }], ['chart', { component: 1 }], ['start', { n: 1 }])
  const checks = await checkCalls(
    asked.map((call) => ({ call, outcome: null })),
    () => true,
    tools,
    deadline,
  )
  for (const check of checks) {
    if ('refusal' in check) await reporter.report(refusal(check))
    else {
      await reporter.report(await beginning(check, digest))
      await reporter.report(await makeCall(check.call, check.tool, check.call.input, context))
    }
  }
  expect(await payloads('directive')).toEqual([
    { action_type: 'render_ui', payload: { component: 'A' } },
    { action_type: 'com.example.start', priority: 'high', payload: { n: 1 } },
  ])
  expect((await payloads('tool_call')).map(({ action_type }) => action_type)).toEqual([
    ...['render_ui', undefined, 'com.example.start'],
  ])
  expect((await payloads('tool_outcome')).map(({ status, result, reason }) => [status, result ?? reason])).toEqual([
    ['ok', { sent: 'render_ui' }],
    ['error', 'arguments_invalid'],
    ['ok', { sent: 'com.example.start' }],
  ])
  expect(() => tool({ name: 'x', description: 'x', directive: 'chart' })).toThrow(/directive.action_type/)
})
