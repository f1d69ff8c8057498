// The streaming profile: partial directives over server-sent events, then the message that every other shell gets.

import type { ReportItem } from '@bridle/kernel/commands'
import type { Runner } from '@bridle/kernel/ports/runner'
import { expect, test } from 'vitest'
import { JSON_TYPE, messageOf, script, testEngine } from './engine.suite.ts'
import { directivesAfter, framesOf, messageAfter, type ReadFrame, withoutLatency } from './stream-reader.suite.ts'

const capabilities = { 'openharness.streaming': true }
const STREAM = { accept: 'text/event-stream', ...JSON_TYPE }

/** The text of a reader that applies every frame. */
const textAfter = (frames: readonly ReadFrame[], text = ''): string =>
  directivesAfter(frames, text === '' ? [] : [{ action_type: 'render_message', payload: { text } }])
    .map(({ payload }) => String(payload?.text))
    .join('')

const ask = (session_id: string, user_intent: string, context: object = {}) =>
  messageOf({ session_id, user_intent, ...context }, { request_id: 'q', correlation_id: 'c', capabilities })

/** An agent that says the texts, each in a report of its own; null withdraws all. */
const speaker = (...texts: readonly (string | null)[]): Runner => ({
  start: async (_job, reporter) => {
    const items: ReportItem[] = texts.map((text) =>
      text === null
        ? { type: 'supersede', keep: { chars: 0, parts: 0 } }
        : { type: 'event', event: { type: 'token', payload: { text } } },
    )
    await reporter.report([{ type: 'started', durable: true }])
    for (const item of items) await reporter.report([item])
    await reporter.report([{ type: 'finished', result: null }])
    return 'done'
  },
  attach: async () => 'done',
  abort: async () => null,
  answer: async () => {},
})

const stream = async (
  { post }: Pick<ReturnType<typeof testEngine>, 'post'>,
  message: object,
  headers: Record<string, string> = {},
) => {
  const reply = await post('/v1/openharness', message, { ...STREAM, ...headers })
  return { ...reply, frames: framesOf(String(reply.body.text)) }
}

test('[OH80] a stream is sent to a shell that has the capability and accepts one; every other shell gets JSON', async () => {
  const engine = testEngine()
  const say = script({ text: 'One two three.', chunks: 3 })
  const both = await stream(engine, ask('s1', say))
  expect([both.status, both.headers.get('content-type'), both.headers.get('x-bridle-session')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    's1',
  ])
  expect([both.headers.get('x-request-id'), both.headers.get('x-correlation-id')]).toEqual(['q', 'c'])
  const only = await engine.send(messageOf({ session_id: 's2', user_intent: say }, { request_id: 'q' }), STREAM)
  const json = await engine.send(ask('s3', say))
  for (const { headers, body } of [only, json]) {
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(body.response.action_directives?.[0]?.payload).toEqual({ text: 'One two three.' })
    expect(body.supported_capabilities).toMatchObject({ 'openharness.streaming': true })
  }
})

test('[OH81] [OH83] [OH122] frames add up to the text; the final message is the one without streaming, byte for byte', async () => {
  const engine = testEngine({}, { speaker: speaker('One ', 'two ', '𝄞 three') })
  for (const id of ['s1', 's2', 's3']) {
    const { frames } = await stream(engine, ask(id, 'Count.', { task_hint: { plugin_id: 'speaker' } }))
    expect(frames.length).toBeGreaterThan(1)
    expect(frames.map(({ id: position, data }) => position === String(data.seq))).not.toContain(false)
    expect(frames.map(({ data }) => data.seq)).toEqual(frames.map(({ data }) => data.seq).toSorted((a, b) => a - b))
    expect(textAfter(frames)).toBe('One two 𝄞 three')
    const plain = await engine.send(ask(id, 'Count.', { task_hint: { plugin_id: 'speaker' } }))
    expect(withoutLatency(messageAfter(frames))).toBe(withoutLatency(plain.body))
    expect(messageAfter(frames)).toMatchObject({ request_id: 'q', correlation_id: 'c' })
  }
})

test('[OH120] a directive comes when it is said, and the text behind it is a message of its own', async () => {
  const engine = testEngine()
  const form = { action_type: 'com.example.form', payload: { component: 'Form' } }
  const steps = [{ text: 'One ' }, { directive: form }, { text: 'two' }, { directive: { action_type: 'noop' } }]
  for (const id of ['s1', 's2', 's3']) {
    const { frames } = await stream(engine, ask(id, script(...steps)))
    const lists = frames.map((_, index) => directivesAfter(frames.slice(0, index + 1)))
    const types = lists.map((list) => list.map(({ action_type, payload }) => payload?.text ?? action_type).join())
    // Two reports may come in one frame.
    expect(['One ', 'One ,com.example.form', 'One ,com.example.form,two', 'One ,com.example.form,two,noop']).toEqual(
      expect.arrayContaining([...new Set(types)]),
    )
    expect(types.length).toBeGreaterThan(2)
    expect(lists.at(-1)).toEqual(messageAfter(frames).response.action_directives)
  }
})

test('[OH82] a reader resumes behind any frame, and its text and final message are the same', async () => {
  const engine = testEngine({}, { speaker: speaker('One ', 'two ', null, 'Three ', 'four') })
  const message = ask('s', 'Count.', { task_hint: { plugin_id: 'speaker' } })
  const { frames } = await stream(engine, message)
  for (let seen = 0; seen <= frames.length; seen++) {
    const before = frames.slice(0, seen)
    const rest = await stream(engine, message, seen === 0 ? {} : { 'last-event-id': before.at(-1)?.id ?? '' })
    expect(textAfter(rest.frames, textAfter(before))).toBe('Three four')
    expect(withoutLatency(messageAfter(rest.frames))).toBe(withoutLatency(messageAfter(frames)))
    expect(rest.frames.every(({ data }) => data.seq >= (before.at(-1)?.data.seq ?? 0))).toBe(true)
  }
  const foreign = await stream(engine, message, { 'last-event-id': '3~9' })
  expect([foreign.frames[0]?.data, textAfter(foreign.frames, 'stale')]).toMatchObject([
    { changes: [{ index: 0 }] },
    'Three four',
  ])
  const wrong = await engine.send(message, { ...STREAM, 'last-event-id': 'nonsense' })
  expect([wrong.status, wrong.body.response.error?.details]).toEqual([400, { field: 'last-event-id' }])
})

test('[OH81] [OH121] text that is withdrawn, or that the shell shows in another form, is corrected', async () => {
  const engine = testEngine({}, { speaker: speaker('The answer is ', 'forty', null, 'The **answer** is 42') })
  const hint = { task_hint: { plugin_id: 'speaker' } }
  const withdrawn = await stream(engine, ask('s1', 'Which?', hint))
  expect(textAfter(withdrawn.frames)).toBe('The **answer** is 42')
  const bot = await stream(engine, ask('s2', 'Which?', { ...hint, shell: { shell_kind: 'im_bot' } }))
  expect(textAfter(bot.frames)).toBe('The answer is 42')
  expect(messageAfter(bot.frames).response.action_directives?.[0]?.payload).toEqual({ text: 'The answer is 42' })
})

test('[OH84] a question ends the stream, a failed run ends it with its error, and a wrong request begins none', async () => {
  const engine = testEngine()
  const asking = script({ text: 'Let me write.' }, { approve: 'write' }, { text: 'Written.' })
  const first = await stream(engine, ask('s1', asking))
  const [said, directive] = messageAfter(first.frames).response.action_directives ?? []
  expect([said?.payload?.text, directive?.action_type]).toEqual(['Let me write.', 'request_approval'])
  expect(directivesAfter(first.frames)).toEqual([said, directive])
  const options = directive?.payload?.options as unknown as readonly object[]
  const go = messageOf({ continuation: options[0] }, { request_id: 'yes', capabilities })
  const second = await stream(engine, go)
  expect(textAfter(second.frames)).toBe('Written.')
  expect(messageAfter(second.frames).response.action_directives?.[0]?.payload?.text).toBe(textAfter(second.frames))
  const failed = await stream(engine, ask('s2', script({ text: 'Half' }, { fail: 'broken' })))
  expect(messageAfter(failed.frames).response).toMatchObject({ status: 'error', error: { code: 'engine_error' } })
  expect(textAfter(failed.frames)).toBe('')
  const empty = await engine.send(messageOf({ session_id: 's3' }, { capabilities }), STREAM)
  expect([empty.status, empty.body.response.error?.code]).toEqual([400, 'invalid_request'])
})

test('[OH85] a stream has no time limit of its own; one that the server ends goes on where it was', async () => {
  const engine = testEngine({ openharness: { waitMs: 1 }, streamMs: 20 })
  const message = ask('s', script({ text: 'One ' }, { sleepMs: 100 }, { text: 'two' }))
  const frames: ReadFrame[] = []
  for (let tries = 0; tries < 500 && frames.at(-1)?.data.type !== 'final'; tries++) {
    const last = frames.at(-1)
    frames.push(...(await stream(engine, message, last ? { 'last-event-id': last.id } : {})).frames)
  }
  expect(textAfter(frames)).toBe('One two')
  expect(messageAfter(frames).response.status).toBe('success')
})
