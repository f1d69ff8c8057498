// Calls that only nearly fit, and waves, as the log tells of them.
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { agent } from '../agent.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { PolicyRule } from '../policy.ts'
import { tool } from '../tools/tool.ts'
import { type Answering, keyOf, LoopWorld, lastResults, stubModel } from './loop.suite.ts'

const hung = () => new Promise<never>(() => {})

const worker = (
  calls: readonly (readonly [string, object | string])[],
  more: {
    readonly use?: readonly Middleware[]
    readonly policy?: readonly PolicyRule[]
    readonly hangs?: () => boolean
  } = {},
) => {
  const made: unknown[] = []
  const answer: Answering = (prompt) =>
    lastResults(prompt) ? { text: lastResults(prompt)?.join('; ') ?? '' } : { calls }
  const touching = (name: string, effect: 'pure' | 'idempotent' | 'unsafe') =>
    tool({
      ...{ name, description: `Does ${name}.`, effect, input: v.strictObject({ n: v.number() }) },
      run: ({ n }) => {
        made.push(`${name} ${n}`)
        return more.hangs?.() ? hung() : `${name} ${n}`
      },
    })
  const tools = [touching('read_file', 'pure'), touching('send_mail', 'idempotent'), touching('pay', 'unsafe')]
  const { use = [], policy = [] } = more
  return { made, definition: agent({ name: 'tested', model: stubModel(answer), tools, use, policy }) }
}

test('[N99] [N100] a repaired call begins as it is made, and the log says so', async () => {
  const { definition, made } = worker([
    ['Read_File', { n: '1' }],
    ['pay', '```json\n{"n": 2,}\n```'],
    ['pay', { input: { n: 3 } }],
    ['pya', { n: 4 }],
  ])
  const it = new LoopWorld(definition)
  for (const key of [keyOf('a'), keyOf('b'), keyOf('c')]) {
    await it.ask('go', key)
    expect(await it.payloads('tool_call', key)).toMatchObject([
      { name: 'pya', arguments: { n: 4 } },
      { name: 'read_file', arguments: { n: 1 } },
      { name: 'pay', arguments: { n: 2 } },
      { name: 'pay', arguments: { n: 3 } },
    ])
    expect(
      (await it.payloads('tool_validation_error', key)).map(({ tool_name, repaired }) => [tool_name, repaired]),
    ).toEqual([
      ['pya', undefined],
      ['read_file', true],
      ['pay', true],
      ['pay', true],
    ])
    expect(await it.outcomes(key)).toEqual(['pya error unknown_tool', 'read_file ok', 'pay ok', 'pay ok'])
  }
  expect(made).toHaveLength(9)
})

test('[N99] middleware and policy see the repaired call: no spelling gets around them', async () => {
  const seen: unknown[] = []
  const watch: Middleware = { name: 'watch', before: ({ tool: name, input }) => void seen.push([name, input]) }
  const policy: PolicyRule[] = [{ tool: 'pay', do: 'deny', when: ({ n }) => n === 5 }]
  const { definition, made } = worker(
    [
      ['PAY', { n: '5' }],
      ['functions.pay', '"{\\"n\\": 5}"'],
      ['pay', { arguments: '{"n":6}' }],
    ],
    { use: [watch], policy },
  )
  const it = new LoopWorld(definition)
  await it.ask('go')
  expect(seen).toEqual([
    ['pay', { n: 5 }],
    ['pay', { n: 5 }],
    ['pay', { n: 6 }],
  ])
  expect([made, await it.outcomes()]).toEqual([
    ['pay 6'],
    ['pay denied policy_denied', 'pay denied policy_denied', 'pay ok'],
  ])
})

test('[N99] after a crash, a repaired call is made again as the log has it', async () => {
  for (const name of ['Send_Mail', 'PAY']) {
    let isFirst = true
    const { definition, made } = worker([[name, { input: { n: '7' } }]], { hangs: () => isFirst })
    let it = new LoopWorld(definition)
    await it.submit('go')
    await it.quiet()
    isFirst = false
    it = await it.again()
    if (name === 'PAY') {
      expect(await it.payloads('approval_required')).toMatchObject([{ tool_name: 'pay', arguments: { n: 7 } }])
      await it.approve()
    }
    expect(made).toHaveLength(2)
    expect(new Set(made).size).toBe(1)
    expect(await it.payloads('tool_validation_error')).toHaveLength(1)
    expect(await it.payloads('turn_end')).toMatchObject([{ status: 'completed' }])
  }
})

test('[N99] an output is taken as it was repaired', async () => {
  const it = new LoopWorld(
    agent({
      ...{ name: 'tested', output: v.strictObject({ n: v.number() }) },
      model: stubModel(() => ({ calls: [['Answer', { input: { n: '1' } }]] })),
    }),
  )
  await it.ask('go')
  expect(await it.result()).toEqual({ n: 1 })
})

test('[N101] each wave is told with its calls in order, in the write with which they begin', async () => {
  const { definition } = worker([
    ['read_file', { n: 1 }],
    ['read_file', { n: 2 }],
    ['pay', { n: 3 }],
    ['pay', { n: 'x' }],
    ['read_file', { n: 4 }],
  ])
  const it = new LoopWorld(definition)
  await it.ask('go')
  await it.ask('again')
  const waves = (run: string) => [
    { tool_call_ids: [`${run}.1.1`, `${run}.1.2`], wave: 1, mode: 'parallel' },
    { tool_call_ids: [`${run}.1.3`], wave: 2, mode: 'single' },
    { tool_call_ids: [`${run}.1.5`], wave: 3, mode: 'single' },
  ]
  const runs = (await it.payloads('prompt_queued')).map(({ run_id }) => run_id)
  expect(await it.payloads('tool_batch')).toEqual(runs.flatMap(waves))
  for (const { events } of it.log.appends) {
    const batch = events.find(({ type }) => type === 'tool_batch')
    const begun = events.flatMap(({ type, payload }) =>
      type === 'tool_call' ? [(payload as { tool_call_id: string }).tool_call_id] : [],
    )
    const ids = (batch?.payload as { tool_call_ids?: string[] } | undefined)?.tool_call_ids ?? []
    expect(begun).toEqual(expect.arrayContaining(ids))
  }
})
