// The execution feedback profile, at the engine.
import { expect, test } from 'vitest'
import type { Json } from '../../kernel/json.ts'
import type { Runner } from '../../kernel/ports/runner.ts'
import { messageOf, summaryOf, testEngine } from './engine.suite.ts'

const PROFILE = 'openharness.execution_feedback'
const capabilities = { [PROFILE]: true }

/** An agent that keeps the inputs of its turns. */
const listener = () => {
  const inputs: (Json | undefined)[] = []
  const runner: Runner = {
    start: async (job, reporter) => {
      inputs.push(job.input)
      await reporter.report([{ type: 'started' }])
      await reporter.report([{ type: 'finished', result: 'Heard.' }])
      return 'done'
    },
    attach: async () => 'done',
    abort: async () => null,
    answer: async () => {},
  }
  return { inputs, runner }
}

const report = (session_id: string, feedback: unknown, more: object = {}) =>
  messageOf(
    { session_id, user_intent: 'Go on.', task_hint: { plugin_id: 'listener' } },
    { request_id: 'next', capabilities, ...more },
    { extensions: { [PROFILE]: feedback, 'com.example': 1 } },
  )
const executed = { request_id: 'req-1', index: 0, action_type: 'render_message', outcome: 'executed', code: null }
const unknown = { request_id: 'req-1', index: 1, outcome: 'skipped', code: 'unknown_action_type', duration_ms: 2 }

test('[OH90] [OH91] feedback reaches the next turn in three sessions, with its known fields alone', async () => {
  const { inputs, runner } = listener()
  const { send } = testEngine({}, { listener: runner })
  for (const id of ['s1', 's2', 's3']) {
    const reply = await send(report(id, [{ ...executed, payload: { text: 'private' } }, unknown]))
    expect(summaryOf(reply)).toEqual([200, ['Heard.']])
    expect(reply.body.supported_capabilities).toMatchObject(capabilities)
  }
  expect(inputs).toHaveLength(3)
  for (const input of inputs)
    expect(input).toMatchObject({
      openharness: { execution_feedback: [executed, unknown], request_extensions: { 'com.example': 1 } },
    })
  expect(JSON.stringify(inputs)).not.toContain('private')
  await send(report('s4', [executed], { capabilities: {} }))
  expect(JSON.stringify(inputs[3])).not.toContain('"execution_feedback":')
})

test('[OH92] a request that is repeated with other feedback is the same request', async () => {
  const { inputs, runner } = listener()
  const { send } = testEngine({}, { listener: runner })
  const first = await send(report('s', [executed]))
  const second = await send(report('s', [executed, unknown]))
  expect([summaryOf(first), summaryOf(second)]).toEqual([
    [200, ['Heard.']],
    [200, ['Heard.']],
  ])
  expect(inputs).toHaveLength(1)
})

test.each<[string, unknown, string]>([
  ['no list', {}, ''],
  ['another outcome', [{ ...executed, outcome: 'lost' }], '.0.outcome'],
  ['no place', [{ ...executed, index: -1 }], '.0.index'],
  ['a long text', [executed, { ...executed, code: 'x'.repeat(201) }], '.1.code'],
  ['too many', Array.from({ length: 1_001 }, () => executed), ''],
])('[OH93] feedback that is wrong is refused, and nothing runs: %s', async (_name, feedback, path) => {
  const { inputs, runner } = listener()
  const { send } = testEngine({}, { listener: runner })
  const { status, body } = await send(report('s', feedback))
  expect([status, body.response.error?.details]).toEqual([400, { field: `extensions.${PROFILE}${path}` }])
  expect(inputs).toEqual([])
})
