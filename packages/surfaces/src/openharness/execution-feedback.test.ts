// The execution feedback profile, at the engine.

import { promptMessage } from '@bridle/agents/loop/transcript/rendering'
import type { Json } from '@bridle/events/json'
import type { Runner } from '@bridle/kernel/ports/runner'
import { expect, test, vi } from 'vitest'
import { messageOf, script, summaryOf, testEngine } from './engine.suite.ts'

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

/** The session has answered a request before, so that there is something to speak of. */
const begin = (send: ReturnType<typeof testEngine>['send'], session_id: string) =>
  send(messageOf({ session_id, user_intent: 'Begin.', task_hint: { plugin_id: 'listener' } }, { request_id: 'req-1' }))

const alone = (session_id: string, feedback: unknown, request_id = 'report') =>
  messageOf({ session_id }, { request_id, capabilities }, { extensions: { [PROFILE]: feedback } })

const feedbackOf = (input: Json | undefined): unknown =>
  (input as { openharness?: { execution_feedback?: unknown } }).openharness?.execution_feedback

/** The feedback of a session, as Fabric shows it. */
const shown = async ({ get }: ReturnType<typeof testEngine>, session: string, agent = 'listener') => {
  const { events } = (await get(`/agents/${agent}/${session}`)).body as unknown as {
    events: { type: string; data: { entries?: unknown[] } }[]
  }
  return events.flatMap(({ type, data }) => (type === 'execution_feedback' ? [data.entries] : []))
}

test('[OH90] [OH91] [OH148] feedback reaches the next turn in three sessions, with its known fields alone', async () => {
  const { inputs, runner } = listener()
  const { send } = testEngine({}, { listener: runner })
  for (const id of ['s1', 's2', 's3']) {
    await begin(send, id)
    const reply = await send(report(id, [{ ...executed, payload: { text: 'private' } }, unknown]))
    expect(summaryOf(reply)).toEqual([200, ['Heard.']])
    expect(reply.body.supported_capabilities).toMatchObject(capabilities)
  }
  expect(inputs).toHaveLength(6)
  for (const input of inputs.filter((_, index) => index % 2 === 1))
    expect(input).toMatchObject({
      openharness: { execution_feedback: [executed, unknown], request_extensions: { 'com.example': 1 } },
    })
  expect(JSON.stringify(inputs)).not.toContain('private')
  await begin(send, 's4')
  await send(report('s4', [executed], { capabilities: {} }))
  expect(feedbackOf(inputs.at(-1))).toBe(undefined)
})

test('[OH92] a request that is repeated with other feedback is the same request', async () => {
  const { inputs, runner } = listener()
  const engine = testEngine({}, { listener: runner })
  await begin(engine.send, 's')
  const first = await engine.send(report('s', [executed]))
  const second = await engine.send(report('s', [executed, unknown]))
  expect([summaryOf(first), summaryOf(second)]).toEqual([
    [200, ['Heard.']],
    [200, ['Heard.']],
  ])
  expect(inputs).toHaveLength(2)
  expect(await shown(engine, 's')).toEqual([[executed]])
})

test('[OH124] [OH125] feedback in a request of its own is an event at once, runs nothing, and the next turn learns all of it', async () => {
  const { inputs, runner } = listener()
  const engine = testEngine({}, { listener: runner })
  for (const id of ['s1', 's2', 's3']) await begin(engine.send, id)
  for (const id of ['s1', 's2', 's3']) {
    for (const feedback of [[executed], [executed, unknown]]) {
      const { status, body } = await engine.send(alone(id, feedback))
      expect([status, body.response.status, body.response.action_directives]).toEqual([200, 'success', []])
      expect(body.response.extensions).toEqual({ 'dev.bridle': { session_id: id } })
    }
    await engine.send(alone(id, [unknown], 'report-2'))
    expect(await shown(engine, id)).toEqual([[executed], [unknown]])
  }
  expect(inputs).toHaveLength(3)
  expect(JSON.stringify((await engine.get('/stream-events')).body)).toContain('execution_feedback')
  // A prompt of another wire brings no feedback, and leaves it for the next one.
  await engine.post('/agents/listener/s1', { prompt: 'From elsewhere.' })
  await vi.waitFor(() => expect(inputs).toHaveLength(4))
  await engine.send(report('s1', [{ ...executed, index: 7 }]))
  await engine.send(report('s1', [], { request_id: 'later' }))
  expect(inputs.slice(4).map(feedbackOf)).toEqual([[executed, unknown, { ...executed, index: 7 }], undefined])
})

test('[OH124] the id of such a request is for itself, and so is that of an intent; there must be a session', async () => {
  const { runner } = listener()
  const { send } = testEngine({}, { listener: runner })
  await begin(send, 's')
  expect(summaryOf(await send(alone('s', [executed], 'req-1')))).toEqual([409, 'request_id_conflict'])
  expect((await send(alone('s', [executed], 'next'))).status).toBe(200)
  expect(summaryOf(await send(report('s', [])))).toEqual([409, 'request_id_conflict'])
  expect(summaryOf(await send(alone('nowhere', [executed])))).toEqual([404, 'not_found'])
  const without = { ...alone('s', [executed], 'other'), capabilities: {} }
  const { status, body } = await send(without)
  expect([status, body.response.error?.details]).toEqual([400, { field: 'context.user_intent' }])
})

test('[OH126] an entry about a request that the session has not answered is left out', async () => {
  const { inputs, runner } = listener()
  const engine = testEngine({}, { listener: runner })
  const foreign = { ...executed, request_id: 'elsewhere' }
  expect(summaryOf(await engine.send(report('new', [executed])))).toEqual([200, ['Heard.']])
  await begin(engine.send, 's')
  await engine.send(alone('s', [foreign]))
  await engine.send(report('s', [foreign, executed]))
  expect(inputs.map(feedbackOf)).toEqual([undefined, undefined, [executed]])
  expect(await shown(engine, 's')).toEqual([[executed]])
})

test('[OH124] feedback comes with the answer to a question, too', async () => {
  const engine = testEngine()
  for (const session_id of ['s1', 's2', 's3']) {
    const steps = script({ text: 'One.' }, { approve: 'write' }, { text: 'Two.' })
    const first = await engine.send(messageOf({ session_id, user_intent: steps }, { request_id: 'req-1' }))
    const options = first.body.response.action_directives?.at(-1)?.payload?.options as unknown as readonly object[]
    const yes = messageOf(
      { session_id, continuation: options[0] },
      { request_id: 'yes', capabilities },
      { extensions: { [PROFILE]: [executed] } },
    )
    for (let times = 0; times < 2; times++) expect(summaryOf(await engine.send(yes))).toEqual([200, ['Two.']])
    expect(await shown(engine, session_id, 'scripted')).toEqual([[executed]])
    // The request of the answer is known from now on.
    await engine.send(alone(session_id, [{ ...executed, request_id: 'yes' }]))
    expect(await shown(engine, session_id, 'scripted')).toHaveLength(2)
  }
})

test('[OH125] a model reads feedback in the input behind its prompt', () => {
  const message = promptMessage('Go on.', { openharness: { execution_feedback: [unknown] } }, undefined)
  expect(JSON.stringify(message)).toContain('unknown_action_type')
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
