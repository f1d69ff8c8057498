// Streams of random runs: what a reader of the frames has is what a shell without the profile gets.

import type { Payloads } from '@bridle/events/schemas'
import type { ReportItem } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import type { Runner } from '@bridle/kernel/ports/runner'
import { streamFrame } from '@bridle/wire/openharness/wire/messages'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { JSON_TYPE, messageOf, testEngine } from './engine.suite.ts'
import { directivesAfter, framesOf, messageAfter, withoutLatency } from './stream-reader.suite.ts'

const RUNS = 50
const STREAM = { accept: 'text/event-stream', ...JSON_TYPE }
const texts = ['One ', '', 'two\n', '𝄞', '**bold** ', '- item\n', 'wide '.repeat(20), '`']
const directives: readonly Payloads['directive'][] = [
  { action_type: 'noop' },
  { action_type: 'render_message', payload: { text: 'An **own** message.' } },
  { action_type: 'render_ui', payload: { component: 'Form', data: { rows: [1, 2] } }, execution: 'parallel' },
  { action_type: 'com.example.ping', payload: { at: 1 }, risk_tier: 'dangerous', requires_user_approval: true },
]
const kinds = [undefined, 'im_bot', 'tv', 'command_shell']

type Random = (below: number) => number
const randomOf = (seed: number): Random => {
  let state = seed * 2_654_435_761 + 1
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const said = (random: Random): ReportItem[] =>
  Array.from({ length: random(6) }, () =>
    random(3) === 0
      ? { type: 'event', event: { type: 'directive', payload: directives[random(4)]! } }
      : { type: 'event', event: { type: 'token', payload: { text: texts[random(8)]! } } },
  )

/** A run that says anything, takes some of it back, asks, fails, and begins again. `retry` makes a due attempt start. */
const randomRunner = (random: Random, retry: (key: Key) => void): Runner => {
  const answers = new Map<string, () => void>()
  return {
    start: async ({ key, attempt }, reporter) => {
      const isDurable = random(2) === 0
      await reporter.report([{ type: 'started', durable: isDurable }])
      for (let phase = random(5); phase >= 0; phase--) {
        const items = said(random)
        if (random(2) === 0) await reporter.report(items)
        else for (const item of items) await reporter.report([item])
        if (isDurable && random(3) === 0)
          await reporter.report([{ type: 'supersede', keep: { chars: random(6), parts: random(3) } }])
        if (!isDurable && random(4) === 0) {
          const id = `call-${phase}`
          const answer = new Promise<void>((resolve) => answers.set(id, resolve))
          const call = { name: 'write', arguments: {}, tool_call_id: id }
          await reporter.report([
            { type: 'event', event: { type: 'tool_call', payload: call } },
            { type: 'ask', toolCallId: id, tool: 'write', arguments: {}, reason: 'It writes.', digest: 'd' },
          ])
          await answer
        }
        if (attempt < 3 && random(6) === 0) {
          await reporter.report([{ type: 'failed', message: 'Again.', transient: true }])
          setTimeout(() => retry(key))
          return 'done'
        }
      }
      const end = random(6)
      if (end === 0) await reporter.report([{ type: 'failed', message: 'Broken.' }])
      else await reporter.report([{ type: 'finished', result: end === 1 ? 'A result.' : null }])
      return 'done'
    },
    attach: async () => 'done',
    abort: async () => null,
    answer: async (_job, { toolCallId }) => answers.get(toolCallId)?.(),
  }
}

test('[OH83] [OH120] [OH121] [OH122] the frames of random runs add up to the message, from the start and behind every frame', async () => {
  const seen = { questions: 0, failures: 0, withdrawals: 0, directives: 0 }
  for (let seed = 1; seed <= RUNS; seed++) {
    const random = randomOf(seed)
    const engine = testEngine({}, { random: randomRunner(randomOf(seed + RUNS), (key) => retry(key)) })
    const retry = (key: Key) => {
      engine.advance(120_000)
      engine.host.send(key, { type: 'tick' }, null).catch(() => {})
    }
    const key = { tenant: 'default', agent: 'random', id: 's' }
    await engine.host.send(key, { type: 'create', opening: { kind: 'background', maxRetries: 2 } }, null)
    const read = async (message: object, headers: Record<string, string> = {}) =>
      framesOf(String((await engine.post('/v1/openharness', message, { ...STREAM, ...headers })).body.text))
    const shell = { shell_kind: kinds[random(4)] }
    const capabilities = { 'openharness.streaming': true, 'openharness.ui.rich_cards': random(2) === 0 }
    let message = messageOf(
      { session_id: 's', user_intent: 'Go.', task_hint: { plugin_id: 'random' }, shell },
      { request_id: `q${seed}`, capabilities },
    )
    for (let turn = 0; turn < 20; turn++) {
      const frames = await read(message)
      expect(frames.filter(({ data }) => !v.is(streamFrame, data))).toEqual([])
      const whole = messageAfter(frames)
      const places = frames.map(({ data }) => data.seq)
      expect(places, `seed ${seed}`).toEqual([...new Set(places)].toSorted((a, b) => a - b))
      const expected = whole.response.action_directives ?? []
      expect(directivesAfter(frames), `seed ${seed}`).toEqual(expected)
      expect(withoutLatency((await engine.send(message)).body), `seed ${seed}`).toBe(withoutLatency(whole))
      for (const count of [1, random(frames.length) + 1, frames.length]) {
        const before = frames.slice(0, count)
        const rest = await read(message, { 'last-event-id': before.at(-1)!.id })
        expect(directivesAfter(rest, directivesAfter(before)), `seed ${seed}`).toEqual(expected)
        expect(withoutLatency(messageAfter(rest)), `seed ${seed}`).toBe(withoutLatency(whole))
      }
      const changes = frames.flatMap(({ data }) => (data.type === 'partial' ? data.changes : []))
      seen.withdrawals += changes.filter((change) => 'directive' in change && change.directive === null).length
      seen.directives += changes.filter((change) => 'directive' in change && change.directive !== null).length
      seen.failures += whole.response.status === 'error' ? 1 : 0
      const question = expected.at(-1)?.action_type === 'request_approval' ? expected.at(-1) : undefined
      if (!question) break
      seen.questions += 1
      const options = question.payload?.options as unknown as readonly { readonly continuation_token: string }[]
      const { continuation_token } = options[0]!
      message = messageOf(
        { continuation: { continuation_token }, shell },
        { request_id: `yes${seed}-${turn}`, capabilities },
      )
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(2)
})
