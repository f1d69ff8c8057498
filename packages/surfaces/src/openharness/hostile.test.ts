// Hostile messages: the engine answers each with a message that the draft accepts.
import { globSync, readFileSync } from 'node:fs'
import { responseMessage } from '@bridle/wire/openharness/wire/messages'
import fc from 'fast-check'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { type EngineReply, messageOf, script, summaryOf, testEngine } from './engine.suite.ts'

const folder = `${import.meta.dirname}/fixtures`
const read = (file: string): { request_id: string } => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))

const expectEnvelope = ({ status, body, headers }: EngineReply): void => {
  expect(headers.get('content-type')).toBe('application/json')
  expect(v.is(responseMessage, body)).toBe(true)
  expect(body.response.status).toBe(status === 200 ? 'success' : 'error')
  const { error } = body.response
  if (error?.code === 'invalid_request') expect(error.details?.field).toEqual(expect.any(String))
  expect(JSON.stringify(body)).not.toMatch(/\bat .*\.ts:\d+|<html/i)
}

test('[OH8] the golden requests get answers', async () => {
  const { send } = testEngine()
  const replies = await Promise.all(
    globSync('*-request.json', { cwd: folder })
      .sort()
      .map(async (file) => [file, await send(read(file)), read(file)] as const),
  )
  for (const [, reply, message] of replies) {
    expectEnvelope(reply)
    expect(reply.body.request_id).toBe(message.request_id)
  }
  // Two of them bring a token of another engine.
  expect(replies.map(([file, reply]) => [file, summaryOf(reply)[0]])).toEqual([
    ['feishu-cli-request.json', 400],
    ['im-cli-request.json', 400],
    ['minimal-request.json', 200],
  ])
})

test('[OH8] odd values in every place of a message', async () => {
  const { send } = testEngine()
  const odd = fc.constantFrom<unknown>(null, 0, -1, '', 'x', true, [], {}, [[]], '\u0000', '\ud800', '__proto__', 1e300)
  const field = (names: readonly string[], inner: fc.Arbitrary<unknown> = odd) =>
    fc.dictionary(fc.constantFrom(...names, '__proto__', 'toString'), inner, { maxKeys: 3 })
  const context = field(
    ['session_id', 'conversation_id', 'user_intent', 'task_hint', 'continuation', 'shell', 'attachments', 'extensions'],
    fc.oneof(
      odd,
      field(['plugin_id', 'continuation_token', 'shell_kind', 'locale', 'timezone', 'privacy_tier', 'uri']),
    ),
  ).map((fields) => ({ user_intent: script({ text: 'Fine.' }), ...fields }))
  const message = fc.record(
    {
      protocol_version: fc.oneof({ weight: 5, arbitrary: fc.constant('1.0.0') }, odd),
      request_id: fc.oneof(odd, fc.string()),
      correlation_id: odd,
      capabilities: fc.oneof(odd, field(['openharness.streaming', 'openharness.ui.approval'])),
      request: fc.oneof(
        {
          weight: 5,
          arbitrary: fc.record({ context, auth: fc.oneof(odd, field(['session_id'])) }, { requiredKeys: [] }),
        },
        odd,
      ),
      response: odd,
    },
    { requiredKeys: ['protocol_version', 'request'] },
  )
  await fc.assert(
    fc.asyncProperty(message, async (value) => expectEnvelope(await send(value))),
    { numRuns: 300 },
  )
})

test('[OH8] ten megabytes, and a body that is nothing but brackets', async () => {
  const { send } = testEngine()
  const large = await send(JSON.stringify(messageOf({ user_intent: 'x'.repeat(10_000_000) })))
  expectEnvelope(large)
  expect(large.status).toBe(413)
  for (const text of ['['.repeat(1_000_000), '{"a":'.repeat(500_000), '"'.repeat(1_000_001)]) {
    const reply = await send(text)
    expectEnvelope(reply)
    expect(reply.status).toBe(400)
  }
})
